/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchdog.h - bounds the time and the memory of a run, and names the seed of a run that hangs or
 * that a sanitizer ends.
 */
#ifndef STRATA_TESTS_WATCHDOG_H
#define STRATA_TESTS_WATCHDOG_H

#include <stddef.h>
#include <stdint.h>

/* Once, before anything is allocated that is to be counted. */
void watchdog_make(void);

/* A run that lasts longer than @seconds ends the program. */
void watchdog_begin(uint64_t seed, unsigned int seconds);

/* Returns the highest that watchdog_heap() was since begin. */
size_t watchdog_end(void);

/* Bytes that are allocated now. */
size_t watchdog_heap(void);

#endif /* STRATA_TESTS_WATCHDOG_H */

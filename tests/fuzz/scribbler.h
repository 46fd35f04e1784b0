/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scribbler.h - a thread that writes over the liars' memory while the recorder
 * reads it: what is looked at twice is different the second time.
 *
 * Its numbers come from the seed, when they land does not.
 */
#ifndef STRATA_TESTS_SCRIBBLER_H
#define STRATA_TESTS_SCRIBBLER_H

#include "fake_guest.h"

/* Starts the thread, which waits; once. */
void scribbler_make(void);

/* From begin to end it writes over the memory of both; nobody loads a module meanwhile. */
void scribbler_begin(struct fake_guest *first, struct fake_guest *second, uint64_t seed);
void scribbler_end(void);

/* What it wrote so far; to be asked while it waits. */
uint64_t scribbler_stores(void);

#endif /* STRATA_TESTS_SCRIBBLER_H */

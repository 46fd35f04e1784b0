/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scribbler.h - a thread that writes over the liars' memory while the recorder reads it: a word
 * that is read twice is different the second time.
 *
 * The seed decides its numbers, but not when they land.
 */
#ifndef STRATA_TESTS_SCRIBBLER_H
#define STRATA_TESTS_SCRIBBLER_H

#include "fake_guest.h"

/* Starts the thread, which waits; once. */
void scribbler_make(void);

/* Writes over the memory of both from begin to end; no module is loaded meanwhile. */
void scribbler_begin(struct fake_guest *first, struct fake_guest *second, uint64_t seed);
void scribbler_end(void);

/* Returns the number of its stores so far; to be called while it waits. */
uint64_t scribbler_stores(void);

#endif /* STRATA_TESTS_SCRIBBLER_H */

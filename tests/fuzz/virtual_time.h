/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * virtual_time.h - the clock of the fuzzed programs: every file of them is
 * compiled with this header in front, so that ten seconds of waiting cost none
 * and a seed gives the same run again.
 */
#ifndef STRATA_TESTS_VIRTUAL_TIME_H
#define STRATA_TESTS_VIRTUAL_TIME_H

#include <stdint.h>

/* One tick a nanosecond; each look is a tick later than the one before. */
uint64_t virtual_clock(void);

#define strata_clock() virtual_clock()

#endif /* STRATA_TESTS_VIRTUAL_TIME_H */

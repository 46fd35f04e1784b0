/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - the kernel's clocks as plain numbers. */
#ifndef STRATA_MERGE_CLOCK_H
#define STRATA_MERGE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* @clock: one that every kernel has, as CLOCK_MONOTONIC */
static inline uint64_t clock_now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_now_ms(clockid_t clock)
{
	return clock_now_ns(clock) / 1000000u;
}

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/* host_clock.c - see host_clock.h. */
#include "consumerd/host/host_clock.h"

#include <strata/platform/platform.h>

#define ATTEMPTS 50u

/* How long the frequency is measured. */
#define MEASURE_NS 20000000

struct host_clock host_clock_read(clockid_t clock)
{
	struct host_clock closest = { 0 };
	uint64_t least = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < ATTEMPTS; i++) {
		struct timespec now;
		uint64_t before = strata_clock(), after;

		clock_gettime(clock, &now);
		after = strata_clock();
		if (after - before >= least)
			continue;
		least = after - before;
		closest.ticks = before + least / 2;
		closest.ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	}
	return closest;
}

uint32_t host_clock_khz(const struct host_clock *first, const struct host_clock *last)
{
	uint64_t ns = last->ns - first->ns;

	if (last->ns <= first->ns || last->ticks <= first->ticks)
		return 0;
	return (uint32_t)(((unsigned __int128)(last->ticks - first->ticks) * 1000000u + ns / 2) /
			  ns);
}

uint32_t host_clock_measure_khz(struct host_clock *first)
{
	const struct timespec pause = { .tv_nsec = MEASURE_NS };
	struct host_clock now;

	*first = host_clock_read(CLOCK_MONOTONIC_RAW);
	nanosleep(&pause, NULL);
	now = host_clock_read(CLOCK_MONOTONIC_RAW);
	return host_clock_khz(first, &now);
}

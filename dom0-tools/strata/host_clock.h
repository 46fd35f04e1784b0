/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_clock.h - the frequency of the time stamp counter, where no hypervisor knows it. */
#ifndef STRATA_STRATA_HOST_CLOCK_H
#define STRATA_STRATA_HOST_CLOCK_H

#include <stdint.h>

/* Two clocks, read together. */
struct host_clock {
	uint64_t ticks;
	uint64_t ns; /* CLOCK_MONOTONIC_RAW */
};

/* Reads both: the closest of a few attempts. */
struct host_clock host_clock_read(void);

/* Kilohertz of the counter between two readings, rounded; 0: they are too close together. */
uint32_t host_clock_khz(const struct host_clock *first, const struct host_clock *last);

#endif /* STRATA_STRATA_HOST_CLOCK_H */

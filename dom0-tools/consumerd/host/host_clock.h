/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host_clock.h - reads the time stamp counter together with a clock of the kernel: for the date of
 * a tick, and for the counter's frequency where no hypervisor knows it.
 */
#ifndef STRATA_CONSUMERD_HOST_CLOCK_H
#define STRATA_CONSUMERD_HOST_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Two clocks, read together. */
struct host_clock {
	uint64_t ticks;
	uint64_t ns;
};

/* Reads the counter and @clock: the closest of many attempts. */
struct host_clock host_clock_read(clockid_t clock);

/* Kilohertz of the counter between two readings of one clock, rounded; 0: they are too close
 * together. */
uint32_t host_clock_khz(const struct host_clock *first, const struct host_clock *last);

/* Measures the counter's frequency for some milliseconds.  @first: OUT, the first reading of
 * CLOCK_MONOTONIC_RAW.  0: it does not advance. */
uint32_t host_clock_measure_khz(struct host_clock *first);

#endif /* STRATA_CONSUMERD_HOST_CLOCK_H */

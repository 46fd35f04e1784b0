/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xentrace_frequency.h - estimates the frequency of the host's time stamp counter from the records
 * of a file of xentrace, which does not contain it.
 *
 * Some records carry Xen's system time in nanoseconds beside the counter's reading: how long a vCPU
 * ran when the scheduler switches, and when a CPU goes idle and comes back.  Their slope is the
 * frequency.
 */
#ifndef STRATA_MERGE_XENTRACE_FREQUENCY_H
#define STRATA_MERGE_XENTRACE_FREQUENCY_H

#include "inputs/xentrace/xentrace_reader.h"

struct strata_xentrace_frequency {
	uint32_t tsc_khz;   /* 0: unknown */
	uint32_t error_ppm; /* its estimated error, rounded up */
	uint64_t pairs;     /* number of readings from which it was derived */
	bool contradicts;   /* CPUs' records contradict each other: tsc_khz is 0 */
};

/* A frequency with a larger error is useless: every nominal frequency is more exact. */
#define STRATA_XENTRACE_PPM_MAX 100u

/*
 * Reads the windows that begin in the first part of the file, without messages.
 * Returns 0, or -1: the file cannot be opened (see strata_xentrace_open()), or out of memory.
 */
int strata_xentrace_find_frequency(const char *path, struct strata_xentrace_frequency *found,
				   struct strata_error *error);

#endif /* STRATA_MERGE_XENTRACE_FREQUENCY_H */

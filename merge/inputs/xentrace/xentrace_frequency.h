/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xentrace_frequency.h - finds out how fast the host's time stamp counter runs from
 * the records of a file of xentrace's, which does not say so anywhere.
 *
 * Some records carry Xen's system time, in nanoseconds, beside the counter's
 * reading: how long a vCPU ran, when the scheduler switches; the time at which a
 * CPU goes idle and comes back.  Their slope is the frequency.
 */
#ifndef STRATA_MERGE_XENTRACE_FREQUENCY_H
#define STRATA_MERGE_XENTRACE_FREQUENCY_H

#include "inputs/xentrace/xentrace_reader.h"

struct strata_xentrace_frequency {
	uint32_t tsc_khz;   /* 0: nothing tells */
	uint32_t error_ppm; /* by which that may be off, estimated, rounded up */
	uint64_t pairs;     /* of readings that it comes from */
	bool contradicts;   /* another CPU's records tell of another frequency: tsc_khz is 0 */
};

/* A frequency with a larger error is no use: the rate of any clock is known better. */
#define STRATA_XENTRACE_PPM_MAX 100u

/*
 * Reads the windows that begin in the first part of the file, in silence.
 * 0, or -1: it cannot be opened (see strata_xentrace_open()), or out of memory.
 */
int strata_xentrace_find_frequency(const char *path, struct strata_xentrace_frequency *found,
				   struct strata_error *error);

#endif /* STRATA_MERGE_XENTRACE_FREQUENCY_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_check.h - `strata merge --check`: the order of a recording, and how well its clocks would
 * be known without Xen's maps. */
#ifndef STRATA_STRATA_MERGE_CHECK_H
#define STRATA_STRATA_MERGE_CHECK_H

#include "host/merger.h"

#define MERGE_SHIFTS_MAX 16u

/* Sources that are moved in time, to see checks fail. */
struct merge_shift {
	char source[80];
	int64_t ticks;
};

struct merge_shifts {
	struct merge_shift of[MERGE_SHIFTS_MAX];
	size_t nr;
};

/* 0, or -1: there is no such source. */
int merge_shifts_apply(const struct merge_shifts *shifts, struct strata_merge *merge,
		       struct strata_error *error);

/* Checks, and prints what came of it, for people or as JSON: the exit status. */
int merge_check(const char *raw, const struct merge_shifts *shifts, bool json);

#endif /* STRATA_STRATA_MERGE_CHECK_H */

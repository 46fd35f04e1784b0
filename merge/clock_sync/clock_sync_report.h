/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock_sync_report.h - the bounds that were found, and where the assumptions failed.
 */
#ifndef STRATA_CLOCK_SYNC_REPORT_H
#define STRATA_CLOCK_SYNC_REPORT_H

#include "clock_sync/clock_sync.h"

enum strata_clock_breach_kind {
	STRATA_BREACH_STEP,       /* a clock was set: size is by how much, ns */
	STRATA_BREACH_FALSE_PAIR, /* a constraint that cannot be: size is by how much, ns */
	STRATA_BREACH_DRIFT,      /* rates differ more than assumed: size is what it takes, ppb */
	STRATA_BREACH_WANDER, /* the rate changes faster than assumed: size is what it takes, ppt/s
			       */
	STRATA_BREACH_UNEXPLAINED, /* none of these: size is what constraints were loosened by, ns
				    */
};

struct strata_clock_breach {
	enum strata_clock_breach_kind kind;
	int clock; /* the one whose readings follow */
	int other;
	int64_t from; /* readings of @clock between which it happened */
	int64_t to;
	int64_t size;    /* see the kind; a step is that of @other against @clock */
	uint64_t cookie; /* of a false pair */
};

/* The bounds are over the pieces of the clock's map in which constraints lie. */
struct strata_clock_report {
	const char *name;
	bool reachable;
	uint64_t least_bound; /* ticks of the reference; STRATA_CLOCK_UNBOUNDED: no such piece */
	uint64_t greatest_bound;
};

struct strata_clock_sync_report {
	const struct strata_clock_report *clocks;
	size_t nr_clocks;
	const struct strata_clock_breach *breaches;
	size_t nr_breaches;
};

/* After solve; holds until the next call that is not a conversion. */
const struct strata_clock_sync_report *strata_clock_sync_report(struct strata_clock_sync *sync,
								struct strata_error *err);

#endif /* STRATA_CLOCK_SYNC_REPORT_H */

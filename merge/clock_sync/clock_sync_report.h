/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock_sync_report.h - reports bounds, and where the assumptions failed.
 */
#ifndef STRATA_CLOCK_SYNC_REPORT_H
#define STRATA_CLOCK_SYNC_REPORT_H

#include "clock_sync/clock_sync.h"

enum strata_clock_breach_kind {
	STRATA_BREACH_STEP,        /* a clock was set, by size ns */
	STRATA_BREACH_FALSE_PAIR,  /* an impossible constraint, by size ns */
	STRATA_BREACH_DRIFT,       /* rates differ more than assumed: by size ppb */
	STRATA_BREACH_WANDER,      /* the rate changes faster than assumed: by size ppt/s */
	STRATA_BREACH_UNEXPLAINED, /* none of these: constraints were loosened by size ns */
};

struct strata_clock_breach {
	enum strata_clock_breach_kind kind;
	int clock; /* the clock of the readings below */
	int other;
	int64_t from; /* readings of @clock between which it happened */
	int64_t to;
	int64_t size;    /* see the kind; a step is that of @other against @clock */
	uint64_t cookie; /* of a false pair */
};

/* Bounds over the pieces of the clock's map that contain constraints. */
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

/* After solve; valid until the next call other than a conversion. */
const struct strata_clock_sync_report *strata_clock_sync_report(struct strata_clock_sync *sync,
								struct strata_error *err);

#endif /* STRATA_CLOCK_SYNC_REPORT_H */

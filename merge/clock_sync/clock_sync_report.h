/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock_sync_report.h - reports bounds, and where the assumptions failed or clocks contradict each
 * other.
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

/* The largest number of contradictions whose cycles are reported. */
#define STRATA_CLOCK_CYCLES 8u

/* What two clocks' own constraints say contradicts the paths by which they were tied: some clock on
 * these paths lies.  Times are ticks of the clock that they are tied to. */
struct strata_clock_clash {
	int clock;
	int other;
	int by;          /* the clock where the paths of the two meet */
	uint64_t gap;    /* by how much more than all bounds they disagree */
	uint64_t margin; /* by which the bounds of doubted clocks grew */
	int liar;        /* the clock that is proven to lie, and left out; -1: undecided */
	int doubted[2];  /* clocks whose bounds grew, and those that are tied by way of them; -1 */

	/* If it is undecided, and among the first STRATA_CLOCK_CYCLES of all, all clocks of which
	 * one lies: those two first. */
	const int *cycle;
	size_t nr_cycle;
};

/* Bounds over the pieces of the clock's map that contain constraints. */
struct strata_clock_report {
	const char *name;
	bool reachable;       /* tied to the reference */
	int root;             /* the clock that it is tied to, or itself */
	bool left_out;        /* it is proven to lie, and tied to no other */
	uint64_t least_bound; /* ticks of that one; STRATA_CLOCK_UNBOUNDED: no such piece */
	uint64_t greatest_bound;
};

struct strata_clock_sync_report {
	const struct strata_clock_report *clocks;
	size_t nr_clocks;
	const struct strata_clock_breach *breaches;
	size_t nr_breaches;
	const struct strata_clock_clash *clashes; /* those of the largest gaps first */
	size_t nr_clashes;
};

/* After solve; valid until the next call other than a conversion. */
const struct strata_clock_sync_report *strata_clock_sync_report(struct strata_clock_sync *sync,
								struct strata_error *err);

#endif /* STRATA_CLOCK_SYNC_REPORT_H */

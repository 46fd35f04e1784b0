/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock_sync_report.h - what was assumed, what was found, and where it failed.
 */
#ifndef STRATA_CLOCK_SYNC_REPORT_H
#define STRATA_CLOCK_SYNC_REPORT_H

#include "clock_sync.h"

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

struct strata_clock_edge_report {
	int clock;
	int other;
	bool exact;
	bool used;               /* on the path of some clock to the reference */
	bool one_sided;          /* constraints in one direction only: they bound nothing */
	uint64_t constraints[2]; /* @clock's time before @other's, and after it */
	uint64_t late;   /* constraints of a time that was fixed and forgotten: without effect */
	uint64_t pieces; /* of an exact map */
	uint64_t windows;
	uint64_t kept; /* constraints that matter */
	struct strata_clock_limits asked;
	struct strata_clock_limits used_limits;
	uint64_t mean_bound_ns; /* over the time of @clock in which something was seen */
};

/* The bound at an instant. */
struct strata_clock_bound {
	int64_t reading;
	uint64_t bound; /* ticks of the reference */
	uint32_t flags;
};

struct strata_clock_report {
	const char *name;
	bool reachable;
	int parent; /* next clock on the way to the reference; -1: none */
	uint32_t version;
	const struct strata_clock_bound *bounds; /* at the ends of its map's pieces */
	size_t nr_bounds;
	uint64_t least_bound; /* ticks of the reference */
	uint64_t greatest_bound;
};

struct strata_clock_sync_report {
	int reference;
	const struct strata_clock_edge_report *edges;
	size_t nr_edges;
	const struct strata_clock_report *clocks;
	size_t nr_clocks;
	const struct strata_clock_breach *breaches;
	size_t nr_breaches;
};

/* After solve or close; holds until the next call that is not a conversion. */
const struct strata_clock_sync_report *strata_clock_sync_report(struct strata_clock_sync *sync,
								struct strata_error *err);

#endif /* STRATA_CLOCK_SYNC_REPORT_H */

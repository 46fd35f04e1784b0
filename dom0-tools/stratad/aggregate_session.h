/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregate_session.h - one run that counts events and records none: takes a number as recorders
 * do, has the channels of the hypervisor, of kernels and of applications count, and reads their
 * tables once an interval.  It writes no
 * file.
 */
#ifndef STRATA_STRATAD_AGGREGATE_SESSION_H
#define STRATA_STRATAD_AGGREGATE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stratad/domains/aggregated_kernels.h"
#include "stratad/domains/aggregated_xen.h"
#include "stratad/select/select_aggregate.h"
#include "stratad/select/select_app.h"

/* What counts: Xen, a kernel, or a program. */
struct aggregate_source {
	const char *name; /* "xen", or a domain's, which is hostile */
	const struct strata_aggregate_spec *spec;
	/* Sorted by key.  before: of the previous look; at first, empty. */
	const struct aggregate_rows *now, *before;
	uint64_t interval_ns; /* between these; at first, since the source counts */
	uint64_t total_ns;    /* since it counts */
	uint32_t tsc_khz;
	uint32_t domain;                        /* a kernel's */
	const struct strata_event_desc *events; /* a kernel's; NULL: they are Xen's */
	size_t nr_events;
	const struct counted_program *program; /* not NULL: its events are its names, and owners are
						  processes */
};

/* The counts at an instant. */
struct aggregate_look {
	const struct aggregate_source *sources;
	size_t nr_sources;
	uint64_t interval_ns;                     /* since the previous look */
	uint64_t total_ns;                        /* since all count */
	bool is_last;                             /* nothing is counted any more */
	const struct aggregate_totals *totals;    /* the domains that Xen counts */
	const struct aggregated_kernels *kernels; /* those that do not count included */
};

struct aggregate_options {
	const struct aggregate_choice *what;
	bool in_xen;
	struct xen_selection *xen; /* of counts; for times empty: they select their events */
	const char *xen_domains;   /* only these; NULL: all */
	uint32_t xen_rows;         /* of Xen's table at first; 0: as many as seem right */
	const struct kernel_selection *kernels;
	size_t nr_kernels;   /* 0: no kernel counts */
	bool without_probes; /* of kernels, no event of a probe counts */
	struct app_selection *apps;
	size_t nr_apps;       /* 0: no application counts */
	bool apps_may_do;     /* without Xen, only applications count */
	uint64_t interval_ms; /* 0: only one look, the last one */
	uint64_t duration_ms; /* 0: until SIGINT or SIGTERM */
	/* Takes each look. 0; a positive number: there is nobody to show it to, end; or -1. */
	int (*look)(void *data, const struct aggregate_look *look, struct strata_error *error);
	/* Called a few times a second; NULL: nothing to do. */
	int (*idle)(void *data);
	/* Called when all count; NULL: nothing to do. */
	void (*begun)(void *data);
	void *data;
	size_t log_bytes; /* limit of the log that stderr is; 0: stderr is no log */
	/* Exit status if nothing is left to count, because the kernels were left out; 0: FAILED. */
	int nothing_left_status;
};

/* Counts until the end.  Returns an exit status; errors have been printed. */
int aggregate_session(const struct aggregate_options *options);

/* Whether a signal has asked it to end. */
bool aggregate_session_is_interrupted(void);

#endif /* STRATA_STRATAD_AGGREGATE_SESSION_H */

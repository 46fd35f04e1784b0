/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregate_view.h - shows the counts of `strata top` and `strata record --aggregate`: as tables
 * for people, redrawn in place on a terminal, and as JSON, a line for each look.
 */
#ifndef STRATA_STRATA_AGGREGATE_VIEW_H
#define STRATA_STRATA_AGGREGATE_VIEW_H

#include "strata/read/screen.h"
#include "stratad/aggregate_session.h"

struct aggregate_view {
	bool json;
	bool once; /* the first look is the last one */
	const struct aggregate_choice *what;
	bool has_screen;
	struct screen screen;
};

/* Begins, on stdout. */
void aggregate_view_open(struct aggregate_view *view);

/* struct aggregate_options: look and idle, for a struct aggregate_view. */
int aggregate_view_look(void *data, const struct aggregate_look *look, struct strata_error *error);
int aggregate_view_idle(void *data);

void aggregate_view_close(struct aggregate_view *view);

/*
 * cmd_top.c: counts and shows what two verbs have in common.
 * @options: interval, duration and domains
 * @spec: as select_aggregate() takes it
 * @xen_events: as --xen; NULL: was not given
 * Returns an exit status; errors have been printed.
 */
int aggregate_run(struct aggregate_options *options, struct aggregate_view *view, const char *spec,
		  const char *xen_events);

#endif /* STRATA_STRATA_AGGREGATE_VIEW_H */

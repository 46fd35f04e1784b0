/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregate_view.h - shows the counts of `strata top` and `strata record --aggregate`: as tables
 * for people, redrawn in place on a terminal, and as JSON, a line for each look.
 */
#ifndef STRATA_STRATA_AGGREGATE_VIEW_H
#define STRATA_STRATA_AGGREGATE_VIEW_H

#include "strata/aggregate_options.h"
#include "strata/read/screen.h"

struct aggregate_view {
	bool json;
	bool once; /* the first look is the last one */
	struct aggregate_choice what;
	bool has_screen;
	struct screen screen;
};

/*
 * Counts and shows it on stdout.
 * @options: without look, idle and data
 * Returns an exit status; errors have been printed.
 */
int aggregate_view_run(struct aggregate_view *view, struct aggregate_options *options,
		       const struct aggregate_words *words);

/* As options->look() of aggregate_session.h: shows one look. */
int aggregate_view_look(void *data, const struct aggregate_look *look, struct strata_error *error);

#endif /* STRATA_STRATA_AGGREGATE_VIEW_H */

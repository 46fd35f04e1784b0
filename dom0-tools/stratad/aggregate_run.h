/* SPDX-License-Identifier: GPL-2.0-or-later */
/* aggregate_run.h - what is counted in words, and a run that counts it (aggregate_session.h). */
#ifndef STRATA_STRATAD_AGGREGATE_RUN_H
#define STRATA_STRATAD_AGGREGATE_RUN_H

#include "stratad/aggregate_session.h"

/* What is counted.  Zero-initialised is everything of Xen. */
struct aggregate_words {
	const char *spec;
	const char *xen_events; /* NULL: was not given */
	struct kernel_selection *kernels;
};

/* Whether the words make sense, as far as that can be checked without looking at kernels and
 * applications.  @what: OUT.  0 or -1. */
int aggregate_check(struct aggregate_options *options, const struct aggregate_words *words,
		    struct aggregate_choice *what, struct strata_error *error);

/*
 * Counts.
 * @options: with look, idle and data
 * @what: OUT: the parsed specification, which look may use
 * @open, @close: called with options->data around it, if the words make sense; may be NULL
 * Returns an exit status; errors have been printed.
 */
int aggregate_run(struct aggregate_options *options, const struct aggregate_words *words,
		  struct aggregate_choice *what, void (*open)(void *data),
		  void (*close)(void *data));

#endif /* STRATA_STRATAD_AGGREGATE_RUN_H */

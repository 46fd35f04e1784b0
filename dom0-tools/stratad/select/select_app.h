/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_app.h - parses and applies selections of applications: `--app 417:request*`. */
#ifndef STRATA_STRATAD_SELECT_APP_H
#define STRATA_STRATAD_SELECT_APP_H

#include "consumerd/apps/app.h"

/* One such argument. */
struct app_selection {
	char program[80]; /* a name, which may have wildcards, a number, or "all" */
	/* Comma-separated: PATTERN; PATTERN@LEVEL: of this log level, or more severe;
	 * PATTERN@=LEVEL: of this one only.  Checked. */
	const char *events;
	bool of_command; /* the command and its descendants, instead of a name (command.h) */
	bool found;      /* an application matched */
};

/* Splits PROGRAM[:EVENTS].  0 or -1. */
int select_parse_app(const char *argument, struct app_selection *selection,
		     struct strata_error *error);

bool select_matches_app(const struct app_selection *selection, const struct app *app);

/* Adds the application's events that the selection names. */
void select_app_events(const struct app_selection *selection, const struct app *app,
		       struct event_set *events);

#endif /* STRATA_STRATAD_SELECT_APP_H */

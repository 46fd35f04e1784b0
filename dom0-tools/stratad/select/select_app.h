/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_app.h - what a user asks of applications: `--app server`, `--app 417:request*`. */
#ifndef STRATA_STRATAD_SELECT_APP_H
#define STRATA_STRATAD_SELECT_APP_H

#include "consumerd/apps/app.h"

/* One such argument. */
struct app_selection {
	char program[80];   /* a name, which may have wildcards, a number, or "all" */
	const char *events; /* patterns, comma-separated */
	bool of_command;    /* not by name: the command and what descends from it (command.h) */
	bool found;         /* an application matched */
};

/* Splits PROGRAM[:EVENTS].  0 or -1. */
int select_parse_app(const char *argument, struct app_selection *selection,
		     struct strata_error *error);

bool select_matches_app(const struct app_selection *selection, const struct app *app);

/* Adds those of an application's events that the selection names. */
void select_app_events(const struct app_selection *selection, const struct app *app,
		       struct event_set *events);

#endif /* STRATA_STRATAD_SELECT_APP_H */

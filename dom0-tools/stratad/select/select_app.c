// SPDX-License-Identifier: GPL-2.0-or-later
/* select_app.c - see select_app.h. */
#include "stratad/select/select_app.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "stratad/select/select_kernel.h"

int select_parse_app(const char *argument, struct app_selection *selection,
		     struct strata_error *error)
{
	size_t length = strcspn(argument, ":");

	if (length == 0 || length >= sizeof(selection->program) ||
	    (argument[length] && !argument[length + 1]))
		return strata_fail(
			error, "--app: \"%s\" is not PROGRAM:EVENTS; see `strata record --help`",
			argument);
	memset(selection, 0, sizeof(*selection));
	memcpy(selection->program, argument, length);
	selection->events = argument[length] ? argument + length + 1 : "all";
	return 0;
}

bool select_matches_app(const struct app_selection *selection, const struct app *app)
{
	const char *program = selection->program;

	if (selection->of_command)
		return app->of_command;
	if (strcmp(program, "all") == 0)
		return true;
	if (program[strspn(program, "0123456789")] == '\0')
		return strtol(program, NULL, 10) == app->pid;
	return fnmatch(program, app->program, 0) == 0 || fnmatch(program, app->comm, 0) == 0;
}

void select_app_events(const struct app_selection *selection, const struct app *app,
		       struct event_set *events)
{
	const char *text = selection->events;
	char pattern[128];
	size_t length, i;

	for (; *text; text += length + (text[length] == ',')) {
		length = strcspn(text, ",");
		if (length == 0 || length >= sizeof(pattern))
			continue;
		memcpy(pattern, text, length);
		pattern[length] = '\0';
		for (i = 0; i < app->nr_events; i++)
			if (select_matches_event(pattern, &app->events[i]))
				event_set_add(events, i);
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * apps_report.c - tells the user which applications are not recorded, and why.
 *
 * Called by the other apps files and, at the end of a recording, by record_session.c.  It
 * never ends an application: the caller does.
 */
#include "stratad/domains/apps_internal.h"

#include <stdio.h>
#include <string.h>

const char *apps_shown_name(const struct application *one, char text[STRATA_ESCAPED_BYTES(32)])
{
	return strata_escape_name(text, STRATA_ESCAPED_BYTES(32), one->app.comm);
}

void apps_leave_out(struct apps *apps, const struct application *one,
		    const struct strata_error *why)
{
	char name[STRATA_ESCAPED_BYTES(32)];

	apps->left_out++;
	principal_complain(one->who, "application %s (process %d) is left out: %s",
			   apps_shown_name(one, name), one->app.pid, why->text);
}

void apps_note_late(const struct application *one)
{
	char name[STRATA_ESCAPED_BYTES(32)];

	principal_complain(one->who,
			   "application %s (process %d) went on before it was recorded: its events "
			   "until then are missing (it waits longer with STRATA_APP_WAIT_MS)",
			   apps_shown_name(one, name), one->app.pid);
}

void apps_note_one_too_many(struct apps *apps, const char *of_what)
{
	if (!apps->full_said)
		fprintf(stderr, "strata: too many %s: further applications are left out\n",
			of_what);
	apps->full_said = true;
	apps->left_out++;
}

void apps_name_missing(struct apps *apps)
{
	size_t i;

	for (i = 0; i < apps->nr_selections; i++) {
		const struct app_selection *selection = &apps->selections[i];

		if (selection->found)
			continue;
		if (selection->of_command) {
			fprintf(stderr,
				"strata: the command has no events of its own; link programs with -lstrata to record their events\n");
			continue;
		}
		if (principals_refused(apps_principals(apps))) {
			fprintf(stderr,
				"strata: no application \"%s\" was recorded; it may be one of those that "
				"were left out because a share is used up\n",
				selection->program);
			apps->left_out++;
			continue;
		}
		if (strcmp(selection->program, "all") == 0) {
			fprintf(stderr,
				"strata: no application connected; link programs with -lstrata to record them\n");
			continue;
		}
		fprintf(stderr,
			"strata: no application \"%s\" connected; is it linked with -lstrata, and may you record it (docs/security.md: user namespaces)?\n",
			selection->program);
		apps->left_out += !apps->may_miss;
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_view.c - `strata view`: traces of any tracer, merged, as text to be read. */
#include <string.h>

#include "commands.h"
#include "escape.h"
#include "traces_options.h"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata view [OPTIONS] TRACE...\n"
		"Shows the events of all traces that are found under each path - CTF of any tracer,\n"
		"recordings of Strata's - on one timeline, in columns.\n\n"
		"  --json                  an object for each event, a line each\n"
		"  --color[=WHEN]          always, never, or auto: if it goes to a terminal\n"
		"  -o, --output OUT        to a file\n" //
		WRITE_OPTIONS_USAGE "\n"
		"An event with ~ in front may have happened before the one above it: their times are\n"
		"closer than they are known.\n\n"
		"Exit status: 0 all was shown; 1 failed; 2 wrong usage; 3 something was damaged or\n"
		"missing, and was named.\n");
}

static int choose_colours(struct write_options *options, const char *when,
			  struct strata_error *error)
{
	char shown[256];

	if (!when || strcmp(when, "auto") == 0)
		options->colours = COLOURS_AUTO;
	else if (strcmp(when, "always") == 0)
		options->colours = COLOURS_ALWAYS;
	else if (strcmp(when, "never") == 0)
		options->colours = COLOURS_NEVER;
	else
		return strata_fail(error, "--color wants always, never or auto, not %s",
				   strata_escape_name(shown, sizeof(shown), when));
	return 0;
}

static int take(struct write_options *options, int option, const char *value,
		struct strata_error *error)
{
	if (option == 'c')
		return choose_colours(options, value, error);
	options->format = "json";
	return 0;
}

int strata_cmd_view(int argc, char **argv)
{
	static const struct option known[] = { { "json", no_argument, NULL, 'j' },
					       { "color", optional_argument, NULL, 'c' },
					       WRITE_OPTIONS };
	static const struct write_verb verb = { "view", usage, known, take };
	struct write_options options = { .format = "columns", .colours = COLOURS_AUTO };

	return write_verb_run(&verb, &options, argc, argv);
}

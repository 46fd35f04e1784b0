// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_view.c - `strata view`: prints traces of any tracer, merged, as text. */
#include <string.h>

#include "strata/commands.h"
#include "base/escape.h"
#include "strata/read/time_text.h"
#include "strata/read/traces_write.h"
#include "strata/read/view_live.h"
#include "strata/session_traces.h"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata view [OPTIONS] [TRACE...]\n"
		"Shows the events of all traces found under each path (CTF of any tracer, recordings\n"
		"of Strata) on one timeline, in columns.  Without TRACE: the recordings of the current\n"
		"session, or with --live that of its last start.\n\n"
		"  --session NAME          those of this session\n"
		"  --live                  follows a running recording from now on (with --from 0: from\n"
		"                          its beginning), until it ends or Ctrl-C\n"
		"  --delay TIME            with --live: shows events this much later, so that events\n"
		"                          written later are still in order (default: 100ms)\n"
		"  --late TIME             with --live: waits this long for a silent stream; events\n"
		"                          that it writes afterwards are late (default: 5s)\n"
		"  --json                  writes one JSON object per event and line\n"
		"  --color[=WHEN]          always, never or auto (only on a terminal)\n"
		"  -o, --output OUT        writes to a file\n" //
		WRITE_OPTIONS_USAGE "\n"
		"An event marked ~ may have happened before the one above it: their times differ by less\n"
		"than their bounds.  With --live, < marks a late event, which belongs above events that\n"
		"are already shown.  A line with two times in brackets tells how many events of a stream\n"
		"the tracer discarded between them; that is no damage (status 0).\n\n" WRITE_SELECTION_USAGE
		"Exit status: 0 all was shown; 1 failed; 2 wrong usage; 3 something was damaged or\n"
		"missing; messages name it.\n");
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
		return strata_fail(error, "--color needs always, never or auto, not %s",
				   strata_escape_name(shown, sizeof(shown), when));
	return 0;
}

static int take(struct write_options *options, int option, const char *value,
		struct strata_error *error)
{
	char shown[256];
	uint64_t ms;

	switch (option) {
	case 'c':
		return choose_colours(options, value, error);
	case 'l':
		options->live = true;
		return 0;
	case 's':
		options->session = value;
		return 0;
	case 'D':
	case 'L':
		ms = time_parse_ms(value);
		*(option == 'D' ? &options->delay_ms : &options->late_ms) = ms;
		if (ms)
			return 0;
		return strata_fail(error, "--%s needs a time such as 100ms or 2s, not %s",
				   option == 'D' ? "delay" : "late",
				   strata_escape_name(shown, sizeof(shown), value));
	default:
		options->format = "json";
		return 0;
	}
}

static int find(const struct write_options *options, char **path)
{
	return session_traces_find("view", options->session, options->live, path);
}

static int run(const struct write_verb *verb, const struct write_options *options,
	       char *const *paths, size_t nr)
{
	if (!options->live)
		return write_traces(&(const struct write_job){ .verb = verb->name,
							       .form = options,

							       .paths = paths,
							       .nr = nr });
	if (options->nr_symbols)
		return write_wrong_usage(verb, "--symbols cannot be combined with --live", NULL);
	if (nr != 1 || options->to || (options->from && strcmp(options->from, "0") != 0))
		return write_wrong_usage(
			verb, "--live follows one recording, from now on or --from 0", NULL);
	return view_live(options, paths[0]);
}

int strata_cmd_view(int argc, char **argv)
{
	static const struct option known[] = { { "live", no_argument, NULL, 'l' },
					       { "delay", required_argument, NULL, 'D' },
					       { "late", required_argument, NULL, 'L' },
					       { "json", no_argument, NULL, 'j' },
					       { "color", optional_argument, NULL, 'c' },
					       { "session", required_argument, NULL, 's' },
					       WRITE_OPTIONS };
	static const struct write_verb verb = { "view", usage, known, take, find, run };
	struct write_options options = {
		.format = "columns", .colours = COLOURS_AUTO, .delay_ms = 100, .late_ms = 5000
	};

	return write_verb_run(&verb, &options, argc, argv);
}

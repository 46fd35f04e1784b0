// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_view.c - `strata view`: traces of any tracer, merged, as text to be read. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "escape.h"
#include "time_text.h"
#include "traces_write.h"
#include "view_live.h"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata view [OPTIONS] TRACE...\n"
		"Shows the events of all traces that are found under each path - CTF of any tracer,\n"
		"recordings of Strata's - on one timeline, in columns.\n\n"
		"  --live                  follows a recording that goes on, from now on (with --from 0\n"
		"                          from its beginning), until it ends or Ctrl-C\n"
		"  --delay TIME            with --live: shows an event that much later, so that others\n"
		"                          that take as long to be written are not late (100ms)\n"
		"  --json                  an object for each event, a line each\n"
		"  --color[=WHEN]          always, never, or auto: if it goes to a terminal\n" //
		WRITE_OPTIONS_USAGE "\n"
		"An event with ~ in front may have happened before the one above it: their times are\n"
		"closer than they are known.  With --live, one with < came late: it belongs above others\n"
		"that were shown before it.\n\n"
		"Exit status: 0 all was shown; 1 failed; 2 wrong usage; 3 something was damaged or\n"
		"missing, and was named.\n");
}

static int wrong_usage(const char *what, const char *which)
{
	char shown[256];

	fprintf(stderr, "strata: view: %s%s; `strata view --help` says more\n", what,
		which ? strata_escape_name(shown, sizeof(shown), which) : "");
	return STRATA_STATUS_USAGE;
}

/* False: there is no such way. */
static bool choose_colours(const char *when, bool *colours)
{
	if (!when || strcmp(when, "auto") == 0)
		return true;
	*colours = strcmp(when, "always") == 0;
	return *colours || strcmp(when, "never") == 0;
}

int strata_cmd_view(int argc, char **argv)
{
	static const struct option known[] = {
		{ "live", no_argument, NULL, 'l' }, { "delay", required_argument, NULL, 'D' },
		{ "json", no_argument, NULL, 'j' }, { "color", optional_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' }, WRITE_OPTIONS{ NULL, 0, NULL, 0 }
	};
	struct write_options options = { .format = "columns",
					 .out = "-",
					 .colours = isatty(STDOUT_FILENO),
					 .threads = traces_threads() };
	struct strata_error error;
	uint64_t delay_ms = 100;
	bool live = false;
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", known, NULL)) != -1) {
		switch (option) {
		case 'l':
			live = true;
			break;
		case 'D':
			delay_ms = time_parse_ms(optarg);
			if (!delay_ms)
				return wrong_usage("--delay wants a time such as 100ms or 2s, not ",
						   optarg);
			break;
		case 'j':
			options.format = "json";
			break;
		case 'c':
			if (!choose_colours(optarg, &options.colours))
				return wrong_usage("--color wants always, never or auto, not ",
						   optarg);
			break;
		case 'h':
			usage(stdout);
			return STRATA_STATUS_OK;
		case '?':
		case ':':
			return wrong_usage(option == ':' ? "a value is missing after "
							 : "unknown option ",
					   argv[optind - 1]);
		default:
			if (write_option(&options, option, optarg, &error))
				return wrong_usage(error.text, NULL);
		}
	}
	if (optind == argc)
		return wrong_usage("name a trace", NULL);
	if (live &&
	    (optind + 1 != argc || options.to || (options.from && strcmp(options.from, "0") != 0)))
		return wrong_usage("--live follows one recording, from now on or --from 0", NULL);
	if (live)
		return view_live(&options, argv[optind], delay_ms * 1000000u);
	return write_traces("view", &options, argv + optind, (size_t)(argc - optind));
}

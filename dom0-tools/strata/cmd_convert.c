// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_convert.c - `strata convert`: traces of any tracer, merged, in another form. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "escape.h"
#include "traces_write.h"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata convert --format FORMAT -o OUT [OPTIONS] TRACE...\n"
		"Merges all traces that are found under each path - CTF of any tracer, recordings of\n"
		"Strata's - and writes them in one file.\n\n"
		"  --format columns        text in columns, as strata view shows it\n"
		"  --format babeltrace     text, as babeltrace2 prints it\n"
		"  --format json           an object for each event, a line each\n"
		"  --format perfetto       for https://ui.perfetto.dev\n"
		"  --format chrome         for Chrome's viewer of traces; small ones only\n"
		"  --format ctf            CTF 1.8 traces in the directory OUT, all on one clock\n"
		"  --format trace-compass  a recording of a Xen host, in the directory OUT, for Trace\n"
		"                          Compass's virtual machine analysis: Xen as a host with KVM\n"
		"  --format count          the number of events, and a hash over them in their\n"
		"                          order: time, stream, event and every value\n"
		"  -o, --output OUT        the file; \"-\", the default, is standard output\n" //
		WRITE_OPTIONS_USAGE "\n"
		"Exit status: 0 all was written; 1 failed; 2 wrong usage; 3 something was damaged or\n"
		"missing, and was named.\n");
}

static int wrong_usage(const char *what, const char *which)
{
	char shown[256];

	fprintf(stderr, "strata: convert: %s%s; `strata convert --help` says more\n", what,
		which ? strata_escape_name(shown, sizeof(shown), which) : "");
	return STRATA_STATUS_USAGE;
}

int strata_cmd_convert(int argc, char **argv)
{
	static const struct option known[] = { { "format", required_argument, NULL, 'f' },
					       { "output", required_argument, NULL, 'o' },
					       { "help", no_argument, NULL, 'h' },
					       WRITE_OPTIONS{ NULL, 0, NULL, 0 } };
	struct write_options options = { .out = "-", .threads = traces_threads() };
	struct strata_error error;
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:h", known, NULL)) != -1) {
		switch (option) {
		case 'f':
			if (!write_format_known(optarg))
				return wrong_usage("there is no format ", optarg);
			options.format = optarg;
			break;
		case 'o':
			options.out = optarg;
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
	if (!options.format)
		return wrong_usage("--format is missing", NULL);
	if (optind == argc)
		return wrong_usage("name a trace", NULL);
	return write_traces("convert", &options, argv + optind, (size_t)(argc - optind));
}

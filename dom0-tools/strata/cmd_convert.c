// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_convert.c - `strata convert`: traces, merged, in another form. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "escape.h"
#include "outputs/count.h"
#include "traces.h"

struct arguments {
	const char *format;
	char *const *paths;
	size_t nr;
	unsigned int threads;
};

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata convert --format FORMAT [--threads N] TRACE...\n"
		"Merges all traces that are found under each path, by their own clocks, into:\n\n"
		"  --format count     the number of events, and a hash over them in their order:\n"
		"                     time, stream, event and every value\n"
		"  --threads N        merge with so many threads (as many as there are CPUs)\n\n"
		"Exit status: 0 all was read; 1 failed; 2 wrong usage; 3 something was damaged or\n"
		"missing, and was named.\n");
}

static int wrong_usage(const char *what, const char *which)
{
	char shown[256];

	fprintf(stderr, "strata: convert: %s%s; `strata convert --help` says more\n", what,
		which ? strata_escape_name(shown, sizeof(shown), which) : "");
	return STRATA_STATUS_USAGE;
}

/* STRATA_STATUS_OK, or the status to end with; -1: help was asked for and given. */
static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "threads", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	unsigned long number;
	char *end;
	int option;

	memset(arguments, 0, sizeof(*arguments));
	arguments->threads = traces_threads();
	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case 'f':
			if (strcmp(optarg, "count") != 0)
				return wrong_usage("there is no format ", optarg);
			arguments->format = optarg;
			break;
		case 't':
			number = strtoul(optarg, &end, 10);
			if (*end || number < 1 || number > 256)
				return wrong_usage("--threads wants a number from 1 to 256, not ",
						   optarg);
			arguments->threads = (unsigned int)number;
			break;
		case 'h':
			usage(stdout);
			return -1;
		default:
			return wrong_usage(option == ':' ? "a value is missing after "
							 : "unknown option ",
					   argv[optind - 1]);
		}
	}
	if (!arguments->format)
		return wrong_usage("--format is missing", NULL);
	if (optind == argc)
		return wrong_usage("name a trace", NULL);
	arguments->paths = argv + optind;
	arguments->nr = (size_t)(argc - optind);
	return STRATA_STATUS_OK;
}

int strata_cmd_convert(int argc, char **argv)
{
	struct strata_slice_options options = { .to_ns = UINT64_MAX };
	struct arguments arguments;
	struct strata_chain chain;
	struct strata_error error;
	struct traces traces;
	int status = parse_arguments(argc, argv, &arguments);

	if (status != STRATA_STATUS_OK)
		return status < 0 ? STRATA_STATUS_OK : status;
	options.threads = arguments.threads;
	if (traces_open(&traces, "convert", arguments.paths, arguments.nr, &error) ||
	    strata_count(&traces.set, &options, &chain, &error)) {
		fprintf(stderr, "strata: convert: %s\n", error.text);
		status = STRATA_STATUS_FAILED;
	} else {
		printf("%" PRIu64 " %016" PRIx64 "\n", chain.events, chain.hash);
		status = traces.complaints ? STRATA_STATUS_PARTIAL : STRATA_STATUS_OK;
	}
	traces_close(&traces);
	return status;
}

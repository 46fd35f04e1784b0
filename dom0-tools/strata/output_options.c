// SPDX-License-Identifier: GPL-2.0-or-later
/* output_options.c - see output_options.h. */
#include "strata/output_options.h"

#include <getopt.h>
#include <stddef.h>

#include "base/exit_status.h"

int output_options_read(int argc, char **argv, const char *verb, void (*usage)(FILE *out),
			struct output_options *options)
{
	static const struct option long_options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "force", no_argument, NULL, 'F' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "o:h", long_options, NULL)) >= 0) {
		switch (option) {
		case 'h':
			usage(stdout);
			return STRATA_STATUS_OK;
		case 'F':
			options->force = true;
			break;
		case 'j':
			options->json = true;
			break;
		case 'o':
			options->output = optarg;
			break;
		default:
			fprintf(stderr, "strata: unknown option of %s; see `strata %s --help`\n",
				verb, verb);
			return STRATA_STATUS_USAGE;
		}
	}
	return OUTPUT_OPTIONS_GO_ON;
}

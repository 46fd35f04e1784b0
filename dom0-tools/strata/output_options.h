/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output_options.h - the options of the verbs that write one directory: -o, --force, --json and
 * --help. */
#ifndef STRATA_CLI_OUTPUT_OPTIONS_H
#define STRATA_CLI_OUTPUT_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

struct output_options {
	const char *output; /* unchanged if not given */
	bool force;
	bool json;
};

#define OUTPUT_OPTIONS_GO_ON (-1)

/*
 * Reads the options of `strata @verb`; optind is then at the first argument.
 * @usage: prints the help
 * Returns OUTPUT_OPTIONS_GO_ON, or the status to end with: help was printed, or wrong usage.
 */
int output_options_read(int argc, char **argv, const char *verb, void (*usage)(FILE *out),
			struct output_options *options);

#endif /* STRATA_CLI_OUTPUT_OPTIONS_H */

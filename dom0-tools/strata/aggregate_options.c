// SPDX-License-Identifier: GPL-2.0-or-later
/* aggregate_options.c - see aggregate_options.h. */
#include "strata/aggregate_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strata/read/time_text.h"

int aggregate_options_begin(struct aggregate_options *options, struct aggregate_words *words,
			    int argc)
{
	words->kernels = calloc((size_t)argc, sizeof(*words->kernels));
	options->apps = calloc((size_t)argc, sizeof(*options->apps));
	if (words->kernels && options->apps) {
		options->kernels = words->kernels;
		return 0;
	}
	aggregate_options_end(options, words);
	return -1;
}

void aggregate_options_end(struct aggregate_options *options, struct aggregate_words *words)
{
	free(options->apps);
	free(words->kernels);
}

int aggregate_option(struct aggregate_options *options, struct aggregate_words *words, int option,
		     char *argument, struct strata_error *error)
{
	char *end;

	switch (option) {
	case 'i':
		options->interval_ms = time_parse_ms(argument);
		return options->interval_ms
			       ? 0
			       : strata_fail(error, "--interval needs a time: 1s, 500ms");
	case 'd':
		options->duration_ms = time_parse_ms(argument);
		return options->duration_ms
			       ? 0
			       : strata_fail(error, "--duration needs a time: 10s, 2m");
	case 'x':
		words->xen_events = argument;
		return 0;
	case 'D':
		options->xen_domains = argument;
		return 0;
	case 'k':
	case 'f':
		if (select_parse_kernel(option == 'k' ? SELECT_EVENTS : SELECT_FILTER, argument,
					&words->kernels[options->nr_kernels], error))
			return -1;
		options->nr_kernels++;
		return 0;
	case 'a':
		if (select_parse_app(argument, &options->apps[options->nr_apps], error))
			return -1;
		options->nr_apps++;
		return 0;
	case 'r':
		options->xen_rows = (uint32_t)strtoul(argument, &end, 10);
		if (!*end && argument[0] >= '1' && argument[0] <= '9')
			return 0;
		return strata_fail(error, "--rows needs a number of rows");
	default:
		return strata_fail(error, "unknown option, or one without its value");
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* aggregate_options.c - see aggregate_options.h. */
#include "strata/aggregate_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "strata/read/time_text.h"

/* Times name the events of applications, too.  0 or -1. */
static int check_times(const struct aggregate_options *options, const char *spec,
		       struct strata_error *error)
{
	size_t i;

	for (i = 0; i < options->nr_apps; i++)
		if (strcmp(options->apps[i].events, "all"))
			return strata_fail(error,
					   "%s names its events; leave \":%s\" behind --app %s out",
					   spec, options->apps[i].events, options->apps[i].program);
	return 0;
}

/* Chooses where to count and which events of Xen. 0, or -1: it makes no sense. */
static int choose(struct aggregate_options *options, const struct aggregate_choice *what,
		  const char *spec, const char *xen_events, struct strata_error *error)
{
	const bool times = what->kind == STRATA_AGGREGATE_TIME;

	if (times && xen_events)
		return strata_fail(error, "%s names its events; leave --xen out", spec);
	options->apps_may_do = options->nr_apps && !options->nr_kernels && !xen_events &&
			       !options->xen_domains;
	options->in_xen = times ? !options->nr_kernels && !options->nr_apps : true;
	if (times)
		return check_times(options, spec, error);
	if (select_xen_events(options->xen, xen_events ? xen_events : "all", error))
		return -1;
	options->in_xen = options->xen->nr;
	return options->in_xen || options->nr_kernels || options->nr_apps
		       ? 0
		       : strata_fail(error, "--xen %s leaves nothing to count", xen_events);
}

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

int aggregate_run(struct aggregate_options *options, const struct aggregate_words *words,
		  struct aggregate_choice *what, void (*open)(void *data),
		  void (*close)(void *data))
{
	struct xen_selection xen = { 0 };
	struct strata_error error = { "" };
	int status = STRATA_STATUS_USAGE;

	if (options->nr_kernels == 1 && !strcmp(options->kernels[0].domain, "none"))
		options->nr_kernels = 0;
	options->what = what;
	options->xen = &xen;
	if (select_aggregate(words->spec, what, &error) ||
	    choose(options, what, words->spec, words->xen_events, &error)) {
		fprintf(stderr, "strata: %s\n", error.text);
	} else {
		if (open)
			open(options->data);
		status = aggregate_session(options);
		if (close)
			close(options->data);
	}
	select_xen_clear(&xen);
	return status;
}

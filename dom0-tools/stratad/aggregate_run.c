// SPDX-License-Identifier: GPL-2.0-or-later
/* aggregate_run.c - see aggregate_run.h. */
#include "stratad/aggregate_run.h"

#include <stdio.h>
#include <string.h>

#include "base/exit_status.h"

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
	options->apps_may_do = options->nr_apps && !options->nr_kernels && !options->xen_domains &&
			       (!xen_events || !strcmp(xen_events, "none"));
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

/* Chooses, in @xen, which events of Xen count.  0 or -1. */
static int prepare(struct aggregate_options *options, const struct aggregate_words *words,
		   struct aggregate_choice *what, struct xen_selection *xen,
		   struct strata_error *error)
{
	if (options->nr_kernels == 1 && !strcmp(options->kernels[0].domain, "none"))
		options->nr_kernels = 0;
	options->what = what;
	options->xen = xen;
	return select_aggregate(words->spec, what, error) ||
			       choose(options, what, words->spec, words->xen_events, error)
		       ? -1
		       : 0;
}

int aggregate_check(struct aggregate_options *options, const struct aggregate_words *words,
		    struct aggregate_choice *what, struct strata_error *error)
{
	struct xen_selection xen = { 0 };
	const int result = prepare(options, words, what, &xen, error);

	select_xen_clear(&xen);
	options->xen = NULL;
	return result;
}

int aggregate_run(struct aggregate_options *options, const struct aggregate_words *words,
		  struct aggregate_choice *what, void (*open)(void *data),
		  void (*close)(void *data))
{
	struct xen_selection xen = { 0 };
	struct strata_error error = { "" };
	int status = STRATA_STATUS_USAGE;

	if (prepare(options, words, what, &xen, &error)) {
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

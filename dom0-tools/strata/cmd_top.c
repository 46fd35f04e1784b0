// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_top.c - `strata top`: counts events in the hypervisor, and shows them while they happen. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "strata/aggregate_view.h"
#include "strata/commands.h"
#include "strata/read/time_text.h"

#define DEFAULT_SPEC        "count:domain"
#define DEFAULT_INTERVAL_MS 1000u
#define TAKEN               (-1)

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata top [OPTIONS] [SPEC]\n"
		"Counts events of the hypervisor, of kernels and of applications where they happen,\n"
		"without recording them: no buffer fills up, and no file is written. Beside recorders,\n"
		"too.\n\n"
		"SPEC is one of (default: " DEFAULT_SPEC ")\n"
		"  count                      how many events of each name\n"
		"  time:EVENT..EVENT          how long from the one to the other, as a distribution: on\n"
		"                             a vCPU in the hypervisor, time:vm_exit..vm_entry; of a\n"
		"                             thread with --kernel, time:sys_enter..sys_exit, and with\n"
		"                             --app, time:request..reply\n"
		"each with :domain behind it for each domain apart: that of the vCPU that runs in the\n"
		"hypervisor; or with :process for each process of an application apart. Kernels and\n"
		"programs are always counted apart.\n\n"
		"      --interval TIME        between two looks: 1s, 500ms (default: 1s)\n"
		"  -d, --duration TIME        stops after 10s, 2m (default: Ctrl-C)\n"
		"      --once                 shows one look, after an interval, and ends\n"
		"      --json                 a line of JSON for each look\n"
		"      --xen EVENTS           as of strata record; of counts only (default: all; none:\n"
		"                             only kernels)\n"
		"      --xen-domain DOMAINS   as of strata record\n"
		"      --kernel DOMAIN:EVENTS as of strata record; may be repeated. Only kernels that\n"
		"                             are named count. One that does not answer within 10 s is\n"
		"                             named, and left out\n"
		"      --app PROGRAM[:EVENTS] as of strata record; may be repeated. Only applications\n"
		"                             that are named count; without Xen, nothing else does\n"
		"      --rows N               rows of Xen's table at first, which grows for domains\n"
		"                             (default: enough for 16 busy domains)\n\n"
		"Columns: Per second and New are of the last interval, by which rows are sorted; Total\n"
		"and all figures of times are since the beginning. p50, p90 and p99: no more than this\n"
		"took 50, 90, 99 %% of the times, rounded up to a power of two of TSC ticks. (ended):\n"
		"domains that no longer exist; (guest's own): events that guests write by hypercall.\n"
		"On a terminal, the table is redrawn in place. At the end, and with --once, each\n"
		"distribution is drawn as a histogram.\n"
		"Status: 0 done, 1 failed, 2 wrong usage, 3 counted, but an application that is named on\n"
		"stderr was left out.\n"
		"Example: strata top --xen sched,hvm --xen-domain 'web*' --kernel 'web*:sched_*'\n"
		"         strata top --once --interval 10s time:vm_exit..vm_entry:domain\n"
		"         strata top --app 'server:request_*' count:process\n");
}

static int wrong(const char *text)
{
	fprintf(stderr, "strata: top: %s; `strata top --help` says how\n", text);
	return STRATA_STATUS_USAGE;
}

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

int aggregate_run(struct aggregate_options *options, struct aggregate_view *view, const char *spec,
		  const char *xen_events)
{
	struct xen_selection xen = { 0 };
	struct strata_error error = { "" };
	struct aggregate_choice what;
	int status = STRATA_STATUS_USAGE;

	if (options->nr_kernels == 1 && !strcmp(options->kernels[0].domain, "none"))
		options->nr_kernels = 0;
	options->what = &what;
	options->xen = &xen;
	options->look = aggregate_view_look;
	options->idle = aggregate_view_idle;
	options->data = view;
	view->what = &what;
	if (select_aggregate(spec, &what, &error) ||
	    choose(options, &what, spec, xen_events, &error)) {
		fprintf(stderr, "strata: %s\n", error.text);
	} else {
		aggregate_view_open(view);
		status = aggregate_session(options);
		aggregate_view_close(view);
	}
	select_xen_clear(&xen);
	return status;
}

/* Reads the options.  Returns TAKEN, or the exit status. */
static int take_options(int argc, char **argv, struct aggregate_options *options,
			struct kernel_selection *kernels, struct aggregate_view *view,
			const char **xen_events)
{
	static const struct option long_options[] = {
		{ "interval", required_argument, NULL, 'i' },
		{ "duration", required_argument, NULL, 'd' },
		{ "once", no_argument, NULL, '1' },
		{ "json", no_argument, NULL, 'j' },
		{ "xen", required_argument, NULL, 'x' },
		{ "xen-domain", required_argument, NULL, 'D' },
		{ "kernel", required_argument, NULL, 'k' },
		{ "app", required_argument, NULL, 'a' },
		{ "rows", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct strata_error error = { "" };
	char *end;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "d:h", long_options, NULL)) >= 0) {
		switch (option) {
		case 'h':
			usage(stdout);
			return STRATA_STATUS_OK;
		case 'i':
			options->interval_ms = time_parse_ms(optarg);
			if (!options->interval_ms)
				return wrong("--interval needs a time: 1s, 500ms");
			break;
		case 'd':
			options->duration_ms = time_parse_ms(optarg);
			if (!options->duration_ms)
				return wrong("--duration needs a time: 10s, 2m");
			break;
		case '1':
			view->once = true;
			break;
		case 'j':
			view->json = true;
			break;
		case 'x':
			*xen_events = optarg;
			break;
		case 'D':
			options->xen_domains = optarg;
			break;
		case 'k':
			if (select_parse_kernel(SELECT_EVENTS, optarg,
						&kernels[options->nr_kernels], &error)) {
				fprintf(stderr, "strata: %s\n", error.text);
				return STRATA_STATUS_USAGE;
			}
			options->nr_kernels++;
			break;
		case 'a':
			if (select_parse_app(optarg, &options->apps[options->nr_apps], &error)) {
				fprintf(stderr, "strata: %s\n", error.text);
				return STRATA_STATUS_USAGE;
			}
			options->nr_apps++;
			break;
		case 'r':
			options->xen_rows = (uint32_t)strtoul(optarg, &end, 10);
			if (*end || optarg[0] < '1' || optarg[0] > '9')
				return wrong("--rows needs a number of rows");
			break;
		default:
			return wrong("unknown option, or one without its value");
		}
	}
	return argc - optind > 1 ? wrong("one specification at a time") : TAKEN;
}

int strata_cmd_top(int argc, char **argv)
{
	struct aggregate_options options = { .interval_ms = DEFAULT_INTERVAL_MS };
	struct aggregate_view view = { .json = false };
	struct kernel_selection *kernels = calloc((size_t)argc, sizeof(*kernels));
	const char *xen_events = NULL;
	int status;

	options.apps = calloc((size_t)argc, sizeof(*options.apps));
	if (!kernels || !options.apps) {
		free(options.apps);
		free(kernels);
		return wrong("out of memory");
	}
	options.kernels = kernels;
	status = take_options(argc, argv, &options, kernels, &view, &xen_events);
	if (status == TAKEN)
		status = aggregate_run(&options, &view, optind < argc ? argv[optind] : DEFAULT_SPEC,
				       xen_events);
	free(options.apps);
	free(kernels);
	return status;
}

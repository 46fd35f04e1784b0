// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_top.c - `strata top`: counts events in the hypervisor, and shows them while they happen. */
#include <getopt.h>
#include <stdio.h>

#include "base/exit_status.h"
#include "strata/aggregate_options.h"
#include "strata/aggregate_view.h"
#include "strata/commands.h"

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
		"      --kernel-filter DOMAIN:EVENTS:EXPRESSION\n"
		"                             as of strata record: only events that match count\n"
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

/* Reads the options.  Returns TAKEN, or the exit status. */
static int take_options(int argc, char **argv, struct aggregate_options *options,
			struct aggregate_words *words, struct aggregate_view *view)
{
	static const struct option long_options[] = {
		AGGREGATE_OPTIONS,
		{ "once", no_argument, NULL, '1' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct strata_error error = { "" };
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "d:h", long_options, NULL)) >= 0) {
		if (option == 'h') {
			usage(stdout);
			return STRATA_STATUS_OK;
		}
		if (option == '1')
			view->once = true;
		else if (option == 'j')
			view->json = true;
		else if (aggregate_option(options, words, option, optarg, &error))
			return wrong(error.text);
	}
	words->spec = optind < argc ? argv[optind] : DEFAULT_SPEC;
	return argc - optind > 1 ? wrong("one specification at a time") : TAKEN;
}

int strata_cmd_top(int argc, char **argv)
{
	struct aggregate_view view = { .json = false };
	struct aggregate_options options = { .interval_ms = DEFAULT_INTERVAL_MS };
	struct aggregate_words words = { .spec = NULL };
	int status;

	if (aggregate_options_begin(&options, &words, argc))
		return wrong("out of memory");
	status = take_options(argc, argv, &options, &words, &view);
	if (status == TAKEN)
		status = aggregate_view_run(&view, &options, &words);
	aggregate_options_end(&options, &words);
	return status;
}

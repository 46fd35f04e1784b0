// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_trigger.c - `strata trigger`: counts events, and acts on a session when something is counted.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "strata/aggregate_options.h"
#include "strata/commands.h"
#include "strata/read/time_text.h"
#include "strata/trigger.h"

#define DEFAULT_INTERVAL_MS 100u
#define DEFAULT_PAUSE_MS    10000u
#define DEFAULT_KEEP_FREE   15u
#define TAKEN               (-1)

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata trigger [OPTIONS] SPEC\n"
		"Waits for a condition, and then takes a snapshot of a flight recorder: it has the events\n"
		"that led to the condition. Counts events where they happen, as `strata top` does, and\n"
		"reads the counts at intervals, so no event is written.\n\n"
		"SPEC is what to count, as of `strata top`:\n"
		"  time:EVENT..EVENT          with --above: a time from the one to the other was so\n"
		"                             long: time:vm_exit..vm_entry, with --kernel or --app\n"
		"                             time:sys_enter..sys_exit, time:request..reply\n"
		"  count                      one of the selected events happened (--xen, --kernel,\n"
		"                             --app)\n"
		"each with :domain or :process behind it, for each domain or process apart.\n\n"
		"      --above TIME           the least time: 10ms, 500us; rounded down to a power of\n"
		"                             two of TSC ticks, which is printed\n"
		"      --count N              at least N in an interval (default: 1)\n"
		"  -s, --session NAME         the session (default: the current one): a flight recorder\n"
		"                             (strata create --snapshot), of which a snapshot is taken\n"
		"      --rotate               rotates the session's recording, in place of a snapshot; for\n"
		"                             sessions without --snapshot\n"
		"      --max N                ends after N actions, whoever caused them (default:\n"
		"                             Ctrl-C)\n"
		"      --max-each N           acts N times for each user or domain\n"
		"      --keep-free PERCENT    takes no further snapshot while less of the disk is free\n"
		"                             (default: 15)\n"
		"      --pause TIME           acts again for the same user or domain after TIME at the\n"
		"                             earliest (default: 10s)\n"
		"      --interval TIME        between two looks at the counts (default: 100ms)\n"
		"  -d, --duration TIME        ends after TIME\n"
		"      --xen, --xen-domain, --kernel, --kernel-filter, --app, --rows\n"
		"                             as of `strata top`\n"
		"      --json                 a line of JSON for each user or domain and action\n\n"
		"Each action is printed with what was seen, once for each user or domain that met the\n"
		"condition at that look. Each of them then has a pause of its own: a user's programs,\n"
		"a domain's kernel, a domain's counts in Xen with :domain. The flight recorder's memory has to reach\n"
		"back for longer than an interval and the snapshot take.\n"
		"Status: 0 done, 1 failed, 2 wrong usage, 3 an action failed, or an application was left\n"
		"out, as messages say.\n"
		"Example: strata create --snapshot flight && strata enable-event --xen all &&\n"
		"         strata start && strata trigger --above 10ms --max 1 time:vm_exit..vm_entry\n");
}

static int wrong(const char *text)
{
	fprintf(stderr, "strata: trigger: %s; `strata trigger --help` says how\n", text);
	return STRATA_STATUS_USAGE;
}

/* A number of at least 1.  0 or -1. */
static int take_number(const char *argument, uint64_t most, uint64_t *number)
{
	errno = 0;
	*number = strtoull(argument, NULL, 10);
	return !argument[0] || argument[strspn(argument, "0123456789")] || errno || !*number ||
			       *number > most
		       ? -1
		       : 0;
}

/* Reads an option of the trigger's own.  TAKEN, the exit status, or 'n': it is not one. */
static int take_own(int option, const char *argument, struct trigger *trigger)
{
	uint64_t number;

	switch (option) {
	case 'A':
		trigger->above_ns = time_parse_ns(argument);
		return trigger->above_ns ? TAKEN : wrong("--above needs a time: 10ms, 500us");
	case 'c':
		return take_number(argument, UINT64_MAX, &trigger->count)
			       ? wrong("--count needs a number, 1 or more")
			       : TAKEN;
	case 's':
		trigger->session = argument;
		return TAKEN;
	case 'R':
		trigger->rotate = true;
		return TAKEN;
	case 'm':
		if (take_number(argument, UINT_MAX, &number))
			return wrong("--max needs a number, 1 or more");
		trigger->max = (unsigned int)number;
		return TAKEN;
	case 'M':
		if (take_number(argument, UINT_MAX, &number))
			return wrong("--max-each needs a number, 1 or more");
		trigger->owners.max = (unsigned int)number;
		return TAKEN;
	case 'f':
		number = 0;
		if (strcmp(argument, "0") && take_number(argument, 99, &number))
			return wrong("--keep-free needs a number of percent, 0 to 99");
		trigger->keep_free = (unsigned int)number;
		return TAKEN;
	case 'p':
		trigger->pause_ms = time_parse_ms(argument);
		return trigger->pause_ms ? TAKEN : wrong("--pause needs a time: 10s, 2m");
	case 'j':
		trigger->json = true;
		return TAKEN;
	default:
		return 'n';
	}
}

/* Reads the options.  Returns TAKEN, or the exit status. */
static int take_options(int argc, char **argv, struct aggregate_options *options,
			struct aggregate_words *words, struct trigger *trigger)
{
	static const struct option long_options[] = {
		AGGREGATE_OPTIONS,
		{ "above", required_argument, NULL, 'A' },
		{ "count", required_argument, NULL, 'c' },
		{ "session", required_argument, NULL, 's' },
		{ "rotate", no_argument, NULL, 'R' },
		{ "max", required_argument, NULL, 'm' },
		{ "max-each", required_argument, NULL, 'M' },
		{ "keep-free", required_argument, NULL, 'f' },
		{ "pause", required_argument, NULL, 'p' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct strata_error error = { "" };
	int option, taken;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "d:s:h", long_options, NULL)) >= 0) {
		if (option == 'h') {
			usage(stdout);
			return STRATA_STATUS_OK;
		}
		taken = take_own(option, optarg, trigger);
		if (taken == 'n')
			taken = aggregate_option(options, words, option, optarg, &error)
					? wrong(error.text)
					: TAKEN;
		if (taken != TAKEN)
			return taken;
	}
	if (optind == argc)
		return wrong("what to count is missing, as time:vm_exit..vm_entry");
	words->spec = argv[optind];
	return argc - optind > 1 ? wrong("one specification at a time") : TAKEN;
}

/* Checks that condition and specification fit.  Returns TAKEN, or the exit status. */
static int check(const struct trigger *trigger, const struct aggregate_words *words)
{
	const bool times = !strncmp(words->spec, "time:", 5);

	if (times && !trigger->above_ns)
		return wrong("times need --above: how long is too long");
	if (!times && trigger->above_ns)
		return wrong("--above is of times, as time:vm_exit..vm_entry");
	return TAKEN;
}

int strata_cmd_trigger(int argc, char **argv)
{
	struct aggregate_choice what;
	struct trigger trigger = { .count = 1,
				   .pause_ms = DEFAULT_PAUSE_MS,
				   .keep_free = DEFAULT_KEEP_FREE,
				   .what = &what };
	struct aggregate_options options = { .interval_ms = DEFAULT_INTERVAL_MS,
					     .look = trigger_look,
					     .data = &trigger };
	struct aggregate_words words = { .spec = NULL };
	int status;

	if (aggregate_options_begin(&options, &words, argc))
		return wrong("out of memory");
	status = take_options(argc, argv, &options, &words, &trigger);
	if (status == TAKEN)
		status = check(&trigger, &words);
	if (status == TAKEN) {
		status = aggregate_run(&options, &words, &what, NULL, NULL);
		if (status == STRATA_STATUS_OK && trigger.failed)
			status = STRATA_STATUS_PARTIAL;
	}
	trigger_owners_free(&trigger.owners);
	aggregate_options_end(&options, &words);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_trigger.c - `strata trigger`: counts events, and acts on a session when something is counted.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/exit_status.h"
#include "strata/commands.h"
#include "strata/read/time_text.h"
#include "strata/session_request.h"
#include "strata/trigger_options.h"
#include "stratad/trigger/trigger.h"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata trigger [OPTIONS] SPEC\n"
		"Waits for a condition, and then takes a snapshot of a flight recorder: it has the events\n"
		"that led to the condition. Counts events where they happen, as `strata top` does, and\n"
		"reads the counts at intervals, so no event is written. It runs until Ctrl-C; `strata\n"
		"add-trigger` adds a trigger to a session, and returns.\n\n" TRIGGER_USAGE
		"      --rows                 as of `strata top`\n"
		"  -d, --duration TIME        ends after TIME\n"
		"      --json                 a line of JSON for each user or domain and action\n\n"
		"Each action is printed with what was seen, once for each user or domain that met the\n"
		"condition at that look. Each of them then has a pause of its own: a user's programs,\n"
		"a domain's kernel, a domain's counts in Xen with :domain. The flight recorder's memory\n"
		"has to cover more time than one interval and the snapshot take together.\n"
		"Status: 0 done, 1 failed, 2 wrong usage, 3 an action failed, or an application was left\n"
		"out, as messages say.\n"
		"Example: strata create --snapshot flight && strata enable-event --xen all &&\n"
		"         strata start && strata trigger --above 10ms --max 1 time:vm_exit..vm_entry\n");
}

/* struct trigger: tell. */
static void print(void *data, const char *seen, const char *done, bool failed)
{
	char when[TIME_OF_DAY_BYTES];

	(void)data;
	(void)failed;
	printf("%s  %s\n              %s\n", time_of_day(when, false, clock_now_ns(CLOCK_REALTIME)),
	       seen, done);
	fflush(stdout);
}

/* Likewise. */
static void print_json(void *data, const char *seen, const char *done, bool failed)
{
	struct json_object *object = json_object_new_object();

	(void)data;
	json_object_object_add(object, "time_ns",
			       json_object_new_uint64(clock_now_ns(CLOCK_REALTIME)));
	json_object_object_add(object, "seen", json_object_new_string(seen));
	json_object_object_add(object, "done", json_object_new_string(done));
	json_object_object_add(object, "failed", json_object_new_boolean(failed));
	printf("%s\n", json_object_to_json_string_ext(
			       object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
	fflush(stdout);
}

/* Takes an option of a run in the foreground, or one that all triggers have.  0 or -1. */
static int take(struct trigger_options *options, struct trigger *trigger, int option,
		char *argument, struct strata_error *error)
{
	char *end;

	if (option == 'd') {
		trigger->duration_ms = time_parse_ms(argument);
		return trigger->duration_ms
			       ? 0
			       : strata_fail(error, "--duration needs a time: 10s, 2m");
	}
	if (option != 'r')
		return trigger_option(options, option, argument, error);
	trigger->xen_rows = (uint32_t)strtoul(argument, &end, 10);
	if (!*end && argument[0] >= '1' && argument[0] <= '9')
		return 0;
	return strata_fail(error, "--rows needs a number of rows");
}

static int run(int argc, char **argv, struct trigger_options *options)
{
	static const struct option long_options[] = {
		{ "duration", required_argument, NULL, 'd' },
		{ "rows", required_argument, NULL, 'r' },
		TRIGGER_OPTIONS,
		{ NULL, 0, NULL, 0 },
	};
	struct trigger trigger = { .model = options->trigger, .open = session_request_begin };
	struct strata_error error = { "" };
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "d:s:h", long_options, NULL)) >= 0) {
		if (option == 'h') {
			usage(stdout);
			return STRATA_STATUS_OK;
		}
		if (take(options, &trigger, option, optarg, &error))
			return session_request_wrong("trigger", "%s", error.text);
	}
	if (trigger_option_spec(options, argc - optind, argv + optind, &error))
		return session_request_wrong("trigger", "%s", error.text);
	trigger.session = options->session;
	trigger.tell = options->json ? print_json : print;
	return trigger_run(&trigger);
}

int strata_cmd_trigger(int argc, char **argv)
{
	struct trigger_options options;
	int status;

	if (trigger_options_begin(&options, "trigger"))
		return STRATA_STATUS_FAILED;
	status = run(argc, argv, &options);
	trigger_options_end(&options);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* main.c - the strata command: calls the verb. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_status.h"
#include "consumerd/host/standard_files.h"
#include "strata/commands.h"
#include "strata/session_request.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
	bool asks; /* stratad, or can ask root's (--system) */
} verbs[] = {
	{ "list", strata_cmd_list, "list the domains, applications and events of this host", true },
	{ "record", strata_cmd_record, "record hypervisor, guests and dom0", false },
	{ "create", strata_cmd_create, "make a session, which records in the background", true },
	{ "enable-channel", strata_cmd_enable_channel, "add a channel, or set its ring buffers",
	  true },
	{ "disable-channel", strata_cmd_disable_channel, "leave a channel out", true },
	{ "enable-event", strata_cmd_enable_event, "add events to a session", true },
	{ "disable-event", strata_cmd_disable_event, "remove events from a session", true },
	{ "add-context", strata_cmd_add_context, "add contexts to a session's kernels", true },
	{ "track", strata_cmd_track, "limit a session to processes, threads or domains", true },
	{ "untrack", strata_cmd_untrack, "remove such a limit", true },
	{ "start", strata_cmd_start, "start to record a session", true },
	{ "stop", strata_cmd_stop, "stop recording a session", true },
	{ "status", strata_cmd_status, "show sessions, and what they record", true },
	{ "rotate", strata_cmd_rotate, "end the recording of a session, continue in a new one",
	  true },
	{ "enable-rotation", strata_cmd_enable_rotation,
	  "rotate the recording of a session by size or time", true },
	{ "disable-rotation", strata_cmd_disable_rotation, "end automatic rotation", true },
	{ "clear", strata_cmd_clear, "remove the events that a session has recorded", true },
	{ "set-session", strata_cmd_set_session, "choose the current session", true },
	{ "save", strata_cmd_save, "write a session to a file", true },
	{ "load", strata_cmd_load, "make a session from a file", true },
	{ "destroy", strata_cmd_destroy, "remove a session; its recordings stay", true },
	{ "top", strata_cmd_top, "count events and times of hypervisor and kernels, live", false },
	{ "trigger", strata_cmd_trigger, "take a snapshot when a condition is met", false },
	{ "add-trigger", strata_cmd_add_trigger, "add a trigger to a session", true },
	{ "remove-trigger", strata_cmd_remove_trigger, "remove a trigger from a session", true },
	{ "list-triggers", strata_cmd_list_triggers, "list the triggers of a session", true },
	{ "select", strata_cmd_select, "change the selection of a running recorder", false },
	{ "snapshot", strata_cmd_snapshot, "write the events of a flight recorder", true },
	{ "recover", strata_cmd_recover, "restore the recording of a killed recorder", false },
	{ "merge", strata_cmd_merge, "merge recordings and traces into one timeline", false },
	{ "import", strata_cmd_import, "convert an xentrace file to a recording", false },
	{ "view", strata_cmd_view, "show the events of traces of any tracer", false },
	{ "convert", strata_cmd_convert, "merge traces of any tracer into another form", false },
	{ "stat", strata_cmd_stat, "describe traces", false },
	{ "report", strata_cmd_report, "summarise traces: who waited for whom, and how long",
	  false },
	{ "why", strata_cmd_why, "explain what took long: requests, tasks, wake-ups", false },
	{ "timeline", strata_cmd_timeline, "draw traces as a page for the browser", false },
	{ "sql", strata_cmd_sql, "query traces with SQL", false },
	{ "version", strata_cmd_version, "print the version of this program", false },
};

#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

/* Verbs of lttng that strata lacks, and what does the same here. */
static const struct {
	const char *name;
	const char *instead;
} lttng_verbs[] = {
	{ "enable-consumer", "`strata start` starts the session's consumer" },
	{ "regenerate", "the recorder updates metadata when a source appears; `strata recover` "
			"restores the recording of a killed recorder" },
};

#define NR_LTTNG_VERBS (sizeof(lttng_verbs) / sizeof(lttng_verbs[0]))

static void usage(FILE *out)
{
	size_t i;

	fprintf(out, "Usage: strata [--system] VERB [OPTIONS]\n"
		     "One timeline across a Xen hypervisor, its guests and dom0.\n\n");
	for (i = 0; i < NR_VERBS; i++)
		fprintf(out, "  %-16s %s\n", verbs[i].name, verbs[i].what);
	fprintf(out,
		"\n`strata VERB --help` describes a verb and its options.\n"
		"--system: list, or a verb of sessions, is for root's stratad, which members of the\n"
		"group tracing may have record events of Xen and kernels: create, enable-event,\n"
		"enable-channel, add-context, track, add-trigger, start, snapshot, rotate, clear,\n"
		"stop, status, destroy.\n");
}

static void report_unknown_verb(const char *name)
{
	size_t i;

	for (i = 0; i < NR_LTTNG_VERBS; i++) {
		if (!strcmp(name, lttng_verbs[i].name)) {
			fprintf(stderr, "strata: no verb \"%s\": %s\n", name,
				lttng_verbs[i].instead);
			return;
		}
	}
	fprintf(stderr, "strata: unknown verb \"%s\"; `strata --help` lists them\n", name);
}

/* @system: the verb is for root's stratad */
static int run_verb(int argc, char **argv, bool system)
{
	size_t i;

	if (argc < 2) {
		usage(stderr);
		return STRATA_STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--system") && !system) {
		session_request_set_system();
		return run_verb(argc - 1, argv + 1, true);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return STRATA_STATUS_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return strata_cmd_version(argc - 1, argv + 1);
	for (i = 0; i < NR_VERBS && strcmp(argv[1], verbs[i].name); i++)
		;
	if (i < NR_VERBS && system && !verbs[i].asks) {
		fprintf(stderr,
			"strata: --system is for the verbs of sessions; \"%s\" asks no stratad\n",
			argv[1]);
		return STRATA_STATUS_USAGE;
	}
	if (i < NR_VERBS)
		return verbs[i].run(argc - 1, argv + 1);
	report_unknown_verb(argv[1]);
	return STRATA_STATUS_USAGE;
}

int main(int argc, char **argv)
{
	int status;

	standard_files_hold();
	status = run_verb(argc, argv, false);
	if ((fflush(stdout) || ferror(stdout)) && status != STRATA_STATUS_FAILED) {
		fprintf(stderr, "strata: the output could not be written: %s\n", strerror(errno));
		return STRATA_STATUS_FAILED;
	}
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* main.c - the strata command: calls the verb. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "strata/commands.h"
#include "strata/session_request.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
} verbs[] = {
	{ "list", strata_cmd_list, "list the domains, applications and events of this host" },
	{ "record", strata_cmd_record, "record hypervisor, guests and dom0" },
	{ "create", strata_cmd_create, "make a session, which records in the background" },
	{ "enable-channel", strata_cmd_enable_channel, "add a channel, or set its ring buffers" },
	{ "disable-channel", strata_cmd_disable_channel, "leave a channel out" },
	{ "enable-event", strata_cmd_enable_event, "add events to a session" },
	{ "disable-event", strata_cmd_disable_event, "remove events from a session" },
	{ "add-context", strata_cmd_add_context, "add contexts to a session's kernels" },
	{ "track", strata_cmd_track, "limit a session to processes, threads or domains" },
	{ "untrack", strata_cmd_untrack, "remove such a limit" },
	{ "start", strata_cmd_start, "start to record a session" },
	{ "stop", strata_cmd_stop, "stop recording a session" },
	{ "status", strata_cmd_status, "show sessions, and what they record" },
	{ "rotate", strata_cmd_rotate, "end the recording of a session, continue in a new one" },
	{ "enable-rotation", strata_cmd_enable_rotation,
	  "rotate the recording of a session by size or time" },
	{ "disable-rotation", strata_cmd_disable_rotation, "end automatic rotation" },
	{ "clear", strata_cmd_clear, "remove the events that a session has recorded" },
	{ "set-session", strata_cmd_set_session, "choose the current session" },
	{ "save", strata_cmd_save, "write a session to a file" },
	{ "load", strata_cmd_load, "make a session from a file" },
	{ "destroy", strata_cmd_destroy, "remove a session; its recordings stay" },
	{ "top", strata_cmd_top, "count events and times of hypervisor and kernels, live" },
	{ "trigger", strata_cmd_trigger, "take a snapshot when a condition is met" },
	{ "select", strata_cmd_select, "change the selection of a running recorder" },
	{ "snapshot", strata_cmd_snapshot, "write the events of a flight recorder" },
	{ "recover", strata_cmd_recover, "restore the recording of a killed recorder" },
	{ "merge", strata_cmd_merge, "merge recordings and traces into one timeline" },
	{ "import", strata_cmd_import, "convert an xentrace file to a recording" },
	{ "view", strata_cmd_view, "show the events of traces of any tracer" },
	{ "convert", strata_cmd_convert, "merge traces of any tracer into another form" },
	{ "stat", strata_cmd_stat, "describe traces" },
	{ "report", strata_cmd_report, "summarise traces: who waited for whom, and how long" },
	{ "why", strata_cmd_why, "explain what took long: requests, tasks, wake-ups" },
	{ "timeline", strata_cmd_timeline, "draw traces as a page for the browser" },
	{ "sql", strata_cmd_sql, "query traces with SQL" },
	{ "version", strata_cmd_version, "print the version of this program" },
};

#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

/* Verbs of lttng that strata lacks, and what does the same here. */
static const struct {
	const char *name;
	const char *instead;
} lttng_verbs[] = {
	{ "add-trigger", "`strata trigger` waits for a condition and takes a snapshot" },
	{ "list-triggers", "a trigger is a running `strata trigger` process" },
	{ "remove-trigger", "interrupt the `strata trigger` process to end a trigger" },
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
		"--system: a verb of sessions is for root's stratad, which members of the group\n"
		"tracing may have record events of Xen and kernels.\n");
}

/* Opens descriptors 0 to 2 if the caller closed them: otherwise a file of ours could get one of
 * these numbers, and messages would be written into it. */
static void hold_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
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

static int run_verb(int argc, char **argv)
{
	size_t i;

	if (argc < 2) {
		usage(stderr);
		return STRATA_STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--system")) {
		session_request_set_system();
		return argc > 2 && !strcmp(argv[2], "--system") ? STRATA_STATUS_USAGE
								: run_verb(argc - 1, argv + 1);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return STRATA_STATUS_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return strata_cmd_version(argc - 1, argv + 1);
	for (i = 0; i < NR_VERBS; i++)
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].run(argc - 1, argv + 1);
	report_unknown_verb(argv[1]);
	return STRATA_STATUS_USAGE;
}

int main(int argc, char **argv)
{
	int status;

	hold_standard_files();
	status = run_verb(argc, argv);
	if ((fflush(stdout) || ferror(stdout)) && status != STRATA_STATUS_FAILED) {
		fprintf(stderr, "strata: the output could not be written: %s\n", strerror(errno));
		return STRATA_STATUS_FAILED;
	}
	return status;
}

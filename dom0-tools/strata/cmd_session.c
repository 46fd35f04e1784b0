// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_session.c - the verbs that take nothing but a session's name: `strata start`, `stop`,
 * `rotate`, `clear`, `destroy` and `set-session`. */
#include <getopt.h>
#include <stdio.h>

#include "base/exit_status.h"
#include "strata/commands.h"
#include "strata/session_request.h"

typedef enum strata_control_result verb_fn(struct strata_control *control, const char *name);

static int run(int argc, char **argv, verb_fn *call, bool needs_name, const char *what)
{
	static const struct option long_options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *const verb = argv[0];
	struct strata_control *control;
	bool json = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) >= 0) {
		if (option == 'h') {
			printf("Usage: strata %s [--json] %s\n%s", verb,
			       needs_name ? "NAME" : "[NAME]", what);
			return STRATA_STATUS_OK;
		}
		if (option != 'j')
			return session_request_wrong(verb, "unknown option");
		json = true;
	}
	if (needs_name && optind == argc)
		return session_request_wrong(verb, "a session's name is missing");
	if (argc - optind > 1)
		return session_request_wrong(verb, "\"%s\" is one name too many", argv[optind + 1]);
	control = session_request_begin();
	if (!control)
		return STRATA_STATUS_FAILED;
	return session_request_end(control, call(control, argv[optind]), json);
}

int strata_cmd_start(int argc, char **argv)
{
	return run(argc, argv, strata_control_start, false,
		   "Starts to record a session (default: the current one). It records when this\n"
		   "returns, and goes on until `strata stop`. Each start makes a recording in the\n"
		   "session's output directory.\n\n"
		   "Status: 0 it records, 1 it does not.\n");
}

int strata_cmd_stop(int argc, char **argv)
{
	return run(
		argc, argv, strata_control_stop, false,
		"Stops recording a session (default: the current one). The recording is complete\n"
		"when this returns.\n\n"
		"Status: 0 all was recorded, 1 failed, 3 recorded, but something that a message\n"
		"names was left out.\n");
}

int strata_cmd_destroy(int argc, char **argv)
{
	return run(
		argc, argv, strata_control_destroy, false,
		"Stops a session (default: the current one) and removes it. Its recordings stay.\n"
		"Status: as of `strata stop`.\n");
}

int strata_cmd_rotate(int argc, char **argv)
{
	return run(
		argc, argv, strata_control_rotate, false,
		"Rotates the recording of a session (default: the current one): ends it, and continues\n"
		"in a new one beside it, without losing an event. The ended recording is complete\n"
		"when this returns, and can be moved or removed.\n");
}

int strata_cmd_clear(int argc, char **argv)
{
	return run(
		argc, argv, strata_control_clear, false,
		"Removes the events that a session (default: the current one) has recorded since its\n"
		"start: its recordings, or a flight recorder's memory. Recording continues.\n");
}

int strata_cmd_set_session(int argc, char **argv)
{
	return run(argc, argv, strata_control_set_session, true,
		   "Makes a session the current one, which commands without a name are for.\n");
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_create.c - `strata create`: makes a session. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/exit_status.h"
#include "control/session_json.h"
#include "control/session_model.h"
#include "strata/channel_options.h"
#include "strata/commands.h"
#include "strata/session_request.h"

#define DEFAULT_FOLDER "strata-traces"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata create [OPTIONS] [NAME]\n"
		"Makes a session (default NAME: session-DATE-TIME), which is then the current one.\n"
		"Sessions record side by side, each with its own rings and events, and go on when the\n"
		"terminal closes.\n\n"
		"  -o, --output DIR         each start makes a recording in it (default:\n"
		"                           ~/" DEFAULT_FOLDER "/NAME-DATE-TIME)\n"
		"      --snapshot           flight recorder: keeps the newest events in memory, and\n"
		"                           writes them at `strata snapshot -s NAME`, when a guest\n"
		"                           dies, and when it stops\n"
		"      --switch-timer MS    as of `strata record`\n"
		"      --event-header FORM  likewise: full, compact, large\n"
		"      --json               prints the reply as JSON\n\n"
		"Then: strata enable-event, start, status, stop, view, destroy.\n"
		"Example: strata create web && strata enable-event --xen sched && "
		"strata start\n");
}

/* The default directory: where the user's other traces are. */
static int default_output(const char *name, const char *date, char output[PATH_MAX],
			  struct strata_error *error)
{
	const char *home = getenv("HOME");

	if (!home || home[0] != '/')
		return strata_fail(error, "HOME names no directory; use --output");
	if (snprintf(output, PATH_MAX, "%s/" DEFAULT_FOLDER "/%s-%s", home, name, date) >= PATH_MAX)
		return strata_fail(error, "%s: the path is too long", home);
	/* The session's own directory is made when it starts. */
	*strrchr(output, '/') = '\0';
	if (mkdir(output, 0755) && errno != EEXIST)
		return strata_fail(error, "%s: %s; use --output", output, strerror(errno));
	output[strlen(output)] = '/';
	return 0;
}

static int create(const char *name, const char *output, struct strata_session *model, bool json)
{
	char date[32], given[STRATA_SESSION_NAME_BYTES], path[PATH_MAX];
	struct strata_session session;
	struct strata_error error;
	struct json_object *request;
	time_t now = time(NULL);
	struct tm local;

	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", localtime_r(&now, &local));
	snprintf(given, sizeof(given), "session-%s", date);
	if (!name)
		name = given;
	if (session_model_check_name(name, &error) ||
	    (output ? session_request_path(output, path, &error)
		    : default_output(name, date, path, &error)) ||
	    session_model_init(&session, name, path, &error)) {
		fprintf(stderr, "strata: %s\n", error.text);
		return STRATA_STATUS_USAGE;
	}
	session.snapshot = model->snapshot;
	session.switch_ms = model->switch_ms;
	session.event_header = model->event_header;
	request = session_request_make("create", NULL);
	json_object_object_add(request, "session", session_json_make(&session));
	session_model_clear(&session);
	return session_request_run(request, true, json);
}

int strata_cmd_create(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "snapshot", no_argument, NULL, 'S' },
		{ "switch-timer", required_argument, NULL, 't' },
		{ "event-header", required_argument, NULL, 'e' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct strata_session model = { .switch_ms = SESSION_SWITCH_MS };
	int option, status = STRATA_STATUS_OK;
	const char *output = NULL;
	bool json = false;

	opterr = 0;
	while (status == STRATA_STATUS_OK &&
	       (option = getopt_long(argc, argv, "o:h", long_options, NULL)) >= 0) {
		switch (option) {
		case 'o':
			output = optarg;
			break;
		case 'S':
			model.snapshot = true;
			break;
		case 't':
			status = channel_option_switch(optarg, &model.switch_ms);
			break;
		case 'e':
			status = channel_option_header(optarg, &model.event_header);
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			usage(stdout);
			return STRATA_STATUS_OK;
		default:
			return session_request_wrong("create", "unknown option");
		}
	}
	if (status != STRATA_STATUS_OK)
		return status;
	if (argc - optind > 1)
		return session_request_wrong("create", "\"%s\" is one name too many",
					     argv[optind + 1]);
	return create(argv[optind], output, &model, json);
}

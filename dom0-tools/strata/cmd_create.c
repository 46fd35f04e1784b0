// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_create.c - `strata create`: makes a session. */
#include <getopt.h>
#include <stdio.h>

#include "base/exit_status.h"
#include "strata/channel_options.h"
#include "strata/commands.h"
#include "strata/session_request.h"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata create [OPTIONS] [NAME]\n"
		"Makes a session (default NAME: session-DATE-TIME), which is then the current one.\n"
		"Sessions record side by side, each with its own rings and events, and go on when the\n"
		"terminal closes.\n\n"
		"  -o, --output DIR         each start makes a recording in it (default:\n"
		"                           ~/strata-traces/NAME-DATE-TIME)\n"
		"      --snapshot           flight recorder: keeps the newest events in memory, and\n"
		"                           writes them at `strata snapshot -s NAME`, when a guest\n"
		"                           dies, and when it stops\n"
		"      --switch-timer MS    as of `strata record`\n"
		"      --event-header FORM  likewise: full, compact, large\n"
		"      --json               prints the reply as JSON\n\n"
		"With `strata --system`, root's stratad chooses the directory, below /var/lib/strata.\n"
		"Then: strata enable-event, start, status, stop, view, destroy.\n"
		"Example: strata create web && strata enable-event --xen sched && "
		"strata start\n");
}

struct create_options {
	const char *name;   /* NULL: with date and time */
	const char *output; /* NULL: the default */
	bool snapshot;
	uint32_t switch_ms; /* DEFAULT_SWITCH: the default */
	enum strata_header_form event_header;
	bool json;
};

#define DEFAULT_SWITCH UINT32_MAX

static int create(const struct create_options *options)
{
	struct strata_control *control = session_request_begin();
	enum strata_control_result result;
	struct strata_session *session;

	if (!control)
		return STRATA_STATUS_FAILED;
	result = strata_control_session_new(control, options->name, options->output, &session);
	if (result == STRATA_CONTROL_OK) {
		session->snapshot = options->snapshot;
		session->event_header = options->event_header;
		if (options->switch_ms != DEFAULT_SWITCH)
			session->switch_ms = options->switch_ms;
		result = strata_control_create(control, session);
	}
	strata_control_session_free(session);
	return session_request_end(control, result, options->json);
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
	struct create_options options = { .switch_ms = DEFAULT_SWITCH };
	int option, status = STRATA_STATUS_OK;

	opterr = 0;
	while (status == STRATA_STATUS_OK &&
	       (option = getopt_long(argc, argv, "o:h", long_options, NULL)) >= 0) {
		switch (option) {
		case 'o':
			options.output = optarg;
			break;
		case 'S':
			options.snapshot = true;
			break;
		case 't':
			status = channel_option_switch(optarg, &options.switch_ms);
			break;
		case 'e':
			status = channel_option_header(optarg, &options.event_header);
			break;
		case 'j':
			options.json = true;
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
	options.name = argv[optind];
	return create(&options);
}

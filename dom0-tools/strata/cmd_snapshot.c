// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_snapshot.c - `strata snapshot`: asks the running flight recorder for its contents. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/exit_status.h"
#include "consumerd/host/control_socket.h"
#include "consumerd/host/recorder_number.h"
#include "consumerd/output_dir.h"
#include "control/library/paths.h"
#include "strata/commands.h"
#include "stratad/listing/list_json.h"
#include "strata/session_request.h"
#include "strata/verb_reply.h"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata snapshot [-o DIR] [--force] [--recorder N | -s SESSION] [--json]\n"
		"Writes the events that a flight recorder has in memory, of `strata record --overwrite`\n"
		"or `strata create --snapshot`; recording goes on.\n\n"
		"  -s, --session S   that of a session; with `strata --system`, by default the current\n"
		"                    one\n"
		"  -o, --output DIR  output directory (default: strata-snapshot-DATE-TIME; of a session:\n"
		"                    snapshot-DATE-TIME in its directory)\n"
		"      --force       replaces an existing recording\n"
		"      --recorder N  the flight recorder with this number, if several are running\n"
		"      --json        prints the reply as JSON: status, message and output, the\n"
		"                    directory that was written\n\n"
		"Status: 0 all was written, 1 failed, 2 wrong usage, 3 written, but something that it\n"
		"names was left out. Each event is in one snapshot only.\n"
		"`strata --system snapshot` of a member of the group tracing writes into his directory\n"
		"below /var/lib/strata, at most once a second, and counts as one of his recordings.\n");
}

static int ask(const char *dir, bool force, int recorder, bool json)
{
	char path[PATH_MAX], line[PATH_MAX + 32], answer[CONTROL_LINE_BYTES];
	struct strata_error error = { "" };
	struct json_object *reply;
	int status;

	if (paths_absolute(dir, path, &error))
		return verb_reply_end(json, STRATA_STATUS_FAILED, error.text);
	snprintf(line, sizeof(line), "snapshot%s %s", force ? "-force" : "", path);
	status = recorder_number_find(true, &recorder, &error)
			 ? -1
			 : control_socket_ask((unsigned int)recorder, line, answer, sizeof(answer),
					      &error);
	if (!status || status == STRATA_STATUS_PARTIAL)
		status = output_dir_await_disk(path, &error) ? -1 : status;
	if (status < 0)
		return verb_reply_end(json, STRATA_STATUS_FAILED, error.text);
	if (!json || (status != STRATA_STATUS_OK && status != STRATA_STATUS_PARTIAL))
		return verb_reply_end(json, status, answer);
	reply = verb_reply_new(status, answer);
	list_json_text(reply, "output", path);
	return verb_reply_print(reply);
}

/* Has stratad ask the consumers of a session.  @session: NULL: the current one */
static int ask_session(const char *session, const char *output, bool json)
{
	struct strata_control *control = session_request_begin();

	if (!control)
		return STRATA_STATUS_FAILED;
	return session_request_end(control, strata_control_snapshot(control, session, output),
				   json);
}

int strata_cmd_snapshot(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "force", no_argument, NULL, 'F' },
		{ "recorder", required_argument, NULL, 'r' },
		{ "session", required_argument, NULL, 's' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	char name[64];
	const char *output = NULL, *session = NULL;
	struct strata_error error;
	time_t now = time(NULL);
	bool force = false, json = false, of_session;
	struct tm local;
	int option, recorder = -1;

	strftime(name, sizeof(name), "strata-snapshot-%Y%m%d-%H%M%S", localtime_r(&now, &local));
	opterr = 0;
	while ((option = getopt_long(argc, argv, "o:s:h", long_options, NULL)) >= 0) {
		if (option == 'h') {
			usage(stdout);
			return STRATA_STATUS_OK;
		}
		if (option == 'F') {
			force = true;
		} else if (option == 'j') {
			json = true;
		} else if (option == 'o') {
			output = optarg;
		} else if (option == 's') {
			session = optarg;
		} else if (option != 'r') {
			fprintf(stderr, "strata: unknown option of snapshot; see `strata snapshot "
					"--help`\n");
			return STRATA_STATUS_USAGE;
		} else if (recorder_number_read(optarg, &recorder, &error)) {
			fprintf(stderr, "strata: %s\n", error.text);
			return STRATA_STATUS_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(stderr,
			"strata: \"%s\" is not an option; see `strata snapshot "
			"--help`\n",
			argv[optind]);
		return STRATA_STATUS_USAGE;
	}
	of_session = session || session_request_is_system();
	if (of_session && (force || recorder >= 0)) {
		fprintf(stderr,
			"strata: %s excludes --force and --recorder; see `strata "
			"snapshot --help`\n",
			session ? "--session" : "--system");
		return STRATA_STATUS_USAGE;
	}
	return of_session ? ask_session(session, output, json)
			  : ask(output ? output : name, force, recorder, json);
}

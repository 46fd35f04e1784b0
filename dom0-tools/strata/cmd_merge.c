// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_merge.c - `strata merge`: makes one timeline from recordings and traces.
 *
 * Reads the command line, calls the merge (merge/), and reports the result: how many events, how
 * well their order is proven, and where the output is.
 */
#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "strata/commands.h"
#include "base/escape.h"
#include "consumerd/host/file_limit.h"
#include "strata/read/merge_check.h"
#include "strata/read/merge_traces.h"
#include "outputs/figures_json.h"
#include "recording/recording.h"
#include "strata/read/traces_options.h"
#include "strata/verb_reply.h"

struct arguments {
	struct merge_request request;
	bool check;
	bool json;
};

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata merge RAW -o OUT [--format ctf|text] [--shift SOURCE=TICKS]\n"
		"       strata merge TRACE... -o OUT [--format ctf|text] [--json]\n"
		"       strata merge --check [--json] RAW [--shift SOURCE=TICKS]\n"
		"Makes one timeline of the recording in the directory RAW, and proves its order; or of\n"
		"all traces found under several paths, or under one that is not a recording: CTF of\n"
		"any tracer, recordings of Strata.\n\n"
		"  -o, --output OUT        without --format a directory, which gets ctf/ (for\n"
		"                          babeltrace2, Trace Compass), timeline.txt and, for a\n"
		"                          recording, summary.json\n"
		"  --force                 replaces an earlier merge in OUT\n" TCP_MAP_USAGE
		"  --format ctf            only the CTF trace; OUT is its directory\n"
		"  --format text           only the text; OUT is its file, \"-\" standard output\n"
		"  --check                 writes nothing: checks the order, and tells the bounds\n"
		"                          that guests' clocks would have without Xen's clock maps\n"
		"  --json                  the result as JSON: status, output, events, lost, ...,\n"
		"                          recordings; with --check: the figures of the check\n"
		"  --shift SOURCE=TICKS    moves the times of one source by TICKS of the host's\n"
		"                          counter, to see the check of the order fail\n\n"
		"Exit status: 0 all was merged, no check failed; 1 failed; 2 wrong usage;\n"
		"3 merged, but something named in messages was left out or out of order; with --check,\n"
		"a violation was found.\n");
}

static int wrong_usage(const char *what, const char *which)
{
	char shown[256];

	fprintf(stderr, "strata: merge: %s%s; `strata merge --help` says more\n", what,
		which ? strata_escape_name(shown, sizeof(shown), which) : "");
	return STRATA_STATUS_USAGE;
}

static int parse_shift(struct arguments *arguments, const char *text)
{
	const char *equals = strrchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : 0;
	struct traces_shift *shift = &arguments->request.shifts.of[arguments->request.shifts.nr];
	char *end;

	if (arguments->request.shifts.nr == TRACES_SHIFTS_MAX || length == 0 ||
	    length >= sizeof(shift->source) || !equals[1])
		return -1;
	memcpy(shift->source, text, length);
	errno = 0;
	shift->ticks = strtoll(equals + 1, &end, 10);
	if (*end || errno)
		return -1;
	arguments->request.shifts.nr++;
	return 0;
}

/* Returns STRATA_STATUS_OK, or the exit status; -1: help was printed. */
static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "format", required_argument, NULL, 'f' },
		{ "shift", required_argument, NULL, 's' },
		{ "force", no_argument, NULL, 'F' },
		{ "tcp-map", required_argument, NULL, 't' },
		{ "check", no_argument, NULL, 'c' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	memset(arguments, 0, sizeof(*arguments));
	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			arguments->request.out = optarg;
			break;
		case 'f':
			if (strcmp(optarg, "ctf") != 0 && strcmp(optarg, "text") != 0)
				return wrong_usage("there is no format ", optarg);
			arguments->request.format = optarg;
			break;
		case 's':
			if (parse_shift(arguments, optarg))
				return wrong_usage("--shift needs SOURCE=TICKS, not ", optarg);
			break;
		case 'F':
			arguments->request.force = true;
			break;
		case 't':
			arguments->request.tcp_map = optarg;
			break;
		case 'c':
			arguments->check = true;
			break;
		case 'j':
			arguments->json = true;
			break;
		case 'h':
			usage(stdout);
			return -1;
		default:
			return wrong_usage(option == ':' ? "a value is missing after "
							 : "unknown option ",
					   argv[optind - 1]);
		}
	}
	if (optind == argc)
		return wrong_usage("name a recording, or traces", NULL);
	arguments->request.paths = argv + optind;
	arguments->request.nr_paths = (size_t)(argc - optind);
	if ((arguments->check || arguments->request.shifts.nr) && arguments->request.nr_paths > 1)
		return wrong_usage("--check and --shift need a single recording of Strata", NULL);
	if (arguments->check && (arguments->request.out || arguments->request.format))
		return wrong_usage("--check writes nothing; omit -o and --format", NULL);
	if (arguments->request.tcp_map &&
	    merge_is_of_recording(arguments->request.paths, arguments->request.nr_paths))
		return wrong_usage("--tcp-map is for traces of several machines, not for one "
				   "recording",
				   NULL);
	if (!arguments->request.out && !arguments->check)
		return wrong_usage("-o OUT is missing", NULL);
	if (arguments->json && !arguments->check && !strcmp(arguments->request.out, "-"))
		return wrong_usage("--json needs -o OUT: standard output has the text", NULL);
	return STRATA_STATUS_OK;
}

/* Returns the directory of @out, with all links resolved; @out need not exist. NULL: unknown. */
static char *real_dir(const char *out)
{
	char *path = realpath(out, NULL), *dir;

	if (!path)
		path = strdup(out);
	dir = path ? realpath(dirname(path), NULL) : NULL;
	free(path);
	return dir;
}

static bool is_table(const char *raw, const char *out)
{
	char table[PATH_MAX];
	struct stat one, other;

	return snprintf(table, sizeof(table), "%s/" STRATA_RECORDING_FILE, raw) <
		       (int)sizeof(table) &&
	       !stat(table, &one) && !stat(out, &other) && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

/*
 * Refuses an output that would overwrite the recording: inside one of its traces, or its table. The
 * output need not exist yet, but its directory must.
 */
static int check_apart(const char *raw, const char *out, struct strata_error *error)
{
	char *raw_path = realpath(raw, NULL), *out_path = real_dir(out);
	bool inside = raw_path && out_path && strncmp(out_path, raw_path, strlen(raw_path)) == 0 &&
		      out_path[strlen(raw_path)] == '/';

	inside |= is_table(raw, out);
	free(raw_path);
	free(out_path);
	return inside ? strata_fail(error,
				    "%s lies inside the recording to merge; name a directory "
				    "outside of it with -o",
				    out)
		      : 0;
}

static int check_place(const struct merge_request *request, struct strata_error *error)
{
	if (!merge_is_of_recording(request->paths, request->nr_paths))
		return 0;
	return check_apart(request->paths[0], request->out, error);
}

static int merge_as_json(struct merge_request *request)
{
	struct write_result result = { .events = 0 };
	struct json_object *reply;
	int status = STRATA_STATUS_FAILED;
	bool failed;

	request->result = &result;
	request->recordings = json_object_new_array();
	if (!check_place(request, &result.error))
		status = merge_traces(request);
	failed = result.error.text[0];
	reply = verb_reply_of_traces(status, "merge", request->out, &result.tally,
				     failed ? &result.error : NULL);
	if (failed) {
		json_object_put(request->recordings);
	} else {
		strata_json_add_u64(reply, "events", result.events);
		json_object_object_add(reply, "recordings", request->recordings);
	}
	return verb_reply_print(reply);
}

int strata_cmd_merge(int argc, char **argv)
{
	struct arguments arguments;
	const struct merge_request *request = &arguments.request;
	struct strata_error error;
	int status = parse_arguments(argc, argv, &arguments);

	if (status != STRATA_STATUS_OK)
		return status < 0 ? STRATA_STATUS_OK : status;
	/* A file for each input stream, and one for each output stream. */
	file_limit_raise();
	if (arguments.check)
		return merge_check(request->paths[0], &request->shifts, arguments.json);
	if (arguments.json)
		return merge_as_json(&arguments.request);
	if (check_place(request, &error)) {
		fprintf(stderr, "strata: merge: %s\n", error.text);
		return STRATA_STATUS_FAILED;
	}
	return merge_traces(request);
}

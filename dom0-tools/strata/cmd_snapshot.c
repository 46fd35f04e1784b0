// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_snapshot.c - `strata snapshot`: asks the running flight recorder for its contents. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "strata/commands.h"
#include "consumerd/host/control_socket.h"
#include "consumerd/host/recorder_number.h"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata snapshot [-o DIR] [--force] [--recorder N]\n"
		"Writes the events that `strata record --overwrite` has in memory; recording goes on.\n\n"
		"  -o, --output DIR  output directory (default: strata-snapshot-DATE-TIME)\n"
		"      --force       replaces an existing recording\n"
		"      --recorder N  the flight recorder with this number, if several are running\n\n"
		"Status: 0 all was written, 1 failed, 2 wrong usage, 3 written, but something that it\n"
		"names was left out. Each event is in one snapshot only.\n");
}

/* Makes a path absolute, because the recorder runs in another directory. Returns 0 or -1. */
static int absolute(const char *dir, char *path, size_t bytes, struct strata_error *error)
{
	char here[1024] = "";

	if (strchr(dir, '\n'))
		return strata_fail(error, "a directory's name must not contain a newline");
	if (dir[0] != '/' && !getcwd(here, sizeof(here)))
		return strata_fail(error, "the current directory has no path: %s", strerror(errno));
	if (snprintf(path, bytes, "%s%s%s", here, here[0] ? "/" : "", dir) >= (int)bytes)
		return strata_fail(error, "the name of the output directory is too long");
	return 0;
}

static int ask(const char *dir, bool force, int recorder)
{
	char path[1536], line[1600], answer[CONTROL_LINE_BYTES];
	struct strata_error error = { "" };
	int status;

	if (absolute(dir, path, sizeof(path), &error)) {
		fprintf(stderr, "strata: %s\n", error.text);
		return STRATA_STATUS_FAILED;
	}
	snprintf(line, sizeof(line), "snapshot%s %s", force ? "-force" : "", path);
	status = recorder_number_find(true, &recorder, &error)
			 ? -1
			 : control_socket_ask((unsigned int)recorder, line, answer, sizeof(answer),
					      &error);
	fprintf(stderr, "strata: %s\n", status < 0 ? error.text : answer);
	return status < 0 ? STRATA_STATUS_FAILED : status;
}

int strata_cmd_snapshot(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "force", no_argument, NULL, 'F' },
		{ "recorder", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	char name[64];
	const char *output = name;
	struct strata_error error;
	time_t now = time(NULL);
	bool force = false;
	struct tm local;
	int option, recorder = -1;

	strftime(name, sizeof(name), "strata-snapshot-%Y%m%d-%H%M%S", localtime_r(&now, &local));
	opterr = 0;
	while ((option = getopt_long(argc, argv, "o:h", long_options, NULL)) >= 0) {
		if (option == 'h') {
			usage(stdout);
			return STRATA_STATUS_OK;
		}
		if (option == 'F') {
			force = true;
		} else if (option == 'o') {
			output = optarg;
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
	return ask(output, force, recorder);
}

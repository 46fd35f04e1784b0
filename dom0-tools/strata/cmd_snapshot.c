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
#include "strata/output_options.h"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata snapshot [-o DIR] [--force]\n"
		"Writes the events that `strata record --overwrite` has in memory; recording goes on.\n\n"
		"  -o, --output DIR  output directory (default: strata-snapshot-DATE-TIME)\n"
		"      --force       replaces an existing recording\n\n"
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

static int ask(const char *dir, bool force)
{
	char path[1536], line[1600], answer[CONTROL_LINE_BYTES];
	struct strata_error error = { "" };
	int status;

	if (absolute(dir, path, sizeof(path), &error)) {
		fprintf(stderr, "strata: %s\n", error.text);
		return STRATA_STATUS_FAILED;
	}
	snprintf(line, sizeof(line), "snapshot%s %s", force ? "-force" : "", path);
	status = control_socket_ask(line, answer, sizeof(answer), &error);
	fprintf(stderr, "strata: %s\n", status < 0 ? error.text : answer);
	return status < 0 ? STRATA_STATUS_FAILED : status;
}

int strata_cmd_snapshot(int argc, char **argv)
{
	char name[64];
	struct output_options options = { .output = name };
	time_t now = time(NULL);
	struct tm local;
	int status;

	strftime(name, sizeof(name), "strata-snapshot-%Y%m%d-%H%M%S", localtime_r(&now, &local));
	status = output_options_read(argc, argv, "snapshot", usage, &options);
	if (status != OUTPUT_OPTIONS_GO_ON)
		return status;
	if (optind < argc) {
		fprintf(stderr,
			"strata: \"%s\" is not an option; see `strata snapshot "
			"--help`\n",
			argv[optind]);
		return STRATA_STATUS_USAGE;
	}
	return ask(options.output, options.force);
}

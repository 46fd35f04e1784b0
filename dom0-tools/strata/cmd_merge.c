// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_merge.c - `strata merge`: one timeline of what was recorded.
 *
 * Reads the command line, has the merge done (merge/), and says what came of it:
 * how much, in what order and with what proof, and where it is.
 */
#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyses/wakeup.h"
#include "base/exit_status.h"
#include "strata/commands.h"
#include "base/escape.h"
#include "consumerd/host/file_limit.h"
#include "strata/read/merge_check.h"
#include "strata/read/merge_report.h"
#include "strata/read/merge_traces.h"
#include "host/merger.h"
#include "outputs/outputs.h"
#include "recording/recording.h"
#include "strata/read/traces_options.h"

#define PATH_BYTES 4096u

struct arguments {
	char *const *paths;
	size_t nr_paths;
	const char *raw; /* the first; if it is a recording, the only one */
	const char *out;
	const char *format;  /* NULL: all */
	const char *tcp_map; /* a file; or NULL */
	bool force;          /* an earlier merge is replaced */
	bool check;
	bool json;
	struct merge_shifts shifts;
};

/* Paths of what is written; empty: not asked for. */
struct outputs {
	char ctf[PATH_BYTES];
	char text[PATH_BYTES];
	char summary_dir[PATH_BYTES];
};

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata merge RAW -o OUT [--format ctf|text] [--shift SOURCE=TICKS]\n"
		"       strata merge TRACE... -o OUT [--format ctf|text]\n"
		"       strata merge --check [--json] RAW [--shift SOURCE=TICKS]\n"
		"Makes one timeline of the recording in the directory RAW, and proves its order; or of\n"
		"all traces that are found under several paths, or in one that is no recording: CTF of\n"
		"any tracer, recordings of Strata's.\n\n"
		"  -o, --output OUT        where to; without --format a directory, which gets\n"
		"                          ctf/ (for babeltrace2, Trace Compass), timeline.txt\n"
		"                          and, of a recording, summary.json\n"
		"  --force                 replaces an earlier merge in OUT\n" TCP_MAP_USAGE
		"  --format ctf            only the CTF trace; OUT is its directory\n"
		"  --format text           only the text; OUT is its file, \"-\" standard output\n"
		"  --check                 writes nothing: checks the order, and says how well the\n"
		"                          clocks of guests would be known without Xen's maps\n"
		"  --json                  what that finds, for programs\n"
		"  --shift SOURCE=TICKS    moves the times of one source by TICKS of the host's\n"
		"                          counter: a way to see the check of the order fail\n\n"
		"Exit status: 0 all was merged, no check failed; 1 failed; 2 wrong usage;\n"
		"3 merged, but something was left out or out of order, and was named; with --check,\n"
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
	struct merge_shift *shift = &arguments->shifts.of[arguments->shifts.nr];
	char *end;

	if (arguments->shifts.nr == MERGE_SHIFTS_MAX || length == 0 ||
	    length >= sizeof(shift->source) || !equals[1])
		return -1;
	memcpy(shift->source, text, length);
	errno = 0;
	shift->ticks = strtoll(equals + 1, &end, 10);
	if (*end || errno)
		return -1;
	arguments->shifts.nr++;
	return 0;
}

/* STRATA_STATUS_OK, or the status to end with; -1: help was asked for and given. */
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
			arguments->out = optarg;
			break;
		case 'f':
			if (strcmp(optarg, "ctf") != 0 && strcmp(optarg, "text") != 0)
				return wrong_usage("there is no format ", optarg);
			arguments->format = optarg;
			break;
		case 's':
			if (parse_shift(arguments, optarg))
				return wrong_usage("--shift wants SOURCE=TICKS, not ", optarg);
			break;
		case 'F':
			arguments->force = true;
			break;
		case 't':
			arguments->tcp_map = optarg;
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
	arguments->paths = argv + optind;
	arguments->nr_paths = (size_t)(argc - optind);
	arguments->raw = argv[optind];
	if ((arguments->check || arguments->shifts.nr) && arguments->nr_paths > 1)
		return wrong_usage("--check and --shift are for one recording of Strata's", NULL);
	if (arguments->check && (arguments->out || arguments->format))
		return wrong_usage("--check writes nothing: leave -o and --format away", NULL);
	if (arguments->tcp_map && merge_is_of_recording(arguments->paths, arguments->nr_paths))
		return wrong_usage("--tcp-map is for traces of several machines, not for one "
				   "recording",
				   NULL);
	if (arguments->json && !arguments->check)
		return wrong_usage("--json goes with --check; of a merge summary.json says it",
				   NULL);
	if (!arguments->out && !arguments->check)
		return wrong_usage("-o OUT is missing", NULL);
	return STRATA_STATUS_OK;
}

static int join(char path[PATH_BYTES], const char *dir, const char *name,
		struct strata_error *error)
{
	if (snprintf(path, PATH_BYTES, "%s%s%s", dir, *name ? "/" : "", name) >= (int)PATH_BYTES)
		return strata_fail(error, "%.100s...: the path is too long", dir);
	return 0;
}

/* The directory of what @out is, behind all links, or of what it will be; NULL: there is none. */
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
 * Refuses an output inside one of the recorded traces, and their table: it would
 * overwrite what is to be merged.  The output need not be there yet, its directory
 * has to be.
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
				    "%s lies in the recording that is to be merged; name a place "
				    "outside of it with -o",
				    out)
		      : 0;
}

static int choose_outputs(const struct arguments *arguments, struct outputs *outputs,
			  struct strata_error *error)
{
	memset(outputs, 0, sizeof(*outputs));
	if (check_apart(arguments->raw, arguments->out, error))
		return -1;
	if (arguments->format && strcmp(arguments->format, "ctf") == 0)
		return join(outputs->ctf, arguments->out, "", error);
	if (arguments->format)
		return join(outputs->text, arguments->out, "", error);

	if (merge_make_out(arguments->out, arguments->force, error))
		return -1;
	if (join(outputs->ctf, arguments->out, "ctf", error) ||
	    join(outputs->text, arguments->out, "timeline.txt", error) ||
	    join(outputs->summary_dir, arguments->out, "", error))
		return -1;
	return 0;
}

/* Makes the sinks; those made before one that fails are in @sinks too. */
static int make_sinks(const struct strata_merge *merge, const struct outputs *outputs, bool force,
		      struct strata_sink **sinks, size_t *nr, struct strata_error *error)
{
	/* The analysis comes first: the caller finds it there. */
	sinks[*nr] = strata_wakeup_new(merge);
	if (!sinks[*nr])
		return strata_fail(error, "out of memory");
	++*nr;
	if (outputs->ctf[0]) {
		sinks[*nr] = strata_ctf_output_new(merge, outputs->ctf, force, error);
		if (!sinks[*nr])
			return -1;
		++*nr;
	}
	if (outputs->text[0]) {
		sinks[*nr] = strata_text_output_new(merge, outputs->text, force, error);
		if (!sinks[*nr])
			return -1;
		++*nr;
	}
	return 0;
}

static void print_outputs(const struct outputs *outputs, FILE *out)
{
	if (outputs->ctf[0])
		fprintf(out, "Trace:    %s (babeltrace2 opens it)\n", outputs->ctf);
	if (outputs->text[0] && strcmp(outputs->text, "-") != 0)
		fprintf(out, "Text:     %s\n", outputs->text);
	if (outputs->summary_dir[0])
		fprintf(out, "Summary:  %s/summary.json\n", outputs->summary_dir);
}

static int merge_to(const struct arguments *arguments, struct strata_merge *merge,
		    const struct outputs *outputs, struct merge_report *report,
		    struct strata_error *error)
{
	/* Where the timeline goes to standard output, nothing else may. */
	FILE *out = strcmp(outputs->text, "-") == 0 ? stderr : stdout;
	struct strata_sink *sinks[3];
	size_t i, nr_sinks = 0;
	int status = -1;

	if (merge_shifts_apply(&arguments->shifts, merge, error))
		return -1;
	if (make_sinks(merge, outputs, arguments->force, sinks, &nr_sinks, error))
		goto out;
	status = strata_merge_run(merge, sinks, nr_sinks, error);
	progress_line_end(&report->line);
	if (status)
		goto out;
	if (strata_merge_result(merge)->events == 0) {
		status = strata_fail(error,
				     "%s: no event in it can be read; if the messages above name "
				     "bad packets, take the recording again",
				     arguments->raw);
		goto out;
	}
	if (outputs->summary_dir[0]) {
		status = strata_summary_save(merge, outputs->summary_dir, error);
		if (status)
			goto out;
	}
	merge_report_print(merge, out);
	strata_wakeup_print(sinks[0], out);
	fprintf(out, "\n");
	print_outputs(outputs, out);
	fflush(out);
out:
	for (i = 0; i < nr_sinks; i++)
		sinks[i]->free(sinks[i]);
	return status;
}

int strata_cmd_merge(int argc, char **argv)
{
	struct arguments arguments;
	struct outputs outputs;
	struct strata_error error;
	struct strata_merge_options options;
	struct merge_report report;
	struct strata_merge *merge;
	int status = parse_arguments(argc, argv, &arguments);

	if (status != STRATA_STATUS_OK)
		return status < 0 ? STRATA_STATUS_OK : status;
	/* A file for each stream, and one more for each that it writes. */
	file_limit_raise();
	if (arguments.check)
		return merge_check(arguments.raw, &arguments.shifts, arguments.json);
	if (!arguments.shifts.nr && !merge_is_of_recording(arguments.paths, arguments.nr_paths))
		return merge_traces(arguments.tcp_map, arguments.paths, arguments.nr_paths,
				    arguments.out, arguments.format, arguments.force);
	merge_report_init(&report, &options);
	merge = strata_merge_open(arguments.raw, &options, &error);
	if (!merge) {
		fprintf(stderr, "strata: merge: %s\n", error.text);
		return STRATA_STATUS_FAILED;
	}
	if (choose_outputs(&arguments, &outputs, &error) ||
	    merge_to(&arguments, merge, &outputs, &report, &error)) {
		progress_line_end(&report.line);
		fprintf(stderr, "strata: merge: %s\n", error.text);
		status = STRATA_STATUS_FAILED;
	} else {
		status = merge_report_verdict(&report, merge);
	}
	strata_merge_close(merge);
	return status;
}

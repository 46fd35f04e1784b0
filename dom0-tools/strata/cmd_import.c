// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_import.c - `strata import`: converts a file of xentrace to a recording. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "strata/commands.h"
#include "stratad/listing/list_json.h"
#include "strata/verb_reply.h"
#include "base/escape.h"
#include "inputs/xentrace/xentrace.h"
#include "outputs/figures_json.h"
#include "strata/read/progress_line.h"
#include "strata/read/time_text.h"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata import FILE -o RAW [--tsc-khz KHZ] [--anchor TIME] [--cpu intel|amd]\n"
		"                     [--json]\n"
		"Converts a file of xentrace to a recording, for strata merge, stat, view and convert.\n\n"
		"  -o, --output RAW   the directory of the recording, which is created\n"
		"  --force            replaces an existing recording\n"
		"  --tsc-khz KHZ      frequency of the host's time stamp counter: 1000 times the MHz of\n"
		"                     `xl dmesg | grep 'Detected.*MHz'` (default: estimated from the\n"
		"                     records)\n"
		"  --anchor TIME      time of the last record: '2026-01-31 12:00:00.5' or seconds since\n"
		"                     1970 (default: modification time of the file)\n"
		"  --cpu intel|amd    processor whose numbers the reasons of VM exits are\n"
		"  --json             prints the result as JSON: status, output, events, lost, ...\n\n"
		"Exit status: 0 all was converted; 1 failed; 2 wrong usage; 3 the file was damaged;\n"
		"messages tell where.\n");
}

static int wrong_usage(const char *what, const char *which)
{
	char shown[256];

	fprintf(stderr, "strata: import: %s%s; `strata import --help` says more\n", what,
		which ? strata_escape_name(shown, sizeof(shown), which) : "");
	return STRATA_STATUS_USAGE;
}

static void complain(void *data, const char *message)
{
	struct progress_line *line = data;

	progress_line_hold(line);
	fprintf(stderr, "strata: import: %s\n", message);
	progress_line_release(line);
}

/* Parses a frequency in kHz; 0: invalid. */
static uint32_t parse_khz(const char *text)
{
	char *end;
	unsigned long khz;

	errno = 0;
	khz = strtoul(text, &end, 10);
	return *end || errno || khz < 1000 || khz > 100000000 ? 0 : (uint32_t)khz;
}

static void print_text(const struct strata_xentrace_report *report, const char *out)
{
	printf("Imported: %" PRIu64 " events of %u physical CPUs, %" PRIu64 " lost\n",
	       report->tally.events, report->pcpus, report->tally.lost);
	printf("Clock:    %u.%03u MHz", report->tsc_khz / 1000, report->tsc_khz % 1000);
	if (report->tsc_error_ppm)
		printf(", estimated from the records to %u ppm", report->tsc_error_ppm);
	printf("\nDates:    %s\n",
	       report->anchor_guessed ? "as good as the time at which the file was last written"
				      : "as told");
	printf("Recording: %s\n", out);
}

static int print_json(const struct strata_xentrace_report *report, const char *out, int status)
{
	struct json_object *reply = verb_reply_new(status, NULL);

	list_json_text(reply, "output", out);
	strata_json_add_u64(reply, "pcpus", report->pcpus);
	strata_json_add_u64(reply, "events", report->tally.events);
	strata_json_add_u64(reply, "lost", report->tally.lost);
	strata_json_add_u64(reply, "tsc_khz", report->tsc_khz);
	strata_json_add_u64(reply, "tsc_error_ppm", report->tsc_error_ppm);
	json_object_object_add(reply, "anchor_guessed",
			       json_object_new_boolean(report->anchor_guessed));
	return verb_reply_print(reply);
}

static int import(const char *path, const char *out, struct strata_xentrace_options *options,
		  bool json)
{
	struct strata_xentrace_report report;
	struct progress_line line;
	struct strata_error error;
	int status;

	progress_line_init(&line);
	options->complain = complain;
	options->progress = progress_line_tell;
	options->data = &line;
	status = strata_xentrace_import(path, out, options, &report, &error);
	progress_line_clear(&line);
	if (status) {
		strata_fail_in(&error, "import");
		return verb_reply_end(json, STRATA_STATUS_FAILED, error.text);
	}
	status = report.bad_places || report.nameless || report.tally.timeless
			 ? STRATA_STATUS_PARTIAL
			 : STRATA_STATUS_OK;
	if (json)
		return print_json(&report, out, status);
	print_text(&report, out);
	return status;
}

int strata_cmd_import(int argc, char **argv)
{
	static const struct option known[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "tsc-khz", required_argument, NULL, 'k' },
		{ "cpu", required_argument, NULL, 'c' },
		{ "anchor", required_argument, NULL, 'a' },
		{ "force", no_argument, NULL, 'F' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct strata_xentrace_options options = { 0 };
	const char *out = NULL;
	bool json = false;
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:h", known, NULL)) != -1) {
		switch (option) {
		case 'o':
			out = optarg;
			break;
		case 'k':
			options.tsc_khz = parse_khz(optarg);
			if (!options.tsc_khz)
				return wrong_usage("--tsc-khz needs a frequency in kHz, not ",
						   optarg);
			break;
		case 'a':
			if (!time_parse(optarg, false, 0, &options.anchor_realtime_ns))
				return wrong_usage(
					"--anchor needs a date and time, or seconds since 1970, not ",
					optarg);
			break;
		case 'c':
			if (strcmp(optarg, "intel") == 0)
				options.exits = STRATA_EXITS_VMX;
			else if (strcmp(optarg, "amd") == 0)
				options.exits = STRATA_EXITS_SVM;
			else
				return wrong_usage("--cpu needs intel or amd, not ", optarg);
			break;
		case 'F':
			options.force = true;
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			usage(stdout);
			return STRATA_STATUS_OK;
		default:
			return wrong_usage(option == ':' ? "a value is missing after "
							 : "unknown option ",
					   argv[optind - 1]);
		}
	}
	if (optind + 1 != argc)
		return wrong_usage("name one file", NULL);
	if (!out)
		return wrong_usage("-o RAW is missing", NULL);
	return import(argv[optind], out, &options, json);
}

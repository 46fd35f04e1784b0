// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_report.c - `strata report`: summarises traces in small tables: who waited for whom, what took
 * how long, and where that time went.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/report.h"
#include "base/exit_status.h"
#include "strata/commands.h"
#include "strata/read/report_live.h"
#include "strata/read/report_print.h"
#include "strata/read/time_text.h"
#include "strata/read/traces.h"
#include "why/critical_path.h"

#define ROWS_SHOWN 15u

static void usage(FILE *out)
{
	size_t i;

	fprintf(out,
		"Usage: strata report KIND[,KIND...]|all [OPTIONS] TRACE...\n"
		"       strata report --live KIND[,KIND...] [OPTIONS] RAW\n"
		"Summarises traces of a hypervisor, kernels and applications in small tables: who\n"
		"waited for whom, how long everything took, and where that time went.  KIND:\n");
	for (i = 0; i < strata_nr_report_kinds; i++)
		fprintf(out, "  %-13s  %s\n", strata_report_kinds[i].name,
			strata_report_kinds[i].what);
	fprintf(out, "  %-13s  %s\n", strata_critical_path_kind.name,
		strata_critical_path_kind.what);
	fprintf(out,
		"\n"
		"  --task [KERNEL:]TASK       of critical-path: the task's number, name, or NAME-NUMBER\n"
		"  --request [NAME=]BEGIN,END[,KEY]\n"
		"                             two events that begin and end a request, which is called\n"
		"                             NAME, else BEGIN; KEY is a field of both.  Without it:\n"
		"                             events named NAME_begin, NAME_end\n"
		"  --from TIME, --to TIME     reports on this range only; TIME as in `strata view`\n"
		"  --rows N                   prints the first N rows of each table (default: %u);\n"
		"                             0 prints all\n"
		"  --json, --csv              print all rows, for programs; CSV takes one KIND\n" TCP_MAP_USAGE
		"\n"
		"  --live                     reports on the last seconds of a running recording, again\n"
		"                             and again, until it ends or Ctrl-C: in place on a terminal,\n"
		"                             else one report after the other; --json writes one object\n"
		"                             per line.  Earlier events are read first, for the state of\n"
		"                             each task and vCPU; --from 0 reports on them, too\n"
		"  --window TIME              with --live: the time that a report covers: 5, 500ms, 1m\n"
		"                             (default: 5 s)\n"
		"  --every TIME               with --live: the time between two reports (default: one\n"
		"                             second on a terminal, else as --window)\n"
		"\n"
		"A duration is exact to the bound that is shown; percentiles (p50, p99) have an\n"
		"additional error of 1.6 %%.  \"stolen\" is the time in which a vCPU waited for\n"
		"a physical CPU, \"in Xen\" the time in which Xen worked for it.  Time for which events\n"
		"were lost or not recorded is shown as unknown.\n\n"
		"Exit status: 0 all was read; 1 failed; 2 wrong usage; 3 something was damaged or\n"
		"missing; messages name it.\n",
		ROWS_SHOWN);
}

static int wrong(const char *what, const char *which)
{
	return traces_wrong("report", what, which);
}

static const struct strata_report_kind *kind_named(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < strata_nr_report_kinds; i++) {
		if (strlen(strata_report_kinds[i].name) == length &&
		    strncmp(strata_report_kinds[i].name, name, length) == 0)
			return &strata_report_kinds[i];
	}
	return NULL;
}

/* Reads names of reports, separated by commas.  0, or -1: one of them is not a report. */
static int read_kinds(struct report_options *options, const char *text)
{
	size_t i;

	if (strcmp(text, strata_critical_path_kind.name) == 0) {
		options->kinds[options->nr_kinds++] = &strata_critical_path_kind;
		options->of_path = true;
		return 0;
	}
	if (strcmp(text, "all") == 0) {
		for (i = 0; i < strata_nr_report_kinds; i++)
			options->kinds[options->nr_kinds++] = &strata_report_kinds[i];
		return 0;
	}
	while (*text) {
		const size_t length = strcspn(text, ",");
		const struct strata_report_kind *kind = kind_named(text, length);

		if (!kind || options->nr_kinds == strata_nr_report_kinds)
			return -1;
		options->kinds[options->nr_kinds++] = kind;
		text += length + (text[length] == ',');
	}
	return options->nr_kinds ? 0 : -1;
}

static int read_rows(struct report_options *options, const char *text)
{
	char *end;
	const unsigned long rows = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end)
		return -1;
	options->rows = rows ? rows : SIZE_MAX;
	return 0;
}

/* Parses "[KERNEL:]TASK", which is modified. Returns 0 or -1. */
static int read_task(struct report_options *options, char *text)
{
	char *colon = strchr(text, ':');

	if (!*text || (colon && (colon == text || !colon[1])))
		return -1;
	options->kernel = NULL;
	if (colon) {
		*colon = 0;
		options->kernel = text;
		text = colon + 1;
	}
	options->task = text;
	return 0;
}

static int print_all(struct strata_report *const *reports, const struct report_options *options,
		     const struct strata_state_facts *facts, bool is_range,
		     struct strata_error *error)
{
	struct json_object *root;
	size_t i;
	int status;

	if (options->form == REPORT_TEXT) {
		status = report_print_text(reports, options, facts, is_range, stdout);
		return status ? strata_fail(error, "out of memory") : 0;
	}
	for (i = 0; i < options->nr_kinds; i++) {
		if (!report_has_needed(options->kinds[i], facts))
			report_say_missing(options->kinds[i], stderr);
	}
	if (options->form == REPORT_CSV) {
		status = report_print_csv(reports[0], stdout);
		return status ? strata_fail(error, "out of memory") : 0;
	}
	root = json_object_new_object();
	status = report_add_json(reports, options, facts, root);
	printf("%s\n", json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY));
	json_object_put(root);
	return status ? strata_fail(error, "out of memory") : 0;
}

/* Reads the traces in one pass, for all reports. */
static int read_traces(struct traces *traces, const struct report_options *options,
		       uint64_t from_ns, uint64_t to_ns, struct strata_error *error)
{
	struct strata_report *reports[REPORT_KINDS_MAX] = { NULL };
	struct strata_span_listener *listeners[REPORT_KINDS_MAX];
	struct strata_host_state *state = NULL;
	struct strata_shown shown;
	int status = strata_shown_init(&shown, &traces->set, error);
	size_t i;

	for (i = 0; !status && i < options->nr_kinds; i++) {
		reports[i] = options->of_path
				     ? strata_critical_path_new(&shown, options->kernel,
								options->task, from_ns, to_ns)
				     : strata_report_new(options->kinds[i], &shown, from_ns, to_ns);
		if (!reports[i])
			status = strata_fail(error, "out of memory");
		else
			listeners[i] = &reports[i]->listener;
	}
	if (!status) {
		/* The waker of a task that is blocked at the end of the range is known only
		 * later. */
		state = state_pass(traces, &options->state.requests, listeners, options->nr_kinds,
				   options->of_path ? UINT64_MAX : to_ns, error);
		status = state ? 0 : -1;
	}
	if (!status && to_ns == UINT64_MAX)
		strata_trace_set_name_cut(&traces->set);
	if (!status && options->of_path)
		status = strata_critical_path_check(reports[0], strata_host_state_facts(state),
						    error);
	if (!status)
		status = print_all(reports, options, strata_host_state_facts(state),
				   from_ns || to_ns != UINT64_MAX, error);
	for (i = 0; i < options->nr_kinds; i++)
		strata_report_free(reports[i]);
	strata_host_state_free(state);
	strata_shown_clear(&shown);
	return status;
}

static int report(const struct report_options *options, char *const *paths, size_t nr)
{
	struct strata_error error;
	struct traces traces;
	uint64_t first_ns = 0, from_ns = 0, to_ns = UINT64_MAX;
	int status =
		traces_open(&traces, "report", options->state.tcp_map, NULL, paths, nr, &error);

	if (!status && (options->state.times.from || options->state.times.to)) {
		if (strata_trace_set_first(&traces.set, &first_ns, &error) < 0)
			status = -1;
		else
			status = write_read_times(&options->state.times, &first_ns, &from_ns,
						  &to_ns, &error);
	}
	if (!status)
		status = read_traces(&traces, options, from_ns, to_ns, &error);
	return traces_finish(&traces, status, &error);
}

enum { JSON = STATE_OPTION_OWN, CSV, ROWS, TASK, LIVE, WINDOW, EVERY };

static int take(void *data, int option, char *value)
{
	struct report_options *options = data;

	switch (option) {
	case JSON:
		options->form = REPORT_JSON;
		return STRATA_STATUS_OK;
	case CSV:
		options->form = REPORT_CSV;
		return STRATA_STATUS_OK;
	case ROWS:
		return read_rows(options, value) ? wrong("--rows is a number", value)
						 : STRATA_STATUS_OK;
	case TASK:
		return read_task(options, value) ? wrong("--task is [KERNEL:]TASK", NULL)
						 : STRATA_STATUS_OK;
	case LIVE:
		options->live = true;
		return STRATA_STATUS_OK;
	case WINDOW:
		options->window_ms = time_parse_ms(value);
		return options->window_ms ? STRATA_STATUS_OK
					  : wrong("--window is a time such as 5 or 500ms", value);
	case EVERY:
		options->every_ms = time_parse_ms(value);
		return options->every_ms ? STRATA_STATUS_OK
					 : wrong("--every is a time such as 5 or 500ms", value);
	}
	return -1;
}

/* Follows a recording, if the command line permits it. */
static int live(const struct report_options *options, char *const *paths, size_t nr)
{
	const struct write_options *times = &options->state.times;

	if (nr != 1 || times->to || (times->from && strcmp(times->from, "0") != 0))
		return wrong("--live follows one recording, from now on or --from 0", NULL);
	if (options->form == REPORT_CSV)
		return wrong("--live writes text or --json", NULL);
	if (options->of_path)
		return wrong("critical-path cannot be combined with --live", NULL);
	if (options->state.tcp_map)
		return wrong("--tcp-map cannot be combined with --live", NULL);
	return report_live(options, paths[0]);
}

int strata_cmd_report(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "json", no_argument, NULL, JSON },
		{ "csv", no_argument, NULL, CSV },
		{ "rows", required_argument, NULL, ROWS },
		{ "task", required_argument, NULL, TASK },
		{ "live", no_argument, NULL, LIVE },
		{ "window", required_argument, NULL, WINDOW },
		{ "every", required_argument, NULL, EVERY },
		STATE_OPTIONS,
	};
	struct report_options options = { .rows = ROWS_SHOWN };
	const struct state_verb verb = { "report", usage, long_options, take, &options, false };
	const int status = state_options_read(&verb, &options.state, argc, argv);

	if (status != STRATA_STATUS_OK)
		return status < 0 ? STRATA_STATUS_OK : status;
	if (optind == argc)
		return wrong("name a KIND of report, and traces", NULL);
	if (read_kinds(&options, argv[optind]))
		return wrong("not a kind of report", argv[optind]);
	if (++optind == argc)
		return wrong("name the traces", NULL);
	if (options.of_path != (options.task != NULL))
		return wrong("critical-path and --task [KERNEL:]TASK go together", NULL);
	if (options.form == REPORT_CSV && options.nr_kinds != 1)
		return wrong("--csv takes one KIND", NULL);
	if (options.live)
		return live(&options, argv + optind, (size_t)(argc - optind));
	if (options.window_ms || options.every_ms)
		return wrong("--window and --every are for --live", NULL);
	return report(&options, argv + optind, (size_t)(argc - optind));
}

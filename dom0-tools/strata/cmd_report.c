// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_report.c - `strata report`: answers from traces in small tables: who waited for whom, what
 * took how long, and where that time went.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/report.h"
#include "base/exit_status.h"
#include "strata/commands.h"
#include "strata/read/state_pass.h"
#include "strata/read/traces.h"
#include "strata/read/traces_options.h"
#include "why/critical_path.h"

#define ROWS_SHOWN 15u

enum form { FORM_TEXT, FORM_JSON, FORM_CSV };

struct options {
	const struct strata_report_kind *kinds[32];
	size_t nr_kinds;
	enum form form;
	size_t rows;
	const char *tcp_map;
	struct write_options times; /* --from and --to */
	struct state_requests requests;
	bool of_path;              /* the critical path of this task: */
	const char *kernel, *task; /* patterns; NULL: any */
};

static void usage(FILE *out)
{
	size_t i;

	fprintf(out,
		"Usage: strata report KIND[,KIND...]|all [OPTIONS] TRACE...\n"
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
		"A duration is exact to the bound that is shown; percentiles (p50, p99) have an error\n"
		"of 1.6 %% besides.  \"stolen\" is the time in which a vCPU waited for a physical CPU,\n"
		"\"in Xen\" the time in which Xen worked for it.  Time about which no event tells, because\n"
		"events were lost or not recorded, is shown as unknown.\n\n"
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
static int read_kinds(struct options *options, const char *text)
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

static int read_rows(struct options *options, const char *text)
{
	char *end;
	const unsigned long rows = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end)
		return -1;
	options->rows = rows ? rows : SIZE_MAX;
	return 0;
}

/* "[KERNEL:]TASK", which is cut up.  0 or -1. */
static int read_task(struct options *options, char *text)
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

/* Whether the traces have the events that a report needs. */
static bool has_needed(const struct strata_report_kind *kind,
		       const struct strata_state_facts *facts)
{
	return kind->needs == STRATA_NR_MEANINGS || facts->seen[kind->needs];
}

/* Says which events to record for a report that has none. */
static void say_nothing(const struct strata_report_kind *kind, FILE *out)
{
	fprintf(out,
		"%s: the traces lack the events for this report; record them with `strata %s`\n",
		kind->name, kind->record);
}

/* Prints the tables of one report, or adds them to @root. */
static int print_one(struct strata_report *report, const struct strata_report_kind *kind,
		     const struct options *options, struct json_object *root,
		     struct strata_error *error)
{
	struct strata_table tables[STRATA_REPORT_TABLES];
	size_t nr, i, rows = 0;
	int status = strata_report_tables(report, tables, &nr);

	for (i = 0; !status && i < nr; i++) {
		/* A blank line between two tables. */
		if (options->form == FORM_CSV
			    ? i > 0
			    : options->form == FORM_TEXT && rows && tables[i].nr_rows)
			printf("\n");
		rows += tables[i].nr_rows;
		if (options->form == FORM_JSON)
			json_object_object_add(root, tables[i].key,
					       strata_table_to_json(&tables[i]));
		else if (options->form == FORM_CSV)
			strata_table_print_csv(&tables[i], stdout);
		else if (tables[i].nr_rows)
			strata_table_print(&tables[i], options->rows, stdout);
	}
	if (!status && options->form == FORM_TEXT && !rows)
		say_nothing(kind, stdout);
	for (i = 0; i < nr; i++)
		strata_table_clear(&tables[i]);
	return status ? strata_fail(error, "out of memory") : 0;
}

/* Whether the user asks for a report that needs events of this meaning. */
static bool asks_for(const struct options *options, enum strata_meaning_of needs)
{
	size_t i;

	for (i = 0; i < options->nr_kinds; i++) {
		if (options->kinds[i]->needs == needs)
			return true;
	}
	return false;
}

static int print_all(struct strata_report *const *reports, const struct options *options,
		     const struct strata_state_facts *facts, struct strata_error *error)
{
	struct json_object *root = options->form == FORM_JSON ? json_object_new_object() : NULL;
	size_t i;
	int status = 0;

	for (i = 0; !status && i < options->nr_kinds; i++) {
		if (options->form == FORM_TEXT && i)
			printf("\n");
		if (!has_needed(options->kinds[i], facts))
			say_nothing(options->kinds[i],
				    options->form == FORM_TEXT ? stdout : stderr);
		if (options->form != FORM_TEXT || has_needed(options->kinds[i], facts))
			status = print_one(reports[i], options->kinds[i], options, root, error);
	}
	if (options->form == FORM_TEXT) {
		state_print_facts(facts, asks_for(options, STRATA_MEANS_REQUEST), stdout);
	} else if (options->form == FORM_JSON) {
		json_object_object_add(root, "facts", state_facts_json(facts));
		printf("%s\n", json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY));
		json_object_put(root);
	}
	return status;
}

/* One pass over the traces, for all reports. */
static int read_traces(struct traces *traces, const struct options *options, uint64_t from_ns,
		       uint64_t to_ns, struct strata_error *error)
{
	struct strata_report *reports[32] = { NULL };
	struct strata_span_listener *listeners[32];
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
		/* What wakes a task at the end of the time is only told later. */
		state = state_pass(traces, &options->requests, listeners, options->nr_kinds,
				   options->of_path ? UINT64_MAX : to_ns, error);
		status = state ? 0 : -1;
	}
	if (!status && to_ns == UINT64_MAX)
		strata_trace_set_name_cut(&traces->set);
	if (!status && options->of_path)
		status = strata_critical_path_check(reports[0], strata_host_state_facts(state),
						    error);
	if (!status)
		status = print_all(reports, options, strata_host_state_facts(state), error);
	for (i = 0; i < options->nr_kinds; i++)
		strata_report_free(reports[i]);
	strata_host_state_free(state);
	strata_shown_clear(&shown);
	return status;
}

static int report(const struct options *options, char *const *paths, size_t nr)
{
	struct strata_error error;
	struct traces traces;
	uint64_t first_ns = 0, from_ns = 0, to_ns = UINT64_MAX;
	int status = traces_open(&traces, "report", options->tcp_map, NULL, paths, nr, &error);

	if (!status && (options->times.from || options->times.to)) {
		if (strata_trace_set_first(&traces.set, &first_ns, &error) < 0)
			status = -1;
		else
			status = write_read_times(&options->times, &first_ns, &from_ns, &to_ns,
						  &error);
	}
	if (!status)
		status = read_traces(&traces, options, from_ns, to_ns, &error);
	return traces_finish(&traces, status, &error);
}

int strata_cmd_report(int argc, char **argv)
{
	enum { JSON = 256, CSV, ROWS, REQUEST, TCP, FROM, TO, TASK };
	static const struct option long_options[] = {
		{ "json", no_argument, NULL, JSON },
		{ "csv", no_argument, NULL, CSV },
		{ "rows", required_argument, NULL, ROWS },
		{ "task", required_argument, NULL, TASK },
		{ "request", required_argument, NULL, REQUEST },
		{ "tcp-map", required_argument, NULL, TCP },
		{ "from", required_argument, NULL, FROM },
		{ "to", required_argument, NULL, TO },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct options options = { .rows = ROWS_SHOWN };
	struct strata_error error;
	uint64_t from_ns, to_ns;
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		switch (option) {
		case JSON:
			options.form = FORM_JSON;
			break;
		case CSV:
			options.form = FORM_CSV;
			break;
		case ROWS:
			if (read_rows(&options, optarg))
				return wrong("--rows is a number", optarg);
			break;
		case TASK:
			if (read_task(&options, optarg))
				return wrong("--task is [KERNEL:]TASK", NULL);
			break;
		case REQUEST:
			if (state_read_request(&options.requests, optarg))
				return wrong(
					"--request is [NAME=]BEGIN,END or [NAME=]BEGIN,END,KEY",
					NULL);
			break;
		case TCP:
			options.tcp_map = optarg;
			break;
		case FROM:
			options.times.from = optarg;
			break;
		case TO:
			options.times.to = optarg;
			break;
		case 'h':
			usage(stdout);
			return STRATA_STATUS_OK;
		case ':':
			return wrong("wants a value", argv[optind - 1]);
		default:
			return wrong("no option of report", argv[optind - 1]);
		}
	}
	if (optind == argc)
		return wrong("name a KIND of report, and traces", NULL);
	if (read_kinds(&options, argv[optind]))
		return wrong("not a kind of report", argv[optind]);
	if (++optind == argc)
		return wrong("name the traces", NULL);
	if (options.of_path != (options.task != NULL))
		return wrong("critical-path and --task [KERNEL:]TASK go together", NULL);
	if (options.form == FORM_CSV && options.nr_kinds != 1)
		return wrong("--csv takes one KIND", NULL);
	if (write_read_times(&options.times, NULL, &from_ns, &to_ns, &error))
		return wrong(error.text, NULL);
	return report(&options, argv + optind, (size_t)(argc - optind));
}

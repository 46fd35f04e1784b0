// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - strata-sql, which `strata sql` runs: presents traces as tables of SQLite.
 *
 * It is a separate program so that the other verbs need neither SQLite nor libedit.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/escape.h"
#include "strata_sql/prompt.h"
#include "strata_sql/statements.h"
#include "state/requests.h"
#include "strata/read/state_pass.h"
#include "strata/read/traces.h"
#include "strata/read/traces_options.h"

#define MEMORY_MB_DEFAULT 512u
#define MEMORY_MB_MAX     (1u << 20)
#define TRACES_MAX        256u

struct options {
	enum result_form form;
	bool shows_stats;
	unsigned long memory_mb;
	const char *tcp_map;
	const char *symbols[WRITE_SYMBOLS_MAX];
	size_t nr_symbols;
	struct state_requests requests;
	char *paths[TRACES_MAX];
	size_t nr_paths;
	const char *query; /* NULL: statements come from standard input */
};

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata sql [OPTIONS] TRACE [STATEMENTS]\n"
		"Presents traces as read-only SQLite tables: one for each event class, and others for the\n"
		"state of the hosts over time.  Without STATEMENTS it prompts for them, or reads them\n"
		"from standard input if that is not a terminal.\n\n"
		"  strata sql TRACE .tables                    lists the tables\n"
		"  strata sql TRACE '.schema sched_switch'     describes one\n"
		"  strata sql TRACE 'SELECT event, count(*) FROM events GROUP BY event'\n"
		"  strata sql TRACE 'SELECT percentile(ns, 99) FROM wakeups'\n\n"
		"  --csv, --json           the rows, for programs\n"
		"  --also TRACE            an additional trace; may be repeated\n"
		"  --stats                 says how much of the traces each statement read\n"
		"  --memory MB             limit of SQLite's memory (%u)\n"
		"  --request [NAME=]BEGIN,END[,KEY]  two events that begin and end a request, as in report\n"
		"  --symbols SOURCE=FILE   names code addresses of a source, as in view\n" TCP_MAP_USAGE
		"\n"
		"Times are nanoseconds since 1970, off by no more than bound_ns.  docs/sql.md describes\n"
		"the tables.\n\n"
		"Exit status: 0 all was read; 1 failed; 2 wrong usage; 3 something was damaged or\n"
		"missing, and was named.\n",
		MEMORY_MB_DEFAULT);
}

static int wrong(const char *what, const char *which)
{
	char shown[256];

	fprintf(stderr, "strata: sql: %s%s%s; `strata sql --help` says more\n", what,
		which ? ": " : "", which ? strata_escape_name(shown, sizeof(shown), which) : "");
	return STRATA_STATUS_USAGE;
}

static int read_memory(struct options *options, const char *text)
{
	char *end;

	options->memory_mb = strtoul(text, &end, 10);
	return *text < '0' || *text > '9' || *end || options->memory_mb == 0 ||
			       options->memory_mb > MEMORY_MB_MAX
		       ? -1
		       : 0;
}

/* Reports losses and damage of the streams, as far as everything was read. */
static void say_what_is_missing(struct traces *traces, const struct strata_sql *sql)
{
	const struct strata_ctf_tally *whole = strata_sql_whole(sql);
	size_t i;

	for (i = 0; whole && i < traces->set.nr_streams; i++)
		traces->set.streams[i].tally = whole[i];
	if (!whole)
		return;
	traces_say_losses(traces, NULL);
	strata_trace_set_name_cut(&traces->set);
}

static int run(struct traces *traces, const struct strata_shown *shown,
	       const struct options *options, struct strata_error *error)
{
	const struct strata_request_forms requests = { options->requests.forms,
						       options->requests.nr };
	const struct strata_sql_options of_sql = {
		.set = &traces->set,
		.shown = shown,
		.machines = &traces->machines,
		.requests = &requests,
		.memory_bytes = (uint64_t)options->memory_mb << 20,
	};
	struct statements statements = { .traces = traces,
					 .form = options->form,
					 .shows_stats = options->shows_stats };
	int status;

	statements.sql = strata_sql_open(&of_sql, error);
	if (!statements.sql)
		return -1;
	strata_sql_say_numbered(statements.sql, stderr);
	prompt_catch_interrupts(statements.sql);
	status = options->query ? statements_run(&statements, options->query)
				: prompt_run(&statements);
	say_what_is_missing(traces, statements.sql);
	strata_sql_close(statements.sql);
	/* It was reported already. */
	error->text[0] = '\0';
	return status ? -1 : 0;
}

static int query(const struct options *options)
{
	struct strata_shown shown = { .sources = NULL };
	struct strata_error error;
	struct traces traces;
	int status = traces_open(&traces, "sql", options->tcp_map, NULL, options->paths,
				 options->nr_paths, &error);

	if (!status)
		status = strata_shown_init(&shown, &traces.set, &error);
	if (!status)
		status = traces_add_symbols(&traces.symbols, &shown, options->symbols,
					    options->nr_symbols, &error);
	if (!status)
		status = run(&traces, &shown, options, &error);
	if (status) {
		if (error.text[0])
			fprintf(stderr, "strata: sql: %s\n", error.text);
		status = STRATA_STATUS_FAILED;
	} else if (traces.complaints) {
		status = STRATA_STATUS_PARTIAL;
	}
	strata_shown_clear(&shown);
	traces_close(&traces);
	return status;
}

/* Reads one option. Returns 0; -1: its value is wrong. */
static int take_option(struct options *options, int option, char *value)
{
	enum { JSON = 256, CSV, ALSO, STATS, MEMORY, REQUEST, SYMBOLS, TCP };

	switch (option) {
	case JSON:
	case CSV:
		options->form = option == JSON ? RESULT_JSON : RESULT_CSV;
		return 0;
	case ALSO:
		if (options->nr_paths == TRACES_MAX - 1)
			return -1;
		options->paths[++options->nr_paths] = value;
		return 0;
	case STATS:
		options->shows_stats = true;
		return 0;
	case MEMORY:
		return read_memory(options, value);
	case REQUEST:
		return state_read_request(&options->requests, value);
	case SYMBOLS:
		if (options->nr_symbols == WRITE_SYMBOLS_MAX)
			return -1;
		options->symbols[options->nr_symbols++] = value;
		return 0;
	default:
		options->tcp_map = value;
		return 0;
	}
}

int main(int argc, char **argv)
{
	static const struct option known[] = {
		{ "json", no_argument, NULL, 256 },
		{ "csv", no_argument, NULL, 257 },
		{ "also", required_argument, NULL, 258 },
		{ "stats", no_argument, NULL, 259 },
		{ "memory", required_argument, NULL, 260 },
		{ "request", required_argument, NULL, 261 },
		{ "symbols", required_argument, NULL, 262 },
		{ "tcp-map", required_argument, NULL, 263 },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct options options = { .memory_mb = MEMORY_MB_DEFAULT };
	int option, status;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", known, NULL)) != -1) {
		if (option == 'h') {
			usage(stdout);
			return STRATA_STATUS_OK;
		}
		if (option == ':')
			return wrong("wants a value", argv[optind - 1]);
		if (option == '?')
			return wrong("no option of sql", argv[optind - 1]);
		if (take_option(&options, option, optarg))
			return wrong("not a value of this option, or too many of them", optarg);
	}
	if (optind == argc)
		return wrong("name a TRACE", NULL);
	if (argc - optind > 2)
		return wrong("one TRACE and one text of STATEMENTS; further traces by --also",
			     argv[optind + 2]);
	options.paths[0] = argv[optind];
	options.nr_paths++;
	options.query = argv[optind + 1];
	status = query(&options);
	if ((fflush(stdout) || ferror(stdout)) && status != STRATA_STATUS_FAILED) {
		fprintf(stderr, "strata: sql: the output could not be written\n");
		return STRATA_STATUS_FAILED;
	}
	return status;
}

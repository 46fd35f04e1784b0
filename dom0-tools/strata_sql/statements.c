// SPDX-License-Identifier: GPL-2.0-or-later
/* statements.c - see statements.h. */
#include "strata_sql/statements.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "sql/shown_text.h"

#define BLANKS " \t\r\n;"

static const char help[] = "Statements end with ; and only read.  Ctrl-C interrupts one.\n"
			   "  .tables         lists the tables\n"
			   "  .schema [NAME]  describes the columns of a table, or of all\n"
			   "  .help, .quit\n"
			   "docs/sql.md describes the tables, and has examples.\n";

bool statements_is_command(const char *line)
{
	return line[strspn(line, BLANKS)] == '.';
}

/* What is behind a word that an error begins with; NULL: it begins otherwise. */
static const char *behind(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0 ? text + strlen(word) : NULL;
}

/* Says what is wrong with a statement, and what to do. */
static void say_error(const struct statements *statements, int status)
{
	sqlite3 *db = strata_sql_connection(statements->sql);
	const char *text = sqlite3_errmsg(db), *name, *nearest;
	char shown[SQL_SHOWN_BYTES(1024)], of[512];

	sql_shown_text(shown, text, strnlen(text, 1024));
	progress_line_end(&statements->traces->line);
	if ((status & 0xff) == SQLITE_NOMEM)
		fprintf(stderr, "strata: sql: out of memory: the statement needs more than it may "
				"take; raise --memory, or select less\n");
	else if ((status & 0xff) == SQLITE_AUTH || strcmp(text, "not authorized") == 0)
		fprintf(stderr,
			"strata: sql: %s: statements can only read traces: SELECT, WITH, "
			"VALUES, EXPLAIN\n",
			shown);
	else if ((name = behind(text, "no such table: "))) {
		nearest = strata_sql_nearest(statements->sql, name);
		fprintf(stderr, "strata: sql: %s; %s%s%s.tables lists the tables\n", shown,
			nearest ? "the nearest is " : "",
			nearest ? strata_escape_name(of, sizeof(of), nearest) : "",
			nearest ? "; " : "");
	} else if (behind(text, "no such column: "))
		fprintf(stderr,
			"strata: sql: %s; .schema TABLE lists columns, and text is written "
			"in 'single quotes'\n",
			shown);
	else
		fprintf(stderr, "strata: sql: %s\n", shown);
}

static int command(struct statements *statements, const char *text)
{
	char word[600], shown[600];
	const char *at = text + strspn(text, BLANKS), *name;
	size_t bytes;

	snprintf(word, sizeof(word), "%s", at);
	for (bytes = strlen(word); bytes && strchr(BLANKS, word[bytes - 1]); bytes--)
		word[bytes - 1] = '\0';
	if (strcmp(word, ".tables") == 0) {
		strata_sql_list(statements->sql, stdout);
	} else if (strcmp(word, ".help") == 0) {
		fputs(help, stdout);
	} else if (strcmp(word, ".quit") == 0 || strcmp(word, ".exit") == 0) {
		statements->wants_end = true;
	} else if (strcmp(word, ".schema") == 0) {
		strata_sql_describe(statements->sql, NULL, stdout);
	} else if ((name = behind(word, ".schema "))) {
		name += strspn(name, " \t");
		if (strata_sql_describe(statements->sql, name, stdout))
			return 0;
		fprintf(stderr, "strata: sql: there is no table %s; .tables lists them\n",
			strata_escape_name(shown, sizeof(shown), name));
		return -1;
	} else {
		fprintf(stderr,
			"strata: sql: %s is no command: .tables, .schema [NAME], .help, .quit\n",
			strata_escape_name(shown, sizeof(shown), word));
		return -1;
	}
	return 0;
}

/* Runs one statement that is prepared. */
static int run(struct statements *statements, sqlite3_stmt *statement)
{
	struct result result;
	int status = sqlite3_step(statement);

	if (sqlite3_column_count(statement) == 0)
		return status;
	/* A statement that fails at once has no result. */
	if (status != SQLITE_ROW && status != SQLITE_DONE)
		return status;
	result_begin(&result, statements->form, statement);
	for (; status == SQLITE_ROW; status = sqlite3_step(statement)) {
		if (result.nr_rows == 0 && isatty(STDOUT_FILENO))
			progress_line_end(&statements->traces->line);
		result_row(&result);
		if (result.no_memory) {
			status = SQLITE_NOMEM;
			break;
		}
	}
	return result_end(&result) ? SQLITE_NOMEM : status;
}

static void say_stats(const struct statements *statements, const struct strata_sql_counts *before)
{
	const struct strata_sql_counts *now = strata_sql_counts(statements->sql);

	fprintf(stderr,
		"strata: sql: read %" PRIu64 " packets (%" PRIu64 " bytes) in %" PRIu64
		" passes, %" PRIu64 " events of them\n",
		now->packets - before->packets, now->bytes - before->bytes,
		now->passes - before->passes, now->events - before->events);
}

static int run_statements(struct statements *statements, const char *text)
{
	int status = SQLITE_OK;

	while (status == SQLITE_OK && *text) {
		const struct strata_sql_counts before = *strata_sql_counts(statements->sql);
		sqlite3_stmt *statement = NULL;

		status = strata_sql_prepare(statements->sql, text, &statement, &text);
		if (status == SQLITE_OK && !statement)
			continue;
		if (status == SQLITE_OK)
			status = run(statements, statement);
		if (status == SQLITE_DONE)
			status = SQLITE_OK;
		/* The message is the statement's, which finalizing may replace. */
		if (status != SQLITE_OK && (status & 0xff) != SQLITE_INTERRUPT)
			say_error(statements, status);
		sqlite3_finalize(statement);
		if (statements->shows_stats)
			say_stats(statements, &before);
	}
	return status;
}

int statements_run(struct statements *statements, const char *text)
{
	int status;

	if (statements_is_command(text))
		return command(statements, text);
	strata_sql_begin(statements->sql);
	traces_progress_begin(statements->traces, statements->traces->set.bytes);
	status = run_statements(statements, text);
	traces_progress_end(statements->traces);
	if ((status & 0xff) == SQLITE_INTERRUPT) {
		fprintf(stderr, "strata: sql: interrupted\n");
		return STATEMENTS_INTERRUPTED;
	}
	return status == SQLITE_OK ? 0 : -1;
}

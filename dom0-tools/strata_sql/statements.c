// SPDX-License-Identifier: GPL-2.0-or-later
/* statements.c - see statements.h. */
#include "strata_sql/statements.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/escape.h"
#include "sql/shown_text.h"

#define BLANKS " \t\r\n;"

/* Largest number of tables of events that a terminal lists. */
#define TABLES_SHOWN 200u

static const char help[] =
	"Statements end with ; and only read.  Ctrl-C interrupts one.\n"
	"  .tables [TEXT]  lists the tables, or those with TEXT in their names\n"
	"  .schema [NAME]  describes the columns of a table, or of all\n"
	"  .stats          tells after each statement what it read, or no longer\n"
	"  .help, .quit\n"
	"For example:\n"
	"  SELECT event, count(*) FROM events GROUP BY event;\n"
	"  SELECT task, percentile(ns, 99) FROM wakeups GROUP BY task;\n"
	"docs/sql.md describes the tables, and has examples.\n";

#define COMMANDS ".tables [TEXT], .schema [NAME], .stats, .help, .quit"

/* Words that are commands even without a dot, if they stand alone. */
static const char *const plain_commands[] = { "help", "quit", "exit" };

static size_t trimmed_bytes(const char *text)
{
	size_t bytes = strlen(text);

	while (bytes && strchr(BLANKS, text[bytes - 1]))
		bytes--;
	return bytes;
}

bool statements_is_command(const char *line)
{
	const char *at = line + strspn(line, BLANKS);
	const size_t bytes = trimmed_bytes(at);
	size_t i;

	for (i = 0; i < sizeof(plain_commands) / sizeof(plain_commands[0]); i++) {
		if (strlen(plain_commands[i]) == bytes &&
		    strncasecmp(at, plain_commands[i], bytes) == 0)
			return true;
	}
	return *at == '.';
}

/* Returns the rest of an error after its first word; NULL: it does not start with this word. */
static const char *behind(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0 ? text + strlen(word) : NULL;
}

/* Reports what is wrong with a statement, and what to do. */
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
	else if ((status & 0xff) == SQLITE_TOOBIG)
		fprintf(stderr,
			"strata: sql: %s: a value may have 64 MB; select it in parts, by substr()\n",
			shown);
	else if (behind(text, "not authorized to use function: "))
		fprintf(stderr, "strata: sql: %s: it may load code or open files\n", shown);
	else if (behind(text, "no such function: "))
		fprintf(stderr,
			"strata: sql: %s; SELECT DISTINCT name FROM pragma_function_list lists "
			"them\n",
			shown);
	else if ((status & 0xff) == SQLITE_FULL || (status & 0xff) == SQLITE_IOERR ||
		 (status & 0xff) == SQLITE_CANTOPEN)
		fprintf(stderr,
			"strata: sql: %s: no space for temporary files to sort; set SQLITE_TMPDIR "
			"to a directory with more space, or select less\n",
			shown);
	else
		fprintf(stderr, "strata: sql: %s\n", shown);
}

static int describe(const struct statements *statements, const char *name)
{
	char shown[600];

	if (strata_sql_describe(statements->sql, name, stdout))
		return 0;
	fprintf(stderr, "strata: sql: there is no table %s; .tables lists them\n",
		strata_escape_name(shown, sizeof(shown), name));
	return -1;
}

/* Runs a command: its word, and its argument, or NULL. */
static int run_command(struct statements *statements, const char *word, const char *of)
{
	char shown[600];

	if (strcmp(word, "tables") == 0) {
		strata_sql_list(statements->sql, of,
				isatty(STDOUT_FILENO) ? TABLES_SHOWN : SIZE_MAX, stdout);
	} else if (strcmp(word, "schema") == 0) {
		return describe(statements, of);
	} else if (strcmp(word, "stats") == 0 && !of) {
		statements->shows_stats = !statements->shows_stats;
	} else if (strcasecmp(word, "help") == 0 && !of) {
		fputs(help, stdout);
	} else if ((strcasecmp(word, "quit") == 0 || strcasecmp(word, "exit") == 0) && !of) {
		statements->wants_end = true;
	} else {
		fprintf(stderr, "strata: sql: .%s%s%s is no command: " COMMANDS "\n",
			strata_escape_name(shown, sizeof(shown) / 2, word), of ? " " : "",
			of ? strata_escape_name(shown + sizeof(shown) / 2, sizeof(shown) / 2, of)
			   : "");
		return -1;
	}
	return 0;
}

static int command(struct statements *statements, const char *text)
{
	const char *at = text + strspn(text, BLANKS);
	char *word, *of;
	int status;

	at += *at == '.';
	word = strndup(at, trimmed_bytes(at));
	if (!word) {
		fprintf(stderr, "strata: sql: out of memory for a command\n");
		return -1;
	}
	of = word + strcspn(word, " \t");
	if (*of) {
		*of++ = '\0';
		of += strspn(of, " \t");
	}
	status = run_command(statements, word, *of ? of : NULL);
	free(word);
	return status;
}

/* Runs a prepared statement. */
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
		/* The error message must be read before finalizing replaces it. */
		if (status != SQLITE_OK && (status & 0xff) != SQLITE_INTERRUPT)
			say_error(statements, status);
		sqlite3_finalize(statement);
		strata_sql_say_gaps(statements->sql, stderr);
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
	traces_progress_begin(statements->traces, statements->traces->set.bytes);
	status = run_statements(statements, text);
	traces_progress_end(statements->traces);
	if ((status & 0xff) == SQLITE_INTERRUPT) {
		fprintf(stderr, "strata: sql: interrupted\n");
		return STATEMENTS_INTERRUPTED;
	}
	return status == SQLITE_OK ? 0 : -1;
}

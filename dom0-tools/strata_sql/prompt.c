// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * prompt.c - see prompt.h.
 *
 * Line editing is by libedit, whose licence (BSD) allows linking with all the rest.
 */
#include "strata_sql/prompt.h"

#include <errno.h>
#include <histedit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HISTORY_LINES 1000

/* The part of a statement read so far. */
struct pending {
	char *text;
	size_t bytes, room;
};

static bool in_statement; /* selects the prompt for the next line */
static struct strata_sql *interrupted;

static void on_interrupt(int number)
{
	(void)number;
	strata_sql_interrupt(interrupted);
}

void prompt_catch_interrupts(struct strata_sql *sql)
{
	/* No SA_RESTART: a signal must end the wait for a line. */
	struct sigaction action = { .sa_handler = on_interrupt };

	interrupted = sql;
	sigaction(SIGINT, &action, NULL);
}

static int append(struct pending *pending, const char *line)
{
	const size_t bytes = strlen(line);
	char *more;

	if (pending->bytes + bytes + 1 > pending->room) {
		more = realloc(pending->text, 2 * (pending->bytes + bytes + 1));
		if (!more)
			return -1;
		pending->text = more;
		pending->room = 2 * (pending->bytes + bytes + 1);
	}
	memcpy(pending->text + pending->bytes, line, bytes + 1);
	pending->bytes += bytes;
	return 0;
}

static void forget(struct pending *pending)
{
	pending->bytes = 0;
	if (pending->text)
		pending->text[0] = '\0';
}

static bool is_blank(const struct pending *pending)
{
	return !pending->text || pending->text[strspn(pending->text, " \t\r\n")] == '\0';
}

/* Takes a line. Returns 0; 1: it completed a statement, which failed; -1: out of memory. */
static int take_line(struct statements *statements, struct pending *pending, const char *line)
{
	int status = 0;

	if (is_blank(pending) && statements_is_command(line)) {
		status = statements_run(statements, line);
		return status ? 1 : 0;
	}
	if (append(pending, line)) {
		fprintf(stderr, "strata: sql: out of memory for the statement\n");
		return -1;
	}
	if (!is_blank(pending) && sqlite3_complete(pending->text)) {
		status = statements_run(statements, pending->text);
		forget(pending);
	}
	return status ? 1 : 0;
}

/* Reports why there are no more lines, unless the input ended. 0 or -1. */
static int say_read_error(int error)
{
	if (feof(stdin))
		return 0;
	if (error == EINTR)
		fprintf(stderr, "strata: sql: interrupted\n");
	else
		fprintf(stderr,
			"strata: sql: standard input cannot be read: %s; statements from there on were not run\n",
			strerror(error));
	return -1;
}

/* Runs statements from a file or a pipe, up to the first that fails. */
static int run_script(struct statements *statements)
{
	struct pending pending = { 0 };
	char *line = NULL;
	size_t room = 0;
	int status = 0;

	while (!status && !statements->wants_end) {
		if (getline(&line, &room, stdin) < 0) {
			status = say_read_error(errno);
			break;
		}
		status = take_line(statements, &pending, line);
	}
	/* The last statement may lack its semicolon. */
	if (!status && !is_blank(&pending))
		status = statements_run(statements, pending.text);
	free(line);
	free(pending.text);
	return status ? -1 : 0;
}

static char *prompt_text(EditLine *editor)
{
	(void)editor;
	return in_statement ? "   ...> " : "strata> ";
}

static void add_history(History *past, const char *line)
{
	HistEvent event;

	if (line[strspn(line, " \t\r\n")])
		history(past, &event, H_ENTER, line);
}

/* Joins @line to the lines of the pending statement, so that history has one entry for all. NULL:
 * nothing is pending, or the text has a comment, which would hide the lines after it. */
static char *joined(const struct pending *pending, const char *line)
{
	char *text = NULL, *at;

	if (is_blank(pending) || strstr(pending->text, "--"))
		return NULL;
	if (asprintf(&text, "%s%s", pending->text, line) < 0)
		return NULL;
	for (at = text; *at; at++) {
		if (*at == '\n' && at[1])
			*at = ' ';
	}
	return text;
}

static void run_lines(struct statements *statements, EditLine *editor, History *past)
{
	struct pending pending = { 0 };
	const char *line;
	char *whole;
	int nr;

	while (!statements->wants_end) {
		in_statement = !is_blank(&pending);
		/* From here on it may be for the next statement. */
		strata_sql_forget_interrupt(statements->sql);
		errno = 0;
		line = el_gets(editor, &nr);
		if (!line && errno == EINTR) {
			/* Discards the incomplete statement. */
			forget(&pending);
			el_reset(editor);
			printf("^C\n");
			continue;
		}
		if (!line || nr <= 0)
			break;
		add_history(past, line);
		whole = joined(&pending, line);
		take_line(statements, &pending, line);
		if (whole && is_blank(&pending))
			add_history(past, whole);
		free(whole);
		fflush(stdout);
	}
	free(pending.text);
}

static int run_terminal(struct statements *statements)
{
	EditLine *editor = el_init("strata", stdin, stdout, stderr);
	History *past = history_init();
	HistEvent event;

	if (!editor || !past) {
		fprintf(stderr, "strata: sql: this terminal cannot be edited on; give the "
				"statement as an argument\n");
		if (past)
			history_end(past);
		if (editor)
			el_end(editor);
		return -1;
	}
	history(past, &event, H_SETSIZE, HISTORY_LINES);
	el_set(editor, EL_PROMPT, prompt_text);
	el_set(editor, EL_EDITOR, "emacs");
	el_set(editor, EL_HIST, history, past);
	printf("Statements end with ;  .tables [TEXT]  .schema [NAME]  .help  .quit\n");
	run_lines(statements, editor, past);
	history_end(past);
	el_end(editor);
	return 0;
}

int prompt_run(struct statements *statements)
{
	return isatty(STDIN_FILENO) ? run_terminal(statements) : run_script(statements);
}

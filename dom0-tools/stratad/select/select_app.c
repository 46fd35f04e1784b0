// SPDX-License-Identifier: GPL-2.0-or-later
/* select_app.c - see select_app.h. */
#include "stratad/select/select_app.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/log_levels.h"
#include "stratad/select/select_kernel.h"

/* A word of EVENTS: PATTERN, PATTERN@LEVEL or PATTERN@=LEVEL. */
struct word {
	char pattern[128];
	enum strata_log_level level; /* STRATA_LOG_NONE: events of any */
	bool only;                   /* of that level, not also of more severe ones */
};

/* 0 or -1. */
static int read_word(const char *text, size_t length, struct word *word, struct strata_error *error)
{
	const char *at = memchr(text, '@', length), *end = text + length;
	const size_t pattern = at ? (size_t)(at - text) : length;

	memset(word, 0, sizeof(*word));
	if (pattern >= sizeof(word->pattern))
		return strata_fail(error, "--app: the pattern \"%.40s...\" is too long", text);
	memcpy(word->pattern, pattern ? text : "*", pattern ? pattern : 1);
	if (!at)
		return 0;
	at++;
	word->only = *at == '=';
	at += word->only;
	word->level = strata_log_level_read(at, (size_t)(end - at), error);
	return word->level ? 0 : strata_fail_in(error, "--app");
}

/* Calls read_word() for the next word, which @text is advanced over.  1, 0: there was none, or
 * -1. */
static int next_word(const char **text, struct word *word, struct strata_error *error)
{
	size_t length;

	*text += strspn(*text, ",");
	length = strcspn(*text, ",");
	if (!length)
		return 0;
	if (read_word(*text, length, word, error))
		return -1;
	*text += length;
	return 1;
}

int select_parse_app(const char *argument, struct app_selection *selection,
		     struct strata_error *error)
{
	size_t length = strcspn(argument, ":");
	const char *rest;
	struct word word;
	int result;

	if (length == 0 || length >= sizeof(selection->program) ||
	    (argument[length] && !argument[length + 1]))
		return strata_fail(
			error, "--app: \"%s\" is not PROGRAM:EVENTS; see `strata record --help`",
			argument);
	memset(selection, 0, sizeof(*selection));
	memcpy(selection->program, argument, length);
	selection->events = argument[length] ? argument + length + 1 : "all";
	rest = selection->events;
	while ((result = next_word(&rest, &word, error)) > 0)
		;
	return result;
}

bool select_matches_app(const struct app_selection *selection, const struct app *app)
{
	const char *program = selection->program;

	if (selection->of_command)
		return app->of_command;
	if (strcmp(program, "all") == 0)
		return true;
	if (program[strspn(program, "0123456789")] == '\0')
		return strtol(program, NULL, 10) == app->pid;
	return fnmatch(program, app->program, 0) == 0 || fnmatch(program, app->comm, 0) == 0;
}

static bool has_level(const struct word *word, const struct strata_event_desc *event)
{
	const unsigned int level = event->level ? event->level : STRATA_LOG_DEBUG_LINE;

	if (word->level == STRATA_LOG_NONE)
		return true;
	return word->only ? level == word->level : level <= word->level;
}

void select_app_events(const struct app_selection *selection, const struct app *app,
		       struct event_set *events)
{
	const char *rest = selection->events;
	struct strata_error checked; /* by select_parse_app() */
	struct word word;
	size_t i;

	while (next_word(&rest, &word, &checked) > 0)
		for (i = 0; i < app->nr_events; i++)
			if (select_matches_event(word.pattern, app->events[i]) &&
			    has_level(&word, app->events[i]))
				event_set_add(events, i);
}

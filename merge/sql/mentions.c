// SPDX-License-Identifier: GPL-2.0-or-later
/* mentions.c - see mentions.h.  The rules are those of SQLite's own tokenizer. */
#include "sql/mentions.h"

#include <string.h>

#define ROOM SQL_MENTION_BYTES

static bool is_of_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Skips a comment, if one begins here. */
static bool skip_comment(const char **at)
{
	const char *end;

	if (strncmp(*at, "--", 2) == 0) {
		*at += strcspn(*at, "\n");
		return true;
	}
	if (strncmp(*at, "/*", 2) != 0)
		return false;
	end = strstr(*at + 2, "*/");
	*at = end ? end + 2 : *at + strlen(*at);
	return true;
}

/* The closing quote for an opening one; 0: this opens no quoted text. */
static char closing(char opening)
{
	if (opening == '[')
		return ']';
	return opening == '"' || opening == '\'' || opening == '`' ? opening : 0;
}

static void append(char *name, size_t *bytes, char c)
{
	if (*bytes < ROOM - 1)
		name[(*bytes)++] = c;
}

/* Reads a quoted text. A doubled quote stands for one quote, except in brackets. */
static void read_quoted(const char **at, char *name)
{
	const char end = closing(**at);
	size_t bytes = 0;

	for ((*at)++; **at; (*at)++) {
		if (**at == end) {
			(*at)++;
			if (end == ']' || **at != end)
				break;
		}
		append(name, &bytes, **at);
	}
	name[bytes] = '\0';
}

bool sql_next_mention(const char **at, char name[ROOM])
{
	size_t bytes = 0;

	while (**at && **at != ';') {
		if (skip_comment(at))
			continue;
		if (closing(**at)) {
			read_quoted(at, name);
			return true;
		}
		if (!is_of_word(**at)) {
			(*at)++;
			continue;
		}
		for (; is_of_word(**at); (*at)++)
			append(name, &bytes, **at);
		name[bytes] = '\0';
		return true;
	}
	return false;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* recording_split.c - see recording_split.h. */
#include "recording/recording_split.h"

#include <stdlib.h>
#include <string.h>

#define KEY "\"sources\""

struct scan {
	const char *text;
	size_t length;
	size_t at;
};

/* Skips the string that begins at the current quotation mark. */
static void skip_string(struct scan *scan)
{
	for (scan->at++; scan->at < scan->length; scan->at++) {
		if (scan->text[scan->at] == '\\')
			scan->at++;
		else if (scan->text[scan->at] == '"')
			break;
	}
	scan->at++;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_spaces(struct scan *scan)
{
	while (scan->at < scan->length && is_space(scan->text[scan->at]))
		scan->at++;
}

/* Skips to behind the next structural character, and returns it; 0 at the end. */
static char next_of_structure(struct scan *scan)
{
	while (scan->at < scan->length) {
		char c = scan->text[scan->at];

		if (c == '"') {
			skip_string(scan);
			continue;
		}
		scan->at++;
		if (strchr("{}[],", c) && c)
			return c;
	}
	return 0;
}

/* Skips to behind the opening bracket of "sources". False: no such list. */
static bool find_list(struct scan *scan)
{
	const size_t key_bytes = strlen(KEY);
	unsigned int depth = 0;

	while (scan->at < scan->length) {
		const size_t begin = scan->at;

		switch (scan->text[scan->at]) {
		case '"':
			skip_string(scan);
			if (depth != 1 || scan->at - begin != key_bytes ||
			    memcmp(scan->text + begin, KEY, key_bytes))
				continue;
			skip_spaces(scan);
			if (scan->at >= scan->length || scan->text[scan->at] != ':')
				continue;
			scan->at++;
			skip_spaces(scan);
			if (scan->at >= scan->length || scan->text[scan->at] != '[')
				return false;
			scan->at++;
			return true;
		case '{':
		case '[':
			depth++;
			break;
		case '}':
		case ']':
			depth--;
			break;
		}
		scan->at++;
	}
	return false;
}

static bool add(struct recording_split *split, size_t begin, size_t end, size_t max)
{
	struct recording_part *sources = split->sources;
	const size_t nr = split->nr_sources;

	if (nr == max)
		return false;
	/* The capacity is the next power of two. */
	if ((nr & (nr - 1)) == 0) {
		sources = reallocarray(sources, nr ? 2 * nr : 1, sizeof(*sources));
		if (!sources)
			return false;
		split->sources = sources;
	}
	sources[split->nr_sources++] = (struct recording_part){ begin, end };
	return true;
}

bool recording_split(struct recording_split *split, const char *text, size_t length, size_t max)
{
	struct scan scan = { text, length, 0 };
	unsigned int depth = 0;
	size_t begin;

	memset(split, 0, sizeof(*split));
	if (!find_list(&scan))
		return true;
	split->list.begin = split->list.end = scan.at;
	skip_spaces(&scan);
	if (scan.at < length && text[scan.at] == ']') {
		split->list.end = scan.at;
		return true;
	}
	begin = scan.at;
	for (;;) {
		switch (next_of_structure(&scan)) {
		case '{':
		case '[':
			depth++;
			break;
		case ',':
			if (depth == 0) {
				if (!add(split, begin, scan.at - 1, max))
					return false;
				begin = scan.at;
			}
			break;
		case '}':
			depth -= depth > 0;
			break;
		case ']':
			if (depth > 0) {
				depth--;
				break;
			}
			split->list.end = scan.at - 1;
			return add(split, begin, scan.at - 1, max);
		case 0:
			/* No end: pass everything to the parser, which reports it. */
			split->nr_sources = 0;
			return true;
		}
	}
}

void recording_split_clear(struct recording_split *split)
{
	free(split->sources);
	memset(split, 0, sizeof(*split));
}

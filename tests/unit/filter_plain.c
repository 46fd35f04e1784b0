// SPDX-License-Identifier: GPL-2.0-or-later
/* filter_plain.c - the plain evaluator of filter_world.h. */
#include <stddef.h>
#include <string.h>

#include "filter_world.h"

const struct plain_value *plain_value_of(const struct plain_event *event, const char *name)
{
	static const struct plain_value none = { 0 };
	unsigned int i;

	for (i = 0; i < event->nr; i++) {
		if (strcmp(event->values[i].name, name) == 0)
			return &event->values[i];
	}
	return &none;
}

static bool is_in(const char *class, size_t nr, char c)
{
	const bool negated = *class == '!' || *class == '^';
	bool found = false;
	size_t i;

	for (i = negated; i < nr; i++) {
		if (i + 2 < nr && class[i + 1] == '-') {
			found |= (unsigned char)c >= (unsigned char)class[i] &&
				 (unsigned char)c <= (unsigned char)class[i + 2];
			i += 2;
		} else {
			found |= class[i] == c;
		}
	}
	return found != negated;
}

bool plain_fits(const char *pattern, const char *text)
{
	const char *close;

	if (!*pattern)
		return !*text;
	if (*pattern == '*')
		return plain_fits(pattern + 1, text) || (*text && plain_fits(pattern, text + 1));
	if (!*text)
		return false;
	if (*pattern == '?')
		return plain_fits(pattern + 1, text + 1);
	if (*pattern == '[') {
		const size_t skip = pattern[1] == '!' || pattern[1] == '^';

		close = pattern[1 + skip] ? strchr(pattern + 2 + skip, ']') : NULL;
		if (close)
			return is_in(pattern + 1, (size_t)(close - pattern) - 1, *text) &&
			       plain_fits(close + 1, text + 1);
	}
	if (*pattern == '\\' && pattern[1])
		pattern++;
	return *pattern == *text && plain_fits(pattern + 1, text + 1);
}

int plain_compare(const struct plain_value *left, const char *comparison,
		  const struct plain_value *right)
{
	const bool equality = strcmp(comparison, "==") == 0 || strcmp(comparison, "!=") == 0;
	const bool both_numbers = left->kind != PLAIN_TEXT && right->kind != PLAIN_TEXT;
	bool is_equal = false;
	unsigned int i;

	if (left->kind == PLAIN_NONE || right->kind == PLAIN_NONE)
		return -1;
	if (both_numbers) {
		if (comparison[0] == '<')
			return comparison[1] ? left->number <= right->number
					     : left->number < right->number;
		if (comparison[0] == '>')
			return comparison[1] ? left->number >= right->number
					     : left->number > right->number;
		return (left->number == right->number) == (comparison[0] == '=');
	}
	if (!equality || right->kind != PLAIN_TEXT || left->kind == PLAIN_NUMBER)
		return -1;
	if (left->kind == PLAIN_TEXT)
		is_equal = plain_fits(right->text, left->text);
	for (i = 0; left->kind == PLAIN_LABELLED && i < 3 && left->labels[i]; i++)
		is_equal |= plain_fits(right->text, left->labels[i]);
	return is_equal == (comparison[0] == '=');
}

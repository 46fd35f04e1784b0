/* SPDX-License-Identifier: MIT */
/*
 * glob.h - patterns of text:
 *
 *     *       any bytes, or none
 *     ?       one byte
 *     [a-z]   one of these; [!a-z] any other
 *     \c      the byte c itself; any other byte matches itself, as does an unclosed [
 *
 * Bytes are compared, independent of the locale. After a mismatch only the last "*" is extended by
 * a byte. Text is hostile: the time is at most proportional to the product of both lengths, times
 * that of the pattern if a [ is unclosed, and there is no recursion.
 */
#ifndef STRATA_GLOB_H
#define STRATA_GLOB_H

#include <strata/platform/platform.h>

struct strata_glob {
	const char *bytes;
	size_t nr;
};

/* Returns the position after the ']' that closes the class at @at; 0: it is not closed. A ']' in
 * first position is a member of the class. */
static inline size_t strata_glob_class_end(const struct strata_glob *pattern, size_t at)
{
	size_t i = at + 1;

	if (i < pattern->nr && (pattern->bytes[i] == '!' || pattern->bytes[i] == '^'))
		i++;
	for (i++; i < pattern->nr; i++) {
		if (pattern->bytes[i] == ']')
			return i + 1;
	}
	return 0;
}

static inline bool strata_glob_in_class(const struct strata_glob *pattern, size_t from, size_t end,
					unsigned char c)
{
	const unsigned char *bytes = (const unsigned char *)pattern->bytes;
	const bool negated = bytes[from] == '!' || bytes[from] == '^';
	bool found = false;
	size_t i = from + negated;

	while (i < end) {
		if (i + 2 < end && bytes[i + 1] == '-') {
			found |= c >= bytes[i] && c <= bytes[i + 2];
			i += 3;
		} else {
			found |= c == bytes[i++];
		}
	}
	return found != negated;
}

/* Whether the pattern's element at @at, which is not "*", matches a byte. @next: OUT, the next
 * element */
static inline bool strata_glob_fits_one(const struct strata_glob *pattern, size_t at,
					unsigned char c, size_t *next)
{
	const char element = pattern->bytes[at];
	const size_t end = element == '[' ? strata_glob_class_end(pattern, at) : 0;

	*next = at + 1;
	if (end) {
		*next = end;
		return strata_glob_in_class(pattern, at + 1, end - 1, c);
	}
	if (element == '?')
		return true;
	if (element == '\\' && at + 1 < pattern->nr) {
		*next = at + 2;
		return (unsigned char)pattern->bytes[at + 1] == c;
	}
	return (unsigned char)element == c;
}

/* Whether the whole text matches the pattern. */
static inline bool strata_glob_fits(const char *pattern_bytes, size_t nr, const char *text,
				    size_t bytes)
{
	const struct strata_glob pattern = { pattern_bytes, nr };
	size_t at = 0, i = 0, next;
	/* Position after the last "*", and of the text after its match. */
	size_t star = nr, star_text = 0;

	while (i < bytes) {
		if (at < nr && pattern_bytes[at] == '*') {
			star = ++at;
			star_text = i;
			/* The last "*" matches the rest. */
			if (at == nr)
				return true;
		} else if (at < nr &&
			   strata_glob_fits_one(&pattern, at, (unsigned char)text[i], &next)) {
			at = next;
			i++;
		} else if (star < nr) {
			at = star;
			i = ++star_text;
		} else {
			return false;
		}
	}
	while (at < nr && pattern_bytes[at] == '*')
		at++;
	return at == nr;
}

#endif /* STRATA_GLOB_H */

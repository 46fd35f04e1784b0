// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_lex.c - see tsdl_lex.h.  The lexical rules are C's, except for wide characters.
 */
#include "ctf/tsdl/tsdl_lex.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

#define COMPLAINTS_MAX 64u

/* Lines and columns are counted in bytes, from 1. */
static void say(const struct strata_tsdl_source *source, size_t at, struct strata_error *error,
		const char *format, va_list args)
{
	char text[sizeof(error->text)], name[256];
	size_t line = 1, column = 1, fragments = 0, i;

	for (i = 0; i < at && i < source->size; i++) {
		column++;
		if (source->text[i] == '\n') {
			line++;
			column = 1;
		}
	}
	vsnprintf(text, sizeof(text), format, args);
	strata_escape_name(name, sizeof(name), source->name);
	if (!source->is_ctf_2) {
		strata_fail(error, "%s:%zu:%zu: %s", name, line, column, text);
		return;
	}
	/* Counts fragments, which record separators precede; adjacent separators count once. */
	for (i = 0; i <= at && i < source->size; i++)
		fragments += source->text[i] == 0x1e && (i == 0 || source->text[i - 1] != 0x1e);
	strata_fail(error, "%s: fragment %zu (line %zu): %s", name, fragments, line, text);
}

int strata_tsdl_fail(struct strata_tsdl_source *source, size_t at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(source, at, source->error, format, args);
	va_end(args);
	return -1;
}

int strata_tsdl_fail_memory(struct strata_tsdl_source *source, size_t at)
{
	return strata_tsdl_fail(
		source, at,
		"out of memory for the types described here; if the text is small, its types multiply, and its writer must be fixed");
}

void strata_tsdl_complain(struct strata_tsdl_source *source, size_t at, const char *format, ...)
{
	struct strata_error message;
	va_list args;

	if (!source->complain || source->nr_complaints > COMPLAINTS_MAX)
		return;
	if (source->nr_complaints++ == COMPLAINTS_MAX) {
		strata_fail(&message, "%s: and more of the kind", source->name);
	} else {
		va_start(args, format);
		say(source, at, &message, format, args);
		va_end(args);
	}
	source->complain(source->data, message.text);
}

void *strata_tsdl_get(struct strata_tsdl_source *source, size_t count, size_t size)
{
	void *memory = strata_ctf_arena_get(source->arena, count, size);

	if (!memory)
		strata_tsdl_fail_memory(source, source->size);
	return memory;
}

const char *strata_tsdl_name(struct strata_tsdl_source *source, const char *text, size_t length)
{
	const char *name = strata_tsdl_intern(&source->names, source->arena, text, length);

	if (!name)
		strata_tsdl_fail_memory(source, source->size);
	return name;
}

static int byte_at(const struct strata_tsdl_source *source, size_t at)
{
	return at < source->size ? (unsigned char)source->text[at] : -1;
}

/* Finds the next token; -1 if a comment does not end. */
static int skip_space(struct strata_tsdl_source *source, size_t *at)
{
	const char *end;
	size_t i = *at;

	for (;;) {
		int c = byte_at(source, i);

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
			i++;
		} else if (c == '/' && byte_at(source, i + 1) == '/') {
			end = memchr(source->text + i, '\n', source->size - i);
			i = end ? (size_t)(end - source->text) : source->size;
		} else if (c == '/' && byte_at(source, i + 1) == '*') {
			end = memmem(source->text + i + 2, source->size - i - 2, "*/", 2);
			if (!end)
				return strata_tsdl_fail(source, i,
							"this comment does not end: */ is missing");
			i = (size_t)(end - source->text) + 2;
		} else {
			*at = i;
			return 0;
		}
	}
}

static int digit_of(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static int lex_number(struct strata_tsdl_source *source, struct strata_tsdl_token *token)
{
	unsigned int base = 10;
	size_t i = token->at;

	token->kind = STRATA_TSDL_NUMBER;
	if (byte_at(source, i) == '0') {
		base = 8;
		if (byte_at(source, i + 1) == 'x' || byte_at(source, i + 1) == 'X') {
			base = 16;
			i += 2;
			if (digit_of(byte_at(source, i)) >= 16)
				return strata_tsdl_fail(source, token->at, "0x without digits");
		}
	}
	for (; digit_of(byte_at(source, i)) < (int)base; i++)
		if (__builtin_mul_overflow(token->number, base, &token->number) ||
		    __builtin_add_overflow(token->number,
					   (unsigned int)digit_of(byte_at(source, i)),
					   &token->number))
			return strata_tsdl_fail(source, token->at,
						"this number does not fit into 64 bits");
	while (byte_at(source, i) > 0 && strchr("uUlL", byte_at(source, i)))
		i++;
	if (isalnum(byte_at(source, i)) || byte_at(source, i) == '_')
		return strata_tsdl_fail(source, i, "'%c' is not a digit in base %u",
					source->text[i], base);
	token->length = i - token->at;
	return 0;
}

/* Decodes an escape sequence; @at: IN its letter, OUT the position after it. */
static int unescape(const struct strata_tsdl_source *source, size_t *at)
{
	static const char letters[] = "abfnrtv", bytes[] = "\a\b\f\n\r\t\v";
	int c = byte_at(source, (*at)++), value = 0, digits;
	const char *letter;

	if (c == 'x' && digit_of(byte_at(source, *at)) < 16) {
		for (; digit_of(byte_at(source, *at)) < 16; (*at)++)
			value = (value * 16 + digit_of(byte_at(source, *at))) & 0xff;
		return value;
	}
	if (c >= '0' && c <= '7') {
		value = c - '0';
		for (digits = 1; digits < 3 && digit_of(byte_at(source, *at)) < 8; digits++)
			value = value * 8 + digit_of(byte_at(source, (*at)++));
		return value & 0xff;
	}
	letter = c > 0 ? strchr(letters, c) : NULL;
	return letter ? bytes[letter - letters] : c;
}

static int lex_string(struct strata_tsdl_source *source, struct strata_tsdl_token *token)
{
	const int quote = source->text[token->at];
	size_t i = token->at + 1, length = 0;
	char *text;

	while (byte_at(source, i) != quote) {
		i += byte_at(source, i) == '\\' ? 2 : 1;
		if (i >= source->size)
			return strata_tsdl_fail(source, token->at,
						"this string does not end: %c is missing", quote);
	}
	token->kind = STRATA_TSDL_STRING;
	token->length = i + 1 - token->at;

	/* The decoded text is not longer than its source. */
	text = strata_tsdl_get(source, token->length, 1);
	if (!text)
		return -1;
	for (i = token->at + 1; source->text[i] != quote;) {
		size_t from = i;
		int c = byte_at(source, i++);

		if (c == '\\')
			c = unescape(source, &i);
		if (c == 0)
			return strata_tsdl_fail(source, from,
						"a zero byte in a string: no name or text has one");
		text[length++] = (char)c;
	}
	token->text = text;
	return 0;
}

static int lex_word(struct strata_tsdl_source *source, struct strata_tsdl_token *token)
{
	size_t i = token->at;

	while (isalnum(byte_at(source, i)) || byte_at(source, i) == '_')
		i++;
	token->kind = STRATA_TSDL_WORD;
	token->length = i - token->at;
	token->text = strata_tsdl_name(source, source->text + token->at, token->length);
	return token->text ? 0 : -1;
}

int strata_tsdl_lex(struct strata_tsdl_source *source, size_t at, struct strata_tsdl_token *token)
{
	int c;

	if (skip_space(source, &at))
		return -1;
	*token = (struct strata_tsdl_token){ .at = at, .length = 1 };
	c = byte_at(source, at);
	if (c < 0) {
		token->kind = STRATA_TSDL_END;
		token->length = 0;
		return 0;
	}
	if (isdigit(c))
		return lex_number(source, token);
	if (isalpha(c) || c == '_')
		return lex_word(source, token);
	if (c == '"' || c == '\'')
		return lex_string(source, token);
	if (c == ':' && byte_at(source, at + 1) == '=') {
		token->kind = STRATA_TSDL_ASSIGN_TYPE;
		token->length = 2;
		return 0;
	}
	if (c == '.' && byte_at(source, at + 1) == '.' && byte_at(source, at + 2) == '.') {
		token->kind = STRATA_TSDL_TO;
		token->length = 3;
		return 0;
	}
	if (c == 0 || !strchr("{}[]()<>;:=,.+-*", c))
		return strata_tsdl_fail(
			source, at, "the byte 0x%02x cannot stand here: is this text, and whole?",
			(unsigned int)c);
	token->kind = c;
	return 0;
}

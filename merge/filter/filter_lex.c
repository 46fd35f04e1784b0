// SPDX-License-Identifier: GPL-2.0-or-later
/* filter_lex.c - see filter_lex.h. Only ASCII letters are letters, independent of the locale. */
#include "filter/filter_lex.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int fail(const struct strata_filter_lexer *lexer, const char *at, const char *what,
		struct strata_error *error)
{
	return strata_fail(error, "column %u: %s", strata_filter_column(lexer, at), what);
}

static const char *end_of_name(const char *at)
{
	while (is_letter(*at) || is_digit(*at))
		at++;
	return at;
}

/* Finds the end of what looks like a number: "1.5e-3", "0x1f", but also "12monkeys", for the
 * message. */
static const char *end_of_number(const char *at)
{
	const bool is_hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');

	for (;; at++) {
		const bool is_sign = (*at == '-' || *at == '+') && !is_hex &&
				     (at[-1] == 'e' || at[-1] == 'E');

		if (!is_letter(*at) && !is_digit(*at) && *at != '.' && !is_sign)
			return at;
	}
}

static int lex_real(const struct strata_filter_lexer *lexer, const char *from, const char *end,
		    struct strata_value *value, struct strata_error *error)
{
	char *stop;

	value->kind = STRATA_VALUE_REAL;
	value->real = strtod(from, &stop);
	if (stop != end || !isfinite(value->real))
		return fail(lexer, from, "expected a number", error);
	return 0;
}

static int lex_integer(const struct strata_filter_lexer *lexer, const char *from, const char *end,
		       bool is_negative, struct strata_value *value, struct strata_error *error)
{
	const bool is_hex = from[0] == '0' && (from[1] == 'x' || from[1] == 'X');
	uint64_t number;
	char *stop;

	if (from[0] == '0' && is_digit(from[1]))
		return fail(lexer, from,
			    "expected a number that is decimal, or begins with 0x: octal "
			    "is not supported",
			    error);
	errno = 0;
	number = strtoull(from, &stop, is_hex ? 16 : 10);
	if (stop != end)
		return fail(lexer, from, "expected a number", error);
	if (errno == ERANGE || (is_negative && number > (uint64_t)INT64_MAX + 1))
		return fail(lexer, from, "expected a number that fits into 64 bits", error);
	value->kind = STRATA_VALUE_INTEGER;
	value->is_negative = is_negative && number;
	value->number = is_negative ? -number : number;
	return 0;
}

static int lex_number(struct strata_filter_lexer *lexer, struct strata_filter_token *token,
		      struct strata_error *error)
{
	const char *from = lexer->at, *digits = from + (*from == '-'), *end = end_of_number(digits);
	const bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	const size_t bytes = (size_t)(end - digits);

	token->kind = STRATA_TOKEN_VALUE;
	lexer->at = end;
	if (!is_hex && (memchr(digits, '.', bytes) || memchr(digits, 'e', bytes) ||
			memchr(digits, 'E', bytes)))
		return lex_real(lexer, from, end, &token->value, error);
	return lex_integer(lexer, digits, end, *from == '-', &token->value, error);
}

/* A backslash before a letter or digit is refused: "\n" does not mean a newline. */
static int lex_pattern(struct strata_filter_lexer *lexer, struct strata_filter_token *token,
		       struct strata_error *error)
{
	const char *from = lexer->at + 1, *at;

	for (at = from; *at != '"'; at++) {
		if (*at == '\\' && (is_letter(at[1]) || is_digit(at[1])))
			return fail(lexer, at,
				    "expected one of * ? [ ] \\ \" or other punctuation after a "
				    "backslash",
				    error);
		if (*at == '\\' && at[1])
			at++;
		if (!*at)
			return fail(lexer, lexer->at, "expected a \" that ends this text", error);
	}
	token->kind = STRATA_TOKEN_VALUE;
	token->value.kind = STRATA_VALUE_PATTERN;
	token->value.text = from;
	token->value.bytes = (size_t)(at - from);
	lexer->at = at + 1;
	return 0;
}

struct sign {
	const char *text;
	enum strata_filter_token_kind kind;
	enum strata_comparison comparison;
};

static const struct sign signs[] = {
	/* Longer operators first. */
	{ "&&", STRATA_TOKEN_AND, 0 },
	{ "||", STRATA_TOKEN_OR, 0 },
	{ "==", STRATA_TOKEN_COMPARISON, STRATA_EQUAL },
	{ "!=", STRATA_TOKEN_COMPARISON, STRATA_NOT_EQUAL },
	{ "<=", STRATA_TOKEN_COMPARISON, STRATA_LESS_OR_EQUAL },
	{ ">=", STRATA_TOKEN_COMPARISON, STRATA_GREATER_OR_EQUAL },
	{ "<", STRATA_TOKEN_COMPARISON, STRATA_LESS },
	{ ">", STRATA_TOKEN_COMPARISON, STRATA_GREATER },
	{ "!", STRATA_TOKEN_NOT, 0 },
	{ "(", STRATA_TOKEN_OPEN, 0 },
	{ ")", STRATA_TOKEN_CLOSE, 0 },
	{ "[", STRATA_TOKEN_OPEN_INDEX, 0 },
	{ "]", STRATA_TOKEN_CLOSE_INDEX, 0 },
	{ ".", STRATA_TOKEN_DOT, 0 },
};

static int lex_sign(struct strata_filter_lexer *lexer, struct strata_filter_token *token,
		    struct strata_error *error)
{
	char text[8] = { *lexer->at }, shown[32];
	size_t i;

	for (i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		const size_t bytes = strlen(signs[i].text);

		if (strncmp(lexer->at, signs[i].text, bytes) == 0) {
			token->kind = signs[i].kind;
			token->comparison = signs[i].comparison;
			lexer->at += bytes;
			return 0;
		}
	}
	if (*lexer->at == '=')
		return fail(lexer, lexer->at, "expected \"==\"", error);
	if (*lexer->at == '&' || *lexer->at == '|') {
		text[1] = text[0];
		return strata_fail(error, "column %u: expected \"%s\"",
				   strata_filter_column(lexer, lexer->at), text);
	}
	return strata_fail(error,
			   "column %u: \"%s\" is not expected here; write text in \"quotes\"",
			   strata_filter_column(lexer, lexer->at),
			   strata_escape_name(shown, sizeof(shown), text));
}

int strata_filter_lex(struct strata_filter_lexer *lexer, struct strata_filter_token *token,
		      struct strata_error *error)
{
	int status = 0;

	while (is_blank(*lexer->at))
		lexer->at++;
	memset(token, 0, sizeof(*token));
	token->text = lexer->at;
	if (!*lexer->at) {
		token->kind = STRATA_TOKEN_END;
	} else if (is_letter(*lexer->at)) {
		token->kind = STRATA_TOKEN_NAME;
		lexer->at = end_of_name(lexer->at);
	} else if (*lexer->at == '$') {
		token->kind = STRATA_TOKEN_ATTRIBUTE;
		token->text = ++lexer->at;
		lexer->at = end_of_name(lexer->at);
	} else if (is_digit(*lexer->at) || (*lexer->at == '-' && is_digit(lexer->at[1]))) {
		status = lex_number(lexer, token, error);
	} else if (*lexer->at == '"') {
		status = lex_pattern(lexer, token, error);
	} else {
		status = lex_sign(lexer, token, error);
	}
	token->bytes = (size_t)(lexer->at - token->text);
	return status;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter_lex.h - the tokens of a filter expression. */
#ifndef STRATA_MERGE_FILTER_LEX_H
#define STRATA_MERGE_FILTER_LEX_H

#include "base/error.h"
#include "filter/filter_value.h"

enum strata_filter_token_kind {
	STRATA_TOKEN_END,
	STRATA_TOKEN_NAME,      /* prev_comm */
	STRATA_TOKEN_ATTRIBUTE, /* $domain; the text excludes the $ */
	STRATA_TOKEN_VALUE,     /* a number, or a pattern in quotes */
	STRATA_TOKEN_COMPARISON,
	STRATA_TOKEN_AND,
	STRATA_TOKEN_OR,
	STRATA_TOKEN_NOT,
	STRATA_TOKEN_OPEN, /* ( */
	STRATA_TOKEN_CLOSE,
	STRATA_TOKEN_OPEN_INDEX, /* [ */
	STRATA_TOKEN_CLOSE_INDEX,
	STRATA_TOKEN_DOT,
};

struct strata_filter_token {
	enum strata_filter_token_kind kind;
	const char *text; /* points into the expression */
	size_t bytes;
	struct strata_value value;         /* if a value */
	enum strata_comparison comparison; /* if a comparison */
};

struct strata_filter_lexer {
	const char *expression; /* the whole; columns count from here */
	const char *at;
};

/*
 * Reads the next token, which points into the expression. Returns 0, or -1 if it is invalid; the
 * message names the column, counted in bytes from 1.
 */
int strata_filter_lex(struct strata_filter_lexer *lexer, struct strata_filter_token *token,
		      struct strata_error *error);

/* Returns the column of a position in the expression. */
static inline unsigned int strata_filter_column(const struct strata_filter_lexer *lexer,
						const char *at)
{
	return (unsigned int)(at - lexer->expression) + 1;
}

#endif /* STRATA_MERGE_FILTER_LEX_H */

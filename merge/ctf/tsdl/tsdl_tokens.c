// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_tokens.c - moves the parser through the tokens of a text; see tsdl_parser.h.
 */
#include "ctf/tsdl/tsdl_parser.h"

#include <string.h>

int strata_tsdl_next(struct strata_tsdl_parser *parser)
{
	return strata_tsdl_lex(parser->source, parser->token.at + parser->token.length,
			       &parser->token);
}

int strata_tsdl_peek(struct strata_tsdl_parser *parser, struct strata_tsdl_token *token)
{
	return strata_tsdl_lex(parser->source, parser->token.at + parser->token.length, token);
}

bool strata_tsdl_is(const struct strata_tsdl_parser *parser, int kind)
{
	return parser->token.kind == kind;
}

bool strata_tsdl_is_word(const struct strata_tsdl_parser *parser, const char *word)
{
	return parser->token.kind == STRATA_TSDL_WORD && strcmp(parser->token.text, word) == 0;
}

int strata_tsdl_expect(struct strata_tsdl_parser *parser, int kind, const char *what)
{
	if (parser->token.kind == kind)
		return strata_tsdl_next(parser);
	if (parser->token.kind == STRATA_TSDL_END)
		return strata_tsdl_fail(parser->source, parser->token.at,
					"the text ends where %s should stand: is it whole?", what);
	return strata_tsdl_fail(parser->source, parser->token.at, "%s is missing before '%.*s'",
				what, (int)(parser->token.length < 40 ? parser->token.length : 40),
				parser->source->text + parser->token.at);
}

int strata_tsdl_skip_block(struct strata_tsdl_parser *parser)
{
	size_t open = 0;

	if (!strata_tsdl_is(parser, '{'))
		return strata_tsdl_expect(parser, '{', "{");
	do {
		if (strata_tsdl_is(parser, '{'))
			open++;
		else if (strata_tsdl_is(parser, '}'))
			open--;
		else if (strata_tsdl_is(parser, STRATA_TSDL_END))
			return strata_tsdl_expect(parser, '}', "}");
		if (strata_tsdl_next(parser))
			return -1;
	} while (open);
	return 0;
}

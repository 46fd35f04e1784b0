// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_parse.c - see tsdl_parse.h. Recursive descent with one token of lookahead, limited in depth.
 */
#include "ctf/tsdl/tsdl_parse.h"

#include "ctf/tsdl/tsdl_parser.h"

/* Skips a block of an unknown kind. */
static int skip_unknown(struct strata_tsdl_parser *parser)
{
	const struct strata_tsdl_token word = parser->token;

	if (strata_tsdl_next(parser))
		return -1;
	if (!strata_tsdl_is(parser, '{'))
		return strata_tsdl_fail(
			parser->source, word.at,
			"'%.200s' does not begin anything in CTF 1.8: expected trace, clock, stream, event, env or the declaration of a type",
			word.text);
	strata_tsdl_complain(parser->source, word.at, "an unknown block %.200s: ignored",
			     word.text);
	return strata_tsdl_skip_block(parser);
}

static int parse_block(struct strata_tsdl_parser *parser)
{
	static const struct {
		const char *word;
		int (*parse)(struct strata_tsdl_parser *parser, size_t at);
	} blocks[] = {
		{ "event", strata_tsdl_parse_event },
		{ "stream", strata_tsdl_parse_stream },
		{ "trace", strata_tsdl_parse_trace },
		{ "clock", strata_tsdl_parse_clock },
	};
	const size_t at = parser->token.at;
	size_t i;

	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (strata_tsdl_is_word(parser, blocks[i].word))
			return strata_tsdl_next(parser) ? -1 : blocks[i].parse(parser, at);
	if (strata_tsdl_is_word(parser, "env"))
		return strata_tsdl_next(parser) ? -1 : strata_tsdl_parse_env(parser);
	/* The place of an event in a program, which readers do not need. */
	if (strata_tsdl_is_word(parser, "callsite"))
		return strata_tsdl_next(parser) ? -1 : strata_tsdl_skip_block(parser);
	return skip_unknown(parser);
}

/* The last semicolon may be missing. */
static int parse_root(struct strata_tsdl_parser *parser)
{
	if (strata_tsdl_is(parser, ';'))
		return strata_tsdl_next(parser);
	if (!strata_tsdl_is(parser, STRATA_TSDL_WORD))
		return strata_tsdl_expect(parser, STRATA_TSDL_WORD,
					  "a block (trace, stream, event...) or a declaration");
	if (strata_tsdl_begins_declaration(parser))
		return strata_tsdl_parse_declaration(parser);
	return parse_block(parser);
}

/* Whether the declaration at byte @at lacks its ; because the text ends. */
static bool is_unfinished(struct strata_tsdl_source *source, size_t at)
{
	struct strata_error first = *source->error;
	struct strata_tsdl_token token = { .at = at };
	size_t open = 0;

	do {
		if (strata_tsdl_lex(source, token.at + token.length, &token)) {
			*source->error = first;
			return true;
		}
		if (token.kind == '{')
			open++;
		else if (token.kind == '}' && open)
			open--;
	} while (token.kind != STRATA_TSDL_END && (token.kind != ';' || open));
	return token.kind == STRATA_TSDL_END;
}

int strata_tsdl_parse(struct strata_tsdl_source *source, bool is_cut, struct strata_tsdl_file *file)
{
	struct strata_tsdl_parser parser = {
		.source = source,
		.file = file,
		.clock_end = &file->clocks,
		.stream_end = &file->streams,
		.event_end = &file->events,
		.env_end = &file->env,
	};
	struct strata_tsdl_scope scope;
	size_t at = 0;
	int result;

	strata_tsdl_open_scope(&parser, &scope);
	result = strata_tsdl_next(&parser);
	while (!result && !strata_tsdl_is(&parser, STRATA_TSDL_END)) {
		at = parser.token.at;
		result = parse_root(&parser);
	}
	if (result && is_cut && is_unfinished(source, at)) {
		strata_tsdl_complain(
			source, at,
			"the metadata is truncated: the block that begins here is left out");
		result = 0;
	}
	strata_tsdl_table_clear(&parser.types);
	return result;
}

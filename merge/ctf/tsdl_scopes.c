// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_scopes.c - the names of types, each known from its declaration to the end of
 * the braces that it stands in; see tsdl_parser.h.
 */
#include "ctf/tsdl_parser.h"

#include <stdio.h>

void strata_tsdl_open_scope(struct strata_tsdl_parser *parser, struct strata_tsdl_scope *scope)
{
	scope->id = ++parser->nr_scopes;
	scope->outer = parser->scope;
	parser->scope = scope;
}

void strata_tsdl_close_scope(struct strata_tsdl_parser *parser)
{
	parser->scope = parser->scope->outer;
}

const struct strata_tsdl_type *strata_tsdl_find_type(const struct strata_tsdl_parser *parser,
						     const char *name)
{
	const struct strata_tsdl_scope *scope;

	for (scope = parser->scope; scope; scope = scope->outer) {
		const struct strata_tsdl_type *type =
			strata_tsdl_find(&parser->types, scope->id, name);

		if (type)
			return type;
	}
	return NULL;
}

int strata_tsdl_declare_type(struct strata_tsdl_parser *parser, size_t at, const char *name,
			     const struct strata_tsdl_type *type)
{
	if (strata_tsdl_find(&parser->types, parser->scope->id, name))
		return strata_tsdl_fail(
			parser->source, at,
			"%.200s is declared a second time: remove one, or rename it", name);
	if (strata_tsdl_add(&parser->types, parser->scope->id, name, (void *)type))
		return strata_tsdl_fail_memory(parser->source, at);
	return 0;
}

const char *strata_tsdl_tag(struct strata_tsdl_parser *parser, const char *word, const char *name)
{
	char text[1024];
	int length = snprintf(text, sizeof(text), "%s %s", word, name);

	if (length >= (int)sizeof(text)) {
		strata_tsdl_fail(parser->source, parser->token.at,
				 "the name of this %s has more than 1000 bytes", word);
		return NULL;
	}
	return strata_tsdl_name(parser->source, text, (size_t)length);
}

struct strata_tsdl_type *strata_tsdl_new_type(struct strata_tsdl_parser *parser,
					      enum strata_ctf_kind kind, size_t at)
{
	struct strata_tsdl_type *type = strata_tsdl_get(parser->source, 1, sizeof(*type));

	if (!type)
		return NULL;
	type->kind = kind;
	type->at = at;
	type->depth = 1;
	return type;
}

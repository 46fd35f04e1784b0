// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_scopes.c - names of types, each valid from its declaration to the end of the enclosing
 * braces; see tsdl_parser.h.
 */
#include "ctf/tsdl/tsdl_parser.h"

#include <stdio.h>
#include <string.h>

#define TYPE_NAME_MAX 1024u

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

struct type_name {
	char text[TYPE_NAME_MAX];
	size_t length;
};

static int add_part(struct strata_tsdl_parser *parser, struct type_name *name)
{
	const size_t length = parser->token.length;

	if (length + 1 > sizeof(name->text) - name->length)
		return strata_tsdl_fail(parser->source, parser->token.at,
					"the name of a type has more than %u bytes", TYPE_NAME_MAX);
	if (name->length)
		name->text[name->length++] = ' ';
	memcpy(name->text + name->length, parser->source->text + parser->token.at, length);
	name->length += length;
	return strata_tsdl_next(parser);
}

const char *strata_tsdl_parse_type_name(struct strata_tsdl_parser *parser,
					struct strata_tsdl_token *last)
{
	struct type_name name = { .length = 0 };
	struct strata_tsdl_token behind;
	bool stars = false;

	for (;;) {
		if (strata_tsdl_is(parser, '*') && name.length) {
			stars = true;
		} else if (!strata_tsdl_is(parser, STRATA_TSDL_WORD) || stars) {
			break;
		} else if (strata_tsdl_is_word(parser, "const")) {
			if (strata_tsdl_next(parser))
				return NULL;
			continue;
		} else if (last && name.length) {
			if (strata_tsdl_peek(parser, &behind))
				return NULL;
			if (behind.kind != STRATA_TSDL_WORD && behind.kind != '*') {
				*last = parser->token;
				if (strata_tsdl_next(parser))
					return NULL;
				break;
			}
		}
		if (add_part(parser, &name))
			return NULL;
	}
	if (!name.length) {
		strata_tsdl_expect(parser, STRATA_TSDL_WORD, "a type");
		return NULL;
	}
	return strata_tsdl_name(parser->source, name.text, name.length);
}

const struct strata_tsdl_type *strata_tsdl_parse_named(struct strata_tsdl_parser *parser,
						       struct strata_tsdl_token *last)
{
	const size_t at = parser->token.at;
	const char *name = strata_tsdl_parse_type_name(parser, last);
	const struct strata_tsdl_type *type = name ? strata_tsdl_find_type(parser, name) : NULL;

	if (name && !type)
		strata_tsdl_fail(parser->source, at,
				 "the type %.200s is not declared before it is used: a typealias "
				 "or typedef can do so",
				 name);
	return type;
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

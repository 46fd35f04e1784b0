// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_types.c - parses types in TSDL text: references by name, structures and variants with their
 * fields, and declarations of type names. See tsdl_parser.h.
 */
#include "ctf/tsdl/tsdl_parser.h"

/* Records that @inner is part of @outer. */
static int put_within(struct strata_tsdl_parser *parser, struct strata_tsdl_type *outer,
		      const struct strata_tsdl_type *inner)
{
	if (inner->depth >= STRATA_CTF_DEPTH_MAX)
		return strata_tsdl_fail(parser->source, outer->at,
					"types within types, more than %u deep: too many",
					STRATA_CTF_DEPTH_MAX);
	if (outer->depth <= inner->depth)
		outer->depth = inner->depth + 1;
	return 0;
}

/* Declarators ---------------------------------------------------------------------------- */

/* One pair of brackets: a number, or the path of the integer that has the length. */
static struct strata_tsdl_type *parse_length(struct strata_tsdl_parser *parser)
{
	struct strata_tsdl_type *type;

	type = strata_tsdl_new_type(parser, STRATA_CTF_ARRAY, parser->token.at);
	if (!type || strata_tsdl_next(parser))
		return NULL;
	if (strata_tsdl_is(parser, STRATA_TSDL_NUMBER)) {
		type->length = parser->token.number;
		if (strata_tsdl_next(parser))
			return NULL;
	} else {
		type->kind = STRATA_CTF_SEQUENCE;
		if (strata_tsdl_parse_path(parser, &type->reference))
			return NULL;
	}
	return strata_tsdl_expect(parser, ']', "]") ? NULL : type;
}

/* [2][n]: two sequences of n elements each. */
static const struct strata_tsdl_type *parse_lengths(struct strata_tsdl_parser *parser,
						    const struct strata_tsdl_type *element)
{
	struct strata_tsdl_type *types[STRATA_CTF_DEPTH_MAX];
	size_t nr = 0;

	while (strata_tsdl_is(parser, '[')) {
		if (nr == STRATA_CTF_DEPTH_MAX) {
			strata_tsdl_fail(parser->source, parser->token.at,
					 "an array of more than %u dimensions",
					 STRATA_CTF_DEPTH_MAX);
			return NULL;
		}
		types[nr] = parse_length(parser);
		if (!types[nr++])
			return NULL;
	}
	while (nr--) {
		types[nr]->element = element;
		if (put_within(parser, types[nr], element))
			return NULL;
		element = types[nr];
	}
	return element;
}

/* Handles a declared name. */
typedef int (*declare_fn)(struct strata_tsdl_parser *parser, struct strata_tsdl_type *outer,
			  const struct strata_tsdl_token *name,
			  const struct strata_tsdl_type *type);

/* TYPE NAME[..], NAME[..]; or, if @may_be_bare, TYPE; */
static int parse_declarators(struct strata_tsdl_parser *parser, struct strata_tsdl_type *outer,
			     declare_fn declare, bool may_be_bare)
{
	const struct strata_tsdl_type *type, *declared;
	struct strata_tsdl_token name;

	type = strata_tsdl_parse_type(parser, &name);
	if (!type)
		return -1;
	if (may_be_bare && name.kind != STRATA_TSDL_WORD && strata_tsdl_is(parser, ';'))
		return strata_tsdl_next(parser);
	for (;;) {
		if (name.kind != STRATA_TSDL_WORD) {
			name = parser->token;
			if (strata_tsdl_expect(parser, STRATA_TSDL_WORD, "a name"))
				return -1;
		}
		if (strata_tsdl_is(parser, ':'))
			return strata_tsdl_fail(parser->source, parser->token.at,
						"bit fields cannot be read: an integer's size "
						"says how many bits it has");
		declared = parse_lengths(parser, type);
		if (!declared || declare(parser, outer, &name, declared))
			return -1;
		if (!strata_tsdl_is(parser, ','))
			return strata_tsdl_expect(parser, ';', ";");
		if (strata_tsdl_next(parser))
			return -1;
		name.kind = STRATA_TSDL_END;
	}
}

/* Structures and variants ---------------------------------------------------------------- */

static int add_field(struct strata_tsdl_parser *parser, struct strata_tsdl_type *outer,
		     const struct strata_tsdl_token *name, const struct strata_tsdl_type *type)
{
	struct strata_tsdl_field *field = strata_tsdl_get(parser->source, 1, sizeof(*field));

	if (!field || put_within(parser, outer, type))
		return -1;
	field->name = name->text;
	field->at = name->at;
	field->type = type;
	/* In reverse order, until the last field reverses the list. */
	field->next = outer->fields;
	outer->fields = field;
	outer->nr_fields++;
	return 0;
}

static void turn_fields(struct strata_tsdl_type *type)
{
	struct strata_tsdl_field *field = type->fields, *next;

	type->fields = NULL;
	for (; field; field = next) {
		next = field->next;
		field->next = type->fields;
		type->fields = field;
	}
}

static int parse_body(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type)
{
	struct strata_tsdl_scope scope;
	int result;

	if (strata_tsdl_expect(parser, '{', "{"))
		return -1;
	strata_tsdl_open_scope(parser, &scope);
	while (!strata_tsdl_is(parser, '}')) {
		if (strata_tsdl_is(parser, ';'))
			result = strata_tsdl_next(parser);
		else if (strata_tsdl_is_word(parser, "typedef") ||
			 strata_tsdl_is_word(parser, "typealias"))
			result = strata_tsdl_parse_declaration(parser);
		else
			result = parse_declarators(parser, type, add_field, true);
		if (result)
			return -1;
	}
	strata_tsdl_close_scope(parser);
	turn_fields(type);
	return strata_tsdl_next(parser);
}

/* Parses align(8) after a structure; align is written as a path because it may be a word. */
static int parse_structure_align(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type)
{
	struct strata_tsdl_value value;

	type->align = 1;
	if (!strata_tsdl_is_word(parser, "align"))
		return 0;
	if (strata_tsdl_next(parser) || strata_tsdl_expect(parser, '(', "(") ||
	    strata_tsdl_parse_value(parser, &value) ||
	    strata_tsdl_to_align(parser, &value, &type->align))
		return -1;
	return strata_tsdl_expect(parser, ')', ")");
}

/* Returns the structure or variant with this tag. */
static const struct strata_tsdl_type *find_tag(struct strata_tsdl_parser *parser, size_t at,
					       const char *tag)
{
	const struct strata_tsdl_type *type = strata_tsdl_find_type(parser, tag);

	if (!type)
		strata_tsdl_fail(parser->source, at, "%.200s is not declared before it is used",
				 tag);
	return type;
}

static const struct strata_tsdl_type *parse_struct(struct strata_tsdl_parser *parser, size_t at)
{
	struct strata_tsdl_type *type;
	const char *tag = NULL;

	if (strata_tsdl_is(parser, STRATA_TSDL_WORD)) {
		tag = strata_tsdl_tag(parser, "struct", parser->token.text);
		if (!tag || strata_tsdl_next(parser))
			return NULL;
		if (!strata_tsdl_is(parser, '{'))
			return find_tag(parser, at, tag);
	}
	type = strata_tsdl_new_type(parser, STRATA_CTF_STRUCT, at);
	if (!type || parse_body(parser, type) || parse_structure_align(parser, type))
		return NULL;
	if (tag && strata_tsdl_declare_type(parser, at, tag, type))
		return NULL;
	return type;
}

/* variant NAME <tag> { ... }; each part may be missing, but not all of them. */
static const struct strata_tsdl_type *parse_variant(struct strata_tsdl_parser *parser, size_t at)
{
	struct strata_tsdl_type *type = strata_tsdl_new_type(parser, STRATA_CTF_VARIANT, at);
	struct strata_tsdl_path reference = { 0 };
	const struct strata_tsdl_type *known;
	const char *tag = NULL;

	if (type && strata_tsdl_is(parser, STRATA_TSDL_WORD)) {
		tag = strata_tsdl_tag(parser, "variant", parser->token.text);
		if (!tag || strata_tsdl_next(parser))
			return NULL;
	}
	if (type && strata_tsdl_is(parser, '<') &&
	    (strata_tsdl_next(parser) || strata_tsdl_parse_path(parser, &reference) ||
	     strata_tsdl_expect(parser, '>', ">")))
		return NULL;
	if (!type)
		return NULL;

	type->align = 1;
	if (tag && !strata_tsdl_is(parser, '{')) {
		known = find_tag(parser, at, tag);
		if (!known)
			return NULL;
		*type = *known;
		type->at = at;
		if (reference.nr_words)
			type->reference = reference;
		return type;
	}
	type->reference = reference;
	if (parse_body(parser, type))
		return NULL;
	if (tag && strata_tsdl_declare_type(parser, at, tag, type))
		return NULL;
	return type;
}

/* Any type ------------------------------------------------------------------------------- */

/* Parses a type by its name, or by its keyword. */
static const struct strata_tsdl_type *parse_specifier(struct strata_tsdl_parser *parser,
						      struct strata_tsdl_token *last)
{
	static const struct {
		const char *word;
		enum strata_ctf_kind kind;
		int (*parse)(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type);
	} scalars[] = {
		{ "integer", STRATA_CTF_INTEGER, strata_tsdl_parse_integer },
		{ "floating_point", STRATA_CTF_FLOAT, strata_tsdl_parse_float },
		{ "string", STRATA_CTF_STRING, strata_tsdl_parse_string },
	};
	const size_t at = parser->token.at;
	struct strata_tsdl_type *type;
	size_t i;

	if (strata_tsdl_is_word(parser, "struct"))
		return strata_tsdl_next(parser) ? NULL : parse_struct(parser, at);
	if (strata_tsdl_is_word(parser, "variant"))
		return strata_tsdl_next(parser) ? NULL : parse_variant(parser, at);
	if (strata_tsdl_is_word(parser, "enum"))
		return strata_tsdl_next(parser) ? NULL : strata_tsdl_parse_enum(parser, at);
	for (i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
		if (!strata_tsdl_is_word(parser, scalars[i].word))
			continue;
		type = strata_tsdl_new_type(parser, scalars[i].kind, at);
		if (!type || strata_tsdl_next(parser) || scalars[i].parse(parser, type))
			return NULL;
		return type;
	}
	return strata_tsdl_parse_named(parser, last);
}

const struct strata_tsdl_type *strata_tsdl_parse_type(struct strata_tsdl_parser *parser,
						      struct strata_tsdl_token *name)
{
	const struct strata_tsdl_type *type;

	if (name)
		name->kind = STRATA_TSDL_END;
	while (strata_tsdl_is_word(parser, "const"))
		if (strata_tsdl_next(parser))
			return NULL;
	/* An enumeration's integer nests one deeper in the text, but not in the data. */
	if (parser->nesting > STRATA_CTF_DEPTH_MAX) {
		strata_tsdl_fail(parser->source, parser->token.at,
				 "types within types, more than %u deep: too many",
				 STRATA_CTF_DEPTH_MAX);
		return NULL;
	}
	parser->nesting++;
	type = parse_specifier(parser, name);
	parser->nesting--;
	return type;
}

/* Declarations --------------------------------------------------------------------------- */

static int declare_typedef(struct strata_tsdl_parser *parser, struct strata_tsdl_type *outer,
			   const struct strata_tsdl_token *name,
			   const struct strata_tsdl_type *type)
{
	(void)outer;
	return strata_tsdl_declare_type(parser, name->at, name->text, type);
}

/* typealias TYPE := NAME; */
static int parse_typealias(struct strata_tsdl_parser *parser)
{
	const struct strata_tsdl_type *type = strata_tsdl_parse_type(parser, NULL);
	const char *name;
	size_t at;

	type = type ? parse_lengths(parser, type) : NULL;
	if (!type || strata_tsdl_expect(parser, STRATA_TSDL_ASSIGN_TYPE, ":="))
		return -1;
	at = parser->token.at;
	name = strata_tsdl_parse_type_name(parser, NULL);
	if (!name || strata_tsdl_declare_type(parser, at, name, type))
		return -1;
	return strata_tsdl_expect(parser, ';', ";");
}

bool strata_tsdl_begins_declaration(struct strata_tsdl_parser *parser)
{
	static const char *const words[] = { "typealias", "typedef", "struct", "variant", "enum" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strata_tsdl_is_word(parser, words[i]))
			return true;
	return false;
}

int strata_tsdl_parse_declaration(struct strata_tsdl_parser *parser)
{
	if (strata_tsdl_is_word(parser, "typealias"))
		return strata_tsdl_next(parser) ? -1 : parse_typealias(parser);
	if (strata_tsdl_is_word(parser, "typedef"))
		return strata_tsdl_next(parser)
			       ? -1
			       : parse_declarators(parser, NULL, declare_typedef, false);
	if (!strata_tsdl_parse_type(parser, NULL))
		return -1;
	return strata_tsdl_expect(parser, ';', ";");
}

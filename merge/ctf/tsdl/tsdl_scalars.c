// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_scalars.c - the types integer, floating_point and string with their
 * attributes; see tsdl_parser.h.
 */
#include "ctf/tsdl/tsdl_parser.h"

#include <string.h>

/* Handles one attribute; @name: interned. Returns 0, -1, or 1 for an unknown one. */
typedef int (*attribute_fn)(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type,
			    const char *name, const struct strata_tsdl_value *value);

/* { name = value; ... } */
static int parse_attributes(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type,
			    const char *what, attribute_fn use)
{
	if (strata_tsdl_expect(parser, '{', "{"))
		return -1;
	while (!strata_tsdl_is(parser, '}')) {
		struct strata_tsdl_value value;
		struct strata_tsdl_path path;
		const char *name;
		int result;

		if (strata_tsdl_is(parser, ';')) {
			if (strata_tsdl_next(parser))
				return -1;
			continue;
		}
		if (strata_tsdl_parse_path(parser, &path))
			return -1;
		name = strata_tsdl_path_text(parser->source, &path);
		if (!name || strata_tsdl_expect(parser, '=', "=") ||
		    strata_tsdl_parse_value(parser, &value))
			return -1;
		result = use(parser, type, name, &value);
		if (result < 0)
			return -1;
		if (result > 0)
			strata_tsdl_complain(parser->source, path.at,
					     "%s has an unknown attribute %.200s: ignored", what,
					     name);
		if (strata_tsdl_expect(parser, ';', ";"))
			return -1;
	}
	return strata_tsdl_next(parser);
}

static int use_size(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type,
		    const struct strata_tsdl_value *value)
{
	uint64_t bits;

	if (strata_tsdl_to_u64(parser, "size", value, &bits))
		return -1;
	if (bits < 1 || bits > 64)
		return strata_tsdl_fail(parser->source, value->at,
					"an integer of %llu bits: only 1 to 64 can be read; an "
					"array of smaller ones holds as much",
					(unsigned long long)bits);
	type->bits = (uint8_t)bits;
	return 0;
}

static int use_base(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type,
		    const struct strata_tsdl_value *value)
{
	static const struct {
		const char *name;
		uint8_t base;
	} names[] = {
		{ "decimal", 10 }, { "dec", 10 },  { "d", 10 },           { "i", 10 },
		{ "u", 10 },       { "hex", 16 },  { "x", 16 },           { "X", 16 },
		{ "p", 16 },       { "octal", 8 }, { "oct", 8 },          { "o", 8 },
		{ "binary", 2 },   { "b", 2 },     { "hexadecimal", 16 },
	};
	size_t i;

	if (value->kind == STRATA_TSDL_IS_NUMBER) {
		if (!value->negative && (value->number == 2 || value->number == 8 ||
					 value->number == 10 || value->number == 16)) {
			type->base = (uint8_t)value->number;
			return 0;
		}
	} else {
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			if (strcmp(value->text, names[i].name) == 0) {
				type->base = names[i].base;
				return 0;
			}
		}
	}
	return strata_tsdl_fail(parser->source, value->at,
				"base must be 2, 8, 10 or 16, or binary, octal, decimal or hex");
}

static int use_encoding(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type,
			const struct strata_tsdl_value *value)
{
	static const char *const texts[] = { "UTF8", "UTF-8", "utf8", "utf-8", "ASCII", "ascii" };
	const char *text;
	size_t i;

	if (strata_tsdl_to_text(parser, "encoding", value, &text))
		return -1;
	type->is_text = false;
	if (strcmp(text, "none") == 0 || strcmp(text, "NONE") == 0)
		return 0;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		type->is_text |= strcmp(text, texts[i]) == 0;
	if (!type->is_text)
		return strata_tsdl_fail(parser->source, value->at,
					"encoding must be UTF8, ASCII or none");
	return 0;
}

static int use_integer(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type,
		       const char *name, const struct strata_tsdl_value *value)
{
	if (strcmp(name, "size") == 0)
		return use_size(parser, type, value);
	if (strcmp(name, "align") == 0)
		return strata_tsdl_to_align(parser, value, &type->align);
	if (strcmp(name, "signed") == 0)
		return strata_tsdl_to_bool(parser, name, value, &type->is_signed);
	if (strcmp(name, "byte_order") == 0)
		return strata_tsdl_to_order(parser, value, &type->order);
	if (strcmp(name, "base") == 0)
		return use_base(parser, type, value);
	if (strcmp(name, "encoding") == 0)
		return use_encoding(parser, type, value);
	if (strcmp(name, "map") != 0)
		return 1;

	if (value->kind != STRATA_TSDL_IS_PATH || value->path.nr_words != 3 ||
	    strcmp(value->path.words[0], "clock") != 0 ||
	    strcmp(value->path.words[2], "value") != 0)
		return strata_tsdl_fail(parser->source, value->at,
					"map must be clock.NAME.value, with the name of a clock");
	type->clock = value->path;
	return 0;
}

int strata_tsdl_parse_integer(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type)
{
	type->base = 10;
	if (parse_attributes(parser, type, "an integer", use_integer))
		return -1;
	if (!type->bits)
		return strata_tsdl_fail(parser->source, type->at,
					"this integer has no size: it needs \"size = BITS;\"");
	if (!type->align)
		type->align = type->bits % 8 ? 1 : 8;
	return 0;
}

/* The values as written: exp_dig in the base, mant_dig in bits. */
static int use_float(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type,
		     const char *name, const struct strata_tsdl_value *value)
{
	uint8_t *digits;
	uint64_t number;

	if (strcmp(name, "align") == 0)
		return strata_tsdl_to_align(parser, value, &type->align);
	if (strcmp(name, "byte_order") == 0)
		return strata_tsdl_to_order(parser, value, &type->order);
	if (strcmp(name, "exp_dig") == 0)
		digits = &type->base;
	else if (strcmp(name, "mant_dig") == 0)
		digits = &type->bits;
	else
		return 1;
	if (strata_tsdl_to_u64(parser, name, value, &number))
		return -1;
	*digits = number < 255 ? (uint8_t)number : 255;
	return 0;
}

int strata_tsdl_parse_float(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type)
{
	if (parse_attributes(parser, type, "a floating_point", use_float))
		return -1;
	if (type->base == 8 && type->bits == 24)
		type->bits = 32;
	else if (type->base == 11 && type->bits == 53)
		type->bits = 64;
	else
		return strata_tsdl_fail(parser->source, type->at,
					"a floating_point must have exp_dig = 8 and mant_dig = 24, "
					"or exp_dig = 11 and mant_dig = 53: no others can be read");
	type->base = 10;
	if (!type->align)
		type->align = 8;
	return 0;
}

static int use_string(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type,
		      const char *name, const struct strata_tsdl_value *value)
{
	return strcmp(name, "encoding") == 0 ? use_encoding(parser, type, value) : 1;
}

int strata_tsdl_parse_string(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type)
{
	type->align = 8;
	return strata_tsdl_is(parser, '{') ? parse_attributes(parser, type, "a string", use_string)
					   : 0;
}

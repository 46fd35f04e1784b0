// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_enums.c - parses enumerations: their integer and labels; see tsdl_parser.h.
 */
#include "ctf/tsdl/tsdl_parser.h"

/* Parses the integer type after ":"; int is the default. */
static const struct strata_tsdl_type *parse_base(struct strata_tsdl_parser *parser)
{
	const struct strata_tsdl_type *base;
	size_t at = parser->token.at;
	const char *name;

	if (strata_tsdl_is(parser, ':')) {
		if (strata_tsdl_next(parser))
			return NULL;
		at = parser->token.at;
		base = strata_tsdl_parse_type(parser, NULL);
	} else {
		name = strata_tsdl_name(parser->source, "int", 3);
		if (!name)
			return NULL;
		base = strata_tsdl_find_type(parser, name);
		if (!base)
			strata_tsdl_fail(
				parser->source, at,
				"an enumeration without \": TYPE\" is an int, which is not "
				"declared: a typealias can do so");
	}
	if (base && base->kind != STRATA_CTF_INTEGER && base->kind != STRATA_CTF_ENUM) {
		strata_tsdl_fail(parser->source, at, "an enumeration can only be an integer");
		return NULL;
	}
	return base;
}

/* Parses a bound, converted to the enumeration's integer. */
static int parse_bound(struct strata_tsdl_parser *parser, const struct strata_tsdl_type *type,
		       uint64_t *bound)
{
	struct strata_tsdl_value value;

	if (strata_tsdl_parse_value(parser, &value))
		return -1;
	if (type->is_signed)
		return strata_tsdl_to_s64(parser, "a label's value", &value, (int64_t *)bound);
	return strata_tsdl_to_u64(parser, "a label's value, of an enumeration without a sign,",
				  &value, bound);
}

/* Parses NAME, NAME = LOW or NAME = LOW ... HIGH; @next: the value of a label without one. */
static int parse_label(struct strata_tsdl_parser *parser, const struct strata_tsdl_type *type,
		       struct strata_ctf_label *label, uint64_t *next)
{
	const size_t at = parser->token.at;

	if (strata_tsdl_is(parser, STRATA_TSDL_STRING)) {
		label->name = strata_tsdl_name(parser->source, parser->token.text,
					       __builtin_strlen(parser->token.text));
		if (!label->name)
			return -1;
	} else if (strata_tsdl_is(parser, STRATA_TSDL_WORD)) {
		label->name = parser->token.text;
	} else {
		return strata_tsdl_expect(parser, STRATA_TSDL_WORD, "a label or }");
	}
	if (strata_tsdl_next(parser))
		return -1;

	label->low = label->high = *next;
	if (strata_tsdl_is(parser, '=')) {
		if (strata_tsdl_next(parser) || parse_bound(parser, type, &label->low))
			return -1;
		label->high = label->low;
		if (strata_tsdl_is(parser, STRATA_TSDL_TO) &&
		    (strata_tsdl_next(parser) || parse_bound(parser, type, &label->high)))
			return -1;
	}
	if (type->is_signed ? (int64_t)label->low > (int64_t)label->high : label->low > label->high)
		return strata_tsdl_fail(parser->source, at,
					"the range of this label ends before it begins");
	*next = label->high + 1;
	return 0;
}

static int parse_labels(struct strata_tsdl_parser *parser, struct strata_tsdl_type *type)
{
	struct strata_tsdl_label **end = &type->labels, *entry;
	struct strata_ctf_label *labels;
	uint64_t next = 0;

	if (strata_tsdl_expect(parser, '{', "{"))
		return -1;
	while (!strata_tsdl_is(parser, '}')) {
		entry = strata_tsdl_get(parser->source, 1, sizeof(*entry));
		if (!entry || parse_label(parser, type, &entry->label, &next))
			return -1;
		entry->index = type->nr_labels++;
		*end = entry;
		end = &entry->next;
		if (!strata_tsdl_is(parser, '}') && strata_tsdl_expect(parser, ',', ", or }"))
			return -1;
	}

	labels = strata_tsdl_get(parser->source, type->nr_labels, sizeof(*labels));
	if (!labels)
		return -1;
	for (entry = type->labels; entry; entry = entry->next)
		labels[entry->index] = entry->label;
	type->label_array = labels;
	return strata_tsdl_next(parser);
}

const struct strata_tsdl_type *strata_tsdl_parse_enum(struct strata_tsdl_parser *parser, size_t at)
{
	const struct strata_tsdl_type *base;
	struct strata_tsdl_type *type;
	const char *tag = NULL;

	if (strata_tsdl_is(parser, STRATA_TSDL_WORD)) {
		tag = strata_tsdl_tag(parser, "enum", parser->token.text);
		if (!tag || strata_tsdl_next(parser))
			return NULL;
		if (!strata_tsdl_is(parser, ':') && !strata_tsdl_is(parser, '{')) {
			base = strata_tsdl_find_type(parser, tag);
			if (!base)
				strata_tsdl_fail(parser->source, at,
						 "%.200s is not declared before it is used", tag);
			return base;
		}
	}

	base = parse_base(parser);
	type = base ? strata_tsdl_new_type(parser, STRATA_CTF_ENUM, at) : NULL;
	if (!type)
		return NULL;
	type->align = base->align;
	type->bits = base->bits;
	type->is_signed = base->is_signed;
	type->order = base->order;
	type->base = base->base;
	type->is_text = base->is_text;
	type->clock = base->clock;
	if (parse_labels(parser, type))
		return NULL;
	if (tag && strata_tsdl_declare_type(parser, at, tag, type))
		return NULL;
	return type;
}

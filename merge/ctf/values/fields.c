// SPDX-License-Identifier: GPL-2.0-or-later
/* fields.c - see fields.h. */
#include "ctf/values/fields.h"

#include <stdlib.h>

#include "ctf/values/utf_text.h"
#include "ctf/values/value_names.h"
#include "symbols/symbols.h"

static inline void show_number(struct strata_field_visitor *visitor, const char *name,
			       const struct strata_ctf_type *type,
			       const struct strata_ctf_cursor *cursor, uint64_t value)
{
	if (!visitor->number)
		return;
	if (__builtin_expect(type->names != NULL, 0)) {
		const struct strata_number_names *names =
			strata_value_names(type->names, cursor->slots);
		const struct strata_symbols *symbols =
			strata_value_symbols(type->names, cursor->slots);
		char symbol[STRATA_SYMBOL_BYTES];

		visitor->value_name = names ? strata_number_name(names, value) : NULL;
		if (symbols && strata_symbols_name(symbols, value, symbol))
			visitor->value_name = symbol;
		visitor->number(visitor, name, type, value);
		visitor->value_name = NULL;
		return;
	}
	visitor->number(visitor, name, type, value);
}

/* Shows text that is not UTF-8.  False: out of memory. */
static bool show_encoded(struct strata_field_visitor *visitor, const char *name, const char *text,
			 uint64_t length, enum strata_ctf_encoding encoding)
{
	char *shown;
	size_t bytes;

	if (!visitor->text)
		return true;
	shown = malloc(STRATA_UTF_TEXT_BYTES(length) + 1);
	if (!shown)
		return false;
	bytes = strata_utf_text(shown, text, length, encoding);
	visitor->text(visitor, name, shown, bytes);
	free(shown);
	return true;
}

static bool visit_elements(struct strata_field_visitor *visitor, const char *name,
			   const struct strata_ctf_type *type, struct strata_ctf_cursor *cursor)
{
	uint64_t i, length;

	if (!strata_ctf_read_length(cursor, type, &length))
		return false;
	if ((visitor->blob && type->is_blob) || type->encoding != STRATA_CTF_UTF8 ||
	    (type->element->is_text && type->element->bits == 8 && cursor->at % 8 == 0)) {
		const char *text = (const char *)cursor->bytes + cursor->at / 8;

		if (!strata_ctf_skip(cursor, type))
			return false;
		if (type->encoding != STRATA_CTF_UTF8)
			return show_encoded(visitor, name, text, length, type->encoding);
		if (type->is_blob)
			visitor->blob(visitor, name, (const uint8_t *)text, length);
		else if (visitor->text)
			visitor->text(visitor, name, text, strnlen(text, length));
		return true;
	}
	if (visitor->begin)
		visitor->begin(visitor, name, type, length);
	for (i = 0; i < length; i++) {
		const uint64_t from = cursor->at;

		if (!strata_field_visit(visitor, NULL,
					i == 0 && type->first ? type->first : type->element,
					cursor))
			return false;
		/* Stops at elements without size. */
		if (cursor->at == from)
			break;
	}
	if (visitor->end)
		visitor->end(visitor, type);
	return true;
}

static bool visit_structure(struct strata_field_visitor *visitor, const char *name,
			    const struct strata_ctf_type *type, struct strata_ctf_cursor *cursor)
{
	size_t i;

	if (!strata_ctf_align(cursor, type->align))
		return false;
	if (visitor->begin)
		visitor->begin(visitor, name, type, type->nr_fields);
	for (i = 0; i < type->nr_fields; i++) {
		if (!strata_field_visit(visitor, type->fields[i].name, type->fields[i].type,
					cursor))
			return false;
	}
	if (visitor->end)
		visitor->end(visitor, type);
	return true;
}

static bool visit_variant(struct strata_field_visitor *visitor, const char *name,
			  const struct strata_ctf_type *type, struct strata_ctf_cursor *cursor)
{
	const struct strata_ctf_field *chosen = strata_ctf_chosen(cursor, type);

	if (!chosen && type->kind == STRATA_CTF_OPTIONAL && visitor->none)
		visitor->none(visitor, name);
	if (!chosen)
		return type->kind == STRATA_CTF_OPTIONAL;
	if (!visitor->shows_variants)
		return strata_field_visit(visitor, name, chosen->type, cursor);
	visitor->begin(visitor, name, type, 1);
	if (!strata_field_visit(visitor, NULL, chosen->type, cursor))
		return false;
	visitor->end(visitor, type);
	return true;
}

bool strata_field_visit(struct strata_field_visitor *visitor, const char *name,
			const struct strata_ctf_type *type, struct strata_ctf_cursor *cursor)
{
	const char *text;
	uint64_t value;

	switch (type->kind) {
	case STRATA_CTF_INTEGER:
	case STRATA_CTF_ENUM:
	case STRATA_CTF_FLOAT:
		if (!strata_ctf_read_number(cursor, type, &value))
			return false;
		show_number(visitor, name, type, cursor, value);
		return true;
	case STRATA_CTF_VARINT:
		if (!strata_ctf_read_varint(cursor, type, &value))
			return false;
		show_number(visitor, name, type, cursor, value);
		return true;
	case STRATA_CTF_STRING:
		if (!strata_ctf_read_string(cursor, type, &text, &value))
			return false;
		if (type->encoding != STRATA_CTF_UTF8)
			return show_encoded(visitor, name, text, value, type->encoding);
		if (visitor->text)
			visitor->text(visitor, name, text, value);
		return true;
	case STRATA_CTF_STRUCT:
		return visit_structure(visitor, name, type, cursor);
	case STRATA_CTF_VARIANT:
	case STRATA_CTF_OPTIONAL:
		return visit_variant(visitor, name, type, cursor);
	case STRATA_CTF_ARRAY:
	case STRATA_CTF_SEQUENCE:
		return visit_elements(visitor, name, type, cursor);
	}
	return false;
}

const char *strata_enum_next_label(const struct strata_ctf_type *type, uint64_t value, size_t *at)
{
	while (*at < type->nr_labels) {
		const struct strata_ctf_label *label = &type->labels[(*at)++];

		if (type->is_signed ? (int64_t)value >= (int64_t)label->low &&
					      (int64_t)value <= (int64_t)label->high
				    : value >= label->low && value <= label->high)
			return label->name;
	}
	return NULL;
}

const char *strata_bit_map_next_flag(const struct strata_ctf_type *type, uint64_t value, size_t *at)
{
	while (*at < type->nr_labels) {
		const struct strata_ctf_label *flag = &type->labels[(*at)++];
		const uint64_t bits = UINT64_MAX >> (63 - (flag->high - flag->low));

		if (!(value & bits << flag->low))
			continue;
		/* Its other ranges follow it. */
		while (*at < type->nr_labels && type->labels[*at].name == flag->name)
			++*at;
		return flag->name;
	}
	return NULL;
}

const char *strata_enum_label(const struct strata_ctf_type *type, uint64_t value)
{
	size_t at = 0;

	return strata_enum_next_label(type, value, &at);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_event_types.c - see ctf_event_types.h. */
#include "ctf/types/ctf_event_types.h"

#include <stdio.h>

/* event.h does not align fields to more. */
#define ALIGN_MAX 32u

struct strata_ctf_type strata_ctf_integer(unsigned int bits, unsigned int align)
{
	return (struct strata_ctf_type){ .kind = STRATA_CTF_INTEGER,
					 .align = align,
					 .bits = (uint8_t)bits,
					 .base = 10,
					 .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
					 .slot = STRATA_CTF_NO_SLOT,
					 .clock = STRATA_CTF_NO_CLOCK };
}

struct strata_ctf_type strata_ctf_struct(const struct strata_ctf_field *fields, size_t nr,
					 unsigned int align)
{
	return (struct strata_ctf_type){ .kind = STRATA_CTF_STRUCT,
					 .align = align,
					 .slot = STRATA_CTF_NO_SLOT,
					 .clock = STRATA_CTF_NO_CLOCK,
					 .fields = fields,
					 .nr_fields = nr };
}

static struct strata_ctf_type scalar(const struct strata_field_desc *field)
{
	const unsigned int bits = field->bytes * 8u;
	struct strata_ctf_type type = strata_ctf_integer(bits, bits > ALIGN_MAX ? ALIGN_MAX : bits);

	type.is_signed = field->kind == STRATA_FIELD_SIGNED;
	type.is_text = field->kind == STRATA_FIELD_TEXT;
	if (field->kind == STRATA_FIELD_HEX)
		type.base = 16;
	if (field->kind == STRATA_FIELD_FLOAT)
		type.kind = STRATA_CTF_FLOAT;
	if (field->kind == STRATA_FIELD_STRING) {
		type.kind = STRATA_CTF_STRING;
		type.align = 8;
	}
	return type;
}

static void add(struct strata_ctf_event_types *types, const char *name,
		const struct strata_ctf_type *type)
{
	types->fields[types->structure.nr_fields++] =
		(struct strata_ctf_field){ .name = name, .type = type };
}

static void add_length(struct strata_ctf_event_types *types, const char *of, unsigned int at)
{
	types->lengths[at] = strata_ctf_integer(32, ALIGN_MAX);
	types->lengths[at].slot = (int16_t)at;
	snprintf(types->length_names[at], sizeof(types->length_names[at]), "_%s_length", of);
	add(types, types->length_names[at], &types->lengths[at]);
}

void strata_ctf_event_types(struct strata_ctf_event_types *types,
			    const struct strata_event_desc *event)
{
	unsigned int i;

	types->structure = strata_ctf_struct(types->fields, 0, ALIGN_MAX);
	for (i = 0; i < event->nr_fields; i++) {
		const struct strata_field_desc *field = &event->fields[i];
		struct strata_ctf_type *type = &types->types[i];

		*type = scalar(field);
		if (field->count == 0)
			add_length(types, field->name, i);
		/* A text is an array even if it has one byte: readers show it as a string. */
		if (field->kind != STRATA_FIELD_STRING &&
		    (field->count != 1 || field->kind == STRATA_FIELD_TEXT)) {
			types->elements[i] = *type;
			type->kind = field->count ? STRATA_CTF_ARRAY : STRATA_CTF_SEQUENCE;
			type->length = field->count;
			type->element = &types->elements[i];
			type->slot = field->count ? STRATA_CTF_NO_SLOT : (int16_t)i;
		}
		add(types, field->name, type);
	}
}

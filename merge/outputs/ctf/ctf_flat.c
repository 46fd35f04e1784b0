// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_flat.c - see ctf_flat.h: writes the bytes; ctf_flat_types.c makes the types that describe
 * them. */
#include "outputs/ctf/ctf_flat.h"

#include <stdlib.h>

#include "ctf/values/ctf_access.h"
#include "outputs/ctf/ctf_flat_layout.h"
#include "outputs/ctf/ctf_put_event.h"
#include "ctf/values/utf_text.h"

struct flat {
	struct strata_buffer *buffer;
	struct strata_ctf_cursor *cursor;
	bool big_endian;
	unsigned int spare; /* unused bits of the last byte */
};

/* Appends a number of up to 64 bits at a byte boundary. */
static void put_bits(struct flat *flat, uint64_t value, unsigned int bits)
{
	const size_t bytes = (bits + 7u) / 8;
	char *out = strata_buffer_room(flat->buffer, bytes);

	if (!out)
		return;
	memset(out, 0, bytes);
	if (bits % 8 == 0)
		strata_ctf_put_number((uint8_t *)out, value, bits / 8, flat->big_endian);
	else
		strata_ctf_put_bits((uint8_t *)out, 0, value, bits, flat->big_endian);
	strata_buffer_advance(flat->buffer, out + bytes);
	flat->spare = (unsigned int)bytes * 8 - bits;
}

/* Overwrites a 64-bit number that was appended earlier. */
static void set_number(struct flat *flat, size_t at, uint64_t value)
{
	if (!flat->buffer->no_memory)
		strata_ctf_put_number((uint8_t *)flat->buffer->bytes + at, value, 8,
				      flat->big_endian);
}

/* Appends text up to its first NUL, and a NUL. */
static bool put_text(struct flat *flat, const char *text, uint64_t length,
		     enum strata_ctf_encoding encoding)
{
	char *out = strata_buffer_room(flat->buffer, STRATA_UTF_TEXT_BYTES(length) + 1);
	size_t bytes;

	if (!out)
		return false;
	if (encoding == STRATA_CTF_UTF8) {
		bytes = strnlen(text, length);
		memcpy(out, text, bytes);
	} else {
		bytes = strata_utf_text(out, text, length, encoding);
	}
	out[bytes] = '\0';
	strata_buffer_advance(flat->buffer, out + bytes + 1);
	flat->spare = 0;
	return true;
}

static bool put_type(struct flat *flat, const struct strata_ctf_type *type);

/* @outer, @at_field: the structure that contains it, and its index there; NULL: none */
static bool put_elements(struct flat *flat, const struct strata_ctf_type *outer, size_t at_field,
			 const struct strata_ctf_type *type)
{
	const bool has_length = strata_ctf_flat_has_length(outer, at_field, type);
	const size_t at = flat->buffer->used;
	uint64_t i, length;
	const char *text;

	if (!strata_ctf_read_length(flat->cursor, type, &length))
		return false;
	if (strata_ctf_is_text(type)) {
		text = (const char *)flat->cursor->bytes + flat->cursor->at / 8;
		return strata_ctf_skip(flat->cursor, type) &&
		       put_text(flat, text, length, type->encoding);
	}
	if (has_length)
		put_bits(flat, 0, 64);
	for (i = 0; i < length; i++) {
		const uint64_t from = flat->cursor->at;

		if (!put_type(flat, type->element))
			return false;
		/* Elements of size zero are written once, however many there are. */
		if (flat->cursor->at == from && has_length) {
			i++;
			break;
		}
	}
	if (has_length)
		set_number(flat, at, i);
	return true;
}

static bool put_chosen(struct flat *flat, const struct strata_ctf_type *type)
{
	const struct strata_ctf_field *chosen = strata_ctf_chosen(flat->cursor, type);

	if (type->kind == STRATA_CTF_OPTIONAL) {
		put_bits(flat, chosen != NULL, STRATA_CTF_FLAT_TAG_BITS);
		return !chosen || put_type(flat, chosen->type);
	}
	if (!chosen)
		return false;
	put_bits(flat, (uint64_t)(chosen - type->fields), STRATA_CTF_FLAT_TAG_BITS);
	return put_type(flat, chosen->type);
}

static bool put_type(struct flat *flat, const struct strata_ctf_type *type)
{
	const char *text;
	uint64_t value;
	size_t i;

	switch (type->kind) {
	case STRATA_CTF_INTEGER:
	case STRATA_CTF_ENUM:
	case STRATA_CTF_FLOAT:
		if (!strata_ctf_read_number(flat->cursor, type, &value))
			return false;
		put_bits(flat, type->is_bool ? value != 0 : value, strata_ctf_flat_bits(type));
		return true;
	case STRATA_CTF_VARINT:
		if (!strata_ctf_read_varint(flat->cursor, type, &value))
			return false;
		put_bits(flat, value, 64);
		return true;
	case STRATA_CTF_STRING:
		return strata_ctf_read_string(flat->cursor, type, &text, &value) &&
		       put_text(flat, text, value, type->encoding);
	case STRATA_CTF_STRUCT:
		if (!strata_ctf_align(flat->cursor, type->align))
			return false;
		/* A scope begins at a byte boundary, even if empty. */
		flat->spare = 0;
		for (i = 0; i < type->nr_fields; i++) {
			const struct strata_ctf_type *field = type->fields[i].type;

			if (!(field->element ? put_elements(flat, type, i, field)
					     : put_type(flat, field)))
				return false;
		}
		return true;
	case STRATA_CTF_ARRAY:
	case STRATA_CTF_SEQUENCE:
		return put_elements(flat, NULL, 0, type);
	case STRATA_CTF_VARIANT:
	case STRATA_CTF_OPTIONAL:
		return put_chosen(flat, type);
	}
	return false;
}

bool strata_ctf_flat_put(struct strata_buffer *buffer, const struct strata_ctf_type *type,
			 struct strata_ctf_cursor *cursor, bool big_endian, unsigned int *spare)
{
	struct flat flat = { .buffer = buffer, .cursor = cursor, .big_endian = big_endian };
	const bool fits = put_type(&flat, type);

	*spare = flat.spare;
	return fits;
}

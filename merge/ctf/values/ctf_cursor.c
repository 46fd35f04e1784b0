// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_cursor.c - see ctf_cursor.h: the fields that are not plain numbers. */
#include "ctf/values/ctf_cursor.h"

bool strata_ctf_read_varint(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
			    uint64_t *value)
{
	unsigned int shift = 0;
	uint8_t byte;

	if (!strata_ctf_align(cursor, type->align))
		return false;
	*value = 0;
	do {
		uint64_t low;

		if (cursor->end - cursor->at < 8 || shift > 63)
			return false;
		byte = cursor->bytes[cursor->at / 8];
		cursor->at += 8;
		low = byte & 0x7f;
		/* Only one bit of the tenth byte belongs to the value; the others must repeat the
		 * sign. */
		if (shift == 63 && low > 1 && !(type->is_signed && low == 0x7f))
			return false;
		*value |= low << shift;
		shift += 7;
	} while (byte & 0x80);
	if (type->is_signed && shift < 64)
		*value = strata_ctf_sign_extend(*value, shift);
	if (type->slot >= 0)
		cursor->slots[type->slot] = *value;
	return true;
}

/* Reads a zero-terminated string of 2-byte or 4-byte characters. */
static bool read_wide_string(struct strata_ctf_cursor *cursor, unsigned int bytes,
			     const char **text, uint64_t *length)
{
	const uint8_t *from = cursor->bytes + cursor->at / 8;
	const uint64_t room = (cursor->end - cursor->at) / 8;
	static const uint8_t zero[4];
	uint64_t at;

	for (at = 0; at + bytes <= room; at += bytes) {
		if (memcmp(from + at, zero, bytes) != 0)
			continue;
		*text = (const char *)from;
		*length = at;
		cursor->at += (at + bytes) * 8;
		return true;
	}
	return false;
}

bool strata_ctf_read_string(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
			    const char **text, uint64_t *length)
{
	const uint8_t *from, *end;

	if (!strata_ctf_align(cursor, type->align < 8 ? 8 : type->align))
		return false;
	if (type->encoding != STRATA_CTF_UTF8)
		return read_wide_string(cursor, strata_ctf_unit_bytes(type->encoding), text,
					length);
	from = cursor->bytes + cursor->at / 8;
	end = memchr(from, 0, (cursor->end - cursor->at) / 8);
	if (!end)
		return false;
	*text = (const char *)from;
	*length = (uint64_t)(end - from);
	cursor->at += (*length + 1) * 8;
	return true;
}

/* The smallest size of a field of the type, in bits. */
static uint64_t least_bits(const struct strata_ctf_type *type)
{
	switch (type->kind) {
	case STRATA_CTF_INTEGER:
	case STRATA_CTF_ENUM:
	case STRATA_CTF_FLOAT:
		return type->bits;
	case STRATA_CTF_STRING:
	case STRATA_CTF_VARINT:
		return 8;
	default:
		return 0;
	}
}

bool strata_ctf_read_length(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
			    uint64_t *length)
{
	const uint64_t least = least_bits(type->element);
	uint64_t left, needed;

	*length = type->kind == STRATA_CTF_ARRAY ? type->length : cursor->slots[type->slot];
	if (!strata_ctf_align(cursor, type->align))
		return false;
	left = cursor->end - cursor->at;
	/* There may be more of them than bits left: see ctf_cursor.h. */
	if (!least)
		return true;
	return !__builtin_mul_overflow(*length, least, &needed) && needed <= left;
}

const struct strata_ctf_field *strata_ctf_chosen(const struct strata_ctf_cursor *cursor,
						 const struct strata_ctf_type *type)
{
	const uint64_t tag = cursor->slots[type->slot];
	size_t i;

	for (i = 0; i < type->nr_choices; i++) {
		const struct strata_ctf_choice *choice = &type->choices[i];

		if (type->tag_is_signed ? (int64_t)tag >= (int64_t)choice->low &&
						  (int64_t)tag <= (int64_t)choice->high
					: tag >= choice->low && tag <= choice->high)
			return &type->fields[choice->option];
	}
	return NULL;
}

/* Skips elements that are adjacent numbers without reading them. */
static bool skip_numbers(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *element,
			 uint64_t length)
{
	const uint64_t stride = ((uint64_t)element->bits + element->align - 1) &
				~(uint64_t)(element->align - 1);

	if (length == 0)
		return true;
	if (!strata_ctf_align(cursor, element->align) ||
	    (length - 1) > (cursor->end - cursor->at) / stride)
		return false;
	cursor->at += (length - 1) * stride;
	if (cursor->end < cursor->at || cursor->end - cursor->at < element->bits)
		return false;
	cursor->at += element->bits;
	return true;
}

static bool skip_elements(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type)
{
	const struct strata_ctf_type *element = type->element;
	uint64_t i, length;

	if (!strata_ctf_read_length(cursor, type, &length))
		return false;
	if (element->kind <= STRATA_CTF_FLOAT && element->slot < 0)
		return skip_numbers(cursor, element, length);
	for (i = 0; i < length; i++) {
		const uint64_t from = cursor->at;

		if (!strata_ctf_skip(cursor, element))
			return false;
		/* Elements without size take no room, whatever their number. */
		if (cursor->at == from)
			break;
	}
	return true;
}

bool strata_ctf_skip(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type)
{
	const struct strata_ctf_field *chosen;
	const char *text;
	uint64_t value;
	size_t i;

	switch (type->kind) {
	case STRATA_CTF_INTEGER:
	case STRATA_CTF_ENUM:
	case STRATA_CTF_FLOAT:
		return strata_ctf_read_number(cursor, type, &value);
	case STRATA_CTF_STRING:
		return strata_ctf_read_string(cursor, type, &text, &value);
	case STRATA_CTF_STRUCT:
		if (!strata_ctf_align(cursor, type->align))
			return false;
		for (i = 0; i < type->nr_fields; i++) {
			if (!strata_ctf_skip(cursor, type->fields[i].type))
				return false;
		}
		return true;
	case STRATA_CTF_VARIANT:
		chosen = strata_ctf_chosen(cursor, type);
		return chosen && strata_ctf_skip(cursor, chosen->type);
	case STRATA_CTF_VARINT:
		return strata_ctf_read_varint(cursor, type, &value);
	case STRATA_CTF_OPTIONAL:
		chosen = strata_ctf_chosen(cursor, type);
		return !chosen || strata_ctf_skip(cursor, chosen->type);
	case STRATA_CTF_ARRAY:
	case STRATA_CTF_SEQUENCE:
		return skip_elements(cursor, type);
	}
	return false;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_header.c - see ctf_header.h: recognises the usual forms, and reads all others field by
 * field. */
#include "ctf/trace/ctf_header.h"

/* Places the next number after a structure's fields so far, which end at @at; advances @at. False:
 * the number spans more than eight bytes. */
static bool place(const struct strata_ctf_type *type, uint32_t *at, struct strata_ctf_place *place)
{
	const uint32_t from = (*at + type->align - 1) & ~(type->align - 1);

	place->byte = from / 8;
	place->shift = from % 8;
	place->mask = UINT64_MAX >> (64 - type->bits);
	place->bits = type->bits;
	*at = from + type->bits;
	return place->shift + type->bits <= 64;
}

/* Whether a number is little-endian, unsigned and without a slot, so that the fast path can read
 * it. */
static bool is_simple(const struct strata_ctf_type *type)
{
	return type->kind <= STRATA_CTF_ENUM && !type->big_endian && !type->is_signed &&
	       !type->is_reversed && !type->needs_byte;
}

/* Places the id and the time of a structure, either of which may be absent, from field @first
 * on. */
static bool places_of(const struct strata_ctf_type *type, size_t first, uint32_t *at,
		      struct strata_ctf_place *id, struct strata_ctf_place *time)
{
	size_t i;

	if (type->kind != STRATA_CTF_STRUCT)
		return false;
	*at = (*at + type->align - 1) & ~(type->align - 1);
	for (i = first; i < type->nr_fields; i++) {
		const struct strata_ctf_type *field = type->fields[i].type;

		if (!is_simple(field) || field->slot >= 0)
			return false;
		if (field->clock >= 0) {
			if (time->bits || (field->roles & STRATA_CTF_ROLE_EVENT_CLASS) ||
			    !place(field, at, time))
				return false;
		} else if (field->roles & STRATA_CTF_ROLE_EVENT_CLASS) {
			if (!place(field, at, id))
				return false;
		} else {
			return false;
		}
	}
	return true;
}

static bool recognise_plain(struct strata_ctf_header *header)
{
	const bool is_merged = header->has_bound && header->bound_byte == 0;
	uint32_t at = is_merged ? STRATA_CTF_BOUND_BYTES * 8 : 0;

	if (!places_of(header->type, is_merged ? 3 : 0, &at, &header->id, &header->time) ||
	    !header->id.bits || !header->time.bits)
		return false;
	header->form = STRATA_CTF_HEADER_PLAIN;
	header->tag_slot = STRATA_CTF_NO_SLOT;
	header->bits = at;
	return true;
}

/* Finds the choice for tags from 0 on, and the one for the last tag, which is the extended form. */
static bool find_choices(const struct strata_ctf_type *variant,
			 const struct strata_ctf_choice **compact,
			 const struct strata_ctf_choice **extended)
{
	const struct strata_ctf_choice *a = &variant->choices[0], *b = &variant->choices[1];

	if (variant->nr_choices != 2 || variant->tag_is_signed)
		return false;
	*compact = a->low == 0 ? a : b;
	*extended = a->low == 0 ? b : a;
	return (*compact)->low == 0 && (*extended)->low == (*compact)->high + 1;
}

/* Recognises a tag that is the id, followed by a variant: a time, or an id and a time. */
static bool recognise_tagged(struct strata_ctf_header *header)
{
	const struct strata_ctf_type *type = header->type, *tag, *variant;
	const struct strata_ctf_choice *compact, *extended;
	struct strata_ctf_place none = { 0 };
	uint32_t at = 0, extended_at;

	if (type->nr_fields != 2)
		return false;
	tag = type->fields[0].type;
	variant = type->fields[1].type;
	if (!is_simple(tag) || !(tag->roles & STRATA_CTF_ROLE_EVENT_CLASS) ||
	    variant->kind != STRATA_CTF_VARIANT || variant->slot != tag->slot || tag->clock >= 0 ||
	    !find_choices(variant, &compact, &extended) ||
	    extended->high != (tag->bits == 64 ? UINT64_MAX : (1ull << tag->bits) - 1))
		return false;
	/* A variant itself is not aligned: an option aligned more strictly than the header would
	 * move. */
	if (variant->fields[compact->option].type->align > type->align ||
	    variant->fields[extended->option].type->align > type->align)
		return false;
	if (!place(tag, &at, &header->tag))
		return false;
	header->tag_slot = tag->slot;
	extended_at = at;
	if (!places_of(variant->fields[compact->option].type, 0, &at, &none, &header->short_time) ||
	    none.bits || !header->short_time.bits ||
	    !places_of(variant->fields[extended->option].type, 0, &extended_at, &header->id,
		       &header->time) ||
	    !header->id.bits || !header->time.bits)
		return false;
	header->short_bits = at;
	header->bits = extended_at;
	header->extended_tag = extended->low;
	header->form = STRATA_CTF_HEADER_TAGGED;
	return true;
}

/* Returns the bits of a number of whole bytes, or of a structure of one; 0: neither. */
static unsigned int whole_bits(const struct strata_ctf_type *type)
{
	if (type->kind == STRATA_CTF_STRUCT && type->nr_fields == 1 && type->align <= 8)
		type = type->fields[0].type;
	return type->kind <= STRATA_CTF_ENUM && type->bits % 8 == 0 && type->align == 8 &&
			       !type->is_signed && !type->is_reversed
		       ? type->bits
		       : 0;
}

/* Finds the bound in this project's own traces: at a fixed position, after whole bytes. */
static void find_bound(struct strata_ctf_header *header)
{
	const struct strata_ctf_type *type = header->type;
	uint32_t bits, before = 0;
	size_t i;

	for (i = 0; type && type->kind == STRATA_CTF_STRUCT && i + 2 < type->nr_fields; i++) {
		const struct strata_ctf_field *field = &type->fields[i];

		bits = whole_bits(field->type);
		if (!bits)
			return;
		if (bits == STRATA_CTF_BOUND_BITS && field->type->kind == STRATA_CTF_STRUCT &&
		    strcmp(field->name, STRATA_CTF_BOUND_NAME) == 0 &&
		    whole_bits(field[1].type) == 16 && whole_bits(field[2].type) == 8) {
			header->has_bound = true;
			header->bound_is_big = field->type->fields[0].type->big_endian;
			header->bound_byte = before / 8;
			return;
		}
		before += bits;
	}
}

void strata_ctf_header_init(struct strata_ctf_header *header, const struct strata_ctf_type *type)
{
	struct strata_ctf_header empty = { .type = type, .align = type ? type->align : 1 };

	find_bound(&empty);
	*header = empty;
	/* The fast path needs a header that begins with a whole byte. */
	if (!type || type->kind != STRATA_CTF_STRUCT || type->align < 8)
		return;
	if (recognise_plain(header))
		return;
	*header = empty;
	if (!recognise_tagged(header))
		*header = empty;
}

/* Reads a field of a header, and takes the id and the clock from it. */
static bool read_field(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
		       uint64_t *clock, uint64_t *id)
{
	const struct strata_ctf_field *chosen;
	unsigned int bits;
	uint64_t value, length;
	size_t i;

	switch (type->kind) {
	case STRATA_CTF_INTEGER:
	case STRATA_CTF_ENUM:
	case STRATA_CTF_VARINT:
		if (!strata_ctf_read_integer(cursor, type, &value, &bits))
			return false;
		if (type->clock >= 0)
			*clock = strata_ctf_widen(*clock, value & UINT64_MAX >> (64 - bits), bits);
		if (type->roles & STRATA_CTF_ROLE_EVENT_CLASS)
			*id = value;
		return true;
	case STRATA_CTF_STRUCT:
		if (!strata_ctf_align(cursor, type->align))
			return false;
		for (i = 0; i < type->nr_fields; i++) {
			if (!read_field(cursor, type->fields[i].type, clock, id))
				return false;
		}
		return true;
	case STRATA_CTF_VARIANT:
		chosen = strata_ctf_chosen(cursor, type);
		return chosen && read_field(cursor, chosen->type, clock, id);
	case STRATA_CTF_OPTIONAL:
		chosen = strata_ctf_chosen(cursor, type);
		return !chosen || read_field(cursor, chosen->type, clock, id);
	case STRATA_CTF_ARRAY:
	case STRATA_CTF_SEQUENCE:
		if (!strata_ctf_read_length(cursor, type, &length))
			return false;
		for (i = 0; i < length; i++) {
			const uint64_t from = cursor->at;

			if (!read_field(cursor, type->element, clock, id))
				return false;
			if (cursor->at == from)
				break;
		}
		return true;
	default:
		return strata_ctf_skip(cursor, type);
	}
}

bool strata_ctf_header_read_any(const struct strata_ctf_header *header,
				struct strata_ctf_cursor *cursor, uint64_t *clock, uint64_t *id)
{
	*id = 0;
	return !header->type || read_field(cursor, header->type, clock, id);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_flat_layout.h - the layout that ctf_flat.c (bytes) and ctf_flat_types.c (TSDL) share. */
#ifndef STRATA_MERGE_OUTPUTS_CTF_FLAT_LAYOUT_H
#define STRATA_MERGE_OUTPUTS_CTF_FLAT_LAYOUT_H

#include "ctf/values/ctf_access.h"

#define STRATA_CTF_FLAT_TAG_BITS 32u

static inline unsigned int strata_ctf_flat_bits(const struct strata_ctf_type *type)
{
	return type->is_bool ? 8 : type->bits;
}

/* Whether fields of the type always occupy at least one bit. */
static inline bool strata_ctf_flat_takes_room(const struct strata_ctf_type *type)
{
	return type->kind <= STRATA_CTF_STRING || type->kind == STRATA_CTF_VARINT;
}

/* Largest number of fields between a sequence and its length field. */
#define STRATA_CTF_FLAT_NEAR 8u

/* Returns the preceding field that is the length of a sequence, in the same structure; NULL: none.
 * @outer: the structure, with the sequence as field @at; NULL: the sequence is not in a
 * structure */
static inline const struct strata_ctf_field *
strata_ctf_flat_length(const struct strata_ctf_type *outer, size_t at)
{
	const struct strata_ctf_type *type = outer ? outer->fields[at].type : NULL;
	size_t i;

	if (!type || type->kind != STRATA_CTF_SEQUENCE ||
	    !strata_ctf_flat_takes_room(type->element))
		return NULL;
	for (i = at; i > 0 && at - i < STRATA_CTF_FLAT_NEAR; i--) {
		const struct strata_ctf_field *field = &outer->fields[i - 1];

		if (strata_ctf_is_integer(field->type) && field->type->slot == type->slot)
			return field;
	}
	return NULL;
}

/* Whether an array or sequence needs a length field of its own: elements of size zero are written
 * only once. */
static inline bool strata_ctf_flat_has_length(const struct strata_ctf_type *outer, size_t at,
					      const struct strata_ctf_type *type)
{
	if (strata_ctf_is_text(type))
		return false;
	if (type->kind == STRATA_CTF_ARRAY)
		return type->element->kind > STRATA_CTF_FLOAT;
	return !strata_ctf_flat_length(outer, at);
}

#endif /* STRATA_MERGE_OUTPUTS_CTF_FLAT_LAYOUT_H */

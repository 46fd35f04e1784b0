/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_flat_layout.h - what the bytes of ctf_flat.c and the TSDL of ctf_flat_types.c agree on. */
#ifndef STRATA_MERGE_OUTPUTS_CTF_FLAT_LAYOUT_H
#define STRATA_MERGE_OUTPUTS_CTF_FLAT_LAYOUT_H

#include "ctf/values/ctf_access.h"

#define STRATA_CTF_FLAT_TAG_BITS 32u

static inline unsigned int strata_ctf_flat_bits(const struct strata_ctf_type *type)
{
	return type->is_bool ? 8 : type->bits;
}

/* Whether fields of the type take room always. */
static inline bool strata_ctf_flat_takes_room(const struct strata_ctf_type *type)
{
	return type->kind <= STRATA_CTF_STRING || type->kind == STRATA_CTF_VARINT;
}

/* How far in front of a sequence its length is looked for. */
#define STRATA_CTF_FLAT_NEAR 8u

/* The field near in front of a sequence, in the same structure, that is its length; NULL: none.
 * @outer: the structure, with the sequence as field @at; NULL: it is in none */
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

/* Whether a length is put in front of an array or sequence: of elements that may take no room there
 * are fewer then than is said. */
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_flat_layout.h - what the bytes of ctf_flat.c and the TSDL of ctf_flat_types.c agree on. */
#ifndef STRATA_MERGE_OUTPUTS_CTF_FLAT_LAYOUT_H
#define STRATA_MERGE_OUTPUTS_CTF_FLAT_LAYOUT_H

#include "ctf/ctf_access.h"

#define STRATA_CTF_FLAT_TAG_BITS 32u

static inline unsigned int strata_ctf_flat_bits(const struct strata_ctf_type *type)
{
	return type->is_bool ? 8 : type->bits;
}

/* Whether a length stands in front of an array or sequence: elements that are not numbers may take
 * no room, and then there are fewer of them than is said. */
static inline bool strata_ctf_flat_has_length(const struct strata_ctf_type *type)
{
	return !strata_ctf_is_text(type) &&
	       (type->kind == STRATA_CTF_SEQUENCE || type->element->kind > STRATA_CTF_FLOAT);
}

#endif /* STRATA_MERGE_OUTPUTS_CTF_FLAT_LAYOUT_H */

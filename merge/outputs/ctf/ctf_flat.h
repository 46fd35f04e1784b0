/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_flat.h - events of CTF 2 as CTF 1.8, which lacks some of their types: types of CTF 1.8, and
 * each event's bytes made anew from its fields.
 *
 * Everything begins at a byte, so that bytes are the same wherever they come:
 *  - numbers keep their bits; LEB128 integers have 64, booleans 8; flags of bit maps are lost;
 *  - text of any encoding is a string of UTF-8, a BLOB an array of bytes;
 *  - a sequence whose length is a field near in front of it, in the same structure, has it there;
 *    any other, and an array whose elements are not numbers, has its length in front of it, in a
 *    field of its own (NAME_length);
 *  - a variant has its option's number in front of it, as an enumeration (NAME_tag);
 *  - an optional field is a variant of nothing and itself.
 * A sequence, variant or optional field that is an element or option is put into a structure,
 * for there is no place in front of it else.
 *
 * Names that TSDL cannot have get underscores in place of what it cannot have.
 */
#ifndef STRATA_MERGE_OUTPUTS_CTF_FLAT_H
#define STRATA_MERGE_OUTPUTS_CTF_FLAT_H

#include "ctf/values/ctf_cursor.h"
#include "outputs/event_writer.h"

struct strata_ctf_arena;

/* The type that strata_ctf_flat_put() writes fields of @type by.  NULL: out of memory, or too many
 * lengths and tags. */
const struct strata_ctf_type *strata_ctf_flat_type(struct strata_ctf_arena *arena,
						   const struct strata_ctf_type *type,
						   bool big_endian);

/* Whether a name can stand in TSDL as it is. */
bool strata_ctf_flat_is_name(const char *name);

/*
 * Moves over a scope's structure and appends its bytes.
 * @spare: OUT, bits of the last byte behind the last field
 * False: it does not fit.
 */
bool strata_ctf_flat_put(struct strata_buffer *buffer, const struct strata_ctf_type *type,
			 struct strata_ctf_cursor *cursor, bool big_endian, unsigned int *spare);

#endif /* STRATA_MERGE_OUTPUTS_CTF_FLAT_H */

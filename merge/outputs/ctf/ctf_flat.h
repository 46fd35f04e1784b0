/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_flat.h - converts events of CTF 2 to CTF 1.8, which lacks some of their types: makes types of
 * CTF 1.8, and re-encodes each event's fields.
 *
 * Every field begins at a byte boundary, so that its bytes do not depend on its position:
 *  - numbers keep their bits; LEB128 integers have 64, booleans 8; flags of bit maps are lost;
 *  - text of any encoding is a string of UTF-8, a BLOB an array of bytes;
 *  - a sequence keeps its length field if that is one of the preceding fields of the same structure
 *    (at most STRATA_CTF_FLAT_NEAR before it); any other sequence, and an array whose elements are
 *    not numbers, gets a length field of its own before it (NAME_length);
 *  - a variant is preceded by the number of its option, as an enumeration (NAME_tag);
 *  - an optional field is a variant of nothing and itself.
 * A sequence, variant or optional field that is an element or option is wrapped in a structure, to
 * make room for the length or tag. Characters that TSDL does not allow in names become underscores.
 */
#ifndef STRATA_MERGE_OUTPUTS_CTF_FLAT_H
#define STRATA_MERGE_OUTPUTS_CTF_FLAT_H

#include "ctf/values/ctf_cursor.h"
#include "outputs/event_writer.h"

struct strata_ctf_arena;

/* Returns the type as which strata_ctf_flat_put() writes fields of @type. NULL: out of memory, or
 * too many lengths and tags. */
const struct strata_ctf_type *strata_ctf_flat_type(struct strata_ctf_arena *arena,
						   const struct strata_ctf_type *type,
						   bool big_endian);

/* Whether TSDL allows the name. */
bool strata_ctf_flat_is_name(const char *name);

/*
 * Skips a scope's structure and appends its bytes.
 * @spare: OUT, unused bits of the last byte
 * Returns false if the fields exceed the event.
 */
bool strata_ctf_flat_put(struct strata_buffer *buffer, const struct strata_ctf_type *type,
			 struct strata_ctf_cursor *cursor, bool big_endian, unsigned int *spare);

#endif /* STRATA_MERGE_OUTPUTS_CTF_FLAT_H */

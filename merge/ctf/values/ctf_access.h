/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_access.h - the path to one field of an event, computed once for a class: a few steps skip the
 * preceding fields.
 *
 * Steps lead as far as types alone determine; the rest of the path is followed in each event,
 * because it depends on values (options of variants, numbers of elements).
 */
#ifndef STRATA_MERGE_CTF_ACCESS_H
#define STRATA_MERGE_CTF_ACCESS_H

#include "ctf/types/ctf_arena.h"
#include "ctf/values/ctf_cursor.h"

/* A part of a path: a field's name, or an element's number. */
struct strata_ctf_path_part {
	const char *name; /* NULL: an element's number */
	uint64_t index;
};

/* Aligns, skips bits, and then skips a field of variable size. */
struct strata_ctf_step {
	uint32_t align;                     /* bits */
	uint64_t bits;                      /* to skip then */
	const struct strata_ctf_type *skip; /* NULL: nothing */
};

struct strata_ctf_access {
	const struct strata_ctf_step *steps;
	size_t nr_steps;
	const struct strata_ctf_type *type; /* of the field after the steps */
	const struct strata_ctf_path_part *rest;
	size_t nr_rest;
};

/*
 * Finds the path to a field of a structure.
 * @before: preceding structures, NULL elements are skipped
 * @align:  alignment of the first structure, bits
 * @parts: the path, at least one part; must outlive the access
 * @arena owns the steps. Returns 1; 0: no such field; -1: out of memory.
 */
int strata_ctf_access_make(struct strata_ctf_access *access, struct strata_ctf_arena *arena,
			   const struct strata_ctf_type *const *before, size_t nr_before,
			   uint32_t align, const struct strata_ctf_type *structure,
			   const struct strata_ctf_path_part *parts, size_t nr_parts);

/*
 * Moves a cursor from the start of the first structure to the field.
 * Returns the type of the field, or of a variant's selected option; NULL: this event has no such
 * field.
 */
const struct strata_ctf_type *strata_ctf_access_go(const struct strata_ctf_access *access,
						   struct strata_ctf_cursor *cursor);

/* Whether an array or sequence of the type is text, in whatever encoding. */
static inline bool strata_ctf_is_text(const struct strata_ctf_type *type)
{
	return (type->kind == STRATA_CTF_ARRAY || type->kind == STRATA_CTF_SEQUENCE) &&
	       (type->encoding != STRATA_CTF_UTF8 ||
		(type->element->is_text && type->element->bits == 8));
}

#endif /* STRATA_MERGE_CTF_ACCESS_H */

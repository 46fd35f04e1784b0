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
	const struct strata_ctf_type *type; /* of the field behind them */
	const struct strata_ctf_path_part *rest;
	size_t nr_rest;
};

/*
 * Finds the path to a field of a structure.
 * @before: structures in front of it, NULL among them for none
 * @align:  alignment of the first structure, bits
 * @parts:  the path, which outlives the access; one part at least The steps belong to @arena. 1; 0:
 *          no such field; -1: out of memory.
 */
int strata_ctf_access_make(struct strata_ctf_access *access, struct strata_ctf_arena *arena,
			   const struct strata_ctf_type *const *before, size_t nr_before,
			   uint32_t align, const struct strata_ctf_type *structure,
			   const struct strata_ctf_path_part *parts, size_t nr_parts);

/*
 * Moves a cursor from where the first structure begins to the field.
 * Returns its type, a chosen variant's; NULL: this event has no such field.
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

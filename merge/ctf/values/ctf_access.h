/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_access.h - the way to one field of an event, worked out once for all events of a
 * class: what lies before it is moved over in a few steps, and not walked through.
 *
 * A way leads as far as types alone tell; what depends on the event (which option a
 * variant has, how many elements there are) is found by the rest of the path when the
 * event is read.
 */
#ifndef STRATA_MERGE_CTF_ACCESS_H
#define STRATA_MERGE_CTF_ACCESS_H

#include "ctf/types/ctf_arena.h"
#include "ctf/values/ctf_cursor.h"

/* A part of a path: a field's name, or an element's number. */
struct strata_ctf_path_part {
	const char *name; /* NULL: it is a number */
	uint64_t index;
};

/* Aligns, moves on, and then moves over a field whose size the event tells. */
struct strata_ctf_step {
	uint32_t align;                     /* bits */
	uint64_t bits;                      /* to move on then */
	const struct strata_ctf_type *skip; /* NULL: nothing */
};

struct strata_ctf_access {
	const struct strata_ctf_step *steps;
	size_t nr_steps;
	const struct strata_ctf_type *type; /* that is found behind them */
	const struct strata_ctf_path_part *rest;
	size_t nr_rest;
};

/*
 * Finds the way to a field of a structure.
 * @before: structures in front of it, NULL among them for none
 * @align:  what the first of them all is known to begin at a multiple of, bits
 * @parts:  the path, which stays; one part at least
 * The steps belong to @arena.  1; 0: there is no such field; -1: out of memory.
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

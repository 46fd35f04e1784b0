/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_places.h - finds the path, within its scope, of each integer that has a slot, for code that
 * must name it.
 */
#ifndef STRATA_MERGE_CTF_PLACES_H
#define STRATA_MERGE_CTF_PLACES_H

#include "ctf/types/ctf_scopes.h"

/* The structures around an integer, and in each the name of the field that leads to it. */
struct strata_ctf_place {
	const struct strata_ctf_type *type; /* NULL: unused slot */
	enum strata_ctf_scope scope;
	unsigned int depth;
	bool is_absolute; /* the first structure is the scope; else an element or option */
	const struct strata_ctf_type *around[STRATA_CTF_DEPTH_MAX];
	const char *names[STRATA_CTF_DEPTH_MAX];
};

/*
 * Fills in the places of all integers of a scope that have slots.
 * @places: for each slot that the types have, zeroed before the first scope
 * @type: the scope's structure; NULL: the trace declares no such scope
 */
void strata_ctf_find_places(struct strata_ctf_place *places, enum strata_ctf_scope scope,
			    const struct strata_ctf_type *type);

#endif /* STRATA_MERGE_CTF_PLACES_H */

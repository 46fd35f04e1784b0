// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_places.c - see ctf_places.h.  The depth of recursion is that of types, which is limited. */
#include "ctf/types/ctf_places.h"

static void find(struct strata_ctf_place *places, const struct strata_ctf_place *until_here,
		 const struct strata_ctf_type *type)
{
	struct strata_ctf_place place;
	size_t i;

	if (strata_ctf_is_integer(type)) {
		if (type->slot != STRATA_CTF_NO_SLOT) {
			places[type->slot] = *until_here;
			places[type->slot].type = type;
		}
		return;
	}
	if (!type->element && type->nr_fields == 0)
		return;
	place = *until_here;
	if (type->kind == STRATA_CTF_STRUCT) {
		place.around[place.depth++] = type;
	} else {
		/* In an element or option the path starts again. */
		place.depth = 0;
		place.is_absolute = false;
	}
	if (type->element)
		find(places, &place, type->element);
	for (i = 0; i < type->nr_fields; i++) {
		if (type->kind == STRATA_CTF_STRUCT)
			place.names[place.depth - 1] = type->fields[i].name;
		find(places, &place, type->fields[i].type);
	}
}

void strata_ctf_find_places(struct strata_ctf_place *places, enum strata_ctf_scope scope,
			    const struct strata_ctf_type *type)
{
	const struct strata_ctf_place start = { .scope = scope, .is_absolute = true };

	if (type)
		find(places, &start, type);
}

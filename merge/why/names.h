/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - names of causes as numbers: each is held once, so that causes are compared by number.
 *
 * Names are fit to be shown.  Beside its name a cause may have a shorter one, of who is to blame
 * for it: of the vCPU "g2/0" the domain "g2".
 */
#ifndef STRATA_MERGE_WHY_NAMES_H
#define STRATA_MERGE_WHY_NAMES_H

#include <stdbool.h>

#include "base/id_map.h"

/* Hostile traces may have a million names; what goes beyond is "others". */
#define STRATA_WHY_NAMES_MAX 65536u

/* Zero-initialised is empty. */
struct strata_why_names {
	struct strata_why_name {
		char *text, *by;
	} * names; /* [0] is no name */
	size_t nr, room;
	struct strata_id_map by_id;
	bool no_memory;
};

/* The number of a name; 0: out of memory.  @by: who is to blame; NULL: the same */
uint32_t strata_why_names_add(struct strata_why_names *names, const char *text, const char *by);

/* "" of the number 0. */
static inline const char *strata_why_name(const struct strata_why_names *names, uint32_t number)
{
	return number < names->nr && number ? names->names[number].text : "";
}

static inline const char *strata_why_by(const struct strata_why_names *names, uint32_t number)
{
	return number < names->nr && number ? names->names[number].by : "";
}

void strata_why_names_clear(struct strata_why_names *names);

#endif /* STRATA_MERGE_WHY_NAMES_H */

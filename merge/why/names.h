/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - interns the names of causes: each distinct name gets one number, so that causes compare
 * by number.
 *
 * Names are escaped for output. A cause has a second name, its culprit: for the vCPU "g2/0" that is
 * the domain "g2".
 */
#ifndef STRATA_MERGE_WHY_NAMES_H
#define STRATA_MERGE_WHY_NAMES_H

#include <stdbool.h>

#include "base/id_map.h"

/* A hostile trace may have a million names; all further ones become "others". */
#define STRATA_WHY_NAMES_MAX 65536u

/* All-zero is empty. */
struct strata_why_names {
	struct strata_why_name {
		char *text, *by;
	} * names; /* [0] stands for no name */
	size_t nr, room;
	struct strata_id_map by_id;
	bool no_memory;
};

/* Returns the number of a name; 0: out of memory. @by: the culprit's name; NULL: the same as
 * @text */
uint32_t strata_why_names_add(struct strata_why_names *names, const char *text, const char *by);

/* Returns "" for the number 0. */
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

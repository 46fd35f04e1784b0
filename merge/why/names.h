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

#include "base/fair_share.h"

/* A hostile trace may have a million names: those beyond its share, which is half of them if no
 * other has many, become "others". */
#define STRATA_WHY_NAMES_MAX 65536u

/* The owner of names that no trace chooses, which are few; others are of a trace (report.h). */
#define STRATA_WHY_OWN UINT64_MAX

/* All-zero is empty. */
struct strata_why_names {
	struct strata_why_name {
		char *text, *by;
		uint64_t owner;
	} * names; /* [0] stands for no name */
	size_t nr, room;
	struct strata_id_map by_id;
	struct strata_shares shares;
	bool no_memory;
};

/*
 * Returns the number of a name; 0: out of memory.
 * @by:    the culprit's name; NULL: the same as @text
 * @owner: whose share a new name counts for
 */
uint32_t strata_why_names_add(struct strata_why_names *names, const char *text, const char *by,
			      uint64_t owner);

/* Returns the number of a name's culprit, as a name; 0 for the number 0. */
uint32_t strata_why_names_add_by(struct strata_why_names *names, uint32_t number);

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - interns the names of slices, most of which occur many times: each distinct text has one
 * number.
 */
#ifndef STRATA_MERGE_TRACKS_NAMES_H
#define STRATA_MERGE_TRACKS_NAMES_H

#include <stdbool.h>

#include "base/fair_share.h"

/* A hostile trace may name each slice differently: names beyond its share, which is half of them if
 * no other has many, are STRATA_NAME_OTHER. */
#define STRATA_NAMES_MAX  65536u
#define STRATA_NAME_OTHER 0u

/* All-zero is empty. */
struct strata_names {
	char **texts; /* by number; [0] is "(other)" once there is a name */
	size_t nr, room;
	struct strata_id_map by_text; /* by id; values are numbers + 1 */
	struct strata_shares shares;
	bool no_memory;
};

/* Returns the number of a text, which is copied; STRATA_NAME_OTHER: there is no room.
 * @owner: whose share a new text counts for */
uint32_t strata_names_get(struct strata_names *names, const char *text, uint64_t owner);

void strata_names_clear(struct strata_names *names);

#endif /* STRATA_MERGE_TRACKS_NAMES_H */

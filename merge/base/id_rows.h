/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * id_rows.h - rows of a table that are found by a 64-bit id, and kept in the order in which they
 * first appeared, so that output does not depend on the order of ids (id_map.h).
 */
#ifndef STRATA_MERGE_ID_ROWS_H
#define STRATA_MERGE_ID_ROWS_H

#include <stdbool.h>

#include "base/id_map.h"

/* All-zero is empty. */
struct strata_id_rows {
	struct strata_id_map map;
	void **all; /* in order of first appearance */
	size_t nr, room;
	bool no_memory; /* a row could not be added, or what its user keeps in one */
};

/* Returns the row of an id; NULL: not found. */
static inline void *strata_id_rows_find(const struct strata_id_rows *rows, uint64_t id)
{
	return strata_id_map_find(&rows->map, id);
}

/* Adds a row of @bytes zero bytes for an id that has no row yet.  NULL: out of memory. */
void *strata_id_rows_add(struct strata_id_rows *rows, uint64_t id, size_t bytes);

/* Frees all rows.  @clear: frees what a row owns; NULL: rows own nothing. */
void strata_id_rows_clear(struct strata_id_rows *rows, void (*clear)(void *row));

#endif /* STRATA_MERGE_ID_ROWS_H */

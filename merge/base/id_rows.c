// SPDX-License-Identifier: GPL-2.0-or-later
/* id_rows.c - see id_rows.h. */
#include "base/id_rows.h"

#include <stdlib.h>

#include "base/array.h"

void *strata_id_rows_add(struct strata_id_rows *rows, uint64_t id, size_t bytes)
{
	void *row = calloc(1, bytes);

	if (!row || !STRATA_GROW(rows->all, rows->nr, rows->room) ||
	    strata_id_map_add(&rows->map, id, row)) {
		free(row);
		rows->no_memory = true;
		return NULL;
	}
	rows->all[rows->nr++] = row;
	return row;
}

void strata_id_rows_clear(struct strata_id_rows *rows, void (*clear)(void *row))
{
	size_t i;

	for (i = 0; i < rows->nr; i++) {
		if (clear)
			clear(rows->all[i]);
		free(rows->all[i]);
	}
	free(rows->all);
	strata_id_map_clear(&rows->map);
}

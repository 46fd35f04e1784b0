// SPDX-License-Identifier: GPL-2.0-or-later
/* edge_scratch.c - see edge_scratch.h. */
#include "clock_sync/edge_scratch.h"

#include <stdlib.h>
#include <string.h>

bool strata_edge_scratch_keep(struct strata_edge_scratch *scratch, size_t nr)
{
	struct strata_history *kept;

	if (nr <= scratch->nr_kept)
		return true;
	kept = reallocarray(scratch->kept, nr, sizeof(*kept));
	if (!kept)
		return false;
	memset(&kept[scratch->nr_kept], 0, (nr - scratch->nr_kept) * sizeof(*kept));
	scratch->kept = kept;
	scratch->nr_kept = nr;
	return true;
}

void strata_edge_scratch_clear(struct strata_edge_scratch *scratch)
{
	size_t i;

	for (i = 0; i < scratch->nr_kept; i++)
		strata_history_clear(&scratch->kept[i]);
	for (i = 0; i <= STRATA_CHECKPOINT; i++)
		strata_history_clear(&scratch->after[i]);
	strata_history_clear(&scratch->past);
	strata_history_clear(&scratch->all);
	strata_history_clear(&scratch->running);
	strata_polygon_scratch_clear(&scratch->polygon);
	free(scratch->knots.at);
	free(scratch->kept);
	memset(scratch, 0, sizeof(*scratch));
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* room.c - see room.h. */
#include "clock_sync/room.h"

#include <stdlib.h>
#include <string.h>

bool strata_edge_room_keep(struct strata_edge_room *room, size_t nr)
{
	struct strata_history *kept;

	if (nr <= room->nr_kept)
		return true;
	kept = reallocarray(room->kept, nr, sizeof(*kept));
	if (!kept)
		return false;
	memset(&kept[room->nr_kept], 0, (nr - room->nr_kept) * sizeof(*kept));
	room->kept = kept;
	room->nr_kept = nr;
	return true;
}

void strata_edge_room_clear(struct strata_edge_room *room)
{
	size_t i;

	for (i = 0; i < room->nr_kept; i++)
		strata_history_clear(&room->kept[i]);
	for (i = 0; i <= STRATA_CHECKPOINT; i++)
		strata_history_clear(&room->after[i]);
	strata_history_clear(&room->past);
	strata_history_clear(&room->all);
	strata_history_clear(&room->running);
	strata_polygon_room_clear(&room->polygon);
	free(room->knots.at);
	free(room->kept);
	memset(room, 0, sizeof(*room));
}

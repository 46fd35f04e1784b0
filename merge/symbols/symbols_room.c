// SPDX-License-Identifier: GPL-2.0-or-later
/* symbols_room.c - see symbols_room.h. */
#include "symbols/symbols_room.h"

#include "base/shared_room.h"

static struct strata_shared_room files = STRATA_SHARED_ROOM(STRATA_SYMBOLS_ROOM_MAX);

bool strata_symbols_room_take(struct strata_symbols_room *room, size_t bytes)
{
	if (bytes > STRATA_SYMBOLS_ROOM_FILE - room->bytes ||
	    !strata_shared_room_take(&files, room->owner, bytes))
		return false;
	room->bytes += bytes;
	return true;
}

void strata_symbols_room_keep(struct strata_symbols_room *room, size_t bytes)
{
	strata_shared_room_give_back(&files, room->owner, room->bytes - bytes);
	room->bytes = bytes;
}

size_t strata_symbols_room_taken(void)
{
	return strata_shared_room_taken(&files);
}

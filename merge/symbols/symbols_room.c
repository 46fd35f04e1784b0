// SPDX-License-Identifier: GPL-2.0-or-later
/* symbols_room.c - see symbols_room.h. */
#include "symbols/symbols_room.h"

#include <pthread.h>

#include "base/fair_share.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct strata_shares shares; /* in bytes, by owner */

bool strata_symbols_room_take(struct strata_symbols_room *room, size_t bytes)
{
	bool has_room;

	if (!bytes)
		return true;
	if (bytes > STRATA_SYMBOLS_ROOM_FILE - room->bytes)
		return false;
	pthread_mutex_lock(&lock);
	has_room = strata_shares_take_many(&shares, room->owner, bytes, STRATA_SYMBOLS_ROOM_MAX);
	pthread_mutex_unlock(&lock);
	if (has_room)
		room->bytes += bytes;
	return has_room;
}

void strata_symbols_room_keep(struct strata_symbols_room *room, size_t bytes)
{
	if (room->bytes == bytes)
		return;
	pthread_mutex_lock(&lock);
	strata_shares_give_back_many(&shares, room->owner, room->bytes - bytes);
	pthread_mutex_unlock(&lock);
	room->bytes = bytes;
}

size_t strata_symbols_room_taken(void)
{
	size_t taken;

	pthread_mutex_lock(&lock);
	taken = shares.nr;
	pthread_mutex_unlock(&lock);
	return taken;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* shared_room.c - see shared_room.h. */
#include "base/shared_room.h"

bool strata_shared_room_take(struct strata_shared_room *room, uint64_t owner, size_t bytes)
{
	bool has_room;

	if (!bytes)
		return true;
	pthread_mutex_lock(&room->lock);
	has_room = strata_shares_take_many(&room->shares, owner, bytes, room->max);
	pthread_mutex_unlock(&room->lock);
	return has_room;
}

void strata_shared_room_give_back(struct strata_shared_room *room, uint64_t owner, size_t bytes)
{
	if (!bytes)
		return;
	pthread_mutex_lock(&room->lock);
	strata_shares_give_back_many(&room->shares, owner, bytes);
	pthread_mutex_unlock(&room->lock);
}

size_t strata_shared_room_taken(struct strata_shared_room *room)
{
	size_t taken;

	pthread_mutex_lock(&room->lock);
	taken = room->shares.nr;
	pthread_mutex_unlock(&room->lock);
	return taken;
}

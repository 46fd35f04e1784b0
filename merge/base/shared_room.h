/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shared_room.h - a limit for memory of this process, which owners of traces share as fair_share.h
 * says.
 *
 * Synchronisation: any thread may call these functions at any time.
 */
#ifndef STRATA_MERGE_SHARED_ROOM_H
#define STRATA_MERGE_SHARED_ROOM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fair_share.h"

struct strata_shared_room {
	pthread_mutex_t lock;
	struct strata_shares shares; /* in bytes */
	size_t max;
};

/* Initialises a static one, of which nothing is taken. */
#define STRATA_SHARED_ROOM(max_bytes)                                 \
	{                                                             \
		.lock = PTHREAD_MUTEX_INITIALIZER, .max = (max_bytes) \
	}

/* Takes room for @bytes.  False: the owner's share is used up, or out of memory. */
bool strata_shared_room_take(struct strata_shared_room *room, uint64_t owner, size_t bytes);

/* Gives back @bytes of what the owner has taken. */
void strata_shared_room_give_back(struct strata_shared_room *room, uint64_t owner, size_t bytes);

/* Returns the sum that all owners have taken. */
size_t strata_shared_room_taken(struct strata_shared_room *room);

#endif /* STRATA_MERGE_SHARED_ROOM_H */

// SPDX-License-Identifier: GPL-2.0-or-later
/* window_room.c - see window_room.h. */
#include "ctf/reader/window_room.h"

#include <pthread.h>
#include <stdint.h>

#include "base/fair_share.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct strata_shares shares; /* in bytes, by the addresses of holders' first traces */

static uint64_t number_of(const struct strata_ctf_trace *owner)
{
	return (uint64_t)(uintptr_t)owner;
}

bool strata_window_room_take(const struct strata_ctf_trace *owner, size_t bytes)
{
	bool has_room;

	pthread_mutex_lock(&lock);
	has_room =
		strata_shares_take_many(&shares, number_of(owner), bytes, STRATA_WINDOW_ROOM_MAX);
	pthread_mutex_unlock(&lock);
	return has_room;
}

void strata_window_room_give_back(const struct strata_ctf_trace *owner, size_t bytes)
{
	if (!bytes)
		return;
	pthread_mutex_lock(&lock);
	strata_shares_give_back_many(&shares, number_of(owner), bytes);
	pthread_mutex_unlock(&lock);
}

size_t strata_window_room_taken(void)
{
	size_t taken;

	pthread_mutex_lock(&lock);
	taken = shares.nr;
	pthread_mutex_unlock(&lock);
	return taken;
}

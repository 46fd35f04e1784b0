// SPDX-License-Identifier: GPL-2.0-or-later
/* window_room.c - see window_room.h. */
#include "ctf/reader/window_room.h"

#include "base/shared_room.h"

static struct strata_shared_room windows = STRATA_SHARED_ROOM(STRATA_WINDOW_ROOM_MAX);

static uint64_t number_of(const struct strata_ctf_trace *owner)
{
	return (uint64_t)(uintptr_t)owner;
}

bool strata_window_room_take(const struct strata_ctf_trace *owner, size_t bytes)
{
	return strata_shared_room_take(&windows, number_of(owner), bytes);
}

void strata_window_room_give_back(const struct strata_ctf_trace *owner, size_t bytes)
{
	strata_shared_room_give_back(&windows, number_of(owner), bytes);
}

size_t strata_window_room_taken(void)
{
	return strata_shared_room_taken(&windows);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window_room.h - the memory by which the windows of all readers of this process may exceed their
 * ordinary size, for large events.
 *
 * Each stream can have an event of 16 MiB, which takes a few KiB on the disk if it is a hole. So
 * the sum is bounded, and holders of traces (timeline/holders.h) share it (base/shared_room.h): one
 * alone gets half of it.
 *
 * Synchronisation: any thread may call these functions at any time.
 */
#ifndef STRATA_MERGE_CTF_WINDOW_ROOM_H
#define STRATA_MERGE_CTF_WINDOW_ROOM_H

#include <stdbool.h>
#include <stddef.h>

#define STRATA_WINDOW_ROOM_MAX ((size_t)256 << 20)

struct strata_ctf_trace;

/* @owner: the first trace of its holder */

/* Takes room for a window. False: its share is used up, or out of memory. */
bool strata_window_room_take(const struct strata_ctf_trace *owner, size_t bytes);

/* Gives back what was taken.  @bytes: 0: nothing */
void strata_window_room_give_back(const struct strata_ctf_trace *owner, size_t bytes);

/* Returns the sum that is taken. */
size_t strata_window_room_taken(void);

#endif /* STRATA_MERGE_CTF_WINDOW_ROOM_H */

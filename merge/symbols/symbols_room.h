/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_room.h - the memory of this process for the symbols that recordings contain.
 *
 * Foreign recordings may each contain a file of symbols of any size. So the sum is bounded, and
 * their owners share it (base/shared_room.h). A limit for one file keeps a few large ones from
 * using up what the others need.
 *
 * Synchronisation: any thread may call these functions at any time.
 */
#ifndef STRATA_MERGE_SYMBOLS_ROOM_H
#define STRATA_MERGE_SYMBOLS_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STRATA_SYMBOLS_ROOM_MAX  ((size_t)256 << 20)
#define STRATA_SYMBOLS_ROOM_FILE ((size_t)32 << 20) /* 200,000 functions take 10 MiB */

/* What one file took. Zero-initialised is nothing. */
struct strata_symbols_room {
	uint64_t owner; /* the number of the file's owner */
	size_t bytes;
};

/* Takes room for @bytes more. False: the file's share is used up, or out of memory. */
bool strata_symbols_room_take(struct strata_symbols_room *room, size_t bytes);

/* Gives back all but @bytes, which are not more than were taken. */
void strata_symbols_room_keep(struct strata_symbols_room *room, size_t bytes);

/* Returns the sum that is taken. */
size_t strata_symbols_room_taken(void);

#endif /* STRATA_MERGE_SYMBOLS_ROOM_H */

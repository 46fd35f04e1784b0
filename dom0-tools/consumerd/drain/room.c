// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * room.c - divides the disk space: an untrusted principal may use at most as many bytes and files
 * of a recording as it leaves free for all others (dynamic thresholds of Choudhury and Hahne).
 *
 * One principal that writes without end takes half of the free space, two take a third each, and
 * their number need not be known in advance.
 */
#include <sys/statvfs.h>

#include "consumerd/drain/drain.h"

/* The bytes that are free on the disk of the recording. */
static uint64_t free_bytes(const struct drain *drain)
{
	struct statvfs disk;

	/* A file system that does not report its size sets no limit. */
	if (fstatvfs(drain->dir->fd, &disk) || !disk.f_blocks)
		return UINT64_MAX;
	return (uint64_t)disk.f_bavail * disk.f_frsize;
}

/* The same, by the last query less what was written since. */
static uint64_t room_now(struct drain *drain)
{
	const uint64_t now = strata_clock();

	if (now >= drain->room_until_ticks) {
		drain->room_bytes = free_bytes(drain);
		drain->room_until_ticks = now + (uint64_t)drain->recording->tsc_khz * DRAIN_ROOM_MS;
	}
	return drain->room_bytes;
}

bool drain_has_bytes(struct drain *drain, const struct principal *who, uint64_t bytes)
{
	/* `strata recover` saves what was recorded already, all of it or nothing. */
	return !drain->is_of_now || principal_may_write(who, bytes, room_now(drain));
}

bool drain_may_write(struct drain *drain, struct principal *who, uint64_t bytes)
{
	if (drain_has_bytes(drain, who, bytes))
		return true;
	drain->totals.was_shared = true;
	return false;
}

bool drain_has_files(const struct drain *drain, const struct principal *who, uint64_t nr)
{
	struct statvfs disk;

	/* A file system without a limit of files reports 0. */
	return !drain->is_of_now || fstatvfs(drain->dir->fd, &disk) || !disk.f_files ||
	       principal_may_make_files(who, nr, disk.f_favail);
}

void drain_note_written(struct drain *drain, struct principal *who, uint64_t bytes)
{
	principal_note_written(who, bytes);
	drain->room_bytes -= bytes < drain->room_bytes ? bytes : drain->room_bytes;
}

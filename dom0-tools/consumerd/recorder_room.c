// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder_room.c - shares out the room on the disk: an untrusted principal writes no more in a
 * recording, and makes no more files, than it leaves free for all others (dynamic thresholds of
 * Choudhury and Hahne).
 *
 * One principal that writes without end so takes half of what was free, two take a third each, and
 * nobody needs to know beforehand how many there will be.  Called by tap.c and recorder_drain.c.
 */
#include <sys/statvfs.h>

#include "consumerd/drain/tap.h"

/* The disk is asked again after this; until then what we wrote is subtracted. */
#define ROOM_MS 100u

/* The bytes that are free on the disk of the recording. */
static uint64_t free_bytes(const struct recorder *recorder)
{
	struct statvfs disk;

	/* A file system that does not say how large it is limits nobody. */
	if (fstatvfs(recorder->out.dir.fd, &disk) || !disk.f_blocks)
		return UINT64_MAX;
	return (uint64_t)disk.f_bavail * disk.f_frsize;
}

static uint64_t room_now(struct recorder *recorder)
{
	const uint64_t now = strata_clock();

	if (now >= recorder->room_until_ticks) {
		recorder->room_bytes = free_bytes(recorder);
		recorder->room_until_ticks = now + (uint64_t)recorder->recording.tsc_khz * ROOM_MS;
	}
	return recorder->room_bytes;
}

bool recorder_may_write(struct recorder *recorder, struct principal *who, uint64_t bytes)
{
	/* `strata recover` saves what was recorded already, all of it or nothing. */
	if (!recorder->is_of_now || principal_may_write(who, bytes, room_now(recorder)))
		return true;
	recorder->totals.was_shared = true;
	return false;
}

int recorder_may_begin(const struct recorder *recorder, const struct principal *who,
		       size_t nr_streams, struct strata_error *error)
{
	const uint64_t nr = nr_streams + PRINCIPAL_SOURCE_FILES;
	struct statvfs disk;

	/* A file system that makes files as long as there are blocks says that it has none. */
	if (!recorder->is_of_now || fstatvfs(recorder->out.dir.fd, &disk) || !disk.f_files ||
	    principal_may_make_files(who, nr, disk.f_favail))
		return 0;
	return strata_fail(error,
			   "%s has made as many files as are left on the disk (`df -i`): the rest "
			   "is for others",
			   who->name);
}

void recorder_note_written(struct recorder *recorder, struct principal *who, uint64_t bytes)
{
	principal_note_written(who, bytes);
	recorder->room_bytes -= bytes < recorder->room_bytes ? bytes : recorder->room_bytes;
}

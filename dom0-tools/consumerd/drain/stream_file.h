/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_file.h - a CTF stream file that grows by whole packets.
 *
 * The file is always a sequence of complete packets: a partial write (disk full) is truncated
 * again.
 */
#ifndef STRATA_CONSUMERD_STREAM_FILE_H
#define STRATA_CONSUMERD_STREAM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/safe_dir.h"

struct stream_file {
	int fd;
	uint64_t bytes;        /* of complete packets */
	uint64_t written_back; /* of them, those that the disk was asked for (write_back.h) */
	const struct strata_dir *dir; /* of the recording */
	char source[80];
	uint32_t cpu;
};

/* Names DIR/SOURCE/cpu_N.  The file does not exist until its first packet.  @dir has to outlive
 * it. */
void stream_file_name(struct stream_file *file, const struct strata_dir *dir, const char *source,
		      uint32_t cpu);

enum stream_file_result {
	STREAM_FILE_OK,
	/* At this moment: the disk has no space, or no inode, or too many files are open. */
	STREAM_FILE_NO_ROOM,
	STREAM_FILE_TOO_LARGE, /* this file may not grow (`ulimit -f`, file system) */
	STREAM_FILE_FAILED,
};

static inline bool stream_file_exists(const struct stream_file *file)
{
	return file->fd >= 0;
}

/* Makes the file, empty, and its directory if that is missing. */
enum stream_file_result stream_file_make(struct stream_file *file, struct strata_error *error);

/* Appends one packet, after making the file if it does not exist.  On failure its contents stay
 * unchanged. */
enum stream_file_result stream_file_append(struct stream_file *file, const void *packet,
					   size_t bytes, struct strata_error *error);

/* Writes through and closes; a file that holds no packet is removed.  0 or -1. */
int stream_file_close(struct stream_file *file, struct strata_error *error);

#endif /* STRATA_CONSUMERD_STREAM_FILE_H */

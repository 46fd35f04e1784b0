/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_file.h - a CTF stream file that grows by whole packets.
 *
 * The file is always a sequence of complete packets: a partial write (disk full) is truncated
 * again.
 */
#ifndef STRATA_CONSUMERD_STREAM_FILE_H
#define STRATA_CONSUMERD_STREAM_FILE_H

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
	char path[512]; /* for messages */
};

/* Makes DIR/SOURCE/cpu_N, empty, and DIR/SOURCE if it is missing.  @dir has to outlive it.
 * 0 or -1. */
int stream_file_open(struct stream_file *file, const struct strata_dir *dir, const char *source,
		     uint32_t cpu, struct strata_error *error);

enum stream_file_result {
	STREAM_FILE_OK,
	STREAM_FILE_NO_ROOM,   /* the disk is full at this moment */
	STREAM_FILE_TOO_LARGE, /* this file may not grow (`ulimit -f`, file system) */
	STREAM_FILE_FAILED,
};

/* Appends one packet. On failure the file stays unchanged. */
enum stream_file_result stream_file_append(struct stream_file *file, const void *packet,
					   size_t bytes, struct strata_error *error);

/* Writes through and closes; a file that holds no packet is removed.  0 or -1. */
int stream_file_close(struct stream_file *file, struct strata_error *error);

#endif /* STRATA_CONSUMERD_STREAM_FILE_H */

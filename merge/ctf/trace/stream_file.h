/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_file.h - reads the file of a stream, which stays open if this process may open enough
 * files.
 *
 * Traces can have more streams than a process may open files. Some descriptors are left to others:
 * where only these are free, the file is closed again, and opened for each access. Such an access
 * costs five system calls more; a file that has been removed or replaced meanwhile cannot be read
 * any more.
 *
 * Synchronisation: several threads may read a stream at the same time, each by its own calls.
 */
#ifndef STRATA_MERGE_CTF_STREAM_FILE_H
#define STRATA_MERGE_CTF_STREAM_FILE_H

#include <sys/stat.h>
#include <sys/types.h>

#include "ctf/trace/ctf_trace.h"

/* Flags of each opening; non-blocking, because it may be a pipe: its type is checked after that. */
#define STRATA_STREAM_FILE_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Gives a newly opened file to its stream, which keeps it open or closes it. */
void strata_stream_file_keep(struct strata_ctf_stream *stream, int fd, const struct stat *status);

/* A descriptor of the file until strata_stream_file_leave(); -1 with errno: ESTALE: another file
 * has its name now. */
int strata_stream_file_enter(const struct strata_ctf_stream *stream);

/* Leaves errno as it is.  @fd: may be -1 */
void strata_stream_file_leave(const struct strata_ctf_stream *stream, int fd);

/* As pread(). */
ssize_t strata_stream_file_read(const struct strata_ctf_stream *stream, void *bytes, size_t nr,
				uint64_t offset);

void strata_stream_file_close(struct strata_ctf_stream *stream);

#endif /* STRATA_MERGE_CTF_STREAM_FILE_H */

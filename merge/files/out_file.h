/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * out_file.h - a buffered writer that remembers its first error, and reports it when closed.
 */
#ifndef STRATA_MERGE_OUT_FILE_H
#define STRATA_MERGE_OUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct strata_dir;
struct strata_out_file;

/*
 * Opens the file that a user named, by the rules of safe_dir.h; "-" is standard output.  Pipes and
 * devices are opened as they are.
 * @force: strata_out_close() replaces an existing file; otherwise it is refused
 * NULL with the reason.
 */
struct strata_out_file *strata_out_open(const char *path, bool force, struct strata_error *error);

/* Creates a file in an output directory, and replaces an existing one at once.  NULL with the
 * reason. */
struct strata_out_file *strata_out_create(const struct strata_dir *dir, const char *name,
					  struct strata_error *error);

/*
 * Returns room for @bytes (at most STRATA_OUT_ROOM_MAX) at the end of the buffer;
 * strata_out_advance() adds what the caller put there.  Never NULL: after a failed write, further
 * output is dropped, and close reports the failure.
 */
#define STRATA_OUT_ROOM_MAX 65536u
char *strata_out_room(struct strata_out_file *file, size_t bytes);
void strata_out_advance(struct strata_out_file *file, const char *end);

/* Writes many bytes directly, without the buffer. */
void strata_out_write(struct strata_out_file *file, const char *bytes, size_t length);

/* Writes a short text through the buffer: cheaper than printf where nothing is to be formatted. */
void strata_out_text(struct strata_out_file *file, const char *text);

/* printf; a line of more than STRATA_OUT_ROOM_MAX is cut. */
void strata_out_print(struct strata_out_file *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* True once a write has failed: a caller with much to write may stop early. */
int strata_out_failed(const struct strata_out_file *file);

/* Waits, but returns at once when the reader of a pipe has gone, which counts as a failed write. */
void strata_out_wait(struct strata_out_file *file, int milliseconds);

/* True if the failure was a closed pipe, as with `| head`. */
bool strata_out_unread(const struct strata_out_file *file);

/* Writes what is left, closes and frees.  0, or -1 with the first thing that went wrong. */
int strata_out_close(struct strata_out_file *file, struct strata_error *error);

/* Closes and frees, for a caller that failed: the file that strata_out_open() would replace
 * stays. */
void strata_out_abandon(struct strata_out_file *file);

/* Closes and frees, and leaves nothing behind: the file that strata_out_open() created is removed,
 * and one that it would replace stays.  What went to a pipe or device has been written. */
void strata_out_discard(struct strata_out_file *file);

/* For writers with their own buffers. write_all returns 0 or an errno; fail_write formats an errno
 * with a next step, and returns -1. */
int strata_write_all(int fd, const void *bytes, size_t length);
int strata_fail_write(const char *path, int cause, struct strata_error *error);

#endif /* STRATA_MERGE_OUT_FILE_H */

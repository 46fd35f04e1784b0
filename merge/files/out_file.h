/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * out_file.h - writes files so that no failure goes unseen: a buffered writer
 * that remembers its first error.
 */
#ifndef STRATA_MERGE_OUT_FILE_H
#define STRATA_MERGE_OUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct strata_dir;
struct strata_out_file;

/*
 * Opens the file that a user named, by the rules of safe_dir.h; "-" is standard output.
 * A pipe or device is written to.
 * @force: a file that is there is replaced, when strata_out_close() succeeds; else it is
 *         refused
 * NULL with the reason.
 */
struct strata_out_file *strata_out_open(const char *path, bool force, struct strata_error *error);

/* Makes a file in a directory for output; one that is there is replaced at once.  NULL with the
 * reason. */
struct strata_out_file *strata_out_create(const struct strata_dir *dir, const char *name,
					  struct strata_error *error);

/*
 * Room for @bytes (at most STRATA_OUT_ROOM_MAX) at the end of the buffer; what
 * was put there becomes part of the file by strata_out_advance().  Never NULL:
 * once a write failed, what follows is thrown away, and close reports it.
 */
#define STRATA_OUT_ROOM_MAX 65536u
char *strata_out_room(struct strata_out_file *file, size_t bytes);
void strata_out_advance(struct strata_out_file *file, const char *end);

/* Writes many bytes at once, past the buffer. */
void strata_out_write(struct strata_out_file *file, const char *bytes, size_t length);

/* Writes a short text through the buffer: cheaper than printf where nothing is to be formatted. */
void strata_out_text(struct strata_out_file *file, const char *text);

/* printf; a line of more than STRATA_OUT_ROOM_MAX is cut. */
void strata_out_print(struct strata_out_file *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* True once a write has failed: a caller with much to write may stop early. */
int strata_out_failed(const struct strata_out_file *file);

/* Waits for so long, but not if nobody can read any more what is written: that is a failed write.
 */
void strata_out_wait(struct strata_out_file *file, int milliseconds);

/* True if that is what failed: a closed pipe, as with `| head`. */
bool strata_out_unread(const struct strata_out_file *file);

/* Writes what is left, closes and frees.  0, or -1 with the first thing that went wrong. */
int strata_out_close(struct strata_out_file *file, struct strata_error *error);

/* Closes and frees, for a caller that failed: what strata_out_open() was to replace stays. */
void strata_out_abandon(struct strata_out_file *file);

/* The pieces of it, for writers with buffers of their own.  write_all returns 0 or an errno;
 * fail_write puts one into words, with a next step, and returns -1. */
int strata_write_all(int fd, const void *bytes, size_t length);
int strata_fail_write(const char *path, int cause, struct strata_error *error);

#endif /* STRATA_MERGE_OUT_FILE_H */

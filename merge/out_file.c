// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * out_file.c - see out_file.h.  Used by every output of the merger, and for
 * recording.json and metadata.
 *
 * stdio is not used: it loses the cause of a failed flush, and its locking
 * costs more per event than the event's text does.
 */
#include "out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (256u * 1024u)

struct strata_out_file {
	int fd;
	int error; /* errno of the first write that failed; 0: none */
	size_t used;
	char *path;
	char buffer[BUFFER_BYTES];
};

int strata_fail_write(const char *path, int cause, struct strata_error *error)
{
	if (cause == ENOSPC || cause == EDQUOT)
		return strata_fail(error,
				   "%s: the disk is full; what was written is incomplete. "
				   "Free some space, or write to another disk, and try again",
				   path);
	return strata_fail(error, "%s: write: %s", path, strerror(cause));
}

int strata_write_all(int fd, const void *bytes, size_t length)
{
	const char *from = bytes;

	while (length > 0) {
		ssize_t written = write(fd, from, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return errno;
		from += written;
		length -= (size_t)written;
	}
	return 0;
}

struct strata_out_file *strata_out_open(const char *path, struct strata_error *error)
{
	struct strata_out_file *file = malloc(sizeof(*file));

	if (!file || !(file->path = strdup(path))) {
		free(file);
		strata_fail(error, "%s: out of memory", path);
		return NULL;
	}
	file->error = 0;
	file->used = 0;
	file->fd = strcmp(path, "-") == 0
			   ? dup(STDOUT_FILENO)
			   : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (file->fd < 0) {
		strata_fail(error, "%s: %s", path, strerror(errno));
		free(file->path);
		free(file);
		return NULL;
	}
	return file;
}

static void flush(struct strata_out_file *file)
{
	if (!file->error)
		file->error = strata_write_all(file->fd, file->buffer, file->used);
	file->used = 0;
}

char *strata_out_room(struct strata_out_file *file, size_t bytes)
{
	if (file->used + bytes > BUFFER_BYTES)
		flush(file);
	return file->buffer + file->used;
}

void strata_out_advance(struct strata_out_file *file, const char *end)
{
	file->used = (size_t)(end - file->buffer);
}

void strata_out_write(struct strata_out_file *file, const char *bytes, size_t length)
{
	flush(file);
	if (!file->error)
		file->error = strata_write_all(file->fd, bytes, length);
}

void strata_out_print(struct strata_out_file *file, const char *format, ...)
{
	char *room = strata_out_room(file, STRATA_OUT_ROOM_MAX);
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(room, STRATA_OUT_ROOM_MAX, format, args);
	va_end(args);
	if (length < 0)
		return;
	if ((unsigned int)length >= STRATA_OUT_ROOM_MAX)
		length = (int)STRATA_OUT_ROOM_MAX - 1;
	strata_out_advance(file, room + length);
}

int strata_out_failed(const struct strata_out_file *file)
{
	return file->error != 0;
}

void strata_out_wait(struct strata_out_file *file, int milliseconds)
{
	struct pollfd end = { .fd = file->fd };

	/* No event is asked for: what is reported all the same is an end. */
	if (poll(&end, 1, milliseconds) > 0 && !file->error)
		file->error = EPIPE;
}

bool strata_out_unread(const struct strata_out_file *file)
{
	return file->error == EPIPE;
}

int strata_out_close(struct strata_out_file *file, struct strata_error *error)
{
	int status = 0;

	flush(file);
	if (close(file->fd) && !file->error)
		file->error = errno;
	if (file->error)
		status = strata_fail_write(file->path, file->error, error);
	free(file->path);
	free(file);
	return status;
}

int strata_file_replace(const char *dir, const char *name, const char *text, size_t length,
			struct strata_error *error)
{
	char path[4096], temporary[4096 + 8];
	int fd, cause;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return strata_fail(error, "%.100s...: the path is too long", dir);
	snprintf(temporary, sizeof(temporary), "%s.new", path);

	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return strata_fail(error, "%s: %s", temporary, strerror(errno));
	cause = strata_write_all(fd, text, length);
	/* The rename must not reach the disk before the bytes do: a crash would leave it empty. */
	if (!cause && fdatasync(fd) && errno != EINVAL)
		cause = errno;
	if (close(fd) && !cause)
		cause = errno;
	if (!cause && rename(temporary, path))
		cause = errno;
	if (!cause)
		return 0;
	unlink(temporary);
	return strata_fail_write(path, cause, error);
}

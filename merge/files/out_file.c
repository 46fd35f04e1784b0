// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * out_file.c - see out_file.h.  Every output and the metadata writers use it.
 *
 * Does not use stdio, which loses the cause of a failed flush, and whose locking costs more than
 * formatting an event.
 */
#include "files/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "files/safe_dir.h"
#include "files/safe_walk.h"

#define BUFFER_BYTES (256u * 1024u)

struct strata_out_file {
	int fd;
	int error; /* errno of the first write that failed; 0: none */
	size_t used;
	char *path;
	/* NAME in this directory is the file that was created; or, with a temporary name, the one
	 * that is replaced when the file is complete.  dir < 0: it existed, and is written to. */
	int dir;
	char temporary[STRATA_DIR_NAME_BYTES], name[STRATA_DIR_NAME_BYTES];
	bool is_discarded;
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

static struct strata_out_file *make(const char *path, struct strata_error *error)
{
	struct strata_out_file *file = malloc(sizeof(*file));

	if (!file || !(file->path = strdup(path))) {
		free(file);
		strata_fail(error, "%s: out of memory", path);
		return NULL;
	}
	file->error = 0;
	file->used = 0;
	file->dir = -1;
	file->fd = -1;
	file->temporary[0] = '\0';
	file->is_discarded = false;
	return file;
}

/* Returns @file; if it has no descriptor, frees it and returns NULL. */
static struct strata_out_file *made(struct strata_out_file *file)
{
	if (file->fd >= 0)
		return file;
	free(file->path);
	free(file);
	return NULL;
}

/* Remembers where a file was created, as @created, to replace or remove it.  Returns @fd, or -1. */
static int remember(struct strata_out_file *file, int fd, const struct strata_dir *dir,
		    const char *name, const char *created, struct strata_error *error)
{
	if (fd < 0)
		return -1;
	file->dir = fcntl(dir->fd, F_DUPFD_CLOEXEC, 0);
	if (file->dir >= 0) {
		snprintf(file->name, sizeof(file->name), "%s", name);
		return fd;
	}
	strata_fail(error, "%s: %s", file->path, strerror(errno));
	strata_dir_remove(dir, created);
	close(fd);
	return -1;
}

/* Opens a temporary file, which replaces an existing one when complete.  A descriptor or -1. */
static int open_beside(struct strata_out_file *file, const struct strata_dir *dir, const char *name,
		       struct strata_error *error)
{
	int fd = strata_dir_create_temporary(dir, ".strata-", 0644, file->temporary, error);

	return remember(file, fd, dir, name, file->temporary, error);
}

/* Opens an existing file.  A descriptor or -1. */
static int open_existing(struct strata_out_file *file, const struct strata_dir *dir,
			 const char *name, const struct stat *status, bool force,
			 struct strata_error *error)
{
	struct stat opened;
	int fd;

	if (S_ISDIR(status->st_mode))
		return strata_fail(error, "%s: is a directory; name a file with -o", file->path);
	if (!S_ISCHR(status->st_mode) && !strata_dir_is_trusted(status->st_uid))
		return strata_fail(error, "%s belongs to user %u; name another file with -o",
				   file->path, status->st_uid);
	if (S_ISREG(status->st_mode) && !force)
		return strata_fail(error, "%s: already exists (use --force, or another -o)",
				   file->path);
	if (S_ISREG(status->st_mode))
		return open_beside(file, dir, name, error);
	fd = openat(dir->fd, name, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return strata_fail(error, "%s: %s", file->path, strerror(errno));
	if (!fstat(fd, &opened) && opened.st_dev == status->st_dev &&
	    opened.st_ino == status->st_ino)
		return fd;
	close(fd);
	return strata_fail(error,
			   "%s: was replaced at this moment; name another file "
			   "with -o",
			   file->path);
}

/* /proc/self/fd: the process has these files already. */
static bool is_of_kernel(const struct strata_dir *dir)
{
	struct statfs fs;

	return !fstatfs(dir->fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

static int open_in(struct strata_out_file *file, const struct strata_dir *dir, const char *name,
		   bool force, struct strata_error *error)
{
	struct stat status;
	int fd;

	if (is_of_kernel(dir)) {
		fd = openat(dir->fd, name, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
		return fd < 0 ? strata_fail(error, "%s: %s", file->path, strerror(errno)) : fd;
	}
	if (!fstatat(dir->fd, name, &status, AT_SYMLINK_NOFOLLOW))
		return open_existing(file, dir, name, &status, force, error);
	fd = openat(dir->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return strata_fail(error, "%s: %s", file->path, strerror(errno));
	return remember(file, fd, dir, name, name, error);
}

struct strata_out_file *strata_out_open(const char *path, bool force, struct strata_error *error)
{
	struct strata_out_file *file = make(path, error);
	char name[STRATA_DIR_NAME_BYTES];
	struct strata_dir parent;

	if (!file)
		return NULL;
	if (strcmp(path, "-") == 0) {
		file->fd = dup(STDOUT_FILENO);
		if (file->fd < 0)
			strata_fail(error, "standard output: %s", strerror(errno));
	} else if (!strata_dir_walk(&parent, path, name, error)) {
		file->fd = open_in(file, &parent, name, force, error);
		strata_dir_close(&parent);
	}
	return made(file);
}

struct strata_out_file *strata_out_create(const struct strata_dir *dir, const char *name,
					  struct strata_error *error)
{
	char path[PATH_MAX + STRATA_DIR_NAME_BYTES];
	struct strata_out_file *file;

	snprintf(path, sizeof(path), "%s/%s", dir->path, name);
	file = make(path, error);
	if (!file)
		return NULL;
	strata_dir_remove(dir, name);
	file->fd = strata_dir_create(dir, name, 0644, error);
	return made(file);
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

void strata_out_text(struct strata_out_file *file, const char *text)
{
	size_t length = strlen(text);

	while (length > 0) {
		const size_t part = length < STRATA_OUT_ROOM_MAX ? length : STRATA_OUT_ROOM_MAX;
		char *room = strata_out_room(file, part);

		memcpy(room, text, part);
		strata_out_advance(file, room + part);
		text += part;
		length -= part;
	}
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

	/* No events are requested, so poll() reports only errors and hang-up. */
	if (poll(&end, 1, milliseconds) > 0 && !file->error)
		file->error = EPIPE;
}

bool strata_out_unread(const struct strata_out_file *file)
{
	return file->error == EPIPE;
}

void strata_out_abandon(struct strata_out_file *file)
{
	struct strata_error ignored;

	flush(file);
	if (!file->error)
		file->error = ECANCELED;
	strata_out_close(file, &ignored);
}

void strata_out_discard(struct strata_out_file *file)
{
	file->is_discarded = true;
	strata_out_abandon(file);
}

/* Puts a complete file in place, and removes one that is not to stay. */
static void settle_name(struct strata_out_file *file)
{
	const bool replaces = file->temporary[0];

	if (replaces && !file->error && renameat(file->dir, file->temporary, file->dir, file->name))
		file->error = errno;
	if (replaces && file->error)
		unlinkat(file->dir, file->temporary, 0);
	else if (file->is_discarded)
		unlinkat(file->dir, file->name, 0);
	close(file->dir);
}

int strata_out_close(struct strata_out_file *file, struct strata_error *error)
{
	int status = 0;

	flush(file);
	if (close(file->fd) && !file->error)
		file->error = errno;
	if (file->dir >= 0)
		settle_name(file);
	if (file->error)
		status = strata_fail_write(file->path, file->error, error);
	free(file->path);
	free(file);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* stream_file.c - see stream_file.h. */
#include "consumerd/drain/stream_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME_BYTES 32

static void set_name(char name[NAME_BYTES], uint32_t cpu)
{
	snprintf(name, NAME_BYTES, "cpu_%u", cpu);
}

void stream_file_name(struct stream_file *file, const struct strata_dir *dir, const char *source,
		      uint32_t cpu)
{
	file->bytes = file->written_back = 0;
	file->fd = -1;
	file->dir = dir;
	file->cpu = cpu;
	snprintf(file->source, sizeof(file->source), "%s", source);
}

/* Makes a message of why the file failed.  Returns -1. */
static int fail(const struct stream_file *file, const char *why, struct strata_error *error)
{
	char name[NAME_BYTES];

	set_name(name, file->cpu);
	return strata_fail(error, "%.350s/%s/%s: %s", file->dir->path, file->source, name, why);
}

/* Removes the file; nothing else can have taken its name. 0 or -1 with errno. */
static int remove_file(const struct stream_file *file)
{
	struct strata_dir folder;
	char name[NAME_BYTES];
	int result;

	set_name(name, file->cpu);
	if (!strata_dir_find(&folder, file->dir, file->source))
		return -1;
	result = strata_dir_remove(&folder, name);
	strata_dir_close(&folder);
	return result;
}

static enum stream_file_result result_of(int reason)
{
	switch (reason) {
	case ENOSPC:
	case EDQUOT:
	case EMFILE:
	case ENFILE:
		return STREAM_FILE_NO_ROOM;
	case EFBIG:
		return STREAM_FILE_TOO_LARGE;
	default:
		return STREAM_FILE_FAILED;
	}
}

enum stream_file_result stream_file_make(struct stream_file *file, struct strata_error *error)
{
	struct strata_dir folder;
	char name[NAME_BYTES];
	int reason;

	errno = 0;
	if (strata_dir_sub(&folder, file->dir, file->source, 0750, error))
		return result_of(errno);
	set_name(name, file->cpu);
	strata_dir_remove(&folder, name);
	file->fd = strata_dir_create(&folder, name, 0640, error);
	reason = errno;
	strata_dir_close(&folder);
	return file->fd < 0 ? result_of(reason) : STREAM_FILE_OK;
}

enum stream_file_result stream_file_append(struct stream_file *file, const void *packet,
					   size_t bytes, struct strata_error *error)
{
	enum stream_file_result made;
	size_t done = 0;

	if (!stream_file_exists(file)) {
		made = stream_file_make(file, error);
		if (made != STREAM_FILE_OK)
			return made;
	}
	while (done < bytes) {
		ssize_t written = write(file->fd, (const char *)packet + done, bytes - done);
		int reason = errno;

		if (written < 0 && reason == EINTR)
			continue;
		if (written <= 0) {
			/* Truncate to the last whole packet, where the next append starts. */
			if (ftruncate(file->fd, (off_t)file->bytes) ||
			    lseek(file->fd, (off_t)file->bytes, SEEK_SET) < 0) {
				fail(file, strerror(errno), error);
				fprintf(stderr,
					"strata: a partial packet at its end cannot be removed: %s\n",
					error->text);
			}
			fail(file, written < 0 ? strerror(reason) : "nothing written", error);
			return written < 0 ? result_of(reason) : STREAM_FILE_FAILED;
		}
		done += (size_t)written;
	}
	file->bytes += bytes;
	return STREAM_FILE_OK;
}

int stream_file_close(struct stream_file *file, struct strata_error *error)
{
	int result = 0;

	if (file->fd < 0)
		return 0;
	if (close(file->fd))
		result = fail(file, strerror(errno), error);
	file->fd = -1;
	if (file->bytes == 0 && remove_file(file))
		result = fail(file, strerror(errno), error);
	return result;
}

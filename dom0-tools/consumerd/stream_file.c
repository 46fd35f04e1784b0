// SPDX-License-Identifier: GPL-2.0-or-later
/* stream_file.c - see stream_file.h. */
#include "stream_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int stream_file_open(struct stream_file *file, const char *dir, const char *source, uint32_t cpu,
		     struct strata_error *error)
{
	file->bytes = 0;
	snprintf(file->path, sizeof(file->path), "%s/%s/cpu_%u", dir, source, cpu);
	file->fd = open(file->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640);
	if (file->fd < 0)
		return strata_fail(error, "%s: %s", file->path, strerror(errno));
	return 0;
}

enum stream_file_result stream_file_append(struct stream_file *file, const void *packet,
					   size_t bytes, struct strata_error *error)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t written = write(file->fd, (const char *)packet + done, bytes - done);
		int reason = errno;

		if (written < 0 && reason == EINTR)
			continue;
		if (written <= 0) {
			/* Back to the last whole packet, and there for whoever appends next. */
			if (ftruncate(file->fd, (off_t)file->bytes) ||
			    lseek(file->fd, (off_t)file->bytes, SEEK_SET) < 0)
				fprintf(stderr, "strata: %s: its end is torn: %s\n", file->path,
					strerror(errno));
			strata_fail(error, "%s: %s", file->path,
				    written < 0 ? strerror(reason) : "nothing written");
			return written < 0 && (reason == ENOSPC || reason == EDQUOT)
				       ? STREAM_FILE_NO_ROOM
				       : STREAM_FILE_FAILED;
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
		result = strata_fail(error, "%s: %s", file->path, strerror(errno));
	file->fd = -1;
	if (file->bytes == 0 && unlink(file->path))
		result = strata_fail(error, "%s: %s", file->path, strerror(errno));
	return result;
}

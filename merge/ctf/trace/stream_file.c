// SPDX-License-Identifier: GPL-2.0-or-later
/* stream_file.c - see stream_file.h; used by ctf_trace.c, the readers, and the live ones. */
#include "ctf/trace/stream_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Files that streams leave to others: outputs, threads that read streams which are not open. */
#define OTHERS_MAX     256u
#define OTHERS_DIVISOR 4u

/* The kernel gives the lowest free number, so the number says how many files are open. */
static bool may_stay_open(int fd)
{
	struct rlimit limit;
	rlim_t others;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return true;
	others = limit.rlim_cur / OTHERS_DIVISOR;
	if (others > OTHERS_MAX)
		others = OTHERS_MAX;
	return (rlim_t)fd < limit.rlim_cur - others;
}

void strata_stream_file_keep(struct strata_ctf_stream *stream, int fd, const struct stat *status)
{
	stream->device = status->st_dev;
	stream->inode = status->st_ino;
	stream->fd = may_stay_open(fd) ? fd : -1;
	if (stream->fd < 0)
		close(fd);
}

static bool is_same(const struct strata_ctf_stream *stream, int fd)
{
	struct stat status;

	if (fstat(fd, &status))
		return false;
	errno = ESTALE;
	return status.st_dev == stream->device && status.st_ino == stream->inode;
}

/* Closes a descriptor, and leaves errno as it is. */
static void close_quietly(int fd)
{
	const int reason = errno;

	close(fd);
	errno = reason;
}

int strata_stream_file_enter(const struct strata_ctf_stream *stream)
{
	const int flags = stream->trace->open_flags;
	int dir, fd;

	if (stream->fd >= 0)
		return stream->fd;
	dir = open(stream->trace->path, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);
	if (dir < 0)
		return -1;
	fd = openat(dir, stream->name, STRATA_STREAM_FILE_FLAGS | flags);
	close_quietly(dir);
	if (fd < 0 || is_same(stream, fd))
		return fd;
	close_quietly(fd);
	return -1;
}

void strata_stream_file_leave(const struct strata_ctf_stream *stream, int fd)
{
	if (fd >= 0 && stream->fd < 0)
		close_quietly(fd);
}

ssize_t strata_stream_file_read(const struct strata_ctf_stream *stream, void *bytes, size_t nr,
				uint64_t offset)
{
	const int fd = strata_stream_file_enter(stream);
	const ssize_t got = fd < 0 ? -1 : pread(fd, bytes, nr, (off_t)offset);

	strata_stream_file_leave(stream, fd);
	return got;
}

void strata_stream_file_close(struct strata_ctf_stream *stream)
{
	if (stream->fd >= 0)
		close(stream->fd);
	stream->fd = -1;
}

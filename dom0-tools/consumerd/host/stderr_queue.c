// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stderr_queue.c - see stderr_queue.h.
 *
 * O_NONBLOCK belongs to the open file, which other processes share: it is not set on theirs.  A
 * pipe and a terminal are opened a second time, for ourselves; a socket has MSG_DONTWAIT; a regular
 * file does not wait.  Where a second time is not possible, poll() comes before each write, of no
 * more than a pipe takes at once; another writer of that pipe could still come in between.
 *
 * Any user may fill the disk that a regular file is on: messages stay in the queue until it has
 * room.
 */
#include "consumerd/host/stderr_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumerd/host/log_limit.h"
#include "consumerd/host/own_proc.h"

#define QUEUE_BYTES (64u << 10)

/* How long to wait at the end for a reader that reads nothing. */
#define LAST_MS 500

static struct {
	FILE *stream; /* NULL: not open */
	FILE *real;
	int fd;
	bool own;    /* fd was opened for ourselves, and does not wait */
	bool socket; /* fd is one */
	bool plain;  /* fd is a file that never waits */
	bool full;   /* there was no room for more of it at the last attempt */
	size_t most; /* bytes that such a file may have; 0: any number */
	/* Under the stream's lock. */
	char bytes[QUEUE_BYTES];
	size_t first, used;
	unsigned long long dropped; /* bytes */
} queue;

static bool can_write(int wait_ms)
{
	struct pollfd fd = { .fd = queue.fd, .events = POLLOUT };

	return poll(&fd, 1, wait_ms) > 0 && (fd.revents & POLLOUT);
}

/* Writes some of @bytes without waiting.  How many, or -1. */
static ssize_t write_some(const char *bytes, size_t length)
{
	if (queue.socket)
		return send(queue.fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (!queue.own && !queue.plain) {
		if (!can_write(0)) {
			errno = EAGAIN;
			return -1;
		}
		if (length > PIPE_BUF)
			length = PIPE_BUF;
	}
	return write(queue.fd, bytes, length);
}

/* Whether a file has no room, and may have some later. */
static bool is_full(int number)
{
	return queue.plain && (number == ENOSPC || number == EDQUOT || number == EFBIG);
}

/* Writes as much as possible without waiting. */
static void write_out(void)
{
	queue.full = false;
	while (queue.used) {
		size_t length = QUEUE_BYTES - queue.first;
		ssize_t written;

		if (length > queue.used)
			length = queue.used;
		written = write_some(queue.bytes + queue.first, length);
		if (written < 0 && errno == EINTR)
			continue;
		queue.full = written < 0 && is_full(errno);
		/* The reader has gone: drop it. */
		if (written < 0 && errno != EAGAIN && !queue.full)
			written = (ssize_t)length;
		if (written <= 0)
			return;
		queue.first = (queue.first + (size_t)written) % QUEUE_BYTES;
		queue.used -= (size_t)written;
	}
}

/* Appends to the queue.  False: the queue is full. */
static bool put(const char *bytes, size_t length)
{
	size_t i;

	if (length > QUEUE_BYTES - queue.used)
		return false;
	for (i = 0; i < length; i++)
		queue.bytes[(queue.first + queue.used + i) % QUEUE_BYTES] = bytes[i];
	queue.used += length;
	return true;
}

/* stderr's own write: a whole message, as it is line-buffered. */
static ssize_t take(void *cookie, const char *bytes, size_t length)
{
	char note[96];
	int note_length;

	(void)cookie;
	write_out();
	if (queue.dropped) {
		note_length =
			snprintf(note, sizeof(note),
				 "strata: %llu bytes of messages are dropped: %s\n", queue.dropped,
				 queue.plain ? "their file had no room" : "nobody read stderr");
		if (put(note, (size_t)note_length))
			queue.dropped = 0;
	}
	if (queue.dropped || !put(bytes, length))
		queue.dropped += length;
	write_out();
	if (queue.plain && queue.most)
		log_limit(queue.fd, queue.most);
	return (ssize_t)length;
}

void stderr_queue_flush(void)
{
	if (!queue.stream)
		return;
	/* The stream's lock is the queue's: other threads have messages, too. */
	flockfile(queue.stream);
	fflush_unlocked(queue.stream);
	write_out();
	funlockfile(queue.stream);
}

bool stderr_queue_is_empty(void)
{
	bool empty = true;

	if (queue.stream) {
		flockfile(queue.stream);
		empty = !queue.used || queue.full;
		funlockfile(queue.stream);
	}
	return empty;
}

/* A descriptor that writes to where stderr goes. */
static void open_target(void)
{
	struct stat status;

	queue.fd = STDERR_FILENO;
	queue.own = queue.socket = queue.plain = queue.full = false;
	if (fstat(STDERR_FILENO, &status))
		return;
	queue.socket = S_ISSOCK(status.st_mode);
	queue.plain = S_ISREG(status.st_mode);
	if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)) {
		int fd = own_proc_open("self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY);

		queue.own = fd >= 0;
		if (queue.own)
			queue.fd = fd;
	}
}

void stderr_queue_open(void)
{
	const cookie_io_functions_t functions = { .write = take };

	/* A stream without a descriptor, put there by other code, does not block. */
	if (queue.stream || fileno(stderr) != STDERR_FILENO)
		return;
	fflush(stderr);
	queue.first = queue.used = 0;
	queue.dropped = 0;
	queue.most = 0;
	open_target();
	queue.stream = fopencookie(NULL, "w", functions);
	if (!queue.stream) {
		if (queue.own)
			close(queue.fd);
		return;
	}
	/* A message is one write, even if it was composed of several. */
	setvbuf(queue.stream, NULL, _IOLBF, BUFSIZ);
	queue.real = stderr;
	stderr = queue.stream;
}

void stderr_queue_limit_file(size_t most)
{
	if (queue.stream)
		queue.most = most;
}

void stderr_queue_close(void)
{
	FILE *stream = queue.stream;

	if (!stream)
		return;
	stderr_queue_flush();
	while (queue.used && !queue.full && can_write(LAST_MS))
		stderr_queue_flush();
	stderr = queue.real;
	queue.stream = NULL;
	fclose(stream);
	if (queue.own)
		close(queue.fd);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* memory.c - attacks with the memory of rings, whose pages are kept, missing, taken away or huge.
 */
#include "attacks.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "connection.h"
#include "rings.h"

#ifndef MADV_COLLAPSE /* Linux 6.1 */
#define MADV_COLLAPSE 25
#endif

void attack_keep(const struct attack_arguments *arguments)
{
	const struct application application = { .cpus = arguments->cpus, .events = 1, .lost = 1 };
	uint32_t i, kept = 0;

	for (i = 0; i < arguments->nr; i++) {
		if (!attach(&connections[kept], &application)) {
			hang_up(&connections[kept]);
			continue;
		}
		close(connections[kept].socket);
		kept++;
	}
	print_connections(kept);
}

/* As much as a pipe takes at once. */
#define PIPE_BYTES (64u << 10)

/* Moves references to pages into a socket, until it has no room. Returns their bytes. */
static size_t pin_in(int socket, const int pipe_ends[2], unsigned char *pages, size_t bytes)
{
	struct iovec part = { .iov_base = pages,
			      .iov_len = bytes < PIPE_BYTES ? bytes : PIPE_BYTES };
	ssize_t piped = vmsplice(pipe_ends[1], &part, 1, 0);
	ssize_t moved = 0, more;

	if (piped < 0)
		fail("vmsplice");
	do {
		more = splice(pipe_ends[0], NULL, socket, NULL, (size_t)(piped - moved),
			      SPLICE_F_NONBLOCK);
		moved += more > 0 ? more : 0;
	} while (more > 0 && moved < piped);
	return (size_t)moved;
}

/* Keeps all pages of a connection's rings.  Returns their bytes. */
static size_t pin_all(const struct connection *connection)
{
	int pipe_ends[2] = { -1, -1 }, sockets[2] = { -1, -1 };
	const int room = 8 << 20;
	size_t at = 0, moved;

	while (at < connection->bytes) {
		/* The last pipe keeps what the last socket did not take, and both stay open. */
		if (pipe(pipe_ends) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets))
			break;
		setsockopt(sockets[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
		do {
			moved = pin_in(sockets[0], pipe_ends, connection->rings + at,
				       connection->bytes - at);
			at += moved;
		} while (moved && moved % PIPE_BYTES == 0 && at < connection->bytes);
	}
	return at;
}

void attack_pin(const struct attack_arguments *arguments)
{
	const struct application application = { .cpus = arguments->cpus, .events = 1, .lost = 1 };
	uint32_t i, nr = 0;
	size_t bytes = 0;

	for (i = 0; i < arguments->nr; i++) {
		if (attach(&connections[0], &application)) {
			bytes += pin_all(&connections[0]);
			nr++;
		}
		hang_up(&connections[0]);
	}
	printf("pinned %zu\n", bytes >> 10);
	print_connections(nr);
}

void attack_holes(const struct attack_arguments *arguments)
{
	const uint32_t nr = attach_plain(arguments->nr, arguments->cpus);
	uint32_t i, cpu;

	for (i = 0; i < nr; i++) {
		for (cpu = 0; cpu < connections[i].cpus; cpu++) {
			fill_with_nothing(&connections[i], cpu);
			be_read(&connections[i], cpu);
		}
	}
	print_connections(nr);
}

/* Moves this process to a control group. */
static void join(const char *group)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		fail(path);
	close(fd);
}

/* Whether a huge page has pages that the recorder reads all the time. */
static bool has_head(const struct connection *connection, size_t huge)
{
	const size_t bytes = STRATA_SINGLE_HEAD_BYTES;
	uint32_t cpu;

	for (cpu = 0; cpu < connection->cpus; cpu++)
		if (cpu * connection->stride + bytes > huge &&
		    cpu * connection->stride < huge + HUGE_BYTES)
			return true;
	return false;
}

/* Touches the pages that cannot be taken from the recorder. */
static void touch_heads(const struct connection *connection)
{
	size_t at;

	for (at = 0; at < connection->bytes; at += STRATA_PAGE_BYTES)
		if (has_head(connection, at - at % HUGE_BYTES))
			strata_write_once(&connection->rings[at], connection->rings[at]);
}

/* Makes huge pages of all others.  Returns how many it could make. */
static uint32_t collapse(const struct connection *connection)
{
	uint32_t made = 0;
	size_t at;

	for (at = 0; at + HUGE_BYTES <= connection->bytes; at += HUGE_BYTES)
		made += !has_head(connection, at) &&
			!madvise(connection->rings + at, HUGE_BYTES, MADV_COLLAPSE);
	return made;
}

static void collapse_all(uint32_t nr)
{
	uint32_t i, cpu;

	for (i = 0; i < nr; i++) {
		for (cpu = 0; cpu < connections[i].cpus; cpu++)
			be_read(&connections[i], cpu);
		printf("collapsed %u\n", collapse(&connections[i]));
	}
}

/* Fills rings with pages that are charged to the control group GROUP, and leaves that group without
 * a process.  The script takes the group's memory away and sends SIGUSR1: the rings are ready to be
 * read then. */
static void starve(const struct attack_arguments *arguments, bool collapses)
{
	const char *group = arguments->more[1], *other = arguments->more[2];
	const uint32_t nr = attach_plain(arguments->nr, arguments->cpus);
	sigset_t ready;
	uint32_t i;
	int number;

	sigemptyset(&ready);
	sigaddset(&ready, SIGUSR1);
	sigprocmask(SIG_BLOCK, &ready, NULL);
	for (i = 0; i < nr && collapses; i++)
		touch_heads(&connections[i]);
	join(group);
	fill_all_once(nr);
	if (collapses)
		collapse_all(nr);
	join(other);
	printf("filled\n");
	fflush(stdout);
	sigwait(&ready, &number);
	refill_all(nr);
	print_connections(nr);
}

void attack_starve(const struct attack_arguments *arguments)
{
	starve(arguments, false);
}

void attack_collapse(const struct attack_arguments *arguments)
{
	starve(arguments, true);
}

/* Tries all ways to take pages out of that memory.  Returns how many of them worked. */
static unsigned int punch(const struct connection *connection)
{
	const int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	unsigned char *rings = connection->rings;
	const size_t bytes = connection->bytes;
	char path[64];
	unsigned int punched;
	int again;

	punched = !fallocate(connection->memory, mode, 0, (off_t)bytes);
	punched += !madvise(rings, bytes, MADV_REMOVE);
	punched += !mprotect(rings, bytes, PROT_READ) &&
		   !mprotect(rings, bytes, PROT_READ | PROT_WRITE) &&
		   !madvise(rings, bytes, MADV_REMOVE);
	punched += !ftruncate(connection->memory, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", connection->memory);
	again = open(path, O_RDWR | O_CLOEXEC);
	if (again >= 0) {
		punched += !fallocate(again, mode, 0, (off_t)bytes);
		close(again);
	}
	return punched;
}

void attack_punch(const struct attack_arguments *arguments)
{
	const uint32_t nr = attach_plain(arguments->nr, arguments->cpus);
	unsigned int punched = 0;
	uint32_t i;

	for (i = 0; i < nr; i++)
		punched += punch(&connections[i]);
	printf("punched %u\n", punched);
	print_connections(nr);
}

void attack_seal(const struct attack_arguments *arguments)
{
	const struct application application = { .cpus = 1, .events = 1, .lost = 1, .seals = true };

	print_connections(attach_all(arguments->nr, &application));
}

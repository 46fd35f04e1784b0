// SPDX-License-Identifier: GPL-2.0-or-later
/* ring_pages.c - see ring_pages.h. */
#include "consumerd/rings/ring_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#ifndef MADV_POPULATE_READ /* Linux 5.14 */
#define MADV_POPULATE_READ 22
#endif

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static bool is_held(const struct ring_pages *pages, size_t page)
{
	return pages->held[page / 8] >> page % 8 & 1;
}

/* The largest huge page that Linux uses for a memfd, on any processor with pages of 4 KiB. */
#define HUGE_BYTES ((size_t)2 << 20)

/* The size that any user may request, unless the administrator has lowered it
 * (fs.pipe-max-size). */
#define PIPE_PAGES 256u

/* Makes a pipe that refers to up to PIPE_PAGES pages.  Its end for writing, or -1 with errno. */
static int open_pipe(struct ring_pages *pages, size_t nr)
{
	int *pipes = reallocarray(pages->pipes, pages->nr_pipes + 1, sizeof(*pipes));
	int ends[2];

	if (!pipes)
		return -1;
	pages->pipes = pipes;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return -1;
	pipes[pages->nr_pipes++] = ends[0];
	/* A pipe that cannot be enlarged takes what it can. */
	if (fcntl(ends[1], F_SETPIPE_SZ, (nr < PIPE_PAGES ? nr : PIPE_PAGES) * page_bytes()) < 0)
		errno = 0;
	return ends[1];
}

/* Takes a reference to one page of each 2 MiB.  0 or -1 with errno. */
static int pin_each(struct ring_pages *pages, size_t bytes)
{
	struct iovec page = { .iov_base = pages->memory, .iov_len = 1 };
	unsigned char *const end = pages->memory + bytes;
	ssize_t taken;
	int pipe;

	while ((unsigned char *)page.iov_base < end) {
		pipe = open_pipe(pages,
				 ((size_t)(end - (unsigned char *)page.iov_base) - 1) / HUGE_BYTES +
					 1);
		if (pipe < 0)
			return -1;
		do {
			taken = vmsplice(pipe, &page, 1, SPLICE_F_NONBLOCK);
			if (taken == 1)
				page.iov_base = (unsigned char *)page.iov_base + HUGE_BYTES;
		} while (taken == 1 && (unsigned char *)page.iov_base < end);
		close(pipe);
		if (!taken || (taken < 0 && errno != EAGAIN))
			return -1;
	}
	return 0;
}

/*
 * The memory's owner can replace pages, also locked ones, by a huge page (MADV_COLLAPSE), which
 * takes them out of our mapping and then can be swapped out. The kernel does so only if the pages
 * have no additional references, and otherwise neither splits nor swaps out a huge page. Pipes hold
 * such references.
 */
static int pin(struct ring_pages *pages, size_t bytes, struct strata_error *error)
{
	if (!pin_each(pages, bytes))
		return 0;
	return strata_fail(error, "its rings cannot be locked in memory: %s", strerror(errno));
}

int ring_pages_open(struct ring_pages *pages, void *memory, size_t bytes,
		    struct strata_error *error)
{
	memset(pages, 0, sizeof(*pages));
	pages->memory = memory;
	pages->nr = (bytes + page_bytes() - 1) / page_bytes();
	/* Untouched pages take no memory: each is locked when it is requested. */
	if (mlock2(memory, bytes, MLOCK_ONFAULT))
		return 0;
	pages->held = calloc(pages->nr / 8 + 1, 1);
	if (!pages->held)
		return strata_fail(error, "out of memory");
	return pin(pages, bytes, error);
}

bool ring_pages_hold(struct ring_pages *pages, const void *from, size_t bytes)
{
	size_t at, first, end;
	uint64_t begin;

	if (!pages || !pages->held || !bytes)
		return true;
	at = (size_t)((const unsigned char *)from - pages->memory);
	first = at / page_bytes();
	end = (at + bytes - 1) / page_bytes() + 1;
	while (first < end && is_held(pages, first))
		first++;
	if (first == end)
		return true;
	if (pages->failed)
		return false;
	begin = clock_now_ns(CLOCK_MONOTONIC);
	/* Unlike a load, this fails if there is no memory. */
	if (madvise(pages->memory + first * page_bytes(), (end - first) * page_bytes(),
		    MADV_POPULATE_READ))
		pages->failed = errno;
	pages->waited_ns += clock_now_ns(CLOCK_MONOTONIC) - begin;
	if (pages->failed == EINVAL) {
		ring_pages_close(pages);
		return true;
	}
	for (; !pages->failed && first < end; first++)
		pages->held[first / 8] |= (unsigned char)(1u << first % 8);
	return !pages->failed;
}

void ring_pages_close(struct ring_pages *pages)
{
	while (pages->nr_pipes)
		close(pages->pipes[--pages->nr_pipes]);
	free(pages->pipes);
	free(pages->held);
	memset(pages, 0, sizeof(*pages));
}

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

#ifndef MADV_POPULATE_READ /* Linux 5.14 */
#define MADV_POPULATE_READ 22
#endif

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static bool is_held(const struct ring_pages *pages, size_t page)
{
	return pages->held[page / 8] >> page % 8 & 1;
}

/* The largest page that Linux makes of pages of a memfd, on any processor with pages of 4 KiB. */
#define HUGE_BYTES ((size_t)2 << 20)

/* Takes a reference to a page of each @nr ranges.  0 or -1 with errno. */
static int pin_each(struct ring_pages *pages, size_t nr, int pipe)
{
	struct iovec page = { .iov_len = 1 };
	size_t i;

	if (fcntl(pipe, F_SETPIPE_SZ, nr * page_bytes()) < 0)
		return -1;
	for (i = 0; i < nr; i++) {
		page.iov_base = pages->memory + i * HUGE_BYTES;
		if (vmsplice(pipe, &page, 1, SPLICE_F_NONBLOCK) != 1)
			return -1;
	}
	return 0;
}

/*
 * The memory's owner can replace pages, also locked ones, by a huge page (MADV_COLLAPSE), which
 * takes them out of our mapping and then can be swapped out.  The kernel does so only if nobody
 * else refers to one of the pages, nor does it split or swap out a huge page then.  A pipe refers
 * to them.
 */
static int pin(struct ring_pages *pages, size_t bytes, struct strata_error *error)
{
	int ends[2], result;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return strata_fail(error, "its rings cannot be held in memory: no pipe: %s",
				   strerror(errno));
	result = pin_each(pages, (bytes + HUGE_BYTES - 1) / HUGE_BYTES, ends[1]);
	if (result)
		strata_fail(error,
			    "its rings cannot be held in memory: %s; --app-buffer makes "
			    "them smaller",
			    strerror(errno));
	close(ends[1]);
	pages->pins = ends[0];
	return result;
}

int ring_pages_open(struct ring_pages *pages, void *memory, size_t bytes,
		    struct strata_error *error)
{
	memset(pages, 0, sizeof(*pages));
	pages->pins = -1;
	pages->memory = memory;
	pages->nr = (bytes + page_bytes() - 1) / page_bytes();
	/* Pages that nobody has touched take no memory: each is locked when it is asked for. */
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
	begin = now_ns();
	/* Unlike a load, this gives up where there is no memory. */
	if (madvise(pages->memory + first * page_bytes(), (end - first) * page_bytes(),
		    MADV_POPULATE_READ))
		pages->failed = errno;
	pages->waited_ns += now_ns() - begin;
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
	if (pages->held && pages->pins >= 0)
		close(pages->pins);
	free(pages->held);
	memset(pages, 0, sizeof(*pages));
}

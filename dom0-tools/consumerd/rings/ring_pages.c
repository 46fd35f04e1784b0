// SPDX-License-Identifier: GPL-2.0-or-later
/* ring_pages.c - see ring_pages.h. */
#include "consumerd/rings/ring_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

void ring_pages_open(struct ring_pages *pages, void *memory, size_t bytes)
{
	memset(pages, 0, sizeof(*pages));
	pages->memory = memory;
	pages->nr = (bytes + page_bytes() - 1) / page_bytes();
	/* Pages that nobody has touched take no memory: each is locked when it is asked for. */
	if (!mlock2(memory, bytes, MLOCK_ONFAULT))
		pages->held = calloc(pages->nr / 8 + 1, 1);
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
	free(pages->held);
	memset(pages, 0, sizeof(*pages));
}

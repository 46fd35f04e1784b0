/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_pages.h - locks pages that another process can have swapped out into memory before they are
 * read.
 *
 * A thread that touches such a page waits until it is back in memory.  If its owner's control group
 * has no memory for it, the kernel retries for ever, and the thread hangs.  A locked page is
 * present, and stays; a page that cannot be faulted in is an error.
 *
 * Called by app_memory.c, which maps the memory, and by readers of the memory, before they read.
 * One thread.
 */
#ifndef STRATA_CONSUMERD_RING_PAGES_H
#define STRATA_CONSUMERD_RING_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct ring_pages {
	unsigned char *memory;
	size_t nr;           /* of pages */
	unsigned char *held; /* a bit for each page; NULL: they cannot be held, and are read as they
				are */
	int *pipes;          /* they refer to pages, so that none is replaced */
	size_t nr_pipes;
	int failed;         /* errno: a page could not be faulted in */
	uint64_t waited_ns; /* for pages, so far */
};

/* Prepares to lock pages of mapped memory on request. Without the right to lock memory, or before
 * Linux 5.14, they are not locked. @memory: the beginning of a memfd, of which no other process has
 * a descriptor yet. 0, or -1 if pages could leave the mapping again; the caller calls
 * ring_pages_close() then, too. */
int ring_pages_open(struct ring_pages *pages, void *memory, size_t bytes,
		    struct strata_error *error);

/* Locks the pages of a range until the memory is unmapped. False: one cannot be faulted in, and the
 * range must not be read. @pages: NULL: no other process can have them swapped out */
bool ring_pages_hold(struct ring_pages *pages, const void *from, size_t bytes);

/* The memory is about to be unmapped, or was. */
void ring_pages_close(struct ring_pages *pages);

#endif /* STRATA_CONSUMERD_RING_PAGES_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_pages.h - pages of memory that another process can have swapped out, held in memory before
 * they are read.
 *
 * Who touches such a page waits until it is back.  If its owner's control group has no memory for
 * it, the kernel tries again for ever: whoever touches the page never goes on.  A page that is held
 * is there, and stays; a page that cannot be had is an error.
 *
 * Called by app_memory.c, which maps the memory, and by whoever reads in it, before.  One thread.
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
	int failed;         /* errno: a page could not be had */
	uint64_t waited_ns; /* for pages, so far */
};

/* Has pages of mapped memory held as they are asked for.  Without the right to lock memory, or
 * before Linux 5.14, they are not.  @memory: the beginning of a memfd, of which nobody else has a
 * descriptor yet.  0, or -1 when the memory could be taken out of the mapping again; then the
 * caller calls ring_pages_close() as well. */
int ring_pages_open(struct ring_pages *pages, void *memory, size_t bytes,
		    struct strata_error *error);

/* Holds the pages of a range until the memory is unmapped.  False: one cannot be had, and nothing
 * of the range may be read.  @pages: NULL: nobody can have them swapped out */
bool ring_pages_hold(struct ring_pages *pages, const void *from, size_t bytes);

/* The memory is about to be unmapped, or was. */
void ring_pages_close(struct ring_pages *pages);

#endif /* STRATA_CONSUMERD_RING_PAGES_H */

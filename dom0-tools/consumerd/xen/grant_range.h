/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grant_range.h - pages of a guest in one range of addresses, mapped and unmapped piece by piece.
 *
 * For each page Xen takes the lock of the guest's grant table, which the guest can keep busy: a
 * request for another version of the table looks through 32,768 entries under it.  So a piece is
 * small, and the caller does other work between two.
 */
#ifndef STRATA_CONSUMERD_GRANT_RANGE_H
#define STRATA_CONSUMERD_GRANT_RANGE_H

#include <stdbool.h>

#include "base/error.h"
#include "consumerd/xen/grant_call.h"

struct grant_range {
	/* set by the caller */
	xengnttab_handle *gnttab;
	uint32_t domain;
	int protection;
	const char *what; /* for messages */
	uint32_t nr;      /* pages */
	/* of grant_range.c */
	uint32_t mapped;        /* of the pages, the first ones */
	uint32_t end;           /* reserved addresses, in pages */
	unsigned char *address; /* NULL: none */
};

/* Reserves addresses for its pages, between two inaccessible guard pages. 0 or -1. */
int grant_range_make(struct grant_range *range, struct strata_error *error);

/* Pages of its next piece; 0: all are mapped. */
static inline uint32_t grant_range_next(const struct grant_range *range)
{
	const uint32_t left = range->nr - range->mapped;

	return left < GRANT_CALL_PAGES ? left : GRANT_CALL_PAGES;
}

/* Maps the next piece.  0, or -1: nothing more can be mapped, and what is mapped stays. */
int grant_range_map(struct grant_range *range, const uint32_t *refs, struct strata_error *error);

/* Unmaps the last piece.  True: none was left, and the addresses are released; a zeroed range is
 * fine. */
bool grant_range_unmap(struct grant_range *range);

#endif /* STRATA_CONSUMERD_GRANT_RANGE_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregate_rows.h - the rows of an aggregating channel as figures: what is new since the previous
 * look, the busiest row first.
 */
#ifndef STRATA_STRATAD_AGGREGATE_ROWS_H
#define STRATA_STRATAD_AGGREGATE_ROWS_H

#include "stratad/aggregate_session.h"

struct aggregate_row {
	const struct aggregate_source *source;
	uint32_t event, owner;
	uint64_t count, delta;
	const uint64_t *words;  /* of the newest look */
	const uint64_t *before; /* of the one before it; NULL: the row is new */
};

/* Lists the rows of all sources, by delta and then count.  The list is the caller's to free(), and
 * valid as long as the look.  0, or -1: out of memory. */
int aggregate_rows_list(const struct aggregate_look *look, struct aggregate_row **rows, size_t *nr);

/*
 * Brings the @most rows to the front that are shown where not all of them are: the busiest ones, of
 * which no user and no domain can take all places (base/fair_share.h).  Both parts stay in the
 * order of the list.  0, or -1: out of memory.
 */
int aggregate_rows_divide(struct aggregate_row *rows, size_t nr, size_t most);

/* Returns ticks that at least @of_a_million of a million of a row's times are not above: the end of
 * the bucket, or the longest time. */
uint64_t aggregate_row_below(const struct aggregate_row *row, uint32_t of_a_million);

/* How many of a row's times are new since the look before, and not below 2 to the power of @bucket
 * ticks. */
uint64_t aggregate_row_new_above(const struct aggregate_row *row, unsigned int bucket);

/* The count of the fullest bucket, at least 1. */
uint64_t aggregate_row_fullest(const struct aggregate_row *row);

#endif /* STRATA_STRATAD_AGGREGATE_ROWS_H */

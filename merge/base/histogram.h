/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * histogram.h - the distribution of 64-bit values: each power of two is divided into 32 equal
 * parts, so that a percentile is off by no more than 1.6 % (half a part) of its value.
 *
 * The count, the sum, the least and the greatest value are exact.
 *
 * The counts of a program's histograms together are larger than a cache, and each value adds to one
 * anywhere in them.  So the last values wait beside the sums until there are several: then the
 * processor misses all of their counts at once, and not one after the other.
 */
#ifndef STRATA_MERGE_HISTOGRAM_H
#define STRATA_MERGE_HISTOGRAM_H

#include <stdint.h>

#define STRATA_HISTOGRAM_PARTS_BITS 5u
#define STRATA_HISTOGRAM_PARTS      (1u << STRATA_HISTOGRAM_PARTS_BITS)
/* Values below STRATA_HISTOGRAM_PARTS have one part each; then a row for each power of two. */
#define STRATA_HISTOGRAM_ROWS   (64u - STRATA_HISTOGRAM_PARTS_BITS + 1u)
#define STRATA_HISTOGRAM_RECENT 10u

/* Zero-initialised is empty. */
struct strata_histogram {
	/* What each value changes is side by side. */
	uint64_t count, sum, least, greatest;
	uint64_t has_rows; /* a bit for each that exists */
	uint64_t nr_recent;
	uint64_t recent[STRATA_HISTOGRAM_RECENT]; /* values that no part counts yet; their rows
						     exist */
	uint64_t *rows[STRATA_HISTOGRAM_ROWS];    /* STRATA_HISTOGRAM_PARTS counts; NULL: zeros */
};

/* 0, or -1: out of memory. */
int strata_histogram_add(struct strata_histogram *histogram, uint64_t value);

/*
 * Returns the value that @of_a_million of a million values do not exceed: 990000 is the 99th
 * percentile. The result is the middle of its part, within the least and the greatest value; 0: the
 * histogram is empty.
 */
uint64_t strata_histogram_percentile(struct strata_histogram *histogram, uint32_t of_a_million);

void strata_histogram_clear(struct strata_histogram *histogram);

#endif /* STRATA_MERGE_HISTOGRAM_H */

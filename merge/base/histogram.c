// SPDX-License-Identifier: GPL-2.0-or-later
/* histogram.c - see histogram.h. */
#include "base/histogram.h"

#include <stdlib.h>
#include <string.h>

#define PARTS_BITS STRATA_HISTOGRAM_PARTS_BITS
#define PARTS      STRATA_HISTOGRAM_PARTS

/* Row 0 has the values below PARTS; row r those whose highest bit is PARTS_BITS + r - 1. */
static unsigned int row_of(uint64_t value)
{
	return value < PARTS ? 0 : 64u - (unsigned int)__builtin_clzll(value) - PARTS_BITS;
}

/* Row 1 has parts of one value each, like row 0; the parts of each further row are twice as
 * large. */
static unsigned int part_bits(unsigned int row)
{
	return row ? row - 1 : 0;
}

static void count_recent(struct strata_histogram *histogram)
{
	uint64_t i;

	for (i = 0; i < histogram->nr_recent; i++) {
		const uint64_t value = histogram->recent[i];
		const unsigned int row = row_of(value);

		histogram->rows[row][(value >> part_bits(row)) % PARTS]++;
	}
	histogram->nr_recent = 0;
}

static int add_row(struct strata_histogram *histogram, unsigned int row)
{
	histogram->rows[row] = calloc(PARTS, sizeof(uint64_t));
	if (!histogram->rows[row])
		return -1;
	histogram->has_rows |= (uint64_t)1 << row;
	return 0;
}

int strata_histogram_add(struct strata_histogram *histogram, uint64_t value)
{
	const unsigned int row = row_of(value);

	if (!(histogram->has_rows >> row & 1) && add_row(histogram, row))
		return -1;
	histogram->recent[histogram->nr_recent++] = value;
	if (histogram->nr_recent == STRATA_HISTOGRAM_RECENT)
		count_recent(histogram);
	if (histogram->count == 0 || value < histogram->least)
		histogram->least = value;
	if (value > histogram->greatest)
		histogram->greatest = value;
	histogram->count++;
	histogram->sum += value;
	return 0;
}

static uint64_t middle_of(unsigned int row, unsigned int part)
{
	const uint64_t first = row ? (uint64_t)(PARTS + part) << part_bits(row) : part;

	return first + (((uint64_t)1 << part_bits(row)) - 1) / 2;
}

uint64_t strata_histogram_percentile(struct strata_histogram *histogram, uint32_t of_a_million)
{
	/* The rank of the value, from 1 on, rounded up. */
	const unsigned __int128 product = (unsigned __int128)histogram->count * of_a_million;
	uint64_t left = (uint64_t)((product + 999999) / 1000000);
	unsigned int row, part;

	count_recent(histogram);
	if (left == 0)
		left = 1;
	for (row = 0; row < STRATA_HISTOGRAM_ROWS; row++) {
		for (part = 0; histogram->rows[row] && part < PARTS; part++) {
			const uint64_t here = histogram->rows[row][part];
			uint64_t value;

			if (here < left) {
				left -= here;
				continue;
			}
			value = middle_of(row, part);
			if (value < histogram->least)
				return histogram->least;
			return value > histogram->greatest ? histogram->greatest : value;
		}
	}
	return histogram->greatest;
}

void strata_histogram_clear(struct strata_histogram *histogram)
{
	unsigned int i;

	for (i = 0; i < STRATA_HISTOGRAM_ROWS; i++)
		free(histogram->rows[i]);
	memset(histogram, 0, sizeof(*histogram));
}

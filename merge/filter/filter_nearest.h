/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_nearest.h - suggests a correction of a misspelled name: the nearest existing one.
 *
 * Distance is Levenshtein's: insertions, deletions and replacements of one byte.  In a pattern
 * (strata/glob.h) a "*" inserts any bytes at no cost, and "?" replaces any byte at no cost.
 */
#ifndef STRATA_MERGE_FILTER_NEAREST_H
#define STRATA_MERGE_FILTER_NEAREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer names are not compared: they may be hostile, and the time grows with the product of both
 * lengths. */
#define STRATA_NEAREST_BYTES_MAX 64u

/* All-zero: nothing was compared yet. */
struct strata_nearest {
	bool found;
	bool is_number;
	uint64_t distance;
	uint64_t number;                         /* if is_number */
	char name[STRATA_NEAREST_BYTES_MAX + 1]; /* otherwise */
};

/* Keeps @name if it is nearer to @wanted than all earlier names; of equally near ones the first
 * wins. */
void strata_nearest_name(struct strata_nearest *nearest, const char *wanted, size_t wanted_bytes,
			 bool is_pattern, const char *name, size_t bytes);

/* The same for numbers. */
void strata_nearest_number(struct strata_nearest *nearest, uint64_t wanted, uint64_t number);

#endif /* STRATA_MERGE_FILTER_NEAREST_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* partition.h - searches sorted arrays. */
#ifndef STRATA_MERGE_PARTITION_H
#define STRATA_MERGE_PARTITION_H

#include <stddef.h>

/*
 * The first index from @from to @to for which a condition is false; @to: it is true for all.
 * @i: a name; the condition is an expression of it, true up to some index and false from there on
 */
#define STRATA_PARTITION(i, from, to, condition)                                               \
	({                                                                                     \
		size_t partition_low = (from), partition_high = (to);                          \
                                                                                               \
		while (partition_low < partition_high) {                                       \
			const size_t i = partition_low + (partition_high - partition_low) / 2; \
                                                                                               \
			if (condition)                                                         \
				partition_low = i + 1;                                         \
			else                                                                   \
				partition_high = i;                                            \
		}                                                                              \
		partition_low;                                                                 \
	})

/* The last index below @nr for which a condition is true; 0: none, or @nr is 0. */
#define STRATA_LAST_OF(i, nr, condition)                                      \
	({                                                                    \
		const size_t last_of = STRATA_PARTITION(i, 0, nr, condition); \
                                                                              \
		last_of ? last_of - 1 : 0;                                    \
	})

#endif /* STRATA_MERGE_PARTITION_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* array.h - grows arrays. */
#ifndef STRATA_MERGE_ARRAY_H
#define STRATA_MERGE_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>

/*
 * Grows an array of @nr elements and capacity @capacity so that one more fits; NULL with both 0 is
 * an empty one. False: out of memory, and the array stays as it is.
 */
#define STRATA_GROW(array, nr, capacity)                                             \
	({                                                                           \
		bool has_room = (nr) < (capacity);                                   \
                                                                                     \
		if (!has_room) {                                                     \
			const size_t more = (capacity) ? 2 * (capacity) : 16;        \
			void *grown = reallocarray((array), more, sizeof(*(array))); \
                                                                                     \
			has_room = grown != NULL;                                    \
			if (has_room) {                                              \
				(array) = grown;                                     \
				(capacity) = more;                                   \
			}                                                            \
		}                                                                    \
		has_room;                                                            \
	})

#endif /* STRATA_MERGE_ARRAY_H */

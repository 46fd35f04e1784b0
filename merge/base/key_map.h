/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * key_map.h - values by a 32-bit key: open addressing, at most half full.
 *
 * The order of places depends on the keys and on when they came, so the same input gives the same
 * order.
 */
#ifndef STRATA_MERGE_KEY_MAP_H
#define STRATA_MERGE_KEY_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialised is empty. */
struct strata_key_map {
	struct strata_key_map_place {
		uint32_t key;
		void *value; /* NULL: the place is free */
	} * places;
	uint32_t capacity; /* a power of two */
	uint32_t nr;
};

/* The value of a key; NULL: none. */
void *strata_key_map_get(const struct strata_key_map *map, uint32_t key);

/* Adds a value, not NULL, under a key that has none.  False: out of memory. */
bool strata_key_map_add(struct strata_key_map *map, uint32_t key, void *value);

/* Frees the map and, with free(), the values. */
void strata_key_map_clear(struct strata_key_map *map);

#endif /* STRATA_MERGE_KEY_MAP_H */

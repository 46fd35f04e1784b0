/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * id_map.h - a hash table from 64-bit ids to pointers, with open addressing.
 *
 * Which slot an id has differs from run to run, because ids may be chosen by whoever wrote a trace
 * (identity.h): no output may depend on the order of slots.
 */
#ifndef STRATA_MERGE_ID_MAP_H
#define STRATA_MERGE_ID_MAP_H

#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is empty. */
struct strata_id_map {
	struct strata_id_slot {
		uint64_t id;
		void *thing; /* NULL: the slot is free */
	} * slots;
	size_t nr;
	size_t room; /* a power of two, or 0 */
};

/* Returns the pointer of an id, or NULL. */
void *strata_id_map_find(const struct strata_id_map *map, uint64_t id);

/* Adds the pointer of an id that is not in the map yet. 0, or -1: out of memory. */
int strata_id_map_add(struct strata_id_map *map, uint64_t id, void *thing);

/* Removes an entry and returns its pointer, or NULL. */
void *strata_id_map_take(struct strata_id_map *map, uint64_t id);

/* Frees the slots, but not what the pointers point to. */
void strata_id_map_clear(struct strata_id_map *map);

/* The same, and frees what the pointers point to with free(). */
void strata_id_map_free(struct strata_id_map *map);

#endif /* STRATA_MERGE_ID_MAP_H */

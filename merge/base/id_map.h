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

#include "base/identity.h"

/* Zero-initialised is empty. */
struct strata_id_map {
	struct strata_id_slot {
		uint64_t id;
		void *thing; /* NULL: the slot is free */
	} * slots;
	size_t nr;
	size_t room; /* a power of two, or 0 */
};

/* Where the search for an id begins, in a map that has room.  The writer of a trace cannot know it,
 * and so cannot choose ids that all begin at one slot, which would make each search a walk over all
 * of them. */
static inline size_t strata_id_map_home(const struct strata_id_map *map, uint64_t id)
{
	return (size_t)strata_identity_add(0, id) & (map->room - 1);
}

/* The slot of an id, or the free one where it belongs, in a map that has room. */
static inline struct strata_id_slot *strata_id_map_slot(const struct strata_id_map *map,
							uint64_t id)
{
	size_t at = strata_id_map_home(map, id);

	while (map->slots[at].thing && map->slots[at].id != id)
		at = (at + 1) & (map->room - 1);
	return &map->slots[at];
}

/* Returns the pointer of an id, or NULL. */
static inline void *strata_id_map_find(const struct strata_id_map *map, uint64_t id)
{
	return map->room ? strata_id_map_slot(map, id)->thing : NULL;
}

/* Adds the pointer of an id that is not in the map yet. 0, or -1: out of memory. */
int strata_id_map_add(struct strata_id_map *map, uint64_t id, void *thing);

/* Removes an entry and returns its pointer, or NULL. */
void *strata_id_map_take(struct strata_id_map *map, uint64_t id);

/* Frees the slots, but not what the pointers point to. */
void strata_id_map_clear(struct strata_id_map *map);

/* The same, and frees what the pointers point to with free(). */
void strata_id_map_free(struct strata_id_map *map);

#endif /* STRATA_MERGE_ID_MAP_H */

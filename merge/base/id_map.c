// SPDX-License-Identifier: GPL-2.0-or-later
/* id_map.c - see id_map.h. */
#include "base/id_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/identity.h"

#define FIRST_ROOM 64u

/* Where the search for an id begins.  Who chooses ids cannot know it, and so cannot choose them to
 * begin at one slot, which would make each search a walk over all of them. */
static size_t home_of(const struct strata_id_map *map, uint64_t id)
{
	return (size_t)strata_identity_add(0, id) & (map->room - 1);
}

/* The slot of an id, or the free one where it belongs; there is a free one. */
static struct strata_id_slot *slot_of(const struct strata_id_map *map, uint64_t id)
{
	size_t at = home_of(map, id);

	while (map->slots[at].thing && map->slots[at].id != id)
		at = (at + 1) & (map->room - 1);
	return &map->slots[at];
}

void *strata_id_map_find(const struct strata_id_map *map, uint64_t id)
{
	return map->room ? slot_of(map, id)->thing : NULL;
}

static int grow(struct strata_id_map *map)
{
	struct strata_id_map larger = { .nr = map->nr };
	size_t i;

	larger.room = map->room ? 2 * map->room : FIRST_ROOM;
	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots)
		return -1;
	for (i = 0; i < map->room; i++) {
		if (map->slots[i].thing)
			*slot_of(&larger, map->slots[i].id) = map->slots[i];
	}
	free(map->slots);
	*map = larger;
	return 0;
}

int strata_id_map_add(struct strata_id_map *map, uint64_t id, void *thing)
{
	/* Half of the slots stay free. */
	if (2 * (map->nr + 1) > map->room && grow(map))
		return -1;
	*slot_of(map, id) = (struct strata_id_slot){ id, thing };
	map->nr++;
	return 0;
}

void *strata_id_map_take(struct strata_id_map *map, uint64_t id)
{
	const size_t mask = map->room - 1;
	struct strata_id_slot *slot = map->room ? slot_of(map, id) : NULL;
	void *thing = slot ? slot->thing : NULL;
	size_t free_at, at;

	if (!thing)
		return NULL;
	map->nr--;
	/* Later entries move up, unless their search begins after the free slot. */
	free_at = (size_t)(slot - map->slots);
	for (at = (free_at + 1) & mask; map->slots[at].thing; at = (at + 1) & mask) {
		const size_t home = home_of(map, map->slots[at].id);

		if (((at - home) & mask) < ((at - free_at) & mask))
			continue;
		map->slots[free_at] = map->slots[at];
		free_at = at;
	}
	map->slots[free_at].thing = NULL;
	return thing;
}

void strata_id_map_clear(struct strata_id_map *map)
{
	free(map->slots);
	memset(map, 0, sizeof(*map));
}

void strata_id_map_free(struct strata_id_map *map)
{
	size_t i;

	for (i = 0; i < map->room; i++)
		free(map->slots[i].thing);
	strata_id_map_clear(map);
}

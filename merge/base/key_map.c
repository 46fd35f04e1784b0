// SPDX-License-Identifier: GPL-2.0-or-later
/* key_map.c - see key_map.h. */
#include "base/key_map.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_CAPACITY 64u

/* Where a key is, or would be. */
static struct strata_key_map_place *find(const struct strata_key_map *map, uint32_t key)
{
	uint32_t at = (key * 2654435761u >> 8) & (map->capacity - 1);

	while (map->places[at].value && map->places[at].key != key)
		at = (at + 1) & (map->capacity - 1);
	return &map->places[at];
}

static bool make_room(struct strata_key_map *map)
{
	struct strata_key_map grown = { .capacity = map->capacity ? map->capacity * 2
								  : LEAST_CAPACITY,
					.nr = map->nr };
	uint32_t i;

	if (map->nr < map->capacity / 2)
		return true;
	grown.places = calloc(grown.capacity, sizeof(*grown.places));
	if (!grown.places)
		return false;
	for (i = 0; i < map->capacity; i++) {
		if (map->places[i].value)
			*find(&grown, map->places[i].key) = map->places[i];
	}
	free(map->places);
	*map = grown;
	return true;
}

void *strata_key_map_get(const struct strata_key_map *map, uint32_t key)
{
	return map->capacity ? find(map, key)->value : NULL;
}

bool strata_key_map_add(struct strata_key_map *map, uint32_t key, void *value)
{
	if (!make_room(map))
		return false;
	*find(map, key) = (struct strata_key_map_place){ key, value };
	map->nr++;
	return true;
}

void strata_key_map_clear(struct strata_key_map *map)
{
	uint32_t i;

	for (i = 0; i < map->capacity; i++)
		free(map->places[i].value);
	free(map->places);
	memset(map, 0, sizeof(*map));
}

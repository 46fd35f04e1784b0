/* SPDX-License-Identifier: GPL-2.0-or-later */
/* guest_map_rings.h - the rings of a guest that is mapped; for guest_map.c alone, which checks the
 * root page and copies the directory first. */
#ifndef STRATA_CONSUMERD_GUEST_MAP_RINGS_H
#define STRATA_CONSUMERD_GUEST_MAP_RINGS_H

#include <strata/abi/guest.h>

#include "consumerd/xen/guest_map.h"

/* Takes memory and addresses for all rings that were granted.  0 or -1. */
int guest_map_rings_begin(struct guest_map *map, uint32_t domain, struct strata_error *error);

/* Maps a piece; opens the rings when all is mapped.  @refs: as many as the root page says, of the
 * rings.  1: there is more to do; 0, or -1. */
int guest_map_rings_step(struct guest_map *map, const uint32_t *refs, struct strata_error *error);

/* Unmaps a piece.  True: none was left, and map->pages is gone.  @map has `pages`. */
bool guest_unmap_rings_step(struct guest_map *map);

#endif /* STRATA_CONSUMERD_GUEST_MAP_RINGS_H */

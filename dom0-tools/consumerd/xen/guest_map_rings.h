/* SPDX-License-Identifier: GPL-2.0-or-later */
/* guest_map_rings.h - the rings of a guest that is mapped; for guest_map.c alone, which checks the
 * root page and copies the directory first. */
#ifndef STRATA_CONSUMERD_GUEST_MAP_RINGS_H
#define STRATA_CONSUMERD_GUEST_MAP_RINGS_H

#include <strata/abi/guest.h>

#include "consumerd/xen/guest_map.h"

/* Maps @nr references of the guest as one range.  NULL with the reason. */
void *guest_map_refs(xengnttab_handle *gnttab, uint32_t domain, uint32_t *refs, uint32_t nr,
		     int protection, const char *what, struct strata_error *error);

/* Maps all rings.  @root: checked; @refs: as many as it says, of the rings.  0, or -1 with a part
 * of them mapped. */
int guest_map_rings(struct guest_map *map, const struct guest *guest,
		    const struct strata_guest_root *root, const uint32_t *refs,
		    struct strata_error *error);

/* Unmaps what is mapped of them.  @map has `pages`. */
void guest_unmap_rings(struct guest_map *map);

#endif /* STRATA_CONSUMERD_GUEST_MAP_RINGS_H */

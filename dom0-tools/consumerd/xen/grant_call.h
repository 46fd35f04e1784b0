/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grant_call.h - what libxengnttab cannot do: maps granted pages at a given address. */
#ifndef STRATA_CONSUMERD_GRANT_CALL_H
#define STRATA_CONSUMERD_GRANT_CALL_H

#include <stdint.h>

#include <xengnttab.h>

/* The most pages of one call. */
#define GRANT_CALL_PAGES 16u

/*
 * Maps @nr pages of a domain at @address, replacing earlier mappings. xengnttab_unmap() unmaps
 * them, as one piece. 0, or -1 with errno: these addresses are unmapped now.
 */
int grant_call_map(xengnttab_handle *gnttab, void *address, uint32_t nr, uint32_t domain,
		   const uint32_t *refs, int protection);

#endif /* STRATA_CONSUMERD_GRANT_CALL_H */

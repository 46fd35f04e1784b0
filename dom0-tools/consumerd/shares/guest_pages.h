/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_pages.h - the pages of guests that all recorders of this machine map together: each page is
 * an entry of dom0's one table of mappings, whoever maps it.
 *
 * Each recorder has a list in a file in the run directory, one row for each domain. A list counts
 * while its recorder lives, which is known by a lock. Used by stratad's participants.
 */
#ifndef STRATA_CONSUMERD_GUEST_PAGES_H
#define STRATA_CONSUMERD_GUEST_PAGES_H

#include "consumerd/shares/principal.h"

struct guest_pages;

/* Begins the list of the recorder with that number, whose lock the caller holds.  NULL with the
 * reason. */
struct guest_pages *guest_pages_open(unsigned int recorder, struct strata_error *error);

/*
 * Claims PRINCIPAL_GUEST_PAGES for a domain.  Those of other recorders count as well, also the
 * domain's own, and are compared with this recorder's total.
 * @pages: NULL: no other recorder counts
 * 0 or -1.
 */
int guest_pages_claim(struct guest_pages *pages, struct principal *who, uint64_t nr,
		      struct strata_error *error);

void guest_pages_give_back(struct guest_pages *pages, struct principal *who, uint64_t nr);

/* Ends the list, when nothing is mapped any more. */
void guest_pages_close(struct guest_pages *pages);

#endif /* STRATA_CONSUMERD_GUEST_PAGES_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregate_totals.h - what a channel of the hypervisor has counted since its beginning: adds up
 * tables that were renewed, and gives the counts of a domain that reboots to its next boot.
 *
 * Each boot of a domain has a number of its own, and takes rows of its own in Xen's table, which
 * gives none back.  So the table is renewed before domains that came and went have filled it.  Here
 * the boots of a domain, which its UUID tells, are one owner; and those that ended without a
 * next boot are folded into one, AGGREGATE_ENDED, at each renewal.  So rows are bounded by the
 * domains that exist, whatever these do.
 */
#ifndef STRATA_STRATAD_AGGREGATE_TOTALS_H
#define STRATA_STRATAD_AGGREGATE_TOTALS_H

#include "consumerd/xen/domains.h"
#include "consumerd/xen/guest.h"
#include "consumerd/xen/hypervisor_aggregate.h"

/* The owner of what all folded domains have counted; no domain has this number. */
#define AGGREGATE_ENDED STRATA_AGGREGATE_OWNER_MAX

#define AGGREGATE_ENDED_NAMED 8u

/* A domain that exists, or did since the last renewal. */
struct counted_domain {
	uint32_t domain;
	uint8_t uuid[16];
	bool exists;
	char name[GUEST_NAME_BYTES]; /* hostile; empty: not asked for yet */
};

/* Zeroed: nothing is counted yet. */
struct aggregate_totals {
	struct aggregate_rows renewed; /* of tables that were replaced */
	struct counted_domain *domains;
	size_t nr, room;
	uint64_t nr_ended; /* folded domains */
	/* The last of them: number nr_ended - 1 is at its remainder. */
	char ended[AGGREGATE_ENDED_NAMED][GUEST_NAME_BYTES];
	unsigned int renewals;
};

void aggregate_totals_clear(struct aggregate_totals *totals);

/* Takes note of which domains exist now.  0 or -1. */
int aggregate_totals_see(struct aggregate_totals *totals, const struct domain_state *states,
			 size_t nr, struct strata_error *error);

/* The domain with that number; NULL: it is not known. */
struct counted_domain *aggregate_totals_domain(const struct aggregate_totals *totals,
					       uint32_t domain);

/* How many of the rows are of domains that exist, or of no domain. */
size_t aggregate_totals_living(const struct aggregate_totals *totals,
			       const struct strata_aggregate_spec *spec,
			       const struct aggregate_rows *rows);

/*
 * Adds the last contents of tables that were replaced, and folds the domains that have ended.
 * @shown: rows of an earlier look, to be folded likewise
 * 0 or -1.
 */
int aggregate_totals_renewed(struct aggregate_totals *totals,
			     const struct strata_aggregate_spec *spec,
			     const struct aggregate_rows *last, struct aggregate_rows *shown,
			     struct strata_error *error);

/* Makes @rows, the contents of the tables in use, the totals; sorted, a row for each owner.  0 or
 * -1. */
int aggregate_totals_add(const struct aggregate_totals *totals,
			 const struct strata_aggregate_spec *spec, struct aggregate_rows *rows,
			 struct strata_error *error);

/* Gives rows of an earlier look to the owners of now, and sorts them. */
void aggregate_totals_owners(const struct aggregate_totals *totals,
			     const struct strata_aggregate_spec *spec, struct aggregate_rows *rows);

/* Sorts rows by key, and makes one of those that have the same. */
void aggregate_rows_settle(const struct strata_aggregate_spec *spec, struct aggregate_rows *rows);

#endif /* STRATA_STRATAD_AGGREGATE_TOTALS_H */

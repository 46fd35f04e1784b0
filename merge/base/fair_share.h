/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_share.h - how a bounded number of entries is divided among those whose traces make them.
 *
 * What an owner has counts twice.  So one that makes entries without end gets half of them, two get
 * a third each, and whoever comes later still finds room.
 */
#ifndef STRATA_MERGE_FAIR_SHARE_H
#define STRATA_MERGE_FAIR_SHARE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/id_map.h"

/* Whether an owner that has @own of all @nr entries may add one, where at most @max exist. */
static inline bool strata_share_has_room(size_t own, size_t nr, size_t max)
{
	return nr < max && own < max - nr;
}

/* How many entries each owner has.  Zero-initialised is empty. */
struct strata_shares {
	struct strata_id_map of_owner; /* counts, by the owner's number */
	size_t nr;                     /* of all owners */
};

/* Whether an owner may have another entry, of at most @max. */
bool strata_shares_have_room(const struct strata_shares *shares, uint64_t owner, size_t max);

/* Counts another entry of an owner.  False: its share of @max is used up, or out of memory. */
bool strata_shares_take(struct strata_shares *shares, uint64_t owner, size_t max);

/* The same for @nr entries at once, at least one: all of them or none. */
bool strata_shares_take_many(struct strata_shares *shares, uint64_t owner, size_t nr, size_t max);

/* An entry of an owner, which was taken, ends. */
void strata_shares_give_back(struct strata_shares *shares, uint64_t owner);
void strata_shares_give_back_many(struct strata_shares *shares, uint64_t owner, size_t nr);

void strata_shares_clear(struct strata_shares *shares);

#endif /* STRATA_MERGE_FAIR_SHARE_H */

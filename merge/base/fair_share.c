// SPDX-License-Identifier: GPL-2.0-or-later
/* fair_share.c - see fair_share.h. */
#include "base/fair_share.h"

#include <stdint.h>

static void *thing_of(size_t nr)
{
	return (void *)(uintptr_t)nr;
}

static size_t own_of(const struct strata_shares *shares, uint64_t owner)
{
	return (size_t)(uintptr_t)strata_id_map_find(&shares->of_owner, owner);
}

bool strata_shares_have_room(const struct strata_shares *shares, uint64_t owner, size_t max)
{
	return strata_share_has_room(own_of(shares, owner), shares->nr, max);
}

bool strata_shares_take(struct strata_shares *shares, uint64_t owner, size_t max)
{
	const size_t own = own_of(shares, owner);

	if (!strata_share_has_room(own, shares->nr, max))
		return false;
	if (own)
		strata_id_map_slot(&shares->of_owner, owner)->thing = thing_of(own + 1);
	else if (strata_id_map_add(&shares->of_owner, owner, thing_of(1)))
		return false;
	shares->nr++;
	return true;
}

void strata_shares_give_back(struct strata_shares *shares, uint64_t owner)
{
	const size_t own = own_of(shares, owner);

	if (own > 1)
		strata_id_map_slot(&shares->of_owner, owner)->thing = thing_of(own - 1);
	else
		strata_id_map_take(&shares->of_owner, owner);
	shares->nr--;
}

void strata_shares_clear(struct strata_shares *shares)
{
	strata_id_map_clear(&shares->of_owner);
	shares->nr = 0;
}

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
	return strata_shares_take_many(shares, owner, 1, max);
}

bool strata_shares_take_many(struct strata_shares *shares, uint64_t owner, size_t nr, size_t max)
{
	const size_t own = own_of(shares, owner);

	/* If there is room for the last one, there is for those before it. */
	if (nr > max || !strata_share_has_room(own + nr - 1, shares->nr + nr - 1, max))
		return false;
	if (own)
		strata_id_map_slot(&shares->of_owner, owner)->thing = thing_of(own + nr);
	else if (strata_id_map_add(&shares->of_owner, owner, thing_of(nr)))
		return false;
	shares->nr += nr;
	return true;
}

void strata_shares_give_back(struct strata_shares *shares, uint64_t owner)
{
	strata_shares_give_back_many(shares, owner, 1);
}

void strata_shares_give_back_many(struct strata_shares *shares, uint64_t owner, size_t nr)
{
	const size_t own = own_of(shares, owner);

	if (own > nr)
		strata_id_map_slot(&shares->of_owner, owner)->thing = thing_of(own - nr);
	else
		strata_id_map_take(&shares->of_owner, owner);
	shares->nr -= nr;
}

void strata_shares_clear(struct strata_shares *shares)
{
	strata_id_map_clear(&shares->of_owner);
	shares->nr = 0;
}

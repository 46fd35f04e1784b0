// SPDX-License-Identifier: GPL-2.0-or-later
/* guest_costs.c - see guest_costs.h. */
#include "guest_costs.h"

#include "outcome.h"

static void (*work)(void *data);
static uint64_t begin_ns;

void guests_work(void *data)
{
	work(data);
}

uint64_t ms_since_begin(void)
{
	return (fake_host.ns - begin_ns) / 1000000;
}

struct plan cost_begin_from(uint64_t *seed, bool overwrite, void (*turn)(void *data))
{
	struct plan plan;

	do
		plan = *liars_begin((*seed)++, false);
	while (plan.overwrite != overwrite || plan.some || plan.probes || plan.asked || plan.ends ||
	       plan.left || plan.defaults || plan.rests || plan.contexts);
	work = fake_host.work;
	if (turn)
		fake_host.work = turn;
	begin_ns = fake_host.ns;
	return plan;
}

struct plan cost_begin(bool overwrite, void (*turn)(void *data))
{
	uint64_t seed = 0;

	return cost_begin_from(&seed, overwrite, turn);
}

const char *honest_is_whole(const char *raw, const char *wrong)
{
	uint64_t records;

	if (!wrong)
		wrong = outcome_streams(raw, HONEST, &records);
	return wrong ? wrong : outcome_complete(HONEST);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* occupancy.c - see occupancy.h; wakeup.c keeps one for each physical CPU. */
#include "analyses/occupancy.h"

#include "xen/domain_numbers.h"

#define NR_CHANGES                                         \
	(sizeof(((struct strata_occupancy *)0)->changes) / \
	 sizeof(((struct strata_occupancy *)0)->changes[0]))

static void stops(struct strata_occupancy *occupancy, uint64_t ticks, uint16_t domain,
		  uint16_t vcpu)
{
	struct strata_stretch *now = &occupancy->now;

	/* One that was not seen to begin is of unknown length: it is not remembered. */
	if (occupancy->running && now->domain == domain && now->vcpu == vcpu) {
		now->until = ticks;
		occupancy->past[occupancy->nr_past++ % STRATA_OCCUPANCY_HISTORY] = *now;
	}
	occupancy->running = false;
}

struct strata_saved_event *strata_occupancy_change(struct strata_occupancy *occupancy,
						   const struct strata_runstate_change *change,
						   const struct strata_hv_context *changed,
						   uint64_t ticks)
{
	bool stopped = change->before == STRATA_RUNSTATE_RUNNING;
	bool started = change->after == STRATA_RUNSTATE_RUNNING;

	if (stopped)
		stops(occupancy, ticks, changed->domain, changed->vcpu);
	if (started) {
		occupancy->running = true;
		occupancy->now.domain = changed->domain;
		occupancy->now.vcpu = changed->vcpu;
		occupancy->now.since = ticks;
	}
	if ((!stopped && !started) || changed->domain == STRATA_DOMID_IDLE)
		return NULL;
	return &occupancy->changes[occupancy->nr_changes++ % NR_CHANGES];
}

bool strata_occupancy_by_other(const struct strata_occupancy *occupancy, uint16_t domain,
			       uint64_t from, struct strata_stretch *behind)
{
	unsigned int kept = occupancy->nr_past < STRATA_OCCUPANCY_HISTORY
				    ? occupancy->nr_past
				    : STRATA_OCCUPANCY_HISTORY;
	uint64_t longest = 0;
	unsigned int i;

	for (i = 0; i < kept; i++) {
		struct strata_stretch stretch = occupancy->past[i];

		if (stretch.domain == domain || stretch.domain == STRATA_DOMID_IDLE)
			continue;
		if (stretch.since < from)
			stretch.since = from;
		if (stretch.until <= stretch.since || stretch.until - stretch.since <= longest)
			continue;
		longest = stretch.until - stretch.since;
		*behind = stretch;
	}
	return longest > 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stime_set.c - queries several system times at once: those of a domain's vCPUs, or of all physical
 * CPUs. See vcpu_stime.h. Called by stream_clock.c.
 */
#include "clocks/vcpu_stime.h"

bool strata_stime_set_of_one(const struct strata_stime_set *set)
{
	size_t i;

	for (i = 0; i < set->nr; i++) {
		if (set->members[i].pcpu == STRATA_PCPUS_SEVERAL ||
		    set->members[i].pcpu != set->members[0].pcpu)
			return false;
	}
	return true;
}

uint64_t strata_stime_set_first(const struct strata_stime_set *set, uint64_t ns)
{
	uint64_t first = UINT64_MAX;
	size_t i;

	for (i = 0; i < set->nr; i++) {
		uint64_t ticks = set->members[i].stime.nr
					 ? strata_stime_first(&set->members[i].stime, ns)
					 : UINT64_MAX;

		first = ticks < first ? ticks : first;
	}
	return first;
}

uint64_t strata_stime_set_last(const struct strata_stime_set *set, uint64_t ns)
{
	uint64_t last = 0;
	size_t i;

	for (i = 0; i < set->nr; i++) {
		uint64_t ticks = set->members[i].stime.nr
					 ? strata_stime_last(&set->members[i].stime, ns)
					 : 0;

		last = ticks > last ? ticks : last;
	}
	return last;
}

bool strata_stime_set_sure(const struct strata_stime_set *set, uint64_t first, uint64_t last)
{
	size_t i;

	for (i = 0; i < set->nr; i++) {
		if (set->members[i].stime.nr &&
		    !strata_stime_sure(&set->members[i].stime, first, last))
			return false;
	}
	return true;
}

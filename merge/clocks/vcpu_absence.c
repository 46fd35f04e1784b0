// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vcpu_absence.c - see vcpu_absence.h.  vcpu_stime.c asks, for recordings in which
 * records of the hypervisor are missing.
 *
 * A CPU records when a vCPU starts or stops running on it. So a vCPU that has stopped may run on a
 * CPU whose records are missing until it is seen to start again: also after the gap, because it may
 * have started there unseen. A vCPU that runs on a CPU cannot be elsewhere while that CPU's records
 * are complete; after a gap it may have stopped.
 */
#include "clocks/vcpu_absence.h"

#include <stdlib.h>

static uint64_t add_held(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t subtract_held(uint64_t a, uint64_t b)
{
	return a < b ? 0 : a - b;
}

static int compare_missing(const void *left, const void *right)
{
	const struct strata_missing *a = left, *b = right;

	return a->ticks.from_ticks < b->ticks.from_ticks
		       ? -1
		       : a->ticks.from_ticks > b->ticks.from_ticks;
}

bool strata_missing_collect(struct strata_missing_list *list, const struct strata_vcpu_stime *all,
			    uint64_t skew_ticks)
{
	const struct strata_stime_table *pcpus = &all->of_pcpu;
	size_t i, j, nr = 0, kept = 0;

	for (i = 0; i < pcpus->nr; i++)
		nr += pcpus->members[i].stime.nr_gaps;
	list->nr = 0;
	list->skew_ticks = skew_ticks;
	list->places = nr ? calloc(nr, sizeof(*list->places)) : NULL;
	if (nr == 0 || !list->places)
		return nr == 0;
	for (i = 0, nr = 0; i < pcpus->nr; i++)
		for (j = 0; j < pcpus->members[i].stime.nr_gaps; j++) {
			const struct strata_stime_gap *gap = &pcpus->members[i].stime.gaps[j];

			list->places[nr++] = (struct strata_missing){
				{ subtract_held(gap->from_ticks, skew_ticks),
				  add_held(gap->until_ticks, skew_ticks) },
				pcpus->members[i].key
			};
		}
	qsort(list->places, nr, sizeof(*list->places), compare_missing);
	for (i = 1; i < nr; i++) {
		struct strata_missing *last = &list->places[kept], *next = &list->places[i];

		if (next->ticks.from_ticks > last->ticks.until_ticks) {
			list->places[++kept] = *next;
			continue;
		}
		if (next->ticks.until_ticks > last->ticks.until_ticks)
			last->ticks.until_ticks = next->ticks.until_ticks;
		if (next->pcpu != last->pcpu)
			last->pcpu = STRATA_PCPUS_SEVERAL;
	}
	list->nr = kept + 1;
	return true;
}

/* Notes that the vCPU may be on any CPU from @from_ticks until @until_ticks. */
static bool add_any_cpu(const struct strata_vcpu_stime *all, struct strata_stime *stime,
			uint64_t from_ticks, uint64_t until_ticks)
{
	struct strata_stime_piece vague = { .from_ticks = from_ticks,
					    .until_ticks = until_ticks,
					    .least_ns = UINT64_MAX };
	size_t i;

	for (i = 0; i < all->of_pcpu.nr; i++) {
		const struct strata_stime *pcpu = &all->of_pcpu.members[i].stime;
		uint64_t least = pcpu->nr ? strata_stime_least(pcpu, from_ticks) : 0;
		uint64_t most = pcpu->nr ? strata_stime_most(pcpu, until_ticks) : UINT64_MAX;

		vague.least_ns = least < vague.least_ns ? least : vague.least_ns;
		vague.most_ns = most > vague.most_ns ? most : vague.most_ns;
	}
	return strata_stime_add_piece(stime, &vague);
}

/* The first tick in a residence until @until_ticks from which the vCPU may be elsewhere;
 * UINT64_MAX: never. *@at: the first gap that may touch it. */
static uint64_t first_absence(const struct strata_missing_list *list, size_t *at,
			      const struct strata_residence *residence, uint64_t until_ticks)
{
	bool may_have_ended = residence->pcpu == STRATA_PCPU_NOWHERE;
	size_t i;

	while (*at < list->nr && list->places[*at].ticks.until_ticks < residence->ticks)
		++*at;
	for (i = *at; i < list->nr && list->places[i].ticks.from_ticks <= until_ticks; i++) {
		const struct strata_missing *place = &list->places[i];

		if (place->pcpu == STRATA_PCPUS_SEVERAL ||
		    (may_have_ended && place->pcpu != residence->pcpu))
			return place->ticks.from_ticks > residence->ticks ? place->ticks.from_ticks
									  : residence->ticks;
		may_have_ended |= place->pcpu == residence->pcpu;
	}
	return UINT64_MAX;
}

bool strata_missing_add(const struct strata_missing_list *list, const struct strata_vcpu_stime *all,
			const struct strata_residence *residences, size_t nr,
			struct strata_stime *stime, bool *any)
{
	/* Before the first residence, its place is unknown where records may be missing. */
	struct strata_residence residence = { .pcpu = STRATA_PCPU_NOWHERE };
	size_t i, at = 0;

	*any = false;
	for (i = 0; i <= nr && list->nr; i++) {
		uint64_t until = i < nr ? residences[i].ticks : UINT64_MAX;
		uint64_t from = first_absence(list, &at, &residence, until);

		/* Both may be ticks of other CPUs than those that its readings use. */
		if (from <= until && from != UINT64_MAX) {
			*any = true;
			if (!add_any_cpu(all, stime, subtract_held(from, list->skew_ticks),
					 add_held(until, list->skew_ticks)))
				return false;
		}
		if (i < nr)
			residence = residences[i];
	}
	return true;
}

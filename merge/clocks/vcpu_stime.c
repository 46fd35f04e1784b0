// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vcpu_stime.c - see vcpu_stime.h. xen_scan.c fills it, stream_clock.c queries it.
 *
 * Xen reads an emulated counter on the physical CPU on which the vCPU runs.  So a vCPU sees that
 * CPU's system time, from its start there until its start on another one.
 */
#include "clocks/vcpu_stime.h"

#include "base/array.h"
#include "base/partition.h"
#include "clocks/vcpu_absence.h"
#include "xen/domain_numbers.h"

#include <stdlib.h>
#include <string.h>

/* Xen has no more; a hostile recording could name any number. */
#define PCPUS_MAX 4095u

static struct strata_stime *add_member(struct strata_stime_table *table, uint32_t key,
				       uint32_t pcpu)
{
	struct strata_keyed_stime *member;

	if (!STRATA_GROW(table->members, table->nr, table->capacity))
		return NULL;
	member = &table->members[table->nr++];
	memset(member, 0, sizeof(*member));
	member->key = key;
	member->pcpu = pcpu;
	return &member->stime;
}

static void clear_table(struct strata_stime_table *table)
{
	size_t i;

	for (i = 0; i < table->nr; i++)
		strata_stime_clear(&table->members[i].stime);
	free(table->members);
	memset(table, 0, sizeof(*table));
}

/* The members of a sorted table whose key is in [@first, @last]. */
static struct strata_stime_set find_members(const struct strata_stime_table *table, uint32_t first,
					    uint32_t last)
{
	const size_t low = STRATA_PARTITION(i, 0, table->nr, table->members[i].key < first);
	struct strata_stime_set set = { NULL, 0 };

	if (low == table->nr)
		return set;
	set.members = &table->members[low];
	while (low + set.nr < table->nr && set.members[set.nr].key <= last)
		set.nr++;
	return set;
}

/* NULL: none yet. */
static struct strata_stime *unsorted_pcpu(struct strata_vcpu_stime *all, uint32_t pcpu)
{
	size_t i;

	/* From the end, because a CPU's records are consecutive. */
	for (i = all->of_pcpu.nr; i-- > 0;) {
		if (all->of_pcpu.members[i].key == pcpu)
			return &all->of_pcpu.members[i].stime;
	}
	return NULL;
}

/* Finds or creates it; NULL with *@ok: too many CPUs. */
static struct strata_stime *make_pcpu(struct strata_vcpu_stime *all, uint32_t pcpu, bool *ok)
{
	struct strata_stime *stime = unsorted_pcpu(all, pcpu);

	if (!stime && all->of_pcpu.nr < PCPUS_MAX)
		stime = add_member(&all->of_pcpu, pcpu, pcpu);
	*ok = stime || all->of_pcpu.nr == PCPUS_MAX;
	return stime;
}

bool strata_vcpu_stime_gap(struct strata_vcpu_stime *all, uint32_t pcpu, uint64_t from_ticks,
			   uint64_t until_ticks)
{
	bool ok;
	struct strata_stime *stime = make_pcpu(all, pcpu, &ok);

	return stime ? strata_stime_gap(stime, from_ticks, until_ticks) : ok;
}

bool strata_vcpu_stime_pcpu(struct strata_vcpu_stime *all, uint32_t pcpu, uint64_t ticks,
			    const struct strata_hv_pcpu_clock *clock)
{
	bool ok;
	struct strata_stime *stime = make_pcpu(all, pcpu, &ok);

	return stime ? strata_stime_add(stime, ticks, clock) : ok;
}

bool strata_vcpu_stime_dropped(const struct strata_vcpu_stime *all, uint16_t domain)
{
	return all->dropped && (all->dropped[domain / 8] >> domain % 8 & 1u);
}

/* A guest whose vCPUs start too often loses its own bounds, and takes no memory beyond the
 * limit. */
static bool drop_greediest_domain(struct strata_vcpu_stime *all)
{
	uint32_t *counts = calloc(1u << 16, sizeof(*counts));
	size_t i, kept = 0;
	uint32_t domain, most = 0;

	if (!all->dropped)
		all->dropped = calloc((1u << 16) / 8, 1);
	if (!counts || !all->dropped) {
		free(counts);
		return false;
	}
	for (i = 0; i < all->nr_residences; i++) {
		domain = all->residences[i].key >> 16;
		if (++counts[domain] > counts[most])
			most = domain;
	}
	for (i = 0; i < all->nr_residences; i++) {
		if (all->residences[i].key >> 16 != most)
			all->residences[kept++] = all->residences[i];
	}
	all->nr_residences = kept;
	all->dropped[most / 8] |= (uint8_t)(1u << most % 8);
	free(counts);
	return true;
}

bool strata_vcpu_stime_runs(struct strata_vcpu_stime *all, uint64_t ticks, uint16_t domain,
			    uint16_t vcpu, uint32_t pcpu)
{
	struct strata_residence *residence;

	if (all->nr_residences == STRATA_RESIDENCES_MAX && !drop_greediest_domain(all))
		return false;
	if (strata_vcpu_stime_dropped(all, domain))
		return true;
	if (!STRATA_GROW(all->residences, all->nr_residences, all->capacity))
		return false;
	residence = &all->residences[all->nr_residences++];
	residence->ticks = ticks;
	residence->key = strata_vcpu_key(domain, vcpu);
	residence->pcpu = pcpu;
	return true;
}

bool strata_vcpu_stime_stops(struct strata_vcpu_stime *all, uint64_t ticks, uint16_t domain,
			     uint16_t vcpu)
{
	return strata_vcpu_stime_runs(all, ticks, domain, vcpu, STRATA_PCPU_NOWHERE);
}

bool strata_vcpu_stime_lossy(const struct strata_vcpu_stime *all)
{
	size_t i;

	for (i = 0; i < all->of_pcpu.nr; i++)
		if (all->of_pcpu.members[i].stime.nr_gaps)
			return true;
	return false;
}

static int compare_members(const void *left, const void *right)
{
	const struct strata_keyed_stime *a = left, *b = right;

	return a->key < b->key ? -1 : a->key > b->key;
}

static int compare_residences(const void *left, const void *right)
{
	const struct strata_residence *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->ticks != b->ticks)
		return a->ticks < b->ticks ? -1 : 1;
	/* A stop sorts behind the start at the same tick. */
	return a->pcpu < b->pcpu ? -1 : a->pcpu > b->pcpu;
}

/* Returns the next of @nr residences after @i that is on a CPU, on another CPU than that of @i if
 * @other; @nr: none. */
static size_t next_place(const struct strata_residence *residences, size_t nr, size_t i, bool other)
{
	uint32_t pcpu = residences[i].pcpu;

	while (++i < nr)
		if (residences[i].pcpu != STRATA_PCPU_NOWHERE &&
		    (!other || residences[i].pcpu != pcpu))
			break;
	return i;
}

/*
 * Makes one vCPU's time from its @nr residences. A residence begins at a tick of its own CPU and
 * ends at one of the next CPU; in its own ticks it may end later, by the skew of the two.
 */
static bool put_together(struct strata_vcpu_stime *all, const struct strata_residence *residences,
			 size_t nr, const struct strata_missing_list *missing)
{
	struct strata_stime *stime = add_member(&all->of_vcpu, residences[0].key, 0);
	struct strata_keyed_stime *member = &all->of_vcpu.members[all->of_vcpu.nr - 1];
	bool clocks = false, absent;
	size_t first = 0, i, next;

	if (!stime)
		return false;
	while (first < nr && residences[first].pcpu == STRATA_PCPU_NOWHERE)
		first++;
	for (i = first; i < nr; i = next) {
		struct strata_stime_set pcpu =
			find_members(&all->of_pcpu, residences[i].pcpu, residences[i].pcpu);
		/* Nothing is known about a CPU without a clock. */
		struct strata_stime_piece part = { .until_ticks = UINT64_MAX,
						   .most_ns = UINT64_MAX };
		bool done;

		if (i == first)
			member->pcpu = residences[i].pcpu;
		else if (member->pcpu != residences[i].pcpu)
			member->pcpu = STRATA_PCPUS_SEVERAL;
		/* An absence in between ends the residence. */
		next = next_place(residences, nr, i, missing->nr == 0);
		/* The first residence also covers the time before it. */
		if (i > first)
			part.from_ticks = residences[i].ticks;
		if (next < nr && residences[next].ticks <= UINT64_MAX - missing->skew_ticks)
			part.until_ticks = residences[next].ticks + missing->skew_ticks;
		clocks |= pcpu.nr > 0;
		if (pcpu.nr)
			done = strata_stime_add_part(stime, &pcpu.members[0].stime, part.from_ticks,
						     part.until_ticks);
		else
			done = strata_stime_add_piece(stime, &part);
		if (!done)
			return false;
	}
	/* It ran on a CPU without recorded clocks: treat its place as unknown. */
	if (!clocks) {
		strata_stime_clear(stime);
		all->of_vcpu.nr--;
		return true;
	}
	if (!strata_missing_add(missing, all, residences, nr, stime, &absent))
		return false;
	if (absent)
		member->pcpu = STRATA_PCPUS_SEVERAL;
	strata_stime_finish_parts(stime);
	return true;
}

static bool put_all_together(struct strata_vcpu_stime *all,
			     const struct strata_missing_list *missing)
{
	size_t i, next;

	for (i = 0; i < all->nr_residences; i = next) {
		for (next = i + 1; next < all->nr_residences &&
				   all->residences[next].key == all->residences[i].key;)
			next++;
		if (!put_together(all, &all->residences[i], next - i, missing))
			return false;
	}
	return true;
}

bool strata_vcpu_stime_finish(struct strata_vcpu_stime *all, uint64_t skew_ticks)
{
	struct strata_missing_list missing;
	bool done;
	size_t i;

	for (i = 0; i < all->of_pcpu.nr; i++)
		if (!strata_stime_finish(&all->of_pcpu.members[i].stime))
			return false;
	if (all->of_pcpu.nr)
		qsort(all->of_pcpu.members, all->of_pcpu.nr, sizeof(all->of_pcpu.members[0]),
		      compare_members);
	if (all->nr_residences)
		qsort(all->residences, all->nr_residences, sizeof(all->residences[0]),
		      compare_residences);
	if (!strata_missing_collect(&missing, all, skew_ticks))
		return false;
	done = put_all_together(all, &missing);
	free(missing.places);
	free(all->residences);
	all->residences = NULL;
	all->nr_residences = 0;
	all->capacity = 0;
	return done;
}

void strata_vcpu_stime_clear(struct strata_vcpu_stime *all)
{
	clear_table(&all->of_pcpu);
	clear_table(&all->of_vcpu);
	free(all->residences);
	free(all->dropped);
	memset(all, 0, sizeof(*all));
}

struct strata_stime_set strata_vcpu_stime_pcpus(const struct strata_vcpu_stime *all)
{
	return (struct strata_stime_set){ all->of_pcpu.members, all->of_pcpu.nr };
}

static struct strata_stime_set vcpus_or_all(const struct strata_vcpu_stime *all, uint32_t first,
					    uint32_t last)
{
	struct strata_stime_set set = find_members(&all->of_vcpu, first, last);

	return set.nr ? set : strata_vcpu_stime_pcpus(all);
}

struct strata_stime_set strata_vcpu_stime_own(const struct strata_vcpu_stime *all, uint16_t domain,
					      uint16_t vcpu)
{
	uint32_t key = strata_vcpu_key(domain, vcpu);

	return vcpus_or_all(all, key, key);
}

struct strata_stime_set strata_vcpu_stime_domain(const struct strata_vcpu_stime *all,
						 uint16_t domain)
{
	uint32_t key = (uint32_t)domain << 16;

	return vcpus_or_all(all, key, key | 0xffffu);
}

// SPDX-License-Identifier: GPL-2.0-only
/* aggregate.c - see aggregate.h; the algorithm is include/strata/aggregate.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include <strata/aggregate_threads.h>

#include "aggregate.h"

struct strata_kernel_aggregate {
	struct strata_aggregate core;
	unsigned long *__percpu *table; /* where each CPU's table is mapped */
	struct strata_aggregate_place places[STRATA_AGGREGATE_THREADS];
};

struct strata_kernel_aggregate *strata_aggregates[STRATA_GUEST_CHANNELS_MAX];

/* The idle tasks of all CPUs have the same number. */
static __always_inline unsigned long this_thread(void)
{
	return current->pid ? current->pid : BIT(31) | raw_smp_processor_id();
}

static noinline void measure(struct strata_kernel_aggregate *aggregate, unsigned long *table,
			     u32 id)
{
	strata_aggregate_measure_thread(&aggregate->core, aggregate->places, table, 0,
					this_thread(), id, strata_clock());
}

void strata_aggregate_hit(struct strata_kernel_aggregate *aggregate,
			  const struct strata_event *event)
{
	unsigned long *table = *this_cpu_ptr(aggregate->table);

	if (aggregate->core.spec.kind == STRATA_AGGREGATE_COUNT)
		strata_aggregate_count(&aggregate->core, table, 0, event->id);
	else
		measure(aggregate, table, event->id);
}

void strata_aggregate_missed(unsigned int channel, unsigned long nr)
{
	struct strata_kernel_aggregate *aggregate = strata_aggregates[channel];

	if (!aggregate)
		return;
	preempt_disable();
	strata_local_add_return(*this_cpu_ptr(aggregate->table) + STRATA_AGGREGATE_NESTED, nr);
	preempt_enable();
}

void strata_aggregate_starts(unsigned int channel)
{
	strata_aggregates[channel]->core.since_ticks = strata_clock();
}

/* Adds @bytes of pages and maps them as one piece.  NULL: @err. */
static void *map_new_pages(struct strata_grants *grants, u32 bytes, int node, int *err)
{
	const u32 nr = PFN_UP(bytes);
	int first = strata_grants_add(grants, nr, node, false);
	void *address;

	*err = min(first, 0);
	if (first < 0)
		return NULL;
	address = vmap(&grants->page[first], nr, VM_MAP, PAGE_KERNEL);
	if (!address)
		*err = -ENOMEM;
	return address;
}

static int create(struct strata_kernel_aggregate *aggregate, struct strata_grants *grants,
		  const struct strata_aggregate_spec *spec)
{
	unsigned long *keys;
	unsigned int cpu;
	int err;

	aggregate->table = alloc_percpu(unsigned long *);
	if (!aggregate->table)
		return -ENOMEM;
	keys = map_new_pages(grants, strata_aggregate_rows(spec) * sizeof(*keys), NUMA_NO_NODE,
			     &err);
	if (err)
		return err;
	strata_aggregate_init(&aggregate->core, spec, keys);
	for_each_possible_cpu (cpu) {
		*per_cpu_ptr(aggregate->table, cpu) =
			map_new_pages(grants, strata_aggregate_table_words(spec) * sizeof(*keys),
				      cpu_to_node(cpu), &err);
		if (err)
			return err;
	}
	return 0;
}

static void release(struct strata_kernel_aggregate *aggregate)
{
	unsigned int cpu;

	for_each_possible_cpu (cpu)
		if (aggregate->table)
			vunmap(*per_cpu_ptr(aggregate->table, cpu));
	free_percpu(aggregate->table);
	vunmap(aggregate->core.keys);
	kvfree(aggregate);
}

int strata_aggregate_create(unsigned int channel, struct strata_grants *grants,
			    const struct strata_aggregate_spec *spec)
{
	struct strata_kernel_aggregate *aggregate = kvzalloc(sizeof(*aggregate), GFP_KERNEL);
	int err = aggregate ? create(aggregate, grants, spec) : -ENOMEM;

	if (err) {
		if (err != -ENOSPC)
			pr_err("channel %u gets no tables to count in (error %d)\n", channel, err);
		if (aggregate)
			release(aggregate);
		return err;
	}
	/* Release: a probe that sees it sees its contents, by address dependency. */
	smp_store_release(&strata_aggregates[channel], aggregate);
	return 0;
}

void strata_aggregate_destroy(unsigned int channel)
{
	struct strata_kernel_aggregate *aggregate = strata_aggregates[channel];

	if (!aggregate)
		return;
	WRITE_ONCE(strata_aggregates[channel], NULL);
	release(aggregate);
}

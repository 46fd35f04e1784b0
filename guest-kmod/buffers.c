// SPDX-License-Identifier: GPL-2.0-only
/*
 * buffers.c - creates, flushes and destroys the rings, one for each possible CPU.
 *
 * A ring's bookkeeping is private memory of this kernel; only its writer area,
 * its reader area and its data lie in granted pages.  The data is mapped once
 * more as one piece, on the ring's NUMA node.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>
#include <xen/xen-ops.h>

#include "buffers.h"
#include "notify.h"
#include "probe_cpu.h"

/* The counters are shared: a reader in a 64-bit domain 0 refuses any other width. */
static_assert(STRATA_COUNT_BITS == 64, "strata.ko is for 64-bit kernels");

DEFINE_PER_CPU(struct strata_cpu_rings, strata_cpu_rings);

static DEFINE_PER_CPU(struct strata_ring *, retired); /* of strata_buffers_destroy() */

static struct strata_ring *ring_of(unsigned int channel, unsigned int cpu)
{
	return READ_ONCE(per_cpu(strata_cpu_rings, cpu).ring[channel]);
}

u32 strata_buffers_count(void)
{
	return num_possible_cpus();
}

/* Allocates ring and view of its data; its pages begin at @first in the list. */
static int create_ring(unsigned int channel, unsigned int cpu, struct strata_grants *grants,
		       u32 first, struct strata_ring_geometry geo)
{
	struct page **pages = &grants->page[first];
	struct strata_ring_writer_area *writer = page_address(pages[0]);
	struct strata_ring_reader_area *reader = page_address(pages[STRATA_WRITER_AREA_PAGES]);
	struct strata_ring *ring;
	void *data;

	ring = kvzalloc_node(strata_ring_bytes(geo), GFP_KERNEL, cpu_to_node(cpu));
	if (!ring)
		return -ENOMEM;
	data = vmap(&pages[STRATA_WRITER_AREA_PAGES + STRATA_READER_AREA_PAGES],
		    strata_data_pages(geo), VM_MAP, PAGE_KERNEL);
	if (!data) {
		kvfree(ring);
		return -ENOMEM;
	}
	strata_ring_init(ring, geo, data, writer, reader, cpu, 0);
	/* Release: timers and the way to idle take any channel's ring, started or not. */
	smp_store_release(&per_cpu(strata_cpu_rings, cpu).ring[channel], ring);
	return 0;
}

/* Adds the three areas of a ring; returns the place of the first page. */
static int add_ring_pages(unsigned int cpu, struct strata_grants *grants,
			  struct strata_ring_geometry geo)
{
	int node = cpu_to_node(cpu);
	int first, err;

	first = strata_grants_add(grants, STRATA_WRITER_AREA_PAGES, node, false);
	if (first < 0)
		return first;
	err = strata_grants_add(grants, STRATA_READER_AREA_PAGES, node, true);
	if (err < 0)
		return err;
	err = strata_grants_add(grants, strata_data_pages(geo), node, false);
	if (err < 0)
		return err;
	return first;
}

int strata_buffers_create(unsigned int channel, struct strata_grants *grants,
			  struct strata_ring_geometry geo)
{
	unsigned int cpu;
	int first, err;

	static_assert(STRATA_WRITER_AREA_PAGES == 1 && STRATA_READER_AREA_PAGES == 1,
		      "areas of more pages need a vmap of their own");
	for_each_possible_cpu (cpu) {
		if (cpu_online(cpu) && xen_vcpu_nr(cpu) != cpu)
			pr_warn("CPU %u is vCPU %u; a merge will take it for vCPU %u\n", cpu,
				xen_vcpu_nr(cpu), cpu);
		first = add_ring_pages(cpu, grants, geo);
		err = first < 0 ? first : create_ring(channel, cpu, grants, first, geo);
		if (err) {
			if (err != -ENOSPC)
				pr_err("CPU %u gets no ring (error %d)\n", cpu, err);
			strata_buffers_destroy(channel);
			return err;
		}
	}
	return 0;
}

struct strata_ring_geometry strata_buffers_geometry(unsigned int channel)
{
	return ring_of(channel, cpumask_first(cpu_possible_mask))->geo;
}

void strata_buffers_set_mode(unsigned int channel, enum strata_mode mode)
{
	unsigned int cpu;

	for_each_possible_cpu (cpu)
		ring_of(channel, cpu)->overwrite = mode == STRATA_MODE_OVERWRITE;
}

enum strata_header_form strata_buffers_header_form(unsigned int channel)
{
	return ring_of(channel, cpumask_first(cpu_possible_mask))->form;
}

void strata_buffers_set_header_form(unsigned int channel, enum strata_header_form form)
{
	unsigned int cpu;

	for_each_possible_cpu (cpu)
		strata_ring_set_form(ring_of(channel, cpu), form);
}

void strata_buffers_set_contexts(unsigned int channel, u32 contexts)
{
	unsigned int cpu;

	for_each_possible_cpu (cpu)
		strata_ring_set_contexts(ring_of(channel, cpu), contexts);
}

/* On the ring's own CPU, with interrupts off. */
static void flush_ring(void *info)
{
	struct strata_ring *ring = info;

	strata_ring_flush(ring);
	strata_notify_if_delivered(ring);
}

/* Of a CPU that is offline, and stays so meanwhile: the ring has no writer but us. */
static void flush_idle_ring(unsigned int channel, struct strata_ring *ring)
{
	preempt_disable();
	strata_ring_flush(ring);
	strata_notify_now(channel, ring);
	preempt_enable();
}

void strata_buffers_flush_offline(unsigned int cpu)
{
	unsigned int channel;

	for (channel = 0; channel < STRATA_GUEST_CHANNELS_MAX; channel++)
		if (ring_of(channel, cpu))
			flush_idle_ring(channel, ring_of(channel, cpu));
}

/* Warns once if domain 0 stored an impossible position; probes only find the ring full. */
static void check_reader(unsigned int cpu, const struct strata_ring *ring)
{
	strata_count_t write = READ_ONCE(ring->write_count);
	strata_count_t read = READ_ONCE(ring->reader->read_count);

	/* In overwrite mode a reader may fall behind by any amount. */
	if (!ring->overwrite && !strata_read_count_possible(ring->geo, write, read))
		pr_warn_once(
			"CPU %u: domain 0 stored read position %#lx in its ring, but the write position is %#lx; its records are lost. Reload this module\n",
			cpu, read, write);
}

void strata_buffers_flush(unsigned int channel)
{
	unsigned int cpu;

	/* With the lock held no CPU goes online or offline: a ring whose CPU is offline has no
	 * writer. */
	cpus_read_lock();
	for_each_possible_cpu (cpu) {
		struct strata_ring *ring = ring_of(channel, cpu);

		if (!cpu_online(cpu)) {
			flush_idle_ring(channel, ring);
		} else if (smp_call_function_single(cpu, flush_ring, ring, 1)) {
			pr_warn("CPU %u did not flush its ring; its newest records stay there\n",
				cpu);
		}
		check_reader(cpu, ring);
	}
	cpus_read_unlock();
}

void strata_buffers_destroy(unsigned int channel)
{
	struct strata_ring *ring;
	unsigned int cpu;

	/* First no CPU finds a ring, then none uses one: timers, the way to idle, the work that
	 * sends events, and with the lock the callbacks of CPU hotplug. */
	cpus_read_lock();
	for_each_possible_cpu (cpu)
		per_cpu(retired, cpu) = xchg(&per_cpu(strata_cpu_rings, cpu).ring[channel], NULL);
	cpus_read_unlock();
	strata_await_probes();
	for_each_possible_cpu (cpu) {
		ring = per_cpu(retired, cpu);
		if (!ring)
			continue;
		vunmap(ring->data);
		kvfree(ring);
	}
}

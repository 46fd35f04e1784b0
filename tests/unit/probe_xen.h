/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe_xen.h - the hypervisor's own probe and hand-over, on real rings of several channels on one
 * CPU; and an interrupt at any step of a probe.  Included once, by a test.
 */
#ifndef STRATA_UNIT_PROBE_XEN_H
#define STRATA_UNIT_PROBE_XEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Something else may run where an interrupt could: see interrupt. */
static void step(void);

#define shim_step() step()

#include <xen/lib.h>

/* The ring's own operations are steps, too. */
static void interruption_point(void)
{
	step();
}

/* The clock ticks whenever it is read. */
static uint64_t test_ticks;

static uint64_t clock_shows(void)
{
	return ++test_ticks;
}

#include "interruptible_platform.h"

#define STRATA_TEST 1 /* strata_flood_reserved() is ours */

#include "event_channels_xen.h"

/* Nobody else waits, and no CPU comes. */
#define hypercall_preempt_check() false
#define get_cpu_maps()            true
#define put_cpu_maps()            ((void)0)

/* The files themselves; Xen compiles them with fewer warnings than we do. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../xen-patch/src/common/strata/aggregate.c"
#include "../../xen-patch/src/common/strata/budget.c"
#include "../../xen-patch/src/common/strata/handover.c"
#include "../../xen-patch/src/common/strata/notify.c"
#include "../../xen-patch/src/common/strata/record.c"
#include "../../xen-patch/src/common/strata/selection.c"
#include "../../xen-patch/src/common/strata/set.c"
#pragma GCC diagnostic pop

/* Nothing is renewed here. */
int strata_await_probes(void)
{
	return 0;
}

#define CPU         1u
#define BOUNDED     2u /* this channel has a budget */
#define FREE        5u
#define UNCONCERNED 7u /* started, and takes no event */
#define BIT(number) (1u << (number))

#define VM_EXIT   0x00081102u
#define VM_ENTRY  0x00081001u
#define GRANT_MAP 0x0010f001u
#define RUNSTATE  0x00021021u
#define CLASS_HVM 0x00080000u
#define TOKENS    10u
#define PER_S     (TOKENS * 1000 / STRATA_HV_BUDGET_WINDOW_MS)

static const struct strata_ring_geometry geometry = { .subbuf_bits = 12, .nr_subbufs_bits = 3 };
static const unsigned int channels[] = { BOUNDED, FREE, UNCONCERNED };

static struct domain dom0, guest;
static struct vcpu guest_vcpu, dom0_vcpu;

/* There is memory for all tables. */
int strata_undo_create(struct strata_channel *channel, int error)
{
	(void)channel;
	assert_int_equal(error, 0);
	return -ENOMEM;
}

void strata_vcpu_clocks_late(bool now)
{
	assert_false(now);
}

/* What an interrupt does at one step of the probe below it. */
static void (*interrupt)(void);
static unsigned int steps_until_interrupt;

static void step(void)
{
	void (*function)(void) = interrupt;

	if (!function || --steps_until_interrupt)
		return;
	interrupt = NULL;
	function();
}

/* Between a record's reserve and its commit. */
void strata_flood_reserved(struct strata_slot *slot)
{
	(void)slot;
	step();
}

void strata_flood_lost(uint32_t id)
{
	(void)id;
}

static struct strata_cpu_ring *make_ring(void)
{
	size_t bytes = strata_data_pages(geometry) * STRATA_PAGE_BYTES;
	struct strata_cpu_ring *ring = aligned_alloc_zeroed(offsetof(struct strata_cpu_ring, core) +
							    strata_ring_bytes(geometry));

	ring->mapping = aligned_alloc_zeroed(STRATA_WRITER_AREA_PAGES * STRATA_PAGE_BYTES + bytes);
	strata_ring_init(&ring->core, geometry,
			 (unsigned char *)ring->mapping +
				 STRATA_WRITER_AREA_PAGES * STRATA_PAGE_BYTES,
			 ring->mapping, &ring->reader, CPU, 0);
	return ring;
}

static void free_ring(unsigned int channel)
{
	struct strata_cpu_ring *ring = strata_cpus[CPU].ring[channel];

	strata_cpus[CPU].ring[channel] = NULL;
	if (ring)
		free(ring->mapping);
	free(ring);
}

static struct strata_cpu_ring *ring_in(unsigned int channel)
{
	return strata_cpus[CPU].ring[channel];
}

static void select_rules(unsigned int channel, uint32_t budget_per_s,
			 const struct strata_hv_rule *rules, uint32_t nr)
{
	struct strata_hv_op op = { .u.select.flags = STRATA_HV_SELECT_BEGIN, .u.select.nr = nr };

	memcpy(op.u.select.rules, rules, nr * sizeof(*rules));
	assert_int_equal(strata_selection_draft(&strata_channels[channel], &op), 0);
	assert_int_equal(strata_set_change(&strata_channels[channel], budget_per_s), 0);
	strata_set_free_retired(&strata_channels[channel]);
}

/* BOUNDED takes VM exits and changes of runstates; FREE takes those and grants. */
static int begin_all(void **state)
{
	static const struct strata_hv_rule rules[] = {
		{ STRATA_HV_RULE_EVENTS, 1, CLASS_HVM, CLASS_HVM },
		{ STRATA_HV_RULE_EVENTS, 1, RUNSTATE, STRATA_HV_ID_TRACE },
		{ STRATA_HV_RULE_EVENTS, 1, GRANT_MAP, STRATA_HV_ID_TRACE },
	};

	(void)state;
	dom0 = (struct domain){ .is_privileged = true, .next_in_list = &guest };
	guest = (struct domain){ .domain_id = 5 };
	guest.strata = aligned_alloc_zeroed(
		offsetof(struct strata_domain, budget[SHIM_CPUS * STRATA_HV_CHANNELS]));
	guest_vcpu = (struct vcpu){ .domain = &guest, .vcpu_id = 3 };
	dom0_vcpu = (struct vcpu){ .domain = &dom0 };
	shim_domains = hardware_domain = &dom0;
	shim_current = &guest_vcpu;
	shim_cpu = CPU;
	shim_now = 0;
	cpu_khz = 1000000; /* no test sees the end of a window */
	test_ticks = (uint64_t)cpu_khz * STRATA_HV_BUDGET_WINDOW_MS;
	ports_left = STRATA_HV_CHANNELS;
	softirqs_raised = 0;
	assert_int_equal(strata_set_make(), 0);
	for (unsigned int i = 0; i < 3; i++) {
		struct strata_channel *channel = &strata_channels[channels[i]];

		*channel = (struct strata_channel){ .complete = true };
		assert_int_equal(strata_port_make(channel), 0);
		strata_cpus[CPU].ring[channels[i]] = make_ring();
		select_rules(channels[i], channels[i] == BOUNDED ? PER_S : 0, rules,
			     channels[i] == BOUNDED ? 2
			     : channels[i] == FREE  ? 3
						    : 0);
		strata_set_start(channel, true);
	}
	return 0;
}

static int end(void **state)
{
	(void)state;
	assert_null(interrupt);
	assert_int_equal(shim_info[CPU].strata_nesting, 0);
	for (unsigned int i = 0; i < 3; i++) {
		struct strata_channel *channel = &strata_channels[channels[i]];

		strata_set_forget(channel);
		channel->complete = false;
		strata_set_free_retired(channel);
		strata_port_free(channel);
		free_ring(channels[i]);
	}
	assert_null(strata_set);
	free(guest.strata);
	return 0;
}

/* The records of a ring that are handed over, and for the reader to see ------------------------ */

struct seen {
	uint32_t id, context, words[7];
	uint64_t ticks;
};

static struct seen seen[2000];

static uint32_t payload_bytes(uint32_t id)
{
	if (id == (uint32_t)STRATA_HV_BUDGET)
		return sizeof(uint32_t) + sizeof(struct strata_hv_budget);
	if (id == (uint32_t)STRATA_HV_VCPU_STATE)
		return sizeof(uint32_t) + sizeof(struct strata_hv_vcpu_state);
	assert_false(id & STRATA_HV_ID_OWN);
	return sizeof(uint32_t) * (1 + (id >> STRATA_HV_ID_WORDS_SHIFT));
}

static unsigned int parse_packet(const unsigned char *packet, unsigned int nr)
{
	const struct strata_packet_header *header = (const void *)packet;
	uint64_t at = STRATA_PACKET_HEADER_BYTES, newest = 0;

	while (at < header->content_size / 8) {
		const struct strata_record_header *record = (const void *)(packet + at);
		uint32_t bytes = payload_bytes(record->id);

		assert_in_range(nr, 0, 1999);
		seen[nr] = (struct seen){ .id = record->id, .ticks = record->ticks };
		memcpy(&seen[nr].context, record + 1,
		       bytes < 8 * sizeof(uint32_t) ? bytes : 8 * sizeof(uint32_t));
		/* Whatever nests: a ring is in the order of its clock. */
		assert_true(record->ticks > newest);
		newest = record->ticks;
		at += STRATA_RECORD_HEADER_BYTES + bytes;
		nr++;
	}
	assert_int_equal(at, header->content_size / 8);
	return nr;
}

static unsigned int take_ready(unsigned int channel)
{
	struct strata_cpu_ring *ring = ring_in(channel);
	unsigned int nr = 0;
	int page;

	while ((page = strata_ring_get(&ring->core, &ring->spare)) >= 0) {
		nr = parse_packet(ring->core.data + ((size_t)page << geometry.subbuf_bits), nr);
		strata_ring_put(&ring->core);
	}
	return nr;
}

static unsigned int take_all(unsigned int channel)
{
	assert_true(strata_flush_this_cpu(channel));
	return take_ready(channel);
}

#define PROBE_TEST(name) cmocka_unit_test_setup_teardown(name, begin_all, end)

#endif /* STRATA_UNIT_PROBE_XEN_H */

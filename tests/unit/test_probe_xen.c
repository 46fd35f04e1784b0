// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_probe_xen.c - what one event leaves in the rings of several channels: the hypervisor's own
 * probe and hand-over, on real rings of one CPU.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Something else may run where an interrupt could: see nest(). */
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

/* The files themselves; Xen compiles them with fewer warnings than we do. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../xen-patch/src/common/strata/budget.c"
#include "../../xen-patch/src/common/strata/handover.c"
#include "../../xen-patch/src/common/strata/notify.c"
#include "../../xen-patch/src/common/strata/record.c"
#include "../../xen-patch/src/common/strata/selection.c"
#include "../../xen-patch/src/common/strata/set.c"
#pragma GCC diagnostic pop

#define CPU         1u
#define BOUNDED     2u /* this channel has a budget */
#define FREE        5u
#define UNCONCERNED 7u /* started, and takes no event */
#define BIT(number) (1u << (number))

#define VM_EXIT   0x00081102u
#define GRANT_MAP 0x0010f001u
#define RUNSTATE  0x00021021u
#define CLASS_HVM 0x00080000u
#define TOKENS    10u
#define PER_S     (TOKENS * 1000 / STRATA_HV_BUDGET_WINDOW_MS)

static const struct strata_ring_geometry geometry = { .subbuf_bits = 12, .nr_subbufs_bits = 3 };
static const unsigned int channels[] = { BOUNDED, FREE, UNCONCERNED };

static struct domain dom0, guest;
static struct vcpu guest_vcpu, dom0_vcpu;

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
	assert_int_equal(strata_cpus[CPU].nesting, 0);
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

/* The tests -------------------------------------------------------------------------------- */

static void an_event_goes_to_each_channel_that_takes_it(void **state)
{
	const uint32_t words[] = { 11, 22, 33 };
	uint64_t ticks;

	(void)state;
	/* The first one of a sub-buffer has the time at which it opened that. */
	strata_record_1(VM_EXIT, words);
	strata_record_2(VM_EXIT, words);
	strata_record_3(GRANT_MAP, words);
	assert_int_equal(take_all(BOUNDED), 2);
	assert_int_equal(seen[0].id, VM_EXIT | 1u << STRATA_HV_ID_WORDS_SHIFT);
	assert_int_equal(seen[1].id, VM_EXIT | 2u << STRATA_HV_ID_WORDS_SHIFT);
	assert_int_equal(seen[1].context, 5 | 3 << 16);
	assert_int_equal(seen[1].words[1], 22);
	ticks = seen[1].ticks;
	assert_int_equal(take_all(FREE), 3);
	assert_int_equal(seen[1].id, VM_EXIT | 2u << STRATA_HV_ID_WORDS_SHIFT);
	assert_int_equal(seen[1].context, 5 | 3 << 16);
	assert_memory_equal(seen[1].words, words, 8);
	/* Else one event has one time. */
	assert_int_equal(seen[1].ticks, ticks);
	assert_int_equal(seen[2].id, GRANT_MAP | 3u << STRATA_HV_ID_WORDS_SHIFT);
	assert_memory_equal(seen[2].words, words, 12);
	assert_int_equal(take_all(UNCONCERNED), 0);
}

static void a_stopped_channel_gets_nothing(void **state)
{
	const uint32_t word = 1;

	(void)state;
	assert_true(strata_wants(GRANT_MAP));
	strata_set_start(&strata_channels[FREE], false);
	strata_record_1(VM_EXIT, &word);
	strata_record_1(GRANT_MAP, &word);
	assert_int_equal(take_all(FREE), 0);
	assert_int_equal(take_all(BOUNDED), 1);
	assert_true(strata_wants(VM_EXIT));
	assert_false(strata_wants(GRANT_MAP));
}

static void without_a_set_nothing_happens(void **state)
{
	struct strata_set *set = strata_set;
	const uint32_t word = 1;

	(void)state;
	strata_set = NULL;
	strata_record_1(VM_EXIT, &word);
	strata_record_own(STRATA_HV_BUDGET, &word, sizeof(word));
	assert_false(strata_wants(VM_EXIT));
	strata_set = set;
	assert_int_equal(take_all(BOUNDED) + take_all(FREE), 0);
}

static void records_are_cut_and_padded_to_words(void **state)
{
	const unsigned char bytes[64] = { 1, 2, 3, 4, 5, 0xee, 0xee, 0xee };

	(void)state;
	strata_record(GRANT_MAP, 5, bytes);
	strata_record(GRANT_MAP, sizeof(bytes), bytes);
	strata_record(GRANT_MAP, 0, NULL);
	assert_int_equal(take_all(FREE), 3);
	assert_int_equal(seen[0].id >> STRATA_HV_ID_WORDS_SHIFT, 2);
	assert_int_equal(seen[0].words[0], 0x04030201);
	assert_int_equal(seen[0].words[1], 5);
	assert_int_equal(seen[1].id >> STRATA_HV_ID_WORDS_SHIFT, TRACE_EXTRA_MAX);
	assert_memory_equal(seen[1].words, bytes, 28);
	assert_int_equal(seen[2].id, GRANT_MAP);
}

static void own_records_go_to_each_started_channel(void **state)
{
	const struct strata_hv_vcpu_state record = { .domain = 9, .runstate = 2 };

	(void)state;
	strata_set_start(&strata_channels[BOUNDED], false);
	strata_record_own(STRATA_HV_VCPU_STATE, &record, sizeof(record));
	strata_probe_begin();
	strata_write_own(BIT(FREE), STRATA_HV_VCPU_STATE, &record, sizeof(record));
	strata_probe_end();
	assert_int_equal(take_all(BOUNDED), 0);
	assert_int_equal(take_all(UNCONCERNED), 1);
	assert_int_equal(seen[0].id, (uint32_t)STRATA_HV_VCPU_STATE);
	assert_memory_equal(seen[0].words, &record, sizeof(record));
	assert_int_equal(take_all(FREE), 2);
}

static void runstate_changes_go_to_any_runner_beyond_every_budget(void **state)
{
	static const struct strata_hv_rule rules[] = {
		{ STRATA_HV_RULE_EVENTS, 1, 0, 0 },
		{ STRATA_HV_RULE_DOMAINS, 0, 5, 5 },
	};
	const uint32_t word = 1;

	(void)state;
	select_rules(FREE, 0, rules, 2);
	for (unsigned int i = 0; i < 3 * TOKENS; i++)
		strata_record_1(VM_EXIT, &word);
	take_all(BOUNDED);
	assert_int_equal(take_all(FREE), 0);
	for (unsigned int i = 0; i < 3 * TOKENS; i++)
		strata_record_1(RUNSTATE, &word);
	assert_int_equal(take_all(BOUNDED), 3 * TOKENS);
	assert_int_equal(take_all(FREE), 3 * TOKENS);
	assert_int_equal(seen[0].context, 5 | 3 << 16);
	assert_int_equal(take_all(UNCONCERNED), 0);
}

static void a_budget_bounds_its_own_channel_only(void **state)
{
	const uint32_t word = 1;
	unsigned int nr, events = 0;

	(void)state;
	for (unsigned int i = 0; i < 5 * TOKENS; i++)
		strata_record_1(VM_EXIT, &word);
	assert_int_equal(ring_in(BOUNDED)->refused, 4 * TOKENS);
	assert_int_equal(ring_in(FREE)->refused, 0);
	nr = take_all(BOUNDED);
	for (unsigned int i = 0; i < nr; i++)
		events += !(seen[i].id & STRATA_HV_ID_OWN);
	assert_int_equal(events, TOKENS);
	/* At the first refusal, and at the flush. */
	assert_int_equal(nr, TOKENS + 2);
	assert_int_equal(take_all(FREE), 5 * TOKENS);
	/* dom0 has no bound in any channel. */
	shim_current = &dom0_vcpu;
	for (unsigned int i = 0; i < 5 * TOKENS; i++)
		strata_record_1(VM_EXIT, &word);
	assert_int_equal(take_all(BOUNDED), 5 * TOKENS);
}

static void nesting_too_deep_is_lost_in_each_channel_that_takes_it(void **state)
{
	const uint32_t word = 1;

	(void)state;
	strata_cpus[CPU].nesting = STRATA_RING_NESTING_MAX - 1;
	strata_record_1(VM_EXIT, &word);
	strata_cpus[CPU].nesting = STRATA_RING_NESTING_MAX;
	strata_record_1(VM_EXIT, &word);
	strata_record_1(GRANT_MAP, &word);
	assert_int_equal(ring_in(BOUNDED)->core.lost[STRATA_LOST_NESTED], 1);
	assert_int_equal(ring_in(FREE)->core.lost[STRATA_LOST_NESTED], 2);
	assert_int_equal(ring_in(UNCONCERNED)->core.lost[STRATA_LOST_NESTED], 0);
	strata_record_own(STRATA_HV_BUDGET, &word, sizeof(word));
	assert_int_equal(ring_in(BOUNDED)->core.lost[STRATA_LOST_NESTED], 2);
	assert_int_equal(ring_in(FREE)->core.lost[STRATA_LOST_NESTED], 3);
	assert_int_equal(ring_in(UNCONCERNED)->core.lost[STRATA_LOST_NESTED], 1);
	/* A CPU without a ring counts that nowhere, and goes on. */
	free_ring(FREE);
	strata_record_1(GRANT_MAP, &word);
	strata_cpus[CPU].nesting = 0;
	assert_int_equal(take_all(BOUNDED), 1);
}

static void a_missing_ring_is_counted_in_its_channel_only(void **state)
{
	const uint32_t word = 1;

	(void)state;
	free_ring(BOUNDED);
	strata_record_1(VM_EXIT, &word);
	strata_record_1(GRANT_MAP, &word);
	assert_int_equal(strata_channels[BOUNDED].unringed, 1);
	assert_int_equal(strata_channels[FREE].unringed, 0);
	assert_int_equal(take_all(FREE), 2);
	strata_record_own(STRATA_HV_BUDGET, &word, sizeof(word));
	assert_int_equal(strata_channels[BOUNDED].unringed, 2);
	/* No event is lost by a hand-over. */
	strata_channels[BOUNDED].switch_period = MILLISECS(10);
	shim_now = MILLISECS(100);
	strata_hand_over();
	assert_true(strata_flush_this_cpu(BOUNDED));
	assert_int_equal(strata_channels[BOUNDED].unringed, 2);
}

static void a_flush_delivers_its_own_channel_only(void **state)
{
	const uint32_t word = 1;

	(void)state;
	strata_record_1(VM_EXIT, &word);
	strata_probe_begin();
	assert_true(strata_probe_under_way());
	assert_false(strata_flush_this_cpu(FREE));
	strata_probe_end();
	assert_false(strata_probe_under_way());
	assert_int_equal(take_ready(FREE), 0);
	assert_true(strata_flush_this_cpu(FREE));
	assert_int_equal(take_ready(FREE), 1);
	assert_int_equal(take_ready(BOUNDED), 0);
	softirq_handler();
	assert_int_equal(port_events[strata_channels[FREE].port], 1);
	assert_int_equal(port_events[strata_channels[BOUNDED].port], 0);
	shim_online_cpus = 1;
	strata_flush_offline_cpu(CPU, BOUNDED);
	shim_online_cpus = 2;
	assert_int_equal(take_ready(BOUNDED), 1);
}

static void each_channel_hands_over_in_its_own_period(void **state)
{
	const uint32_t word = 1;

	(void)state;
	strata_channels[FREE].switch_period = MILLISECS(10);
	strata_channels[BOUNDED].switch_period = MILLISECS(50);
	strata_record_1(VM_EXIT, &word);
	shim_now = MILLISECS(9);
	strata_hand_over();
	assert_int_equal(take_ready(FREE), 0);
	shim_now = MILLISECS(10);
	strata_hand_over();
	assert_int_equal(take_ready(FREE), 1);
	assert_int_equal(take_ready(BOUNDED), 0);
	strata_record_1(VM_EXIT, &word);
	shim_now = MILLISECS(19);
	strata_hand_over();
	assert_int_equal(take_ready(FREE), 0);
	shim_now = MILLISECS(50);
	strata_hand_over();
	assert_int_equal(take_ready(FREE), 1);
	assert_int_equal(take_ready(BOUNDED), 2);
	/* 0 is never, and a stopped channel has nothing to hand over. */
	strata_record_1(VM_EXIT, &word);
	strata_channels[FREE].switch_period = 0;
	strata_set_start(&strata_channels[BOUNDED], false);
	shim_now = MILLISECS(60000);
	strata_hand_over();
	assert_int_equal(take_ready(FREE) + take_ready(BOUNDED), 0);
}

static void a_hand_over_wakes_its_reader_behind_a_channel_without_a_period(void **state)
{
	const uint32_t word = 1;

	(void)state;
	strata_channels[FREE].switch_period = MILLISECS(10);
	strata_record_1(VM_EXIT, &word);
	shim_now = MILLISECS(10);
	strata_hand_over();
	softirq_handler();
	assert_int_equal(port_events[strata_channels[FREE].port], 1);
	assert_int_equal(port_events[strata_channels[BOUNDED].port], 0);
	assert_int_equal(take_ready(FREE), 1);
	assert_int_equal(take_ready(BOUNDED), 0);
}

static void a_full_sub_buffer_wakes_its_reader(void **state)
{
	const uint32_t words[6] = { 0 };

	(void)state;
	for (unsigned int i = 0; i < 100; i++)
		strata_record_6(GRANT_MAP, words);
	assert_int_equal(softirqs_raised, 1);
	softirq_handler();
	assert_int_equal(port_events[strata_channels[FREE].port], 1);
	assert_int_equal(port_events[strata_channels[BOUNDED].port], 0);
	assert_true(take_ready(FREE) > 50);
}

#define STEPS_MAX 1000u /* of a probe */

static void nest(void)
{
	const uint32_t word = 99;

	strata_record_1(VM_EXIT, &word);
}

/* parse_packet() finds it if a ring is not in order. */
static void a_probe_that_is_interrupted_anywhere_writes_all_rings_in_order(void **state)
{
	const uint32_t words[] = { 1, 2, 3 };
	unsigned int at;

	(void)state;
	shim_current = &dom0_vcpu;
	for (at = 1; at < STEPS_MAX; at++) {
		steps_until_interrupt = at;
		interrupt = nest;
		strata_record(VM_EXIT, sizeof(words), words);
		if (interrupt)
			break;
		assert_int_equal(take_all(BOUNDED), 2);
		assert_true((seen[0].words[0] == 99) != (seen[1].words[0] == 99));
		assert_int_equal(take_all(FREE), 2);
		assert_true((seen[0].words[0] == 99) != (seen[1].words[0] == 99));
	}
	interrupt = NULL;
	assert_in_range(at, 20, STEPS_MAX - 1);
}

static void nest_a_sub_buffer(void)
{
	const uint32_t words[6] = { 0 };

	for (unsigned int i = 0; i < 100; i++)
		strata_record_6(GRANT_MAP, words);
}

/* It is ready no earlier than with the record that was interrupted. */
static void a_sub_buffer_that_nested_probes_fill_wakes_its_reader(void **state)
{
	const uint32_t words[] = { 1, 2 };
	unsigned int at;

	(void)state;
	for (at = 1; at < STEPS_MAX; at++) {
		strata_record_2(GRANT_MAP, words); /* opens the sub-buffer */
		steps_until_interrupt = at;
		interrupt = nest_a_sub_buffer;
		strata_record_2(GRANT_MAP, words);
		if (interrupt)
			break;
		assert_false(ring_in(FREE)->core.delivered);
		softirq_handler();
		assert_int_equal(port_events[strata_channels[FREE].port], at);
		take_all(FREE);
		softirq_handler();
		port_events[strata_channels[FREE].port] = at;
	}
	interrupt = NULL;
	assert_in_range(at, 20, STEPS_MAX - 1);
	assert_int_equal(port_events[strata_channels[BOUNDED].port], 0);
	assert_int_equal(port_events[strata_channels[UNCONCERNED].port], 0);
}

/* Both take it, which is one too many; but it does not become a budget without end. */
static void the_last_token_goes_to_two_probes_that_nest_at_most(void **state)
{
	struct strata_bucket *bucket = &guest.strata->budget[CPU * STRATA_HV_CHANNELS + BOUNDED]
						.bucket[STRATA_BY_INTERRUPT];
	const uint32_t word = 1;
	unsigned int at;

	(void)state;
	shim_in_irq = true;
	for (at = 1; at < STEPS_MAX; at++) {
		strata_record_1(RUNSTATE, &word); /* opens the sub-buffer, takes no token */
		*bucket = (struct strata_bucket){ .tokens = 1, .refilled_ticks = test_ticks };
		steps_until_interrupt = at;
		interrupt = nest;
		strata_record_1(VM_EXIT, &word);
		assert_int_equal(bucket->tokens, 0);
		take_all(BOUNDED);
		take_all(FREE);
		if (interrupt)
			break;
	}
	shim_in_irq = false;
	interrupt = NULL;
	assert_in_range(at, 20, STEPS_MAX - 1);
}

static struct strata_set *taken_away;

static void take_the_set_away(void)
{
	taken_away = strata_set;
	strata_set = NULL;
}

static void a_probe_ends_without_the_set_that_it_began_with(void **state)
{
	const uint32_t word = 1;
	unsigned int at;

	(void)state;
	for (at = 1; at < STEPS_MAX; at++) {
		guest.strata->budget[CPU * STRATA_HV_CHANNELS + BOUNDED] =
			(struct strata_budget){ .bucket[STRATA_BY_GUEST].tokens = 1 };
		steps_until_interrupt = at;
		interrupt = take_the_set_away;
		strata_record_1(VM_EXIT, &word);
		if (interrupt)
			break;
		strata_set = taken_away;
		assert_in_range(take_all(BOUNDED), 0, 1);
		assert_in_range(take_all(FREE), 0, 1);
	}
	interrupt = NULL;
	assert_in_range(at, 20, STEPS_MAX - 1);
}

#define PROBE_TEST(name) cmocka_unit_test_setup_teardown(name, begin_all, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROBE_TEST(an_event_goes_to_each_channel_that_takes_it),
		PROBE_TEST(a_stopped_channel_gets_nothing),
		PROBE_TEST(without_a_set_nothing_happens),
		PROBE_TEST(records_are_cut_and_padded_to_words),
		PROBE_TEST(own_records_go_to_each_started_channel),
		PROBE_TEST(runstate_changes_go_to_any_runner_beyond_every_budget),
		PROBE_TEST(a_budget_bounds_its_own_channel_only),
		PROBE_TEST(nesting_too_deep_is_lost_in_each_channel_that_takes_it),
		PROBE_TEST(a_missing_ring_is_counted_in_its_channel_only),
		PROBE_TEST(a_flush_delivers_its_own_channel_only),
		PROBE_TEST(each_channel_hands_over_in_its_own_period),
		PROBE_TEST(a_hand_over_wakes_its_reader_behind_a_channel_without_a_period),
		PROBE_TEST(a_full_sub_buffer_wakes_its_reader),
		PROBE_TEST(a_probe_that_is_interrupted_anywhere_writes_all_rings_in_order),
		PROBE_TEST(a_sub_buffer_that_nested_probes_fill_wakes_its_reader),
		PROBE_TEST(the_last_token_goes_to_two_probes_that_nest_at_most),
		PROBE_TEST(a_probe_ends_without_the_set_that_it_began_with),
	};

	assert_int_equal(initcall_of_strata_notify_init(), 0);
	return cmocka_run_group_tests_name("probe_xen", tests, NULL, NULL);
}

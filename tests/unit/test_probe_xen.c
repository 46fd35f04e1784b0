// SPDX-License-Identifier: GPL-2.0-or-later
/* test_probe_xen.c - what one event, and a hand-over, leave in the rings of several channels. */
#include "probe_xen.h"

static void an_event_goes_to_each_channel_that_takes_it(void **state)
{
	const uint32_t words[] = { 11, 22, 33 };
	uint64_t ticks;

	(void)state;
	/* The first one of a sub-buffer has the time at which it opened that. */
	strata_trace(VM_EXIT, 4, words);
	strata_trace(VM_EXIT, 8, words);
	strata_trace(GRANT_MAP, 12, words);
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
	strata_trace(VM_EXIT, 4, &word);
	strata_trace(GRANT_MAP, 4, &word);
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
	strata_trace(VM_EXIT, 4, &word);
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
		strata_trace(VM_EXIT, 4, &word);
	take_all(BOUNDED);
	assert_int_equal(take_all(FREE), 0);
	for (unsigned int i = 0; i < 3 * TOKENS; i++)
		strata_trace(RUNSTATE, 4, &word);
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
		strata_trace(VM_EXIT, 4, &word);
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
		strata_trace(VM_EXIT, 4, &word);
	assert_int_equal(take_all(BOUNDED), 5 * TOKENS);
}

static void without_counters_a_bounded_domain_is_refused_until_it_has_them(void **state)
{
	struct strata_domain *counters = guest.strata;
	const uint32_t word = 1;

	(void)state;
	guest.strata = NULL;
	for (unsigned int i = 0; i < 3; i++)
		strata_trace(VM_EXIT, 4, &word);
	strata_trace(RUNSTATE, 4, &word);
	assert_int_equal(ring_in(BOUNDED)->refused, 3);
	assert_int_equal(take_all(BOUNDED), 1);
	assert_int_equal(seen[0].id, RUNSTATE | 1u << STRATA_HV_ID_WORDS_SHIFT);
	assert_int_equal(take_all(FREE), 4);
	guest.strata = counters;
	strata_trace(VM_EXIT, 4, &word);
	assert_int_equal(ring_in(BOUNDED)->refused, 3);
	assert_int_equal(take_all(BOUNDED), 1);
}

static void a_vm_exit_says_who_caused_what_follows_whether_it_is_taken_or_not(void **state)
{
	static const struct strata_hv_rule rules[] = {
		{ STRATA_HV_RULE_EVENTS, 1, GRANT_MAP, STRATA_HV_ID_TRACE },
	};
	const struct strata_budget *budget = strata_budget_of(guest.strata, BOUNDED);
	const uint32_t by_interrupt = STRATA_EXIT_VMX_INTERRUPT, other = 2;

	(void)state;
	select_rules(BOUNDED, PER_S, rules, 1);
	strata_trace(VM_EXIT, sizeof(by_interrupt), &by_interrupt);
	strata_trace(GRANT_MAP, sizeof(other), &other);
	assert_int_equal(budget->bucket[STRATA_BY_INTERRUPT].tokens, TOKENS - 1);
	assert_int_equal(budget->bucket[STRATA_BY_GUEST].tokens, 0);
	strata_trace(VM_ENTRY, 0, NULL);
	strata_trace(GRANT_MAP, sizeof(other), &other);
	assert_int_equal(budget->bucket[STRATA_BY_INTERRUPT].tokens, TOKENS - 1);
	assert_int_equal(budget->bucket[STRATA_BY_GUEST].tokens, TOKENS - 1);
	strata_trace(VM_EXIT, sizeof(other), &other);
	strata_trace(GRANT_MAP, sizeof(other), &other);
	assert_int_equal(budget->bucket[STRATA_BY_GUEST].tokens, TOKENS - 2);
}

static void nesting_too_deep_is_lost_in_each_channel_that_takes_it(void **state)
{
	const uint32_t word = 1;

	(void)state;
	shim_info[CPU].strata_nesting = STRATA_RING_NESTING_MAX - 1;
	strata_trace(VM_EXIT, 4, &word);
	shim_info[CPU].strata_nesting = STRATA_RING_NESTING_MAX;
	strata_trace(VM_EXIT, 4, &word);
	strata_trace(GRANT_MAP, 4, &word);
	assert_int_equal(ring_in(BOUNDED)->core.lost[STRATA_LOST_NESTED], 1);
	assert_int_equal(ring_in(FREE)->core.lost[STRATA_LOST_NESTED], 2);
	assert_int_equal(ring_in(UNCONCERNED)->core.lost[STRATA_LOST_NESTED], 0);
	strata_record_own(STRATA_HV_BUDGET, &word, sizeof(word));
	assert_int_equal(ring_in(BOUNDED)->core.lost[STRATA_LOST_NESTED], 2);
	assert_int_equal(ring_in(FREE)->core.lost[STRATA_LOST_NESTED], 3);
	assert_int_equal(ring_in(UNCONCERNED)->core.lost[STRATA_LOST_NESTED], 1);
	/* A CPU without a ring counts that nowhere, and goes on. */
	free_ring(FREE);
	strata_trace(GRANT_MAP, 4, &word);
	shim_info[CPU].strata_nesting = 0;
	assert_int_equal(take_all(BOUNDED), 1);
}

static void a_missing_ring_is_counted_in_its_channel_only(void **state)
{
	const uint32_t word = 1;

	(void)state;
	/* With tokens left, the next one is not a case for the slow path. */
	strata_trace(VM_EXIT, 4, &word);
	free_ring(BOUNDED);
	strata_trace(VM_EXIT, 4, &word);
	strata_trace(GRANT_MAP, 4, &word);
	assert_int_equal(strata_channels[BOUNDED].unringed, 1);
	assert_int_equal(strata_channels[FREE].unringed, 0);
	assert_int_equal(take_all(FREE), 3);
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
	strata_trace(VM_EXIT, 4, &word);
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
	strata_trace(VM_EXIT, 4, &word);
	shim_now = MILLISECS(9);
	strata_hand_over();
	assert_int_equal(take_ready(FREE), 0);
	shim_now = MILLISECS(10);
	strata_hand_over();
	assert_int_equal(take_ready(FREE), 1);
	assert_int_equal(take_ready(BOUNDED), 0);
	strata_trace(VM_EXIT, 4, &word);
	shim_now = MILLISECS(19);
	strata_hand_over();
	assert_int_equal(take_ready(FREE), 0);
	shim_now = MILLISECS(50);
	strata_hand_over();
	assert_int_equal(take_ready(FREE), 1);
	assert_int_equal(take_ready(BOUNDED), 2);
	/* 0 is never, and a stopped channel has nothing to hand over. */
	strata_trace(VM_EXIT, 4, &word);
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
	strata_trace(VM_EXIT, 4, &word);
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
		strata_trace(GRANT_MAP, 24, words);
	assert_int_equal(softirqs_raised, 1);
	softirq_handler();
	assert_int_equal(port_events[strata_channels[FREE].port], 1);
	assert_int_equal(port_events[strata_channels[BOUNDED].port], 0);
	assert_true(take_ready(FREE) > 50);
}

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
		PROBE_TEST(without_counters_a_bounded_domain_is_refused_until_it_has_them),
		PROBE_TEST(a_vm_exit_says_who_caused_what_follows_whether_it_is_taken_or_not),
		PROBE_TEST(nesting_too_deep_is_lost_in_each_channel_that_takes_it),
		PROBE_TEST(a_missing_ring_is_counted_in_its_channel_only),
		PROBE_TEST(a_flush_delivers_its_own_channel_only),
		PROBE_TEST(each_channel_hands_over_in_its_own_period),
		PROBE_TEST(a_hand_over_wakes_its_reader_behind_a_channel_without_a_period),
		PROBE_TEST(a_full_sub_buffer_wakes_its_reader),
	};

	assert_int_equal(initcall_of_strata_notify_init(), 0);
	return cmocka_run_group_tests_name("probe_xen", tests, NULL, NULL);
}

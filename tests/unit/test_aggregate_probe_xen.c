// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_aggregate_probe_xen.c - the hypervisor's probe, where one of the channels that take an event
 * counts it: others record as before, and nothing is lost, also to an interrupt at each step.
 */
#include "probe_xen.h"

#define COUNTING UNCONCERNED
#define ROW_BITS 4u

static struct strata_aggregate_tables *tables;
static const uint32_t words[2] = { 7, 8 };

/* The last of the channels counts what FREE records. */
static int begin_counting(void **state)
{
	const struct strata_aggregate_spec spec = { .version = STRATA_AGGREGATE_VERSION,
						    .kind = STRATA_AGGREGATE_COUNT,
						    .by_owner = 1,
						    .row_bits = ROW_BITS };
	static const struct strata_hv_rule rules[] = {
		{ STRATA_HV_RULE_EVENTS, 1, CLASS_HVM, CLASS_HVM },
		{ STRATA_HV_RULE_EVENTS, 1, GRANT_MAP, STRATA_HV_ID_TRACE },
	};

	begin_all(state);
	free_ring(COUNTING);
	tables = aligned_alloc_zeroed(offsetof(struct strata_aggregate_tables, table[SHIM_CPUS]));
	strata_aggregate_init(&tables->core, &spec,
			      aligned_alloc_zeroed(strata_aggregate_rows(&spec) * sizeof(long)));
	for (tables->nr = 0; tables->nr < SHIM_CPUS; tables->nr++)
		tables->table[tables->nr] =
			aligned_alloc_zeroed(strata_aggregate_table_words(&spec) * sizeof(long));
	strata_tables[COUNTING] = tables;
	select_rules(COUNTING, 0, rules, 2);
	return 0;
}

static int end_counting(void **state)
{
	assert_int_equal(strata_free_aggregate(&strata_channels[COUNTING]), 0);
	assert_null(strata_tables[COUNTING]);
	return end(state);
}

static unsigned long counted(uint32_t event, uint32_t domain)
{
	unsigned long sum = 0;

	for (uint32_t row = 0; row < 1u << ROW_BITS; row++)
		if (tables->core.keys[row] == strata_aggregate_key(event, domain))
			sum += tables->table[CPU][STRATA_AGGREGATE_OTHERS + row];
	return sum;
}

static void one_channel_counts_what_others_record(void **state)
{
	(void)state;
	strata_trace(VM_EXIT, 2 * sizeof(*words), words);
	strata_trace(GRANT_MAP, 2 * sizeof(*words), words);
	strata_record(VM_EXIT, 2 * sizeof(uint32_t) - 1, words);
	shim_current = &dom0_vcpu;
	strata_trace(VM_EXIT, sizeof(*words), words);
	assert_int_equal(counted(VM_EXIT, 5), 2);
	assert_int_equal(counted(GRANT_MAP, 5), 1);
	assert_int_equal(counted(VM_EXIT, 0), 1);
	assert_int_equal(take_all(FREE), 4);
	assert_int_equal(take_all(BOUNDED), 3);
}

static void what_a_budget_refuses_is_counted(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 3 * TOKENS; i++)
		strata_trace(VM_EXIT, 2 * sizeof(*words), words);
	assert_int_equal(counted(VM_EXIT, 5), 3 * TOKENS);
	assert_in_range(take_all(BOUNDED), TOKENS, 2 * TOKENS);
}

static void records_of_the_hypervisors_own_are_not_counted(void **state)
{
	const struct strata_hv_vcpu_state record = { .domain = 5 };

	(void)state;
	strata_record_own(STRATA_HV_VCPU_STATE, &record, sizeof(record));
	for (uint32_t row = 0; row < 1u << ROW_BITS; row++)
		assert_int_equal(tables->core.keys[row], 0);
	assert_int_equal(strata_channels[COUNTING].unringed, 0);
	assert_int_equal(take_all(FREE), 1);
}

static void a_channel_that_was_not_started_counts_nothing(void **state)
{
	(void)state;
	strata_set_start(&strata_channels[COUNTING], false);
	strata_trace(VM_EXIT, 2 * sizeof(*words), words);
	strata_set_start(&strata_channels[COUNTING], true);
	assert_int_equal(counted(VM_EXIT, 5), 0);
	assert_int_equal(take_all(FREE), 1);
}

static void same_probe(void)
{
	strata_trace(VM_EXIT, 2 * sizeof(*words), words);
}

static void no_event_is_lost_to_an_interrupt(void **state)
{
	unsigned int events = 0, interrupted = 0, at = 0;
	bool came;

	(void)state;
	do {
		interrupt = same_probe;
		steps_until_interrupt = ++at;
		strata_trace(VM_EXIT, 2 * sizeof(*words), words);
		came = !interrupt;
		interrupt = NULL;
		events += 1 + came;
		interrupted += came;
		assert_int_equal(counted(VM_EXIT, 5), events);
	} while (came);
	assert_in_range(interrupted, 20, 1000);
	assert_int_equal(take_all(FREE), events);
}

static void events_of_probes_that_nest_too_deep_are_told_of(void **state)
{
	(void)state;
	shim_info[CPU].strata_nesting = STRATA_RING_NESTING_MAX;
	strata_trace(VM_EXIT, 2 * sizeof(*words), words);
	shim_info[CPU].strata_nesting = 0;
	assert_int_equal(counted(VM_EXIT, 5), 0);
	assert_int_equal(tables->table[CPU][STRATA_AGGREGATE_NESTED], 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_counting, end_counting)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_channel_counts_what_others_record),
		TEST(what_a_budget_refuses_is_counted),
		TEST(records_of_the_hypervisors_own_are_not_counted),
		TEST(a_channel_that_was_not_started_counts_nothing),
		TEST(no_event_is_lost_to_an_interrupt),
		TEST(events_of_probes_that_nest_too_deep_are_told_of),
	};

	return cmocka_run_group_tests_name("aggregate_probe_xen", tests, NULL, NULL);
}

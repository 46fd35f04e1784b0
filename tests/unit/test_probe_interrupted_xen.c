// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_probe_interrupted_xen.c - probes of the hypervisor that nest: the second one runs in turn at
 * each step of the first.
 */
#include "probe_xen.h"

#define STEPS_MAX 1000u /* of a probe */

static void nest(void)
{
	const uint32_t word = 99;

	strata_trace(VM_EXIT, 4, &word);
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
		strata_trace(GRANT_MAP, 24, words);
}

/* It is ready no earlier than with the record that was interrupted. */
static void a_sub_buffer_that_nested_probes_fill_wakes_its_reader(void **state)
{
	const uint32_t words[] = { 1, 2 };
	unsigned int at;

	(void)state;
	for (at = 1; at < STEPS_MAX; at++) {
		strata_trace(GRANT_MAP, 8, words); /* opens the sub-buffer */
		steps_until_interrupt = at;
		interrupt = nest_a_sub_buffer;
		strata_trace(GRANT_MAP, 8, words);
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
		strata_trace(RUNSTATE, 4, &word); /* opens the sub-buffer, takes no token */
		*bucket = (struct strata_bucket){ .tokens = 1, .refilled_ticks = test_ticks };
		steps_until_interrupt = at;
		interrupt = nest;
		strata_trace(VM_EXIT, 4, &word);
		assert_in_range(-bucket->tokens, 0, 1);
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
		strata_trace(VM_EXIT, 4, &word);
		if (interrupt)
			break;
		strata_set = taken_away;
		assert_in_range(take_all(BOUNDED), 0, 1);
		assert_in_range(take_all(FREE), 0, 1);
	}
	interrupt = NULL;
	assert_in_range(at, 20, STEPS_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROBE_TEST(a_probe_that_is_interrupted_anywhere_writes_all_rings_in_order),
		PROBE_TEST(a_sub_buffer_that_nested_probes_fill_wakes_its_reader),
		PROBE_TEST(the_last_token_goes_to_two_probes_that_nest_at_most),
		PROBE_TEST(a_probe_ends_without_the_set_that_it_began_with),
	};

	assert_int_equal(initcall_of_strata_notify_init(), 0);
	return cmocka_run_group_tests_name("probe_interrupted_xen", tests, NULL, NULL);
}

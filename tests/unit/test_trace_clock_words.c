// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_trace_clock_words.c - the trace clock on a machine of 32 bits, where its slots
 * are two words each: readers and updates nested in each other at every place; and
 * clocks that are plainly wrong, which the same world refutes.
 */
#define STRATA_TRACE_CLOCK_WORD uint32_t

#include "trace_clock_world.h"

/* Both sides of each operation are places: of the number, of a slot's words, of the counter. */
static void no_place_is_left_out(void **state)
{
	struct world_rules its_rules = rules_of(8, 0, 0, 0);

	(void)state;
	assert_int_equal(STRATA_TRACE_CLOCK_WORDS, 2);
	assert_int_equal(places_of(&its_rules, reads), 2 * (1 + 2 + 1));
	assert_int_equal(places_of(&its_rules, updates), 2 * (1 + 2 + 1) + 2 * (1 + 2 + 1));
}

static void one_interruption_anywhere(void **state)
{
	static const uint64_t read_max[] = { 0, 1, 128, 255 };
	struct world_rules its_rules;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(read_max) / sizeof(read_max[0]); i++) {
		its_rules = rules_of(8, read_max[i], 0, 0);
		every_answer_is_right(&its_rules, 1, 1);
	}
}

static void one_interruption_of_each_width(void **state)
{
	struct world_rules its_rules;
	unsigned int bits;

	(void)state;
	for (bits = 9; bits <= 63; bits++) {
		its_rules = rules_of(bits, 1ull << (bits - 3), 3, 3);
		every_answer_is_right(&its_rules, 1, 128);
	}
}

static void two_interruptions_nested_anywhere(void **state)
{
	struct world_rules its_rules = rules_of(8, 100, 0, 0);

	(void)state;
	every_answer_is_right(&its_rules, 2, 32);
}

static void three_interruptions_nested_anywhere(void **state)
{
	struct world_rules its_rules = rules_of(8, 100, 0, 0);

	(void)state;
	every_answer_is_right(&its_rules, 3, 128);
}

static void a_counter_that_steps_back_interrupted_anywhere(void **state)
{
	(void)state;
	every_answer_is_right_either_way(rules_of(8, 64, 1, 1), 1, 1);
	every_answer_is_right_either_way(rules_of(8, 64, 128, 20), 1, 1);
	every_answer_is_right_either_way(rules_of(8, 64, 40, 40), 2, 128);
}

/* The negative controls ---------------------------------------------------------------------- */

static void a_clock_of_one_slot_is_refuted(void **state)
{
	struct world_rules its_rules = rules_of(8, 64, 0, 0);

	(void)state;
	its_rules.variant = &clock_of_one_slot;
	some_answer_is_wrong(&its_rules);
}

static void publishes_before_it_writes(struct strata_trace_clock *clock)
{
	unsigned long newest = strata_read_once(&clock->newest);
	uint64_t ticks = strata_trace_clock_now(clock, newest, counter_shows);

	strata_store_release(&clock->newest, 1 - newest);
	strata_trace_clock_store(&clock->slot[1 - newest], ticks);
}

static void a_slot_published_before_it_is_written_is_refuted(void **state)
{
	static const struct clock_variant hasty = { reads_the_clock, publishes_before_it_writes };
	struct world_rules its_rules = rules_of(8, 64, 0, 0);

	(void)state;
	its_rules.variant = &hasty;
	some_answer_is_wrong(&its_rules);
}

static uint64_t reads_the_counter_first(const struct strata_trace_clock *clock)
{
	uint64_t counter = counter_shows();
	unsigned long newest = strata_load_acquire(&clock->newest);

	return strata_trace_clock_widen(strata_trace_clock_load(&clock->slot[newest]), counter,
					clock->mask, clock->forward);
}

static void a_counter_read_before_the_slot_is_refuted(void **state)
{
	static const struct clock_variant hasty = { reads_the_counter_first, updates_the_clock };
	struct world_rules its_rules = rules_of(8, 64, 0, 0);

	(void)state;
	its_rules.variant = &hasty;
	some_answer_is_wrong(&its_rules);
}

static void two_updates_within_a_read_are_one_too_many(void **state)
{
	struct world_rules its_rules = rules_of(8, 64, 0, 0);

	(void)state;
	its_rules.updates_in_read_max = 2;
	some_answer_is_wrong(&its_rules);
}

static void an_update_one_tick_later_is_too_late(void **state)
{
	struct world_rules its_rules = rules_of(8, 64, 0, 0);

	(void)state;
	its_rules.gap_max++;
	some_answer_is_wrong(&its_rules);
	its_rules = rules_of(8, 64, 10, 10);
	its_rules.gap_max++;
	some_answer_is_wrong(&its_rules);
}

static void a_step_back_that_was_not_announced_is_a_jump(void **state)
{
	struct world_rules its_rules = rules_of(8, 64, 0, 1);

	(void)state;
	some_answer_is_wrong(&its_rules);
	its_rules = rules_of(8, 64, 9, 10);
	some_answer_is_wrong(&its_rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_place_is_left_out),
		COUNTING_TEST(one_interruption_anywhere),
		COUNTING_TEST(one_interruption_of_each_width),
		COUNTING_TEST(two_interruptions_nested_anywhere),
		COUNTING_TEST(three_interruptions_nested_anywhere),
		COUNTING_TEST(a_counter_that_steps_back_interrupted_anywhere),
		COUNTING_TEST(a_clock_of_one_slot_is_refuted),
		COUNTING_TEST(a_slot_published_before_it_is_written_is_refuted),
		COUNTING_TEST(a_counter_read_before_the_slot_is_refuted),
		COUNTING_TEST(two_updates_within_a_read_are_one_too_many),
		COUNTING_TEST(an_update_one_tick_later_is_too_late),
		COUNTING_TEST(a_step_back_that_was_not_announced_is_a_jump),
	};

	return cmocka_run_group_tests_name("trace_clock_words", tests, NULL, NULL);
}

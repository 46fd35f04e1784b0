// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_check_explorer.c - the explorer itself: of small programs it finds each state
 * that memory can end in, and no other, whatever it leaves off.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "check_platform.h"

#include "explore.h"

static struct {
	unsigned long x, y, seen[4];
} shared;

static unsigned char ends[1u << 16]; /* how often memory ended in a state */
static unsigned int nr_ends;

static void begin(void)
{
	memset(&shared, 0, sizeof(shared));
}

/* Every word is small: four bits of each. */
static void end(void)
{
	unsigned int i, state = (unsigned int)(shared.x << 4 | shared.y);

	for (i = 0; i < 2; i++)
		state = state << 4 | (unsigned int)shared.seen[i];
	nr_ends += ends[state & 0xffff] == 0;
	ends[state & 0xffff] = 1;
}

static void name_of(uintptr_t at, char *name, size_t bytes)
{
	snprintf(name, bytes, "word %zu", (at - (uintptr_t)&shared) / sizeof(unsigned long));
}

static bool ended_with(unsigned long x, unsigned long y, unsigned long seen0, unsigned long seen1)
{
	return ends[x << 12 | y << 8 | seen0 << 4 | seen1];
}

static void run(const struct explore_plan *of, bool all, struct explore_result *result)
{
	struct explore_plan plan = *of;

	memset(ends, 0, sizeof(ends));
	nr_ends = 0;
	plan.begin = begin;
	plan.end = end;
	plan.name_of = name_of;
	plan.all = all;
	explore(&plan, result);
	assert_string_equal(result->violation, "");
	assert_true(result->exhaustive);
}

static void stores_x_loads_y(void)
{
	strata_write_once(&shared.x, 1ul);
	strata_write_once(&shared.seen[0], strata_read_once(&shared.y));
}

static void stores_y_loads_x(void)
{
	strata_write_once(&shared.y, 1ul);
	strata_write_once(&shared.seen[1], strata_read_once(&shared.x));
}

static const struct explore_plan store_buffering = {
	.nr_contexts = 2,
	.contexts = { { "one", 0, 0, stores_x_loads_y }, { "other", 1, 0, stores_y_loads_x } },
};

static void a_store_waits_behind_a_load_on_x86_only(void **state)
{
	struct explore_plan plan = store_buffering;
	struct explore_result result;

	(void)state;
	run(&plan, false, &result);
	assert_int_equal(nr_ends, 3);
	assert_false(ended_with(1, 1, 0, 0));
	plan.memory = EXPLORE_TSO;
	run(&plan, false, &result);
	assert_int_equal(nr_ends, 4);
	assert_true(ended_with(1, 1, 0, 0));
}

static void tells_x_by_y(void)
{
	strata_write_once(&shared.x, 1ul);
	strata_write_once(&shared.y, 1ul);
}

static void tells_x_by_a_release(void)
{
	strata_write_once(&shared.x, 1ul);
	strata_store_release(&shared.y, 1ul);
}

static void is_told(void)
{
	strata_write_once(&shared.seen[0], strata_load_acquire(&shared.y));
	strata_write_once(&shared.seen[1], strata_read_once(&shared.x));
}

static void stores_overtake_each_other_but_no_release(void **state)
{
	struct explore_plan plan = {
		.nr_contexts = 2,
		.contexts = { { "one", 0, 0, tells_x_by_y }, { "other", 1, 0, is_told } },
	};
	struct explore_result result;

	(void)state;
	plan.memory = EXPLORE_TSO;
	run(&plan, false, &result);
	assert_false(ended_with(1, 1, 1, 0));
	plan.memory = EXPLORE_WEAK;
	run(&plan, false, &result);
	assert_true(ended_with(1, 1, 1, 0));
	plan.contexts[0].run = tells_x_by_a_release;
	run(&plan, false, &result);
	assert_false(ended_with(1, 1, 1, 0));
}

static void adds_two_to_both(void)
{
	strata_fetch_add(&shared.x, 1);
	strata_write_once(&shared.y, strata_read_once(&shared.y) + 1);
	strata_fetch_add(&shared.x, 1);
}

static void looks_at_both(void)
{
	strata_write_once(&shared.seen[0], strata_read_once(&shared.x));
	strata_write_once(&shared.seen[1], strata_read_once(&shared.y));
}

static void triples_y(void)
{
	strata_write_once(&shared.y, 3 * strata_read_once(&shared.y) % 16);
}

static void doubles_x(void)
{
	strata_write_once(&shared.x, 2 * strata_read_once(&shared.x) % 16);
}

static void a_plain_increment(void)
{
	shared.x++;
}

/* Two agents, three contexts nested in one of them, all that meet at two words. */
static void what_is_left_off_shows_nothing_new(void **state)
{
	static const struct explore_plan plans[] = {
		{ .nr_contexts = 3,
		  .contexts = { { "task", 0, 0, adds_two_to_both },
				{ "interrupt", 0, 1, adds_two_to_both },
				{ "other", 1, 0, looks_at_both } } },
		{ .nr_contexts = 4,
		  .contexts = { { "task", 0, 0, adds_two_to_both },
				{ "interrupt", 0, 1, triples_y },
				{ "NMI", 0, 2, doubles_x },
				{ "other", 1, 0, looks_at_both } } },
		{ .nr_contexts = 4,
		  .contexts = { { "task", 0, 0, looks_at_both },
				{ "interrupt", 0, 1, doubles_x },
				{ "other", 1, 0, adds_two_to_both },
				{ "its interrupt", 1, 1, triples_y } } },
		{ .memory = EXPLORE_TSO,
		  .nr_contexts = 3,
		  .contexts = { { "one", 0, 0, triples_y },
				{ "its interrupt", 0, 1, doubles_x },
				{ "other", 1, 0, adds_two_to_both } } },
		{ .memory = EXPLORE_WEAK,
		  .nr_contexts = 3,
		  .contexts = { { "one", 0, 0, adds_two_to_both },
				{ "its interrupt", 0, 1, triples_y },
				{ "other", 1, 0, looks_at_both } } },
	};
	static unsigned char found[sizeof(ends)];
	struct explore_result result, all;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		run(&plans[i], false, &result);
		memcpy(found, ends, sizeof(ends));
		run(&plans[i], true, &all);
		printf("# plan %zu: %u states by %lu of %lu interleavings\n", i, nr_ends,
		       result.complete, all.complete);
		assert_memory_equal(found, ends, sizeof(ends));
		assert_true(nr_ends > 2 && result.complete < all.complete);
	}
}

static void a_plain_increment_is_two_steps(void **state)
{
	const struct explore_plan plan = {
		.nr_contexts = 2,
		.contexts = { { "one", 0, 0, a_plain_increment },
			      { "other", 1, 0, a_plain_increment } },
	};
	struct explore_result result;

	(void)state;
	run(&plan, false, &result);
	assert_int_equal(nr_ends, 2);
	assert_true(ended_with(1, 0, 0, 0) && ended_with(2, 0, 0, 0));
}

static int share(void **state)
{
	(void)state;
	explore_share(&shared, sizeof(shared));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_store_waits_behind_a_load_on_x86_only),
		cmocka_unit_test(stores_overtake_each_other_but_no_release),
		cmocka_unit_test(a_plain_increment_is_two_steps),
		cmocka_unit_test(what_is_left_off_shows_nothing_new),
	};

	return cmocka_run_group_tests_name("check_explorer", tests, share, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_clock_sync_clashes.c - clocks that contradict each other: which one is left out, and whose
 * bounds grow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clock_anchors.h"
#include "clock_sync/graph.h"

/* Clock 0, the reference, lies by 5000 about clock 2.  Each of the three may be the liar. */
static void of_three_clocks_that_disagree_none_is_left_out(void **state)
{
	struct strata_clock_sync *sync = with_clocks(3);
	const struct strata_clock_sync_report *report;
	struct strata_clock_time one, other;

	(void)state;
	anchors(sync, 0, 1, 0, 100);
	anchors(sync, 0, 2, 5000, 100);
	anchors(sync, 1, 2, 0, 100);
	report = solve(sync, 0);
	assert_int_equal(report->nr_clashes, 1);
	assert_int_equal(report->clashes[0].clock, 1);
	assert_int_equal(report->clashes[0].other, 2);
	assert_int_equal(report->clashes[0].by, 0);
	assert_int_equal(report->clashes[0].liar, -1);
	assert_int_equal(report->clashes[0].doubted[0], 2);
	assert_in_range(report->clashes[0].gap, 4600, 4720);
	one = at(sync, 1, 5 * SECOND);
	other = at(sync, 2, 5 * SECOND);
	/* The two bounds together hold the truth of clocks 1 and 2; that of clock 1 did not grow.
	 */
	assert_in_range(one.bound, 100, 110);
	assert_in_range(one.value - other.value, 4980, 5020);
	assert_in_range(one.bound + other.bound, 5100, 5700);
	/* A clock that is added later enlarges no bounds but its own. */
	ok(strata_clock_sync_solve(sync, 1, &err));
	assert_in_range(at(sync, 0, 5 * SECOND).bound, 100, 110);
	assert_in_range(at(sync, 2, 5 * SECOND).bound, 5100, 5700);
	strata_clock_sync_free(sync);
}

/* Clock 1's messages reach clock 2, but not the other way round: that proves the lie as well. */
static void messages_in_one_direction_contradict_too(void **state)
{
	struct strata_clock_sync *sync = with_clocks(3);
	const struct strata_clock_sync_report *report;
	int64_t i;

	(void)state;
	anchors(sync, 0, 1, 0, 100);
	anchors(sync, 0, 2, -5000, 100);
	for (i = 0; i < 10; i++)
		ok(strata_clock_sync_before(sync, (struct strata_clock_event){ 1, i * SECOND },
					    (struct strata_clock_event){ 2, i * SECOND + 50 }, 0, 0,
					    &err));
	report = solve(sync, 0);
	assert_int_equal(report->nr_clashes, 0);
	strata_clock_sync_free(sync);
	/* Clock 2 is said to be ahead: what it received at 50 it received at -4950. */
	sync = with_clocks(3);
	anchors(sync, 0, 1, 0, 100);
	anchors(sync, 0, 2, 5000, 100);
	for (i = 0; i < 10; i++)
		ok(strata_clock_sync_before(sync, (struct strata_clock_event){ 1, i * SECOND },
					    (struct strata_clock_event){ 2, i * SECOND + 50 }, 0, 0,
					    &err));
	report = solve(sync, 0);
	assert_int_equal(report->nr_clashes, 1);
	assert_in_range(report->clashes[0].gap, 4650, 4770);
	assert_int_equal(report->clashes[0].doubted[0], 2);
	strata_clock_sync_free(sync);
}

/* Clock 0 lies about 2 and 3, each of which the others contradict.  Clocks 4 to 6, which are tied
 * to none of these, disagree as well. */
static struct strata_clock_sync *with_a_liar(void)
{
	struct strata_clock_sync *sync = with_clocks(7);

	anchors(sync, 0, 1, 0, 100);
	anchors(sync, 0, 2, 5000, 100);
	anchors(sync, 0, 3, -7000, 100);
	anchors(sync, 1, 2, 0, 100);
	anchors(sync, 1, 3, 0, 100);
	anchors(sync, 2, 3, 0, 100);
	anchors(sync, 4, 5, 0, 100);
	anchors(sync, 4, 6, 5000, 100);
	anchors(sync, 5, 6, 0, 100);
	return sync;
}

static void a_clock_that_all_others_contradict_is_left_out(void **state)
{
	struct strata_clock_sync *sync = with_a_liar();
	const struct strata_clock_sync_report *report;
	struct strata_clock_time time;
	int reference;

	(void)state;
	for (reference = 0; reference < 2; reference++) {
		report = solve(sync, reference);
		assert_true(report->nr_clashes >= 2);
		assert_int_equal(report->clashes[0].liar, 0);
		assert_int_equal(report->clashes[0].doubted[0], -1);
		assert_int_equal(report->clashes[0].doubted[1], -1);
		assert_true(report->clocks[0].left_out && !report->clocks[1].left_out &&
			    !report->clocks[2].left_out && !report->clocks[3].left_out);
		assert_false(report->clocks[4].left_out || report->clocks[5].left_out ||
			     report->clocks[6].left_out);
		assert_in_range(at(sync, 6, 5 * SECOND).bound, 5100, 5700);
		assert_int_equal(report->clocks[0].root, 0);
		assert_int_equal(report->clocks[3].root, 1);
		time = at(sync, 3, 5 * SECOND);
		assert_in_range(time.value, 5 * SECOND - 20, 5 * SECOND + 20);
		assert_in_range(time.bound, 100, 110);
		assert_int_equal(time.flags, reference == 0 ? STRATA_CLOCK_APART : 0);
	}
	assert_int_equal(at(sync, 0, 0).flags, STRATA_CLOCK_UNREACHABLE);
	strata_clock_sync_free(sync);
}

/* Clocks 2 and 4 contradict the ties of clock 0, but nothing confirms what they say. */
static void a_clock_is_not_left_out_if_nothing_confirms_its_accusers(void **state)
{
	struct strata_clock_sync *sync = with_clocks(5);
	const struct strata_clock_sync_report *report;

	(void)state;
	anchors(sync, 0, 1, 0, 100);
	anchors(sync, 0, 2, 0, 100);
	anchors(sync, 1, 2, 5000, 100);
	anchors(sync, 0, 3, 0, 100);
	anchors(sync, 0, 4, 0, 100);
	anchors(sync, 3, 4, 5000, 100);
	report = solve(sync, 0);
	assert_int_equal(report->nr_clashes, 2);
	assert_int_equal(report->clashes[0].liar, -1);
	assert_false(report->clocks[0].left_out);
	assert_in_range(at(sync, 1, 5 * SECOND).bound, 100, 110);
	assert_in_range(at(sync, 3, 5 * SECOND).bound, 100, 110);
	assert_in_range(at(sync, 4, 5 * SECOND).bound, 5100, 5700);
	strata_clock_sync_free(sync);
}

/* Clock 1 is tied to the reference, 3 to 1: where 2 contradicts 3, the whole way up to where their
 * paths meet is doubtful. */
static void a_doubt_concerns_all_clocks_below_where_paths_meet(void **state)
{
	struct strata_clock_sync *sync = with_clocks(5);
	const struct strata_clock_sync_report *report;

	(void)state;
	anchors(sync, 0, 1, 0, 100);
	anchors(sync, 0, 2, 5000, 100);
	anchors(sync, 1, 3, 0, 100);
	anchors(sync, 3, 2, 0, 100);
	anchors(sync, 1, 4, 0, 100);
	report = solve(sync, 0);
	assert_int_equal(report->nr_clashes, 1);
	assert_int_equal(report->clashes[0].by, 0);
	assert_int_equal(report->clashes[0].doubted[0], 1);
	assert_in_range(at(sync, 1, 5 * SECOND).bound, 5100, 5900);
	assert_in_range(at(sync, 4, 5 * SECOND).bound, 5200, 6000);
	assert_in_range(at(sync, 2, 5 * SECOND).bound, 100, 110);
	strata_clock_sync_free(sync);

	/* They meet at clock 1: nothing above it is doubtful. */
	sync = with_clocks(4);
	anchors(sync, 0, 1, 0, 100);
	anchors(sync, 1, 2, 0, 100);
	anchors(sync, 1, 3, 5000, 100);
	anchors(sync, 2, 3, 0, 100);
	ok(strata_clock_sync_solve(sync, 0, &err));
	assert_in_range(at(sync, 1, 5 * SECOND).bound, 100, 110);
	assert_in_range(at(sync, 2, 5 * SECOND).bound, 200, 220);
	assert_in_range(at(sync, 3, 5 * SECOND).bound, 5200, 6000);
	strata_clock_sync_free(sync);
}

/* Each two neighbours of the reference disagree by more than the two before them. */
static void of_many_contradictions_the_largest_name_their_cycles(void **state)
{
	enum { PAIRS = STRATA_CLOCK_CYCLES + 4 };
	struct strata_clock_sync *sync = with_clocks(1 + 2 * PAIRS);
	const struct strata_clock_sync_report *report;
	size_t i, turn;

	(void)state;
	for (i = 0; i < PAIRS; i++) {
		const int one = 1 + 2 * (int)i, other = one + 1;

		anchors(sync, 0, one, 0, 100);
		anchors(sync, 0, other, 5000 * (int64_t)(i + 1), 100);
		anchors(sync, one, other, 0, 100);
	}
	for (turn = 0; turn < 2; turn++) {
		report = solve(sync, 0);
		assert_int_equal(report->nr_clashes, PAIRS);
		for (i = 0; i < PAIRS; i++) {
			const struct strata_clock_clash *clash = &report->clashes[i];
			const int one = 1 + 2 * (int)(PAIRS - 1 - i);
			const int cycle[] = { one, one + 1, 0 };

			assert_int_equal(clash->clock, one);
			assert_int_equal(clash->doubted[0], one + 1);
			assert_in_range(at(sync, one + 1, 5 * SECOND).bound, 5000 * (PAIRS - i),
					5000 * (PAIRS - i) + 700);
			assert_int_equal(clash->nr_cycle, i < STRATA_CLOCK_CYCLES ? 3 : 0);
			if (clash->nr_cycle)
				assert_memory_equal(clash->cycle, cycle, sizeof(cycle));
			else
				assert_null(clash->cycle);
		}
		assert_int_equal(sync->clashes.nr_cycles, 3 * STRATA_CLOCK_CYCLES);
	}
	strata_clock_sync_free(sync);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_three_clocks_that_disagree_none_is_left_out),
		cmocka_unit_test(messages_in_one_direction_contradict_too),
		cmocka_unit_test(a_clock_that_all_others_contradict_is_left_out),
		cmocka_unit_test(a_clock_is_not_left_out_if_nothing_confirms_its_accusers),
		cmocka_unit_test(a_doubt_concerns_all_clocks_below_where_paths_meet),
		cmocka_unit_test(of_many_contradictions_the_largest_name_their_cycles),
	};

	return cmocka_run_group_tests_name("clock sync: clashes", tests, NULL, NULL);
}

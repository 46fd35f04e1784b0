// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_clock_sync_graph.c - paths, and the ends of numbers.
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
#include "clock_simulator.h"
#include "clock_sync/graph.h"

static void expect_limits(const struct strata_edge *edge, const struct strata_clock_limits *limits)
{
	assert_int_equal(edge->asked.drift_ppb, limits->drift_ppb);
	assert_int_equal(edge->asked.slew, limits->slew_ppt);
	assert_int_equal(edge->windows.length, limits->window_ms * (STRATA_GRAIN_SECOND / 1000));
}

/* The next clock on the way to the reference. */
static int parent_of(const struct strata_clock_sync *sync, int clock)
{
	const struct strata_edge *edge = sync->edges[sync->clocks[clock].parent_edge];

	return edge->from == clock ? edge->to : edge->from;
}

static void what_is_assumed_of_all_clocks_holds_where_nothing_else_is_said(void **state)
{
	struct strata_clock_limits all = { 7000, 30000, 500 }, one = { 9000, 20000, 700 };
	struct strata_clock_sync *sync = with_clocks(3);

	(void)state;
	all.window_ms = 0;
	assert_int_equal(strata_clock_sync_assume(sync, all, &err), -1);
	all.window_ms = 500;
	ok(strata_clock_sync_assume(sync, all, &err));
	ok(strata_clock_sync_limit(sync, 0, 2, one, &err));
	assert_int_equal(strata_clock_sync_assume(sync, all, &err), -1);
	anchors(sync, 0, 1, 5, 100);
	anchors(sync, 0, 2, 5, 100);
	ok(strata_clock_sync_solve(sync, 0, &err));
	assert_int_equal(sync->nr_edges, 2);
	expect_limits(sync->edges[0], &one);
	expect_limits(sync->edges[1], &all);
	strata_clock_sync_free(sync);
}

static void of_paths_with_as_many_hops_the_one_of_least_bound_is_taken(void **state)
{
	struct strata_clock_sync *sync = with_clocks(4);
	const struct strata_clock_sync_report *report;
	struct strata_clock_time time;

	(void)state;
	/* By way of clock 1 it is looser, and wrong by as much. */
	anchors(sync, 0, 1, 6000, 1000000);
	anchors(sync, 1, 3, -2000, 100);
	anchors(sync, 0, 2, 3000, 700);
	anchors(sync, 2, 3, 3100, 500);
	ok(strata_clock_sync_solve(sync, 0, &err));
	report = strata_clock_sync_report(sync, &err);
	assert_int_equal(parent_of(sync, 3), 2);
	assert_int_equal(parent_of(sync, 2), 0);
	assert_int_equal(parent_of(sync, 1), 0);
	time = at(sync, 3, 5 * SECOND + 6100);
	assert_in_range(time.value, 5 * SECOND - 20, 5 * SECOND + 20);
	/* Bounds add up. */
	assert_in_range(time.bound, 1200, 1300);
	assert_int_equal(time.flags, 0);
	assert_int_equal(report->nr_breaches, 0);
	/* From the other end, the same way back. */
	ok(strata_clock_sync_solve(sync, 3, &err));
	time = at(sync, 0, 5 * SECOND);
	assert_in_range(time.value, 5 * SECOND + 6080, 5 * SECOND + 6120);
	assert_in_range(time.bound, 1200, 1300);
	strata_clock_sync_free(sync);
}

/* All pairs of 300 clocks, tied in no order.  Looking at all edges for each constraint, or at all
 * for each clock of an edge, would take minutes. */
static void all_pairs_of_many_clocks_have_one_edge_each(void **state)
{
	enum { CLOCKS = 300, PAIRS = CLOCKS * (CLOCKS - 1) / 2, LOST = 7 };
	struct strata_clock_sync *sync = with_clocks(CLOCKS);
	int from, turn, i;
	size_t at;

	(void)state;
	for (turn = 0; turn < 2; turn++) {
		for (i = 0; i < CLOCKS * CLOCKS; i++) {
			/* All pairs once, because 7919 is a prime. */
			const int pair = (int)((long long)i * 7919 % (CLOCKS * CLOCKS));
			const int a = pair / CLOCKS, b = pair % CLOCKS;

			if (a > b && a != LOST && b != LOST)
				ok(anchor(sync, (struct strata_clock_event){ a, turn * SECOND },
					  (struct strata_clock_event){ b, turn * SECOND },
					  100 + b));
		}
	}
	assert_int_equal(sync->nr_edges, PAIRS - (CLOCKS - 1));
	ok(strata_clock_sync_solve(sync, 0, &err));
	assert_int_equal(sync->ties.first[CLOCKS], 2 * sync->nr_edges);
	for (from = 0; from < CLOCKS; from++) {
		const size_t first = sync->ties.first[from], end = sync->ties.first[from + 1];

		assert_int_equal(end - first, from == LOST ? 0 : CLOCKS - 2);
		for (at = first; at < end; at++) {
			const struct strata_edge *edge = sync->edges[sync->ties.at[at]];

			assert_true(edge->from == from || edge->to == from);
			assert_true(at == first || sync->ties.at[at - 1] < sync->ties.at[at]);
		}
		assert_int_equal(sync->clocks[from].hops, from != 0 && from != LOST);
		assert_int_equal(sync->clocks[from].root, from == LOST ? LOST : 0);
	}
	strata_clock_sync_free(sync);
}

/* Two paths of equal hops and bounds: by way of the clock that was added earlier, whichever edge
 * was. */
static void of_equal_paths_the_one_by_the_earlier_clock_is_taken(void **state)
{
	int order, i;

	(void)state;
	for (order = 0; order < 2; order++) {
		struct strata_clock_sync *sync = with_clocks(4);

		for (i = 0; i < 2; i++) {
			anchors(sync, 0, 1 + (i ^ order), 0, 100);
			anchors(sync, 1 + (i ^ order), 3, 0, 100);
		}
		ok(strata_clock_sync_solve(sync, 0, &err));
		assert_int_equal(sync->clocks[1].distance, sync->clocks[2].distance);
		assert_int_equal(parent_of(sync, 3), 1);
		strata_clock_sync_free(sync);
	}
}

/* Clock 1 is tied to clock 3 for 10 ms only, and drift alone bounds it later. */
static void a_narrow_bound_for_a_moment_is_heavy(void **state)
{
	struct strata_clock_sync *sync = with_clocks(4);
	int64_t at;

	(void)state;
	anchors(sync, 0, 1, 0, 100);
	anchors(sync, 0, 2, 0, 100);
	for (at = 0; at <= SECOND / 100; at += SECOND / 1000)
		ok(anchor(sync, (struct strata_clock_event){ 1, at },
			  (struct strata_clock_event){ 3, at }, 10));
	anchors(sync, 2, 3, 0, 1000);
	ok(strata_clock_sync_solve(sync, 0, &err));
	assert_int_equal(parent_of(sync, 3), 2);
	strata_clock_sync_free(sync);
}

/* Clock 4 is a stranger's.  It claims to be tied to the others at their times, but also by a pair
 * that is 200 days later. */
static void a_stranger_does_not_change_the_weights_of_other_edges(void **state)
{
	const struct strata_clock_event far = { 4, 200 * 86400 * SECOND };
	struct strata_clock_sync *sync = with_clocks(5);
	uint64_t weights[4];
	int i;

	(void)state;
	anchors(sync, 0, 1, 6000, 1000);
	anchors(sync, 1, 3, -2000, 100);
	anchors(sync, 0, 2, 3000, 700);
	anchors(sync, 2, 3, 3100, 500);
	ok(strata_clock_sync_solve(sync, 0, &err));
	assert_int_equal(parent_of(sync, 3), 1);
	memcpy(weights, sync->weights, sizeof(weights));
	for (i = 0; i < 4; i++) {
		anchors(sync, i, 4, 0, 10);
		ok(anchor(sync, (struct strata_clock_event){ i, 100 * SECOND }, far, 10));
	}
	ok(strata_clock_sync_solve(sync, 0, &err));
	assert_int_equal(sync->nr_edges, 8);
	assert_memory_equal(weights, sync->weights, sizeof(weights));
	assert_int_equal(parent_of(sync, 3), 1);
	strata_clock_sync_free(sync);
}

/* Clock 2 is a liar's: it claims to be tied narrowly to both others, whose clocks agree. */
static void a_third_clock_does_not_bend_a_direct_tie(void **state)
{
	struct strata_clock_sync *sync = with_clocks(3);
	struct strata_clock_time time;

	(void)state;
	anchors(sync, 0, 1, 0, 50000);
	anchors(sync, 0, 2, 0, 10);
	anchors(sync, 2, 1, 40000, 10);
	ok(strata_clock_sync_solve(sync, 0, &err));
	time = at(sync, 1, 5 * SECOND);
	assert_in_range(time.value, 5 * SECOND - 100, 5 * SECOND + 100);
	assert_in_range(time.bound, 50000, 51000);
	assert_int_equal(parent_of(sync, 1), 0);
	strata_clock_sync_free(sync);
}

static void what_is_not_tied_is_said_to_be_out_of_reach(void **state)
{
	struct strata_clock_sync *sync = with_clocks(4);
	const struct strata_clock_sync_report *report;
	int i;

	(void)state;
	anchors(sync, 0, 1, 10, 100);
	/* In one direction only: clock 2 may be any time ahead. */
	for (i = 0; i < 100; i++)
		ok(strata_clock_sync_before(sync, (struct strata_clock_event){ 0, i * SECOND },
					    (struct strata_clock_event){ 2, i * SECOND + 50 }, 0, 0,
					    &err));
	ok(strata_clock_sync_solve(sync, 0, &err));
	assert_int_equal(at(sync, 1, 0).flags & STRATA_CLOCK_UNREACHABLE, 0);
	assert_int_equal(at(sync, 2, 0).flags, STRATA_CLOCK_UNREACHABLE);
	assert_int_equal(at(sync, 3, 0).flags, STRATA_CLOCK_UNREACHABLE);
	assert_true(at(sync, 2, 0).bound == STRATA_CLOCK_UNBOUNDED);
	report = strata_clock_sync_report(sync, &err);
	assert_false(report->clocks[2].reachable);
	assert_false(strata_edge_usable(sync->edges[1]));
	strata_clock_sync_free(sync);
}

/* Clock 0, the reference, is tied to nothing; 1, 2 and 4 are tied to each other, and 3 to nothing.
 */
static void clocks_beside_the_reference_are_tied_to_the_first_of_them(void **state)
{
	struct strata_clock_sync *sync = with_clocks(5);
	const struct strata_clock_sync_report *report;
	struct strata_clock_time time;

	(void)state;
	anchors(sync, 1, 2, 700, 100);
	anchors(sync, 2, 4, 50, 100);
	ok(strata_clock_sync_solve(sync, 0, &err));
	report = strata_clock_sync_report(sync, &err);
	assert_int_equal(report->clocks[2].root, 1);
	assert_int_equal(report->clocks[4].root, 1);
	assert_int_equal(report->clocks[1].root, 1);
	assert_int_equal(report->clocks[3].root, 3);
	assert_false(report->clocks[1].reachable || report->clocks[2].reachable);
	time = at(sync, 4, 5 * SECOND + 750);
	assert_in_range(time.value, 5 * SECOND - 20, 5 * SECOND + 20);
	assert_in_range(time.bound, 200, 300);
	assert_int_equal(time.flags, STRATA_CLOCK_APART);
	assert_in_range(report->clocks[4].least_bound, 200, 300);
	time = at(sync, 1, 5 * SECOND);
	assert_true(time.value == 5 * SECOND && time.flags == STRATA_CLOCK_APART);
	assert_int_equal(at(sync, 3, 0).flags, STRATA_CLOCK_UNREACHABLE);
	strata_clock_sync_free(sync);
}

static void beyond_all_constraints_the_bound_grows_by_the_prior(void **state)
{
	struct strata_clock_sync *sync = with_clocks(2);
	struct strata_clock_time far, farther;

	(void)state;
	anchors(sync, 0, 1, 0, 100);
	ok(strata_clock_sync_solve(sync, 0, &err));
	assert_int_equal(at(sync, 1, 5 * SECOND).flags, 0);
	far = at(sync, 1, 10000 * SECOND);
	farther = at(sync, 1, 30000 * SECOND);
	assert_int_equal(far.flags, STRATA_CLOCK_OUTSIDE);
	/* 50 ppm of 20000 s. */
	assert_in_range(farther.bound - far.bound, 20000 * 50000ll - 100, 20000 * 50000ll + 100);
	assert_int_equal(at(sync, 1, -30000 * SECOND).flags, STRATA_CLOCK_OUTSIDE);
	strata_clock_sync_free(sync);
}

static void what_cannot_be_used_is_refused(void **state)
{
	const struct strata_clock_rate bad[] = { { 0, 1 },          { 1, 0 },
						 { 1, 2 },          { 1ull << 53, 1 },
						 { 1ull << 37, 1 }, { 70000, 70000 } };
	struct strata_clock_sync *sync = with_clocks(2);
	struct strata_clock_limits limits = { 200000000, 0, 1000 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(strata_clock_sync_add_clock(sync, "bad", bad[i], &err), -1);
	assert_non_null(strstr(err.text, "70000/70000"));
	assert_int_equal(strata_clock_sync_before(sync, (struct strata_clock_event){ 0, 1 },
						  (struct strata_clock_event){ 2, 1 }, 0, 0, &err),
			 -1);
	assert_int_equal(strata_clock_sync_before(sync, (struct strata_clock_event){ 1, 1 },
						  (struct strata_clock_event){ 1, 1 }, 0, 0, &err),
			 -1);
	assert_int_equal(strata_clock_sync_before(sync, (struct strata_clock_event){ 1, 1 },
						  (struct strata_clock_event){ 0, 1 }, UINT64_MAX,
						  0, &err),
			 -1);
	assert_int_equal(strata_clock_sync_limit(sync, 0, 1, limits, &err), -1);
	limits.drift_ppb = 1;
	limits.window_ms = 0;
	assert_int_equal(strata_clock_sync_limit(sync, 0, 1, limits, &err), -1);
	assert_int_equal(strata_clock_sync_solve(sync, 2, &err), -1);
	ok(strata_clock_sync_before(sync, (struct strata_clock_event){ 0, 0 },
				    (struct strata_clock_event){ 1, 0 }, 0, 0, &err));
	limits.window_ms = 1000;
	assert_int_equal(strata_clock_sync_limit(sync, 0, 1, limits, &err), -1);
	strata_clock_sync_free(sync);
}

/* A reading that may be anything: the ends, near them, small, or any. */
static int64_t any_reading(struct sim_random *random)
{
	uint64_t draw = sim_random(random);

	switch (draw % 6) {
	case 0:
		return INT64_MIN + (int64_t)(draw >> 60);
	case 1:
		return INT64_MAX - (int64_t)(draw >> 60);
	case 2:
		return (int64_t)(draw >> 8) >> (draw >> 3) % 56;
	case 3:
		return -((int64_t)(draw >> 8) >> (draw >> 3) % 56);
	default:
		return (int64_t)sim_random(random);
	}
}

static void any_numbers_get_an_answer_or_an_error(void **state)
{
	static const struct strata_clock_rate rates[] = {
		{ 1, 1 },          { 10000000000, 1 },
		{ 1000000000, 1 }, { (1ull << 36) - 1, 1 },
		{ 65536, 65536 },  { 1ull << 51, 65535 },
		{ 32768, 1 },      { 4503599627370495, 65536 }
	};
	const char *rounds = getenv("STRATA_SYNC_RUNS");
	unsigned long seed, nr = rounds ? strtoul(rounds, NULL, 0) : 300;

	(void)state;
	for (seed = 1; seed <= nr; seed++) {
		struct sim_random random = { seed };
		struct strata_clock_sync *sync = strata_clock_sync_new();
		int clocks = 2 + (int)(sim_random(&random) % 3), i;

		for (i = 0; i < clocks; i++)
			strata_clock_sync_add_clock(sync, "clock", rates[sim_random(&random) % 8],
						    &err);
		for (i = 0; i < 40; i++) {
			int a = (int)(sim_random(&random) % (unsigned int)clocks);
			int b = (int)(sim_random(&random) % (unsigned int)clocks);
			struct strata_clock_event x = { a, any_reading(&random) };
			struct strata_clock_event y = { b, any_reading(&random) };
			struct strata_clock_limits limits = {
				(uint32_t)sim_random(&random) >> sim_random(&random) % 32,
				(uint32_t)sim_random(&random) >> sim_random(&random) % 32,
				(uint32_t)sim_random(&random) >> sim_random(&random) % 32,
			};
			uint64_t number = sim_random(&random) >> sim_random(&random) % 64;

			/* Each may be refused; what counts is that nothing else happens. */
			err.text[0] = 0;
			switch (sim_random(&random) % 8) {
			case 0:
				strata_clock_sync_limit(sync, a, b, limits, &err);
				break;
			case 1:
				if (!strata_clock_sync_solve(sync, a, &err))
					at(sync, b, y.reading);
				break;
			default:
				strata_clock_sync_before(sync, x, y, number, 0, &err);
			}
		}
		ok(strata_clock_sync_solve(sync, 0, &err));
		assert_non_null(strata_clock_sync_report(sync, &err));
		for (i = 0; i < 100; i++) {
			int64_t reading = any_reading(&random);
			int clock = i % clocks;
			struct strata_clock_cursor cursor = strata_clock_cursor(sync, clock);
			struct strata_clock_time time = strata_clock_convert(&cursor, reading);

			if (clock == 0)
				assert_true(time.value == reading && time.flags == 0);
		}
		strata_clock_sync_free(sync);
	}
}

static void slow_clocks_and_fast_ones_convert_to_the_ends_of_their_range(void **state)
{
	struct strata_clock_sync *sync = strata_clock_sync_new();
	const struct strata_clock_rate slow = { 1, 1 }, fast = { 10000000000, 1 };
	struct strata_clock_time time;
	int a, b;

	(void)state;
	a = strata_clock_sync_add_clock(sync, "slow", slow, &err);
	b = strata_clock_sync_add_clock(sync, "fast", fast, &err);
	ok(anchor(sync, (struct strata_clock_event){ a, 100 },
		  (struct strata_clock_event){ b, 7000000000 }, 100));
	ok(anchor(sync, (struct strata_clock_event){ a, 110 },
		  (struct strata_clock_event){ b, 107000000000 }, 100));
	ok(strata_clock_sync_solve(sync, a, &err));
	time = at(sync, b, 57000000000);
	/* The slow clock shows a second that has begun: so far its reading is open. */
	assert_in_range(time.value, 105, 106);
	assert_in_range(time.bound, 1, 2);
	ok(strata_clock_sync_solve(sync, b, &err));
	time = at(sync, a, 105);
	assert_in_range(time.value, 52000000000 - 1000000, 52000000000 + 1000000);
	assert_in_range(time.bound, 5000000000, 5001000000);
	/* 2^63 s are more than a clock of 10 GHz can show. */
	time = at(sync, a, INT64_MAX);
	assert_true(time.value == INT64_MAX);
	assert_int_equal(time.flags & STRATA_CLOCK_CLAMPED, STRATA_CLOCK_CLAMPED);
	assert_true(time.bound == STRATA_CLOCK_UNBOUNDED);
	time = at(sync, a, INT64_MIN);
	assert_true(time.value == INT64_MIN);
	assert_int_equal(time.flags & STRATA_CLOCK_CLAMPED, STRATA_CLOCK_CLAMPED);
	strata_clock_sync_free(sync);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_assumed_of_all_clocks_holds_where_nothing_else_is_said),
		cmocka_unit_test(of_paths_with_as_many_hops_the_one_of_least_bound_is_taken),
		cmocka_unit_test(all_pairs_of_many_clocks_have_one_edge_each),
		cmocka_unit_test(of_equal_paths_the_one_by_the_earlier_clock_is_taken),
		cmocka_unit_test(a_narrow_bound_for_a_moment_is_heavy),
		cmocka_unit_test(a_stranger_does_not_change_the_weights_of_other_edges),
		cmocka_unit_test(a_third_clock_does_not_bend_a_direct_tie),
		cmocka_unit_test(what_is_not_tied_is_said_to_be_out_of_reach),
		cmocka_unit_test(clocks_beside_the_reference_are_tied_to_the_first_of_them),
		cmocka_unit_test(beyond_all_constraints_the_bound_grows_by_the_prior),
		cmocka_unit_test(what_cannot_be_used_is_refused),
		cmocka_unit_test(any_numbers_get_an_answer_or_an_error),
		cmocka_unit_test(slow_clocks_and_fast_ones_convert_to_the_ends_of_their_range),
	};

	return cmocka_run_group_tests_name("clock sync: graph", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_clock_sync_liars.c - clocks of traces that lie, alone or together: which is left out, and
 * whose bounds grow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clock_anchors.h"
#include "clock_sync/graph.h"

#define HOUR (3600 * SECOND)

static void expect_all_kept(const struct strata_clock_sync_report *report)
{
	size_t i;

	for (i = 0; i < report->nr_clocks; i++)
		assert_false(report->clocks[i].left_out);
}

/* Clocks @from to @until - 1 agree with each other. */
static void mesh(struct strata_clock_sync *sync, int from, int until)
{
	int a, b;

	for (a = from; a < until; a++) {
		for (b = a + 1; b < until; b++)
			anchors(sync, a, b, 0, 100);
	}
}

/* Clocks 4 and 5 agree with all others, but lie about what they exchanged with clock 0.  Without 0
 * all agree, but 1 to 3 agree with it. */
static void two_liars_do_not_get_an_honest_clock_left_out(void **state)
{
	struct strata_clock_sync *sync = with_clocks(6);
	const struct strata_clock_sync_report *report;
	int i, j;

	(void)state;
	mesh(sync, 0, 4);
	for (i = 4; i < 6; i++) {
		anchors(sync, 0, i, 5000, 100);
		for (j = 1; j < i; j++)
			anchors(sync, j, i, 0, 100);
	}
	for (i = 0; i < 6; i++) {
		report = solve(sync, i);
		assert_true(report->nr_clashes > 0);
		expect_all_kept(report);
	}
	/* With an honest reference, honest clocks keep their bounds. */
	report = solve(sync, 0);
	for (i = 1; i < 4; i++)
		assert_in_range(at(sync, i, 5 * SECOND).bound, 100, 110);
	for (i = 4; i < 6; i++)
		assert_in_range(at(sync, i, 5 * SECOND).bound, 5000, 6000);
	strata_clock_sync_free(sync);
}

/* Ties two clocks, from @first_s to @last_s of clock @a; clock @b shows @ahead more. */
static void tie(struct strata_clock_sync *sync, int a, int b, int64_t first_s, int64_t last_s,
		int64_t ahead)
{
	int64_t i;

	for (i = first_s; i <= last_s; i++)
		ok(anchor(sync, (struct strata_clock_event){ a, i * SECOND },
			  (struct strata_clock_event){ b, i * SECOND + ahead }, 100));
}

/* Clock 3 lies about itself to 0 and 2 in different ways, and by more to 1, in the order in which
 * edges have it as their axis or not. */
static void a_clock_about_which_no_two_agree_is_left_out(void **state)
{
	const int liars[] = { 0, 2, 3 };
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct strata_clock_sync *sync = with_clocks(4);
		int64_t lie = 0;
		int a, b;

		for (a = 0; a < 4; a++) {
			for (b = a + 1; b < 4; b++) {
				const int64_t ahead = a == 0 ? HOUR : 0, from = a == 0 ? 0 : 3600;

				if (a == liars[i] || b == liars[i])
					lie += 5000;
				tie(sync, a, b, from, from + 10,
				    ahead + (a == liars[i]   ? lie
					     : b == liars[i] ? -lie
							     : 0));
			}
		}
		assert_true(solve(sync, 1)->clocks[liars[i]].left_out);
		assert_in_range(at(sync, liars[i] == 2 ? 3 : 2, HOUR + 5 * SECOND).bound, 100, 110);
		strata_clock_sync_free(sync);
	}
}

/* Clocks 1 to 4 are in doubt because of 5, or 0: without either, or without 1 or 3, all agree. */
static void a_clock_is_not_left_out_if_it_may_be_another(void **state)
{
	struct strata_clock_sync *sync = with_clocks(6);

	(void)state;
	mesh(sync, 0, 3);
	anchors(sync, 0, 3, 0, 100);
	anchors(sync, 0, 4, 0, 100);
	anchors(sync, 3, 4, 0, 100);
	anchors(sync, 1, 5, 0, 100);
	anchors(sync, 3, 5, 5000, 100);
	expect_all_kept(solve(sync, 0));
	strata_clock_sync_free(sync);
}

/* The ties of clock 0 to 1 and 2 agree at first, but not later. */
static void neighbours_have_to_agree_at_all_times(void **state)
{
	int swapped;

	(void)state;
	for (swapped = 0; swapped < 2; swapped++) {
		const int late = 1 + swapped, early = 2 - swapped;
		struct strata_clock_sync *sync = with_clocks(6);

		mesh(sync, 1, 6);
		if (!swapped)
			tie(sync, 0, early, 0, 2, 0);
		tie(sync, 0, late, 0, 30, 0);
		tie(sync, 0, late, 31, 60, SECOND);
		tie(sync, 0, early, 0, 2, 0);
		anchors(sync, 0, 3, -50000000, 100);
		anchors(sync, 0, 4, 70000000, 100);
		anchors(sync, 0, 5, 30000000, 100);
		assert_true(solve(sync, 1)->clocks[0].left_out);
		strata_clock_sync_free(sync);
	}
}

static void expect_cycle(const struct strata_clock_clash *clash, const int *cycle, size_t nr)
{
	assert_int_equal(clash->nr_cycle, nr);
	assert_memory_equal(clash->cycle, cycle, nr * sizeof(*cycle));
}

/* Clocks R, A, B and LIAR of a ring: R-A, A-B, B-LIAR and LIAR-R, of which the liar's are narrow
 * and false, so that B is tied to R by way of it. */
static void in_a_ring_the_way_of_several_hops_is_in_doubt(void **state)
{
	/* Places of r, a, b and the liar. */
	const int orders[][4] = { { 0, 1, 2, 3 }, { 0, 2, 1, 3 }, { 0, 1, 3, 2 }, { 3, 0, 1, 2 },
				  { 3, 2, 1, 0 }, { 1, 3, 2, 0 }, { 2, 0, 3, 1 } };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		const int r = orders[i][0], a = orders[i][1], b = orders[i][2], x = orders[i][3];
		const struct strata_clock_sync_report *report;
		struct strata_clock_sync *sync = with_clocks(4);

		anchors(sync, r, a, 0, 100);
		anchors(sync, a, b, 0, 100);
		anchors(sync, b, x, 0, 10);
		anchors(sync, x, r, 50000, 10);
		report = solve(sync, r);
		assert_int_equal(report->nr_clashes, 1);
		assert_int_equal(report->clashes[0].by, r);
		expect_cycle(&report->clashes[0],
			     a < b ? (const int[]){ a, b, x, r } : (const int[]){ b, a, r, x }, 4);
		assert_in_range(at(sync, a, 5 * SECOND).bound, 100, 110);
		assert_in_range(at(sync, b, 5 * SECOND).bound, 50000, 60000);
		assert_in_range(at(sync, x, 5 * SECOND).bound, 50000, 60000);
		strata_clock_sync_free(sync);
	}
}

/* A ring of 0, 1, 3, 4 and 2: neither way is direct. */
static void in_a_longer_ring_both_ways_are_in_doubt(void **state)
{
	struct strata_clock_sync *sync = with_clocks(5);
	const struct strata_clock_sync_report *report;
	int i;

	(void)state;
	anchors(sync, 0, 1, 0, 100);
	anchors(sync, 0, 2, 50000, 100);
	anchors(sync, 1, 3, 0, 100);
	anchors(sync, 2, 4, 0, 100);
	anchors(sync, 3, 4, 0, 100);
	report = solve(sync, 0);
	assert_int_equal(report->nr_clashes, 1);
	assert_int_equal(report->clashes[0].doubted[0], 2);
	assert_int_equal(report->clashes[0].doubted[1], 1);
	expect_cycle(&report->clashes[0], (const int[]){ 3, 4, 2, 0, 1 }, 5);
	for (i = 1; i < 5; i++)
		assert_in_range(at(sync, i, 5 * SECOND).bound, 50000, 60000);
	strata_clock_sync_free(sync);
}

/* The difference of clocks 0 and 1 rises and falls within 15 s, between the samples of the edge of
 * 1 and 2, whose window is longer: there the lie of clock 2 is larger. */
static void a_margin_holds_where_paths_bend_between_samples(void **state)
{
	struct strata_clock_limits fast = { 50000, 50000000, 2000 }, slow = { 50000, 0, 60000 };
	int reference;

	(void)state;
	for (reference = 0; reference < 2; reference++) {
		struct strata_clock_sync *sync = with_clocks(3);
		const int far = 2 * reference, near = 2 - far;
		const struct strata_clock_sync_report *report;
		int64_t i;

		ok(strata_clock_sync_limit(sync, near, 1, fast, &err));
		ok(strata_clock_sync_limit(sync, far, 1, slow, &err));
		for (i = 0; i <= 60; i++) {
			const int64_t phase = i % 15, left = 15 - phase,
				      rise = 20000 * (phase < left ? phase : left);

			ok(anchor(sync, (struct strata_clock_event){ near, i * SECOND },
				  (struct strata_clock_event){ 1, i * SECOND + rise }, 100));
		}
		for (i = 0; i <= 60; i += 30)
			tie(sync, far, 1, i, i, 0);
		tie(sync, 0, 2, 0, 60, reference ? -50000 : 50000);
		report = solve(sync, near);
		assert_int_equal(report->nr_clashes, 1);
		assert_in_range(report->clashes[0].margin, 185000, 260000);
		strata_clock_sync_free(sync);
	}
}

/* Each of many strangers' components takes its trials from itself alone. */
static void strangers_do_not_use_up_the_trials_of_others(void **state)
{
	const int triangles = 140;
	struct strata_clock_sync *sync = with_clocks(4 + 3 * triangles);
	const struct strata_clock_sync_report *report;
	int i;

	(void)state;
	for (i = 0; i < triangles; i++) {
		anchors(sync, 4 + 3 * i, 5 + 3 * i, 0, 100);
		anchors(sync, 4 + 3 * i, 6 + 3 * i, 5000, 100);
		anchors(sync, 5 + 3 * i, 6 + 3 * i, 0, 100);
	}
	mesh(sync, 0, 3);
	anchors(sync, 0, 3, 5000, 100);
	anchors(sync, 1, 3, -7000, 100);
	anchors(sync, 2, 3, 10000, 100);
	report = solve(sync, 0);
	assert_true(report->clocks[3].left_out);
	assert_false(report->clocks[4].left_out);
	strata_clock_sync_free(sync);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_liars_do_not_get_an_honest_clock_left_out),
		cmocka_unit_test(a_clock_about_which_no_two_agree_is_left_out),
		cmocka_unit_test(a_clock_is_not_left_out_if_it_may_be_another),
		cmocka_unit_test(neighbours_have_to_agree_at_all_times),
		cmocka_unit_test(in_a_ring_the_way_of_several_hops_is_in_doubt),
		cmocka_unit_test(in_a_longer_ring_both_ways_are_in_doubt),
		cmocka_unit_test(a_margin_holds_where_paths_bend_between_samples),
		cmocka_unit_test(strangers_do_not_use_up_the_trials_of_others),
	};

	return cmocka_run_group_tests_name("clock sync: liars", tests, NULL, NULL);
}

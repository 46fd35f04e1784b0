// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_clock_sync_far.c - constraints of two clocks that are years apart: most of them decide, in
 * whatever order they come.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clock_anchors.h"
#include "clock_sync/clock_sync_report.h"

#define YEARS (600 * 86400 * SECOND)
#define FALSE 4711u

static unsigned int count(const struct strata_clock_sync_report *report,
			  enum strata_clock_breach_kind kind)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < report->nr_breaches; i++)
		nr += report->breaches[i].kind == kind;
	return nr;
}

/* Clock 1 is said to receive at @reading what clock 0 sends at @sent. */
static void receive(struct strata_clock_sync *sync, int64_t sent, int64_t reading)
{
	ok(strata_clock_sync_before(sync, (struct strata_clock_event){ 0, sent },
				    (struct strata_clock_event){ 1, reading }, 0, FALSE, &err));
}

/* The same each second from the @from-th up to before the @to-th, years ahead. */
static void receive_years_ahead(struct strata_clock_sync *sync, int from, int to)
{
	int i;

	for (i = from; i < to; i++)
		receive(sync, i * SECOND, YEARS + i * SECOND);
}

/* There are @nr breaches, all of @kind.  Returns the first one. */
static const struct strata_clock_breach *expect_breaches(struct strata_clock_sync *sync, size_t nr,
							 enum strata_clock_breach_kind kind)
{
	const struct strata_clock_sync_report *report = strata_clock_sync_report(sync, &err);

	assert_int_equal(report->nr_breaches, nr);
	assert_int_equal(count(report, kind), nr);
	return report->breaches;
}

static void expect_tie(struct strata_clock_sync *sync, unsigned int flags)
{
	struct strata_clock_time time;

	ok(strata_clock_sync_solve(sync, 0, &err));
	time = at(sync, 1, 5 * SECOND + 700);
	assert_in_range(time.value, 5 * SECOND - 20, 5 * SECOND + 20);
	assert_in_range(time.bound, 100, 110);
	assert_int_equal(time.flags, flags);
}

static void a_far_constraint_is_a_false_pair_whether_it_is_first_or_last(void **state)
{
	const struct strata_clock_breach *breach;
	int first;

	(void)state;
	for (first = 0; first < 2; first++) {
		struct strata_clock_sync *sync = with_clocks(2);

		if (first)
			receive(sync, SECOND, YEARS);
		anchors(sync, 0, 1, 700, 100);
		if (!first)
			receive(sync, SECOND, YEARS);
		expect_tie(sync, 0);
		breach = expect_breaches(sync, 1, STRATA_BREACH_FALSE_PAIR);
		assert_int_equal(breach->cookie, FALSE);
		assert_in_range(breach->size, YEARS - 11 * SECOND, YEARS + 11 * SECOND);
		/* It is named once. */
		expect_tie(sync, 0);
		expect_breaches(sync, 1, STRATA_BREACH_FALSE_PAIR);
		strata_clock_sync_free(sync);
	}
}

/* The axis is the time of clock 1, which shows the same here as for the others. */
static void a_false_time_of_either_clock_is_far(void **state)
{
	struct strata_clock_sync *sync = with_clocks(2);

	(void)state;
	anchors(sync, 0, 1, 700, 100);
	receive(sync, YEARS, SECOND);
	receive(sync, -YEARS, SECOND);
	expect_tie(sync, 0);
	expect_breaches(sync, 2, STRATA_BREACH_FALSE_PAIR);
	strata_clock_sync_free(sync);
}

static void the_ends_of_the_range_are_false_pairs_as_well(void **state)
{
	struct strata_clock_sync *sync = with_clocks(2);

	(void)state;
	receive(sync, INT64_MIN, INT64_MAX);
	receive(sync, INT64_MAX, INT64_MAX);
	anchors(sync, 0, 1, 700, 100);
	expect_tie(sync, 0);
	expect_breaches(sync, 2, STRATA_BREACH_FALSE_PAIR);
	strata_clock_sync_free(sync);
}

/* A trace that claims the clock of another machine can add as many false constraints as it likes.
 */
static void many_far_constraints_leave_the_bounds_unproven(void **state)
{
	struct strata_clock_sync *sync = with_clocks(2);

	(void)state;
	receive_years_ahead(sync, 0, 15);
	anchors(sync, 0, 1, 700, 100);
	expect_tie(sync, STRATA_CLOCK_UNPROVEN);
	expect_breaches(sync, 1, STRATA_BREACH_UNEXPLAINED);
	strata_clock_sync_free(sync);
}

static void a_later_solve_judges_far_constraints_anew(void **state)
{
	struct strata_clock_sync *sync = with_clocks(2);

	(void)state;
	receive_years_ahead(sync, 0, 15);
	anchors(sync, 0, 1, 700, 100);
	expect_tie(sync, STRATA_CLOCK_UNPROVEN);
	anchors(sync, 0, 1, 700, 100);
	expect_tie(sync, 0);
	expect_breaches(sync, 15, STRATA_BREACH_FALSE_PAIR);
	receive_years_ahead(sync, 15, 30);
	expect_tie(sync, STRATA_CLOCK_UNPROVEN);
	strata_clock_sync_free(sync);
}

/* A false pair of a group that is used again is still named. */
static void a_group_keeps_its_own_breaches(void **state)
{
	struct strata_clock_sync *sync = with_clocks(2);
	const struct strata_clock_sync_report *report;
	int turn;

	(void)state;
	anchors(sync, 0, 1, 700, 100);
	receive(sync, 5 * SECOND, 4 * SECOND);
	ok(strata_clock_sync_solve(sync, 0, &err));
	report = strata_clock_sync_report(sync, &err);
	assert_int_equal(report->nr_breaches, 1);
	assert_int_equal(report->breaches[0].cookie, FALSE);
	for (turn = 0; turn < 2; turn++)
		anchors(sync, 0, 1, YEARS, 100);
	ok(strata_clock_sync_solve(sync, 0, &err));
	expect_breaches(sync, 1, STRATA_BREACH_UNEXPLAINED);
	for (turn = 0; turn < 2; turn++)
		anchors(sync, 0, 1, 700, 100);
	expect_tie(sync, STRATA_CLOCK_UNPROVEN);
	report = strata_clock_sync_report(sync, &err);
	assert_int_equal(report->nr_breaches, 2);
	assert_int_equal(report->breaches[0].kind, STRATA_BREACH_UNEXPLAINED);
	assert_int_equal(report->breaches[1].kind, STRATA_BREACH_FALSE_PAIR);
	assert_int_equal(report->breaches[1].cookie, FALSE);
	strata_clock_sync_free(sync);
}

/* As many as these are no accident, though they are few beside the others. */
static void a_small_part_is_not_false_if_it_is_many(void **state)
{
	struct strata_clock_sync *sync = with_clocks(2);
	int i;

	(void)state;
	receive_years_ahead(sync, 0, 17);
	for (i = 0; i < 3; i++)
		anchors(sync, 0, 1, 700, 100);
	expect_tie(sync, STRATA_CLOCK_UNPROVEN);
	strata_clock_sync_free(sync);
}

static void constraints_that_are_far_from_all_others_take_no_room(void **state)
{
	struct strata_clock_sync *sync = with_clocks(2);
	const struct strata_clock_sync_report *report;
	int i;

	(void)state;
	for (i = 2; i < 9; i++)
		receive(sync, 0, -i * YEARS);
	anchors(sync, 0, 1, 700, 100);
	for (i = 2; i < 9; i++)
		receive(sync, 0, i * YEARS);
	expect_tie(sync, STRATA_CLOCK_UNPROVEN);
	report = strata_clock_sync_report(sync, &err);
	assert_int_equal(count(report, STRATA_BREACH_UNEXPLAINED), 1);
	strata_clock_sync_free(sync);
}

/* As anchors(), from @from of clock @a on. */
static void anchors_from(struct strata_clock_sync *sync, int a, int b, int64_t from, int64_t ahead)
{
	int64_t i;

	for (i = from; i <= from + 10 * SECOND; i += SECOND)
		ok(anchor(sync, (struct strata_clock_event){ a, i },
			  (struct strata_clock_event){ b, i + ahead }, 100));
}

/* Clocks that are years apart are less likely than clocks that are set. */
static void of_equal_groups_the_one_of_nearer_clocks_is_used(void **state)
{
	int order;

	(void)state;
	for (order = 0; order < 8; order++) {
		struct strata_clock_sync *sync = with_clocks(2);
		const int a = order >> 1 & 1;
		const int64_t far = order >> 2 ? YEARS : -YEARS;
		int turn;

		for (turn = 0; turn < 2; turn++)
			anchors_from(sync, a, !a, 0, turn == (order & 1) ? 700 : far);
		ok(strata_clock_sync_solve(sync, 0, &err));
		assert_in_range(at(sync, 1, 5 * SECOND).value, 5 * SECOND - 720, 5 * SECOND + 720);
		assert_int_equal(at(sync, 1, 5 * SECOND).flags, STRATA_CLOCK_UNPROVEN);
		strata_clock_sync_free(sync);
	}
}

static void of_equal_groups_of_equal_clocks_the_earlier_one_is_used(void **state)
{
	int order;

	(void)state;
	for (order = 0; order < 4; order++) {
		struct strata_clock_sync *sync = with_clocks(2);
		const int a = order >> 1;
		int turn;

		for (turn = 0; turn < 2; turn++)
			anchors_from(sync, a, !a, turn == (order & 1) ? 0 : YEARS, 0);
		ok(strata_clock_sync_solve(sync, 0, &err));
		assert_in_range(at(sync, 1, 5 * SECOND).bound, 100, 110);
		assert_true(at(sync, 1, YEARS + 5 * SECOND).bound > SECOND);
		strata_clock_sync_free(sync);
	}
}

static void of_equal_groups_the_one_of_nearer_clocks_keeps_its_room(void **state)
{
	static const int64_t far[] = { 2 * YEARS, -2 * YEARS, 3 * YEARS, -3 * YEARS };
	int order, turn;

	(void)state;
	for (order = 0; order < 4; order++) {
		struct strata_clock_sync *sync = with_clocks(2);

		for (turn = 0; turn < 4; turn++)
			anchors_from(sync, 0, 1, 0, turn == order ? 700 : far[turn]);
		receive(sync, 0, -9 * YEARS);
		expect_tie(sync, STRATA_CLOCK_UNPROVEN);
		strata_clock_sync_free(sync);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_far_constraint_is_a_false_pair_whether_it_is_first_or_last),
		cmocka_unit_test(a_false_time_of_either_clock_is_far),
		cmocka_unit_test(the_ends_of_the_range_are_false_pairs_as_well),
		cmocka_unit_test(many_far_constraints_leave_the_bounds_unproven),
		cmocka_unit_test(a_later_solve_judges_far_constraints_anew),
		cmocka_unit_test(a_group_keeps_its_own_breaches),
		cmocka_unit_test(a_small_part_is_not_false_if_it_is_many),
		cmocka_unit_test(constraints_that_are_far_from_all_others_take_no_room),
		cmocka_unit_test(of_equal_groups_the_one_of_nearer_clocks_is_used),
		cmocka_unit_test(of_equal_groups_of_equal_clocks_the_earlier_one_is_used),
		cmocka_unit_test(of_equal_groups_the_one_of_nearer_clocks_keeps_its_room),
	};

	return cmocka_run_group_tests_name("clock sync: far constraints", tests, NULL, NULL);
}

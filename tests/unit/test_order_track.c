// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_order_track.c - one track of the order check: events that came before anything was known of
 * their vCPU are judged by the first record of it, and by how much their times may be off.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "host/order_track.h"

struct fixture {
	struct strata_track track;
	struct strata_track_result result;
};

static void begin(struct fixture *fixture)
{
	strata_track_init(&fixture->track, 1u << 16);
	strata_track_result_init(&fixture->result);
}

/* A record at @ticks, the first one, says that the vCPU was blocked and waits from now on; it runs
 * from @runs on, and no more at @ends. */
static void record(struct fixture *fixture, uint64_t ticks, uint64_t runs, uint64_t ends)
{
	strata_track_learn(&fixture->track, &fixture->result, false, "blocked");
	strata_track_end(&fixture->track, &fixture->result, ticks, "runnable");
	strata_track_begin(&fixture->track, &fixture->result, runs);
	strata_track_end(&fixture->track, &fixture->result, ends, "blocked");
	strata_track_finish(&fixture->track, &fixture->result, ends + 1000);
	strata_track_clear(&fixture->track);
}

static void expect(const struct fixture *fixture, uint64_t checks, uint64_t violations,
		   uint64_t unchecked)
{
	assert_int_equal(fixture->result.checks, checks);
	assert_int_equal(fixture->result.violations, violations);
	assert_int_equal(fixture->result.unchecked, unchecked);
}

static void what_was_outside_is_a_violation(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	strata_track_event(&fixture.track, &fixture.result, 100, 10, "event");
	strata_track_event(&fixture.track, &fixture.result, 150, 49, "event");
	record(&fixture, 180, 200, 300);
	expect(&fixture, 2, 2, 0);
	assert_int_equal(fixture.result.nr_named, 1);
	assert_int_equal(fixture.result.named[0].ticks, 100);
}

static void what_may_have_been_inside_is_none(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	strata_track_event(&fixture.track, &fixture.result, 100, 10, "event");
	strata_track_event(&fixture.track, &fixture.result, 150, 50, "event");
	record(&fixture, 180, 200, 300);
	expect(&fixture, 0, 0, 2);
}

/* Its counter was set back then: its time is known only to what it was set back by. */
static void a_doubtful_time_before_all_records_is_not_judged(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	strata_track_event(&fixture.track, &fixture.result, 100, 100000, "event");
	record(&fixture, 180, 200, 300);
	expect(&fixture, 0, 0, 1);
}

static void what_was_inside_is_checked(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	strata_track_event(&fixture.track, &fixture.result, 100, 10, "event");
	strata_track_learn(&fixture.track, &fixture.result, true, "running");
	strata_track_end(&fixture.track, &fixture.result, 120, "blocked");
	strata_track_finish(&fixture.track, &fixture.result, 1000);
	strata_track_clear(&fixture.track);
	expect(&fixture, 1, 0, 0);
	assert_int_equal(fixture.result.slack_after_ticks, 30);
}

/* Nothing of it runs again: there is no interval that they could belong to. */
static void what_no_interval_follows_is_a_violation(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	strata_track_event(&fixture.track, &fixture.result, 100, 50, "event");
	strata_track_learn(&fixture.track, &fixture.result, false, "blocked");
	strata_track_end(&fixture.track, &fixture.result, 120, "runnable");
	strata_track_finish(&fixture.track, &fixture.result, 1000);
	strata_track_clear(&fixture.track);
	expect(&fixture, 1, 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_outside_is_a_violation),
		cmocka_unit_test(what_may_have_been_inside_is_none),
		cmocka_unit_test(a_doubtful_time_before_all_records_is_not_judged),
		cmocka_unit_test(what_was_inside_is_checked),
		cmocka_unit_test(what_no_interval_follows_is_a_violation),
	};

	return cmocka_run_group_tests_name("order_track", tests, NULL, NULL);
}

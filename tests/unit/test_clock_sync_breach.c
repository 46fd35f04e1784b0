// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_clock_sync_breach.c - broken assumptions are reported, and with the right kind and size.
 *
 * Two simulated clocks whose pairs would be explained, but for one thing: a clock is set,
 * pairs are false, drift or wander are beyond what was assumed.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "clock_simulator.h"
#include "clock_sync/graph.h"

#define SPAN    60e9 /* ns */
#define SECOND  1e9
#define LEAST   300.0 /* ns a message takes at least, and on average on top of that */
#define MEAN    2000.0
#define ROUNDS  24
#define HOST_HZ 2400000000u

struct pair_of_clocks {
	struct sim_random random;
	struct strata_clock_sync *sync;
	struct sim_clock host; /* the reference */
	struct sim_clock guest;
	const struct strata_clock_sync_report *report;
};

static void set_up(struct pair_of_clocks *pair, uint64_t seed, double drift, double slew)
{
	struct strata_error err;

	pair->random.state = seed;
	sim_clock_init(&pair->host, &pair->random, HOST_HZ, SPAN * 1.2, 10e-6, 0);
	sim_clock_init(&pair->guest, &pair->random, 1e9, SPAN * 1.2, drift, slew);
	pair->sync = strata_clock_sync_new();
	strata_clock_sync_add_clock(pair->sync, "host", (struct strata_clock_rate){ HOST_HZ, 1 },
				    &err);
	strata_clock_sync_add_clock(pair->sync, "guest",
				    (struct strata_clock_rate){ 1000000000, 1 }, &err);
}

static void message(struct pair_of_clocks *pair, bool down, double sent, double received,
		    uint64_t cookie)
{
	const struct sim_clock *from = down ? &pair->host : &pair->guest;
	const struct sim_clock *to = down ? &pair->guest : &pair->host;
	struct strata_clock_event cause = { !down, sim_clock_read(from, sent) };
	struct strata_clock_event effect = { down, sim_clock_read(to, received) };
	struct strata_error err;

	if (strata_clock_sync_before(pair->sync, cause, effect, 0, cookie, &err))
		fail_msg("%s", err.text);
}

/* @nr true pairs at random, with cookies from 1000 on. */
static void true_pairs(struct pair_of_clocks *pair, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		double sent = sim_between(&pair->random, 0, SPAN);

		message(pair, sim_uniform(&pair->random) < 0.5, sent,
			sent + LEAST + MEAN * sim_exponential(&pair->random), 1000 + (uint64_t)i);
	}
}

static void solve(struct pair_of_clocks *pair)
{
	struct strata_error err;

	if (strata_clock_sync_solve(pair->sync, 0, &err))
		fail_msg("%s", err.text);
	pair->report = strata_clock_sync_report(pair->sync, &err);
	assert_non_null(pair->report);
}

static void tear_down(struct pair_of_clocks *pair)
{
	strata_clock_sync_free(pair->sync);
}

static unsigned int count(const struct pair_of_clocks *pair, enum strata_clock_breach_kind kind)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < pair->report->nr_breaches; i++)
		nr += pair->report->breaches[i].kind == kind;
	return nr;
}

/* The truth at many times, also just around @around; all but @excused must be within the bound. */
static void assert_true_at_all_times(struct pair_of_clocks *pair, double around, uint32_t excused)
{
	struct strata_clock_cursor cursor = strata_clock_cursor(pair->sync, 1);
	int i;

	for (i = 0; i < 2000; i++) {
		double at = i % 2 ? sim_between(&pair->random, 0, SPAN)
				  : around + sim_between(&pair->random, -1e8, 1e8);
		int64_t reading = sim_clock_read(&pair->guest, at);
		struct strata_clock_time time = strata_clock_convert(&cursor, reading);
		double off = sim_clock_error(&pair->guest, &pair->host, at, time.value);

		if (time.flags & excused)
			continue;
		if (off > (double)time.bound + 0.01 || off < -(double)time.bound - 0.01)
			fail_msg("at %.0f ns: off by %f, bound %lu, flags %x", at, off,
				 (unsigned long)time.bound, time.flags);
	}
}

static void nothing_is_reported_of_clocks_that_keep_the_assumptions(void **state)
{
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= ROUNDS; seed++) {
		struct pair_of_clocks pair;

		set_up(&pair, seed, 20e-6, 9e-9);
		true_pairs(&pair, 3000);
		solve(&pair);
		assert_int_equal(pair.report->nr_breaches, 0);
		assert_true_at_all_times(&pair, SPAN / 2, 0);
		tear_down(&pair);
	}
}

static void a_step_is_found_where_it_was(void **state)
{
	static const double sizes[] = { 1e6, -1e6, 5e4, -5e4, 3e9, -2e9, 1e4, 2e16 };
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= ROUNDS; seed++) {
		double at = SPAN / 2 + (double)seed * 0.6 * SECOND, size = sizes[seed % 8];
		const struct strata_clock_breach *step;
		struct pair_of_clocks pair;

		set_up(&pair, seed, 20e-6, 9e-9);
		sim_clock_step(&pair.guest, at, size);
		true_pairs(&pair, 6000);
		solve(&pair);
		if (pair.report->nr_breaches != 1)
			fail_msg("round %lu: %zu breaches", (unsigned long)seed,
				 pair.report->nr_breaches);
		step = &pair.report->breaches[0];
		assert_int_equal(step->kind, STRATA_BREACH_STEP);
		assert_int_equal(step->clock, 1);
		assert_int_equal(step->other, 0);
		assert_true(step->from <= sim_clock_read(&pair.guest, at - 1));
		assert_true(step->to >= sim_clock_read(&pair.guest, at));
		/* The host's deviation from the guest moves the other way. */
		assert_true(fabs((double)step->size + size) < 5000 + 50e-6 * fabs(size));
		assert_true_at_all_times(&pair, at, 0);
		tear_down(&pair);
	}
}

static void two_steps_leave_three_lines(void **state)
{
	struct pair_of_clocks pair;

	(void)state;
	set_up(&pair, 7, 20e-6, 0);
	sim_clock_step(&pair.guest, 20.3 * SECOND, 4e5);
	sim_clock_step(&pair.guest, 41.7 * SECOND, -9e5);
	true_pairs(&pair, 6000);
	solve(&pair);
	assert_int_equal(pair.report->nr_breaches, 2);
	assert_int_equal(count(&pair, STRATA_BREACH_STEP), 2);
	assert_true_at_all_times(&pair, 20.3 * SECOND, 0);
	assert_true_at_all_times(&pair, 41.7 * SECOND, 0);
	tear_down(&pair);
}

static void false_pairs_are_named_and_what_they_hid_is_used(void **state)
{
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= ROUNDS; seed++) {
		const unsigned int nr = 1 + (unsigned int)(seed % 3);
		bool named[3] = { false, false, false };
		struct pair_of_clocks pair;
		unsigned int i;
		size_t j;

		set_up(&pair, seed, 20e-6, 9e-9);
		true_pairs(&pair, 6000);
		for (i = 0; i < nr; i++) {
			double sent = sim_between(&pair.random, 0, SPAN);

			/* Received before it was sent: that was another message. */
			message(&pair, i % 2, sent, sent - sim_between(&pair.random, 2e4, 1e7), i);
		}
		solve(&pair);
		assert_int_equal(count(&pair, STRATA_BREACH_FALSE_PAIR), pair.report->nr_breaches);
		/* Everything that looks like a false pair is named, too: only a few are. */
		assert_in_range(pair.report->nr_breaches, nr, nr + 2);
		for (j = 0; j < pair.report->nr_breaches; j++) {
			if (pair.report->breaches[j].cookie < 3)
				named[pair.report->breaches[j].cookie] = true;
		}
		for (i = 0; i < nr; i++)
			assert_true(named[i]);
		assert_true_at_all_times(&pair, SPAN / 2, 0);
		/* And the bound is the same as without them. */
		assert_true(pair.report->clocks[1].greatest_bound < 4 * (uint64_t)LEAST * 24 / 10);
		tear_down(&pair);
	}
}

static void a_rate_beyond_the_prior_is_reported(void **state)
{
	struct pair_of_clocks pair;
	int i;

	(void)state;
	set_up(&pair, 3, 0, 0);
	for (i = 0; i < SIM_NODES; i++) {
		pair.guest.drift[i] = 120e-6;
		pair.guest.phase[i] = 120e-6L * i * pair.guest.node_ns;
	}
	true_pairs(&pair, 3000);
	solve(&pair);
	assert_true(pair.report->nr_breaches > 0);
	assert_int_equal(pair.report->breaches[0].kind, STRATA_BREACH_DRIFT);
	assert_in_range(pair.report->breaches[0].size, 50001, 135000);
	assert_int_equal(count(&pair, STRATA_BREACH_STEP), 0);
	assert_int_equal(pair.sync->edges[0]->asked.drift_ppb, 50000);
	assert_true(pair.sync->edges[0]->model.drift_ppb >= 120000);
	/* With the present assumptions the bound is right again. */
	assert_true_at_all_times(&pair, SPAN / 2, 0);
	tear_down(&pair);
}

static void a_rate_that_changes_too_fast_is_no_step(void **state)
{
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= 10; seed++) {
		struct pair_of_clocks pair;

		/* A hundred times the limit. */
		set_up(&pair, seed, 40e-6, 1e-6);
		true_pairs(&pair, 20000);
		solve(&pair);
		assert_true(count(&pair, STRATA_BREACH_WANDER) > 0);
		assert_int_equal(count(&pair, STRATA_BREACH_FALSE_PAIR), 0);
		assert_int_equal(count(&pair, STRATA_BREACH_STEP), 0);
		assert_true(pair.sync->edges[0]->model.slew > 10 * 10000);
		tear_down(&pair);
	}
}

static void rubbish_is_not_believed(void **state)
{
	struct strata_clock_cursor cursor;
	struct pair_of_clocks pair;
	int i, flagged = 0;

	(void)state;
	set_up(&pair, 5, 20e-6, 0);
	for (i = 0; i < 3000; i++) {
		double sent = sim_between(&pair.random, 0, SPAN);

		message(&pair, i % 2, sent, sent + sim_between(&pair.random, -1e6, 1e6),
			(uint64_t)i);
	}
	solve(&pair);
	assert_true(count(&pair, STRATA_BREACH_UNEXPLAINED) > 0);
	cursor = strata_clock_cursor(pair.sync, 1);
	for (i = 0; i < 100; i++) {
		int64_t reading = sim_clock_read(&pair.guest, SPAN * i / 100);

		flagged += !!(strata_clock_convert(&cursor, reading).flags & STRATA_CLOCK_UNPROVEN);
	}
	assert_true(flagged > 90);
	tear_down(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_reported_of_clocks_that_keep_the_assumptions),
		cmocka_unit_test(a_step_is_found_where_it_was),
		cmocka_unit_test(two_steps_leave_three_lines),
		cmocka_unit_test(false_pairs_are_named_and_what_they_hid_is_used),
		cmocka_unit_test(a_rate_beyond_the_prior_is_reported),
		cmocka_unit_test(a_rate_that_changes_too_fast_is_no_step),
		cmocka_unit_test(rubbish_is_not_believed),
	};

	return cmocka_run_group_tests_name("clock sync: breaches", tests, NULL, NULL);
}

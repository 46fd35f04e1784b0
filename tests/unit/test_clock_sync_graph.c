// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_clock_sync_graph.c - paths, exact maps, windows that close, and the ends of numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clock_simulator.h"
#include "clock_sync/clock_sync_report.h"

#define SECOND 1000000000ll

static const struct strata_clock_rate ghz = { 1000000000, 1 };
static struct strata_error err;

#define ok(call)                                  \
	do {                                      \
		if (call)                         \
			fail_msg("%s", err.text); \
	} while (0)

static struct strata_clock_sync *with_clocks(int nr)
{
	struct strata_clock_sync *sync = strata_clock_sync_new();

	while (nr--)
		strata_clock_sync_add_clock(sync, "clock", ghz, &err);
	return sync;
}

/* Anchors each second for 10 s: clock @b shows @ahead more than clock @a. */
static void anchors(struct strata_clock_sync *sync, int a, int b, int64_t ahead, uint64_t bound)
{
	int64_t at;

	for (at = 0; at <= 10 * SECOND; at += SECOND)
		ok(strata_clock_sync_anchor(sync, (struct strata_clock_event){ a, at },
					    (struct strata_clock_event){ b, at + ahead }, bound, 0,
					    &err));
}

static struct strata_clock_time at(struct strata_clock_sync *sync, int clock, int64_t reading)
{
	struct strata_clock_cursor cursor = strata_clock_cursor(sync, clock);

	return strata_clock_convert(&cursor, reading);
}

static void what_is_assumed_of_all_clocks_holds_where_nothing_else_is_said(void **state)
{
	struct strata_clock_limits all = { 7000, 30000, 500 }, one = { 9000, 20000, 700 };
	struct strata_clock_sync *sync = with_clocks(3);
	const struct strata_clock_sync_report *report;

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
	report = strata_clock_sync_report(sync, &err);
	assert_int_equal(report->nr_edges, 2);
	assert_memory_equal(&report->edges[0].asked, &one, sizeof(one));
	assert_memory_equal(&report->edges[1].asked, &all, sizeof(all));
	strata_clock_sync_free(sync);
}

static void a_path_of_least_bound_is_taken_not_the_shortest(void **state)
{
	struct strata_clock_sync *sync = with_clocks(4);
	const struct strata_clock_sync_report *report;
	struct strata_clock_time time;

	(void)state;
	anchors(sync, 0, 3, 6000, 1000000); /* direct, but loose, and wrong by as much */
	anchors(sync, 0, 1, 1000, 300);
	anchors(sync, 1, 2, 2000, 400);
	anchors(sync, 2, 3, 3100, 500);
	ok(strata_clock_sync_solve(sync, 0, &err));
	report = strata_clock_sync_report(sync, &err);
	assert_int_equal(report->clocks[3].parent, 2);
	assert_int_equal(report->clocks[2].parent, 1);
	assert_int_equal(report->clocks[1].parent, 0);
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
	assert_true(report->edges[1].one_sided);
	assert_int_equal(report->edges[1].constraints[0], 0);
	assert_int_equal(report->edges[1].constraints[1], 100);
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

/* floor(a * b / c), on paper: sums of halves. */
static int64_t scaled(int64_t a, uint64_t b, uint64_t c)
{
	return (int64_t)((__int128)a * b / c);
}

static void an_exact_map_is_exact(void **state)
{
	const struct strata_clock_rate host_rate = { 2999999999, 1 },
				       guest_rate = { 2400000000, 1 };
	const uint64_t ratio = 3435973836ull; /* 0.8 in 2^-32 */
	struct strata_clock_piece piece = { .from_reading = 0,
					    .x0 = 0,
					    .y0 = 123456789012345ll,
					    .numerator = ratio,
					    .denominator = 1ull << 32,
					    .bound = 0 };
	struct strata_clock_sync *sync = strata_clock_sync_new();
	struct sim_random random = { 4 };
	int host, guest, i;

	(void)state;
	host = strata_clock_sync_add_clock(sync, "host", host_rate, &err);
	guest = strata_clock_sync_add_clock(sync, "guest", guest_rate, &err);
	ok(strata_clock_sync_exact(sync, host, guest, &piece, &err));
	/* Later, the guest sets its counter ahead. */
	piece.from_reading = 4000000000000ll;
	piece.y0 += 1000000000;
	ok(strata_clock_sync_exact(sync, host, guest, &piece, &err));
	for (i = 0; i < 20000; i++) {
		int64_t reading = (int64_t)(sim_random(&random) % 8000000000000ull);
		int64_t shown = 123456789012345ll + scaled(reading, ratio, 1ull << 32) +
				(reading >= 4000000000000ll ? 1000000000 : 0);
		struct strata_clock_time time;

		if (i == 0)
			ok(strata_clock_sync_solve(sync, guest, &err));
		if (i == 10000)
			ok(strata_clock_sync_solve(sync, host, &err));
		if (i == 1 || i == 2)
			reading = 4000000000000ll - i,
			shown = 123456789012345ll + scaled(reading, ratio, 1ull << 32);
		time = at(sync, i < 10000 ? host : guest, i < 10000 ? reading : shown);
		if (time.bound > 2)
			fail_msg("reading %ld: bound %lu, flags %x",
				 (long)(i < 10000 ? reading : shown), (unsigned long)time.bound,
				 time.flags);
		assert_true(llabs(time.value - (i < 10000 ? shown : reading)) <=
			    (int64_t)time.bound);
		assert_int_equal(time.flags & STRATA_CLOCK_OUTSIDE, 0);
	}
	/* Before the first piece, nothing is known. */
	ok(strata_clock_sync_solve(sync, guest, &err));
	assert_true(at(sync, host, -1).bound == STRATA_CLOCK_UNBOUNDED);
	strata_clock_sync_free(sync);
}

static void a_window_that_closed_never_changes(void **state)
{
	struct sim_random random = { 11 };
	struct strata_clock_sync *sync = with_clocks(2);
	struct sim_clock clocks[2];
	struct {
		int64_t reading;
		struct strata_clock_time time;
	} fixed[60];
	int second, i, provisional = 0;
	int64_t last = INT64_MIN;

	(void)state;
	for (i = 0; i < 2; i++)
		sim_clock_init(&clocks[i], &random, 1e9, 70e9, 20e-6, 4e-9);
	for (second = 0; second < 60; second++) {
		double until = (second + 1) * 1e9;

		for (i = 0; i < 100; i++) {
			double sent = until - 1e9 * sim_uniform(&random);
			double received = sent + 300 + 2000 * sim_exponential(&random);
			bool down = i % 2;
			struct strata_clock_event cause = { !down,
							    sim_clock_read(&clocks[!down], sent) };
			struct strata_clock_event effect = { down, sim_clock_read(&clocks[down],
										  received) };

			ok(strata_clock_sync_before(sync, cause, effect, 0, 0, &err));
		}
		ok(strata_clock_sync_close(sync, 0, 1, sim_clock_read(&clocks[1], until), &err));
		fixed[second].reading = sim_clock_read(&clocks[1], until - 4e8);
		fixed[second].time = at(sync, 1, fixed[second].reading);
		assert_int_equal(fixed[second].time.version, second + 1);
		assert_int_equal(fixed[second].time.flags & STRATA_CLOCK_PROVISIONAL, 0);
		provisional += !!(at(sync, 1, sim_clock_read(&clocks[1], until + 1e8)).flags &
				  STRATA_CLOCK_PROVISIONAL);
		for (i = 0; i <= second; i++) {
			struct strata_clock_time now = at(sync, 1, fixed[i].reading);

			assert_memory_equal(&now, &fixed[i].time, sizeof(now));
		}
	}
	assert_int_equal(provisional, 60);
	for (i = 0; i < 6000; i++) {
		int64_t reading = sim_clock_read(&clocks[1], i * 1e7);
		struct strata_clock_time time = at(sync, 1, reading);
		double off = sim_clock_error(&clocks[1], &clocks[0], i * 1e7, time.value);

		assert_true(off <= (double)time.bound + 0.01 && off >= -(double)time.bound - 0.01);
		assert_true(time.value >= last);
		last = time.value;
	}
	/* Afterwards, all that is known now counts; the version says that it is another. */
	ok(strata_clock_sync_solve(sync, 0, &err));
	assert_int_equal(at(sync, 1, fixed[0].reading).version, 61);
	assert_true(at(sync, 1, fixed[0].reading).bound < fixed[0].time.bound);
	strata_clock_sync_free(sync);
}

/* A clock that another one drives, and that is corrected each second: by a part in a million, and
 * now and then by a jump ahead or back. */
static void an_exact_map_of_many_pieces_works_both_ways(void **state)
{
	struct strata_clock_sync *sync = with_clocks(2);
	struct strata_clock_piece pieces[2000];
	struct sim_random random = { 5 };
	int64_t y = 5000;
	int i;

	(void)state;
	for (i = 0; i < 2000; i++) {
		pieces[i] = (struct strata_clock_piece){
			.from_reading = i * SECOND,
			.x0 = i * SECOND,
			.y0 = y,
			.numerator = 1000000 + sim_random(&random) % 3,
			.denominator = 1000001,
			.bound = 1,
		};
		y += scaled(SECOND, pieces[i].numerator, 1000001);
		if (i % 50 == 49)
			y += i % 100 == 99 ? 1000000 : -1000000;
		ok(strata_clock_sync_exact(sync, 1, 0, &pieces[i], &err));
	}
	ok(strata_clock_sync_solve(sync, 0, &err));
	for (i = 0; i < 20000; i++) {
		int64_t x = (int64_t)(sim_random(&random) % (2000ull * SECOND));
		const struct strata_clock_piece *piece = &pieces[x / SECOND];
		struct strata_clock_time time;

		y = piece->y0 + scaled(x - piece->x0, piece->numerator, 1000001);
		if (i == 10000)
			ok(strata_clock_sync_solve(sync, 1, &err));
		if (i < 10000) {
			time = at(sync, 1, x);
			assert_true(time.bound <= 3);
			assert_true(llabs(time.value - y) <= (int64_t)time.bound);
			continue;
		}
		time = at(sync, 0, y);
		assert_true(llabs(time.value - x) <= (int64_t)time.bound);
		/* Only next to a jump back may it be either of two times. */
		if (!(time.flags & STRATA_CLOCK_STEP) && x % (50 * SECOND) > 2000000 &&
		    x % (50 * SECOND) < 50 * SECOND - 2000000)
			assert_true(time.bound <= 4);
	}
	strata_clock_sync_free(sync);
}

/* Windows of 10 ms, so that there are many. */
static void a_live_merge_forgets_and_goes_on(void **state)
{
	const struct strata_clock_limits limits = { 50000, 10000, 10 };
	const struct strata_clock_sync_report *report;
	struct sim_random random = { 12 };
	struct strata_clock_sync *sync = with_clocks(2);
	struct sim_clock clocks[2];
	uint64_t most_windows = 0, most_kept = 0;
	int i, j;

	(void)state;
	ok(strata_clock_sync_limit(sync, 0, 1, limits, &err));
	for (i = 0; i < 2; i++)
		sim_clock_init(&clocks[i], &random, 1e9, 4e9, 20e-6, 4e-9);
	for (i = 0; i < 300; i++) {
		double until = (i + 1) * 1e7;

		for (j = 0; j < 20; j++) {
			double sent = until - 1e7 * sim_uniform(&random);
			bool down = j % 2;
			struct strata_clock_event cause = { !down,
							    sim_clock_read(&clocks[!down], sent) };
			struct strata_clock_event effect = {
				down, sim_clock_read(&clocks[down],
						     sent + 300 + 2000 * sim_exponential(&random))
			};

			ok(strata_clock_sync_before(sync, cause, effect, 0, 0, &err));
		}
		ok(strata_clock_sync_close(sync, 0, 1, sim_clock_read(&clocks[1], until), &err));
		report = strata_clock_sync_report(sync, &err);
		assert_int_equal(report->nr_breaches, 0);
		if (report->edges[0].windows > most_windows)
			most_windows = report->edges[0].windows;
		if (report->edges[0].kept > most_kept)
			most_kept = report->edges[0].kept;
	}
	assert_in_range(most_windows, 100, 140);
	assert_true(most_kept < 140 * 20);
	/* What was known long ago still counts: no bound from 20 pairs alone is as good as these.
	 */
	for (i = 1000; i < 3000; i++) {
		struct strata_clock_time time = at(sync, 1, sim_clock_read(&clocks[1], i * 1e6));
		double off = sim_clock_error(&clocks[1], &clocks[0], i * 1e6, time.value);

		assert_true(off <= (double)time.bound + 0.01 && off >= -(double)time.bound - 0.01);
		assert_true(time.bound < 450);
	}
	/* Too late to count, and said so. */
	ok(strata_clock_sync_before(
		sync, (struct strata_clock_event){ 0, sim_clock_read(&clocks[0], 1e6) },
		(struct strata_clock_event){ 1, sim_clock_read(&clocks[1], 2e6) }, 0, 0, &err));
	report = strata_clock_sync_report(sync, &err);
	assert_int_equal(report->edges[0].late, 1);
	assert_int_equal(strata_clock_sync_solve(sync, 0, &err), -1);
	strata_clock_sync_free(sync);
}

static void what_cannot_be_used_is_refused(void **state)
{
	const struct strata_clock_rate bad[] = { { 0, 1 },          { 1, 0 },
						 { 1, 2 },          { 1ull << 53, 1 },
						 { 1ull << 37, 1 }, { 70000, 70000 } };
	struct strata_clock_piece piece = { .numerator = 0, .denominator = 1 };
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
	assert_int_equal(strata_clock_sync_exact(sync, 0, 1, &piece, &err), -1);
	assert_int_equal(strata_clock_sync_solve(sync, 2, &err), -1);
	assert_int_equal(strata_clock_sync_close(sync, 0, -1, 0, &err), -1);
	/* A year and more from the first constraint. */
	ok(strata_clock_sync_before(sync, (struct strata_clock_event){ 0, 0 },
				    (struct strata_clock_event){ 1, 0 }, 0, 0, &err));
	assert_int_equal(strata_clock_sync_before(sync, (struct strata_clock_event){ 0, INT64_MAX },
						  (struct strata_clock_event){ 1, INT64_MAX }, 0, 0,
						  &err),
			 -1);
	assert_int_equal(strata_clock_sync_before(sync, (struct strata_clock_event){ 0, INT64_MIN },
						  (struct strata_clock_event){ 1, INT64_MAX }, 0, 0,
						  &err),
			 -1);
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
			struct strata_clock_piece piece = {
				any_reading(&random),
				any_reading(&random),
				any_reading(&random),
				(sim_random(&random) >> sim_random(&random) % 64) + 1,
				(sim_random(&random) >> sim_random(&random) % 64) + 1,
				sim_random(&random) >> sim_random(&random) % 64,
			};
			struct strata_clock_limits limits = {
				(uint32_t)sim_random(&random) >> sim_random(&random) % 32,
				(uint32_t)sim_random(&random) >> sim_random(&random) % 32,
				(uint32_t)sim_random(&random) >> sim_random(&random) % 32,
			};
			uint64_t number = sim_random(&random) >> sim_random(&random) % 64;

			/* Whatever is refused is refused; what counts is that nothing else happens.
			 */
			err.text[0] = 0;
			switch (sim_random(&random) % 8) {
			case 0:
				strata_clock_sync_exact(sync, a, b, &piece, &err);
				break;
			case 1:
				strata_clock_sync_limit(sync, a, b, limits, &err);
				break;
			case 2:
				strata_clock_sync_between(sync, a, x.reading, y.reading, y, number,
							  &err);
				break;
			case 3:
				strata_clock_sync_anchor(sync, x, y, number, 0, &err);
				break;
			case 4:
				if (!strata_clock_sync_close(sync, a, b, x.reading, &err))
					at(sync, b, y.reading);
				break;
			default:
				strata_clock_sync_before(sync, x, y, number, 0, &err);
			}
		}
		ok(strata_clock_sync_solve(sync, 0, &err));
		assert_non_null(strata_clock_sync_report(sync, &err));
		for (i = 0; i < 100; i++) {
			int64_t reading = any_reading(&random), value;
			int clock = i % clocks;
			struct strata_clock_cursor cursor = strata_clock_cursor(sync, clock);
			struct strata_clock_time time = strata_clock_convert(&cursor, reading);

			if (clock == 0)
				assert_true(time.value == reading && time.flags == 0);
			strata_clock_convert_batch(&cursor, &reading, &value, 1);
			assert_true(value == time.value);
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
	ok(strata_clock_sync_anchor(sync, (struct strata_clock_event){ a, 100 },
				    (struct strata_clock_event){ b, 7000000000 }, 10, 0, &err));
	ok(strata_clock_sync_anchor(sync, (struct strata_clock_event){ a, 110 },
				    (struct strata_clock_event){ b, 107000000000 }, 10, 0, &err));
	ok(strata_clock_sync_solve(sync, a, &err));
	time = at(sync, b, 57000000000);
	assert_int_equal(time.value, 105);
	assert_int_equal(time.bound, 1);
	ok(strata_clock_sync_solve(sync, b, &err));
	time = at(sync, a, 105);
	assert_in_range(time.value, 57000000000 - 110, 57000000000 + 110);
	assert_in_range(time.bound, 100, 600000);
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
		cmocka_unit_test(a_path_of_least_bound_is_taken_not_the_shortest),
		cmocka_unit_test(what_is_not_tied_is_said_to_be_out_of_reach),
		cmocka_unit_test(beyond_all_constraints_the_bound_grows_by_the_prior),
		cmocka_unit_test(an_exact_map_is_exact),
		cmocka_unit_test(an_exact_map_of_many_pieces_works_both_ways),
		cmocka_unit_test(a_window_that_closed_never_changes),
		cmocka_unit_test(a_live_merge_forgets_and_goes_on),
		cmocka_unit_test(what_cannot_be_used_is_refused),
		cmocka_unit_test(any_numbers_get_an_answer_or_an_error),
		cmocka_unit_test(slow_clocks_and_fast_ones_convert_to_the_ends_of_their_range),
	};

	return cmocka_run_group_tests_name("clock sync: graph", tests, NULL, NULL);
}

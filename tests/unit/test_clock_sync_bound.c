// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_clock_sync_bound.c - the bound is hardly wider than what a linear program allows.
 *
 * The program: of all lines offset + drift * (x - t) that obey every constraint, each
 * loosened by slew * (x - t)^2 / 2, with |drift| within the prior, the least and the greatest
 * offset.  It is solved here by trying every vertex: each pair of half-planes meets in a
 * point, which counts if it obeys all others.  No bound may be wider than that by more than a
 * tenth, nor narrower than what the program says of lines that do not bend: each of them could
 * be the truth.  Shares nothing with the estimator.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "clock_simulator.h"
#include "clock_sync/clock_sync.h"

#define RUNS        150u
#define LOOKS       6
#define MOST_LINES  90
#define DRIFT_LIMIT 50e-6L
#define TICK_NS     1.0L

/* drift * slope + offset * 1 <= limit, or >= for a negative side. */
struct half_plane {
	long double x; /* ns */
	long double deviation;
	int side; /* 1: at most; -1: at least */
};

struct program {
	struct half_plane planes[MOST_LINES];
	int nr;
	long double slew; /* per ns */
};

/* The half-plane @i for the instant @t as drift * a + offset * b <= c. */
static void coefficients(const struct program *program, int i, long double t, long double *a,
			 long double *b, long double *c)
{
	const struct half_plane *plane = &program->planes[i];
	long double distance = plane->x - t;

	if (i >= program->nr) { /* the prior */
		*a = i == program->nr ? 1 : -1;
		*b = 0;
		*c = DRIFT_LIMIT;
		return;
	}
	*a = plane->side * distance;
	*b = plane->side;
	*c = plane->side * plane->deviation + program->slew * distance * distance / 2;
}

static bool obeys_all(const struct program *program, long double t, long double drift,
		      long double offset)
{
	int i;

	for (i = 0; i < program->nr + 2; i++) {
		long double a, b, c;

		coefficients(program, i, t, &a, &b, &c);
		if (drift * a + offset * b > c + (b == 0 ? 1e-15L : 1e-5L))
			return false;
	}
	return true;
}

/* Half the span of offsets.  Negative: there is no line at all. */
static long double half_width(const struct program *program, long double t)
{
	long double low = INFINITY, high = -INFINITY;
	int i, j;

	for (i = 0; i < program->nr + 2; i++) {
		for (j = i + 1; j < program->nr + 2; j++) {
			long double a1, b1, c1, a2, b2, c2, det, drift, offset;

			coefficients(program, i, t, &a1, &b1, &c1);
			coefficients(program, j, t, &a2, &b2, &c2);
			det = a1 * b2 - a2 * b1;
			if (fabsl(det) < 1e-9L)
				continue;
			drift = (c1 * b2 - c2 * b1) / det;
			offset = (a1 * c2 - a2 * c1) / det;
			if ((offset >= low && offset <= high) ||
			    !obeys_all(program, t, drift, offset))
				continue;
			low = fminl(low, offset);
			high = fmaxl(high, offset);
		}
	}
	return (high - low) / 2;
}

/* A world of two clocks, and the same constraints as a program. */
static void make(struct strata_clock_sync *sync, struct program *program, struct sim_random *random,
		 struct sim_clock clocks[2], double span, int nr)
{
	const double least = sim_between(random, 0, 500), mean = sim_between(random, 100, 5000);
	struct strata_error err;
	int i;

	for (i = 0; i < nr; i++) {
		double sent = sim_between(random, 0, span);
		double received = sent + least + mean * sim_exponential(random);
		/* One of each at least. */
		bool down = i < 2 ? i : sim_uniform(random) < 0.5;
		struct strata_clock_event cause = { !down, sim_clock_read(&clocks[!down], sent) };
		struct strata_clock_event effect = { down,
						     sim_clock_read(&clocks[down], received) };
		struct half_plane *plane = &program->planes[program->nr++];
		long double from = cause.reading - clocks[!down].offset;
		/* The effect may be up to a tick later than its clock shows. */
		long double to = effect.reading - clocks[down].offset + TICK_NS;

		assert_int_equal(strata_clock_sync_before(sync, cause, effect, 0, 0, &err), 0);
		/* Clock 1 is the axis: clock 0 shows that much more. */
		plane->x = down ? to : from;
		plane->deviation = down ? from - to : to - from;
		plane->side = down ? -1 : 1;
	}
}

static void the_bound_is_within_a_tenth_of_the_linear_programs(void **state)
{
	static const double spans[] = { 1e7, 1e9, 2e10, 3e11 };
	const struct strata_clock_rate rate = { 1000000000, 1 };
	double worst = 0;
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= RUNS; seed++) {
		struct sim_random random = { seed * 77 };
		const bool wander = seed % 2;
		const double span = spans[seed / 2 % 4];
		const long double slew = wander ? 10e-9L * 1e-9L : 0;
		struct program program = { .slew = slew };
		struct strata_clock_limits limits = { STRATA_CLOCK_DRIFT_PPB, wander ? 10000 : 0,
						      STRATA_CLOCK_WINDOW_MS };
		struct strata_clock_sync *sync = strata_clock_sync_new();
		struct strata_clock_cursor cursor;
		struct sim_clock clocks[2];
		struct strata_error err;
		int i;

		for (i = 0; i < 2; i++) {
			sim_clock_init(&clocks[i], &random, 1e9, span * 1.1, 20e-6,
				       wander ? 4e-9 : 0);
			strata_clock_sync_add_clock(sync, "clock", rate, &err);
		}
		assert_int_equal(strata_clock_sync_limit(sync, 0, 1, limits, &err), 0);
		make(sync, &program, &random, clocks, span,
		     (int)sim_between(&random, 4, MOST_LINES));
		assert_int_equal(strata_clock_sync_solve(sync, 0, &err), 0);
		cursor = strata_clock_cursor(sync, 1);
		for (i = 0; i < LOOKS; i++) {
			double at = sim_between(&random, 0, span);
			int64_t reading = sim_clock_read(&clocks[1], at);
			struct strata_clock_time time = strata_clock_convert(&cursor, reading);
			long double x = (long double)(reading - clocks[1].offset);
			long double allows = half_width(&program, x), straight;

			/* Clocks that keep their rate are among those that may wander. */
			program.slew = 0;
			straight = half_width(&program, x);
			program.slew = slew;

			assert_true(allows > 0);
			if ((long double)time.bound < straight - 0.01L)
				fail_msg("run %lu at %.0f: bound %lu, but %Lf cannot be excluded",
					 (unsigned long)seed, at, (unsigned long)time.bound,
					 straight);
			/* Whole ticks: one for the value, one for the bound. */
			if ((long double)time.bound > 1.1L * allows + 2)
				fail_msg("run %lu at %.0f: bound %lu, %Lf would do",
					 (unsigned long)seed, at, (unsigned long)time.bound,
					 allows);
			if ((double)(((long double)time.bound - 2) / allows) > worst)
				worst = (double)(((long double)time.bound - 2) / allows);
		}
		strata_clock_sync_free(sync);
	}
	print_message("# the widest is %.4f of the linear program's\n", worst);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bound_is_within_a_tenth_of_the_linear_programs),
	};

	return cmocka_run_group_tests_name("clock sync: bound", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_clock_sync_truth.c - the truth is inside the stated bound: always.
 *
 * Worlds are drawn at random: two to five clocks in a chain or a star, rates, offsets,
 * drift that wanders as fast as is allowed, few pairs or many, bursts and silence, delays
 * of several distributions, one-way or two-way, pairs that got lost.  Whatever the library says
 * of any reading of any clock, before, within and after the recording, is compared with what
 * the simulator knows.
 *
 * STRATA_SYNC_RUNS says how many worlds (default 1000); STRATA_SYNC_SEED which ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "clock_simulator.h"
#include "clock_sync/clock_sync_report.h"

#define MOST_CLOCKS 5
#define LOOKS       24

static const struct strata_clock_rate rates[] = {
	{ 1000000000, 1 },  { 2400000000, 1 }, { 2999999999, 1 }, { 24000000, 1 },
	{ 10000000000, 1 }, { 19200000, 1 },   { 3579545, 1 },    { 100000000, 3 },
};

struct world {
	struct sim_random random;
	struct strata_clock_sync *sync;
	struct sim_clock clocks[MOST_CLOCKS];
	double span;
	int nr;
	int reference;
};

static unsigned long option(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

static double delay(struct sim_random *random, int kind, double least, double mean)
{
	switch (kind) {
	case 0:
		return least + mean * sim_exponential(random);
	case 1:
		return least + mean * (sim_pareto(random) - 1);
	case 2:
		return least + mean * 2 * sim_uniform(random);
	default:
		return least + (sim_uniform(random) < 0.01 ? 0 : mean * (1 + sim_uniform(random)));
	}
}

static struct strata_clock_event event(struct world *world, int clock, double ns)
{
	return (struct strata_clock_event){ clock, sim_clock_read(&world->clocks[clock], ns) };
}

/* Pairs between a clock and its parent, of one of the kinds that there are. */
static void tie(struct world *world, int child, int parent)
{
	struct sim_random *random = &world->random;
	struct strata_error err;
	const double least = sim_uniform(random) < 0.3 ? 0 : sim_between(random, 50, 20000);
	const double mean = sim_between(random, 100, 50000);
	const bool declared = sim_uniform(random) < 0.3;
	const int kind = (int)(sim_random(random) % 4), way = (int)(sim_random(random) % 8);
	/* The worst case: one way takes no time at all, so the truth is at the edge of the feasible
	 * region. */
	const bool lopsided = sim_uniform(random) < 0.4;
	const int nr = 2 + (int)sim_between(random, 0, 20) * (int)sim_between(random, 1, 20);
	double burst = sim_between(random, 0, world->span);
	int i;

	for (i = 0; i < nr; i++) {
		double at = sim_uniform(random) < 0.7 ? sim_between(random, 0, world->span) : burst;
		double until;
		int result;

		if (sim_uniform(random) < 0.05)
			burst = sim_between(random, 0, world->span);
		burst += sim_uniform(random) * 1000;
		until = at + delay(random, kind, least, mean);
		if (way == 6) {
			double middle = lopsided ? at + 1 : sim_between(random, at, until + 1);

			/* Between two of the parent's, as a guest's event in its vCPU's run. */
			result = strata_clock_sync_before(world->sync, event(world, parent, at),
							  event(world, child, middle), 0,
							  (uint64_t)i, &err) ||
				 strata_clock_sync_before(world->sync, event(world, child, middle),
							  event(world, parent, until + 1), 0,
							  (uint64_t)i, &err);
		} else {
			bool down = sim_uniform(random) < (way == 5 ? 0.1 : 0.5);

			if (lopsided && down)
				until = at + 1 + sim_uniform(random);
			result = strata_clock_sync_before(
				world->sync, event(world, down ? parent : child, at),
				event(world, down ? child : parent, until),
				declared && !lopsided ? (uint64_t)least : 0, (uint64_t)i, &err);
		}
		if (result)
			fail_msg("%s", err.text);
	}
}

static void make_world(struct world *world, uint64_t seed)
{
	const bool chain = seed & 1, wandering = seed & 2;
	const double spans[] = { 1e7, 1e9, 1e10, 1e11 };
	struct strata_error err;
	int i;

	world->random.state = seed * 0x100000001b3ull;
	world->sync = strata_clock_sync_new();
	world->nr = 2 + (int)(sim_random(&world->random) % (MOST_CLOCKS - 1));
	world->reference = seed % 3 ? 0 : world->nr - 1;
	world->span = spans[sim_random(&world->random) % 4];
	for (i = 0; i < world->nr; i++) {
		const struct strata_clock_rate *rate = &rates[sim_random(&world->random) % 8];

		/* Half of the default limits each, less a little: they are of pairs. */
		sim_clock_init(&world->clocks[i], &world->random,
			       (double)rate->numerator / (double)rate->denominator,
			       world->span * 1.5, 24.9e-6, wandering ? 4.9e-9 : 0);
		assert_int_equal(strata_clock_sync_add_clock(world->sync, "clock", *rate, &err), i);
	}
	for (i = 1; i < world->nr; i++) {
		struct strata_clock_limits limits = {
			STRATA_CLOCK_DRIFT_PPB, wandering ? STRATA_CLOCK_SLEW_PPT : 0,
			(uint32_t)sim_between(&world->random, 1, 4000)
		};

		assert_int_equal(
			strata_clock_sync_limit(world->sync, i, chain ? i - 1 : 0, limits, &err),
			0);
		tie(world, i, chain ? i - 1 : 0);
	}
	/* Ties beside those of the chain or the star, which have to agree with them. */
	for (i = 2; seed % 4 > 1 && i < world->nr; i++)
		tie(world, i, chain ? 0 : i - 1);
}

/* Returns how many bounds were finite. */
static unsigned int look(struct world *world, int clock, int root, uint64_t seed)
{
	struct strata_clock_cursor cursor = strata_clock_cursor(world->sync, clock);
	unsigned int finite = 0;
	int i;

	for (i = 0; i < LOOKS; i++) {
		/* Now and then, long after the last constraint. */
		double at = sim_between(&world->random, 0, (i % 8 ? 1.2 : 3000) * world->span);
		int64_t reading = sim_clock_read(&world->clocks[clock], at);
		struct strata_clock_time time = strata_clock_convert(&cursor, reading);
		double off;

		if (time.flags & STRATA_CLOCK_UNREACHABLE || time.bound == STRATA_CLOCK_UNBOUNDED)
			continue;
		finite++;
		assert_int_equal(time.flags & ~STRATA_CLOCK_OUTSIDE,
				 root == world->reference ? 0 : STRATA_CLOCK_APART);
		off = sim_clock_error(&world->clocks[clock], &world->clocks[root], at, time.value);
		/* The simulator itself is good for a thousandth of a tick. */
		if (off > (double)time.bound + 0.001 || off < -(double)time.bound - 0.001)
			fail_msg("world %lu: clock %d at %.0f ns is off by %f ticks, bound %lu",
				 (unsigned long)seed, clock, at, off, (unsigned long)time.bound);
	}
	return finite;
}

static void never_backwards(struct world *world, int clock)
{
	struct strata_clock_cursor cursor = strata_clock_cursor(world->sync, clock);
	int64_t last = INT64_MIN;
	int i;

	for (i = 0; i < 256; i++) {
		int64_t reading = sim_clock_read(&world->clocks[clock], world->span * i / 200.0);
		int64_t time = strata_clock_convert(&cursor, reading).value;

		assert_true(time >= last);
		last = time;
	}
}

static void the_truth_is_within_the_bound_in_every_world(void **state)
{
	const unsigned long runs = option("STRATA_SYNC_RUNS", 1000);
	const unsigned long first = option("STRATA_SYNC_SEED", 1);
	unsigned long finite = 0, looks = 0, seed;

	(void)state;
	for (seed = first; seed < first + runs; seed++) {
		const struct strata_clock_sync_report *report;
		struct strata_error err;
		struct world world;
		int clock;

		make_world(&world, seed);
		if (strata_clock_sync_solve(world.sync, world.reference, &err))
			fail_msg("%s", err.text);
		report = strata_clock_sync_report(world.sync, &err);
		assert_non_null(report);
		for (clock = 0; clock < world.nr; clock++) {
			finite += look(&world, clock, report->clocks[clock].root, seed);
			looks += LOOKS;
			never_backwards(&world, clock);
		}
		if (report->nr_breaches)
			fail_msg("world %lu keeps the assumptions, and is said to break them",
				 seed);
		if (report->nr_clashes)
			fail_msg("world %lu has no liar, and clocks are said to disagree", seed);
		strata_clock_sync_free(world.sync);
	}
	/* Some worlds have pairs in one direction only; most do not. */
	assert_true(finite > looks / 10 * 8);
	print_message("# %lu worlds, %lu times compared, %lu with a bound\n", runs, looks, finite);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_truth_is_within_the_bound_in_every_world),
	};

	return cmocka_run_group_tests_name("clock sync: truth", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * torture.c - the plans, each for its share of the events: torture [EVENTS [SEED]].
 *
 * Built with STRATA_TORTURE_PLAIN it runs on plain_platform.h, where an atomic
 * operation is a load and a store: then the books must not balance.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "torture.h"

/* The books of a run are kept in memory, ten bytes or more for each event. */
#define EVENTS_PER_RUN 10000000u

static uint64_t all_events = 1000000;
static uint32_t seed = 1;

static const struct torture_plan shared_rings = {
	.name = "threads_beyond_the_cpus_moved_at_any_time_lose_nothing_uncounted",
	.share = 40,
	.threads = 8,
	.rings = 2,
	.depth = 1,
	.geo = { 16, 3 },
};

#ifndef STRATA_TORTURE_PLAIN
static const struct torture_plan constant_flush = {
	.name = "small_subbuffers_flushed_all_the_time_lose_nothing_uncounted",
	.share = 20,
	.threads = 8,
	.rings = 2,
	.depth = 1,
	.geo = { 12, 3 },
	.flush_every = 16,
};

static const struct torture_plan slow_reader = {
	.name = "what_a_slow_reader_makes_the_writers_lose_is_counted",
	.share = 10,
	.threads = 4,
	.rings = 2,
	.depth = 1,
	.geo = { 12, 3 },
	.reader = READER_SLOW,
};

static const struct torture_plan overwritten = {
	.name = "a_ring_that_overwrites_before_a_slow_reader_loses_whole_packets_only",
	.share = 10,
	.threads = 4,
	.rings = 1,
	.depth = 1,
	.geo = { 14, 3 },
	.overwrite = true,
	.reader = READER_SLOW,
};

/* The thread sanitizer lets signals wait, and does not follow into a child. */
#ifndef __SANITIZE_THREAD__
static const struct torture_plan signals_four_deep = {
	.name = "threads_nested_four_deep_by_signals_lose_nothing_uncounted",
	.share = 10,
	.threads = 6,
	.rings = 2,
	.depth = TORTURE_DEPTH_MAX,
	.geo = { 12, 4 },
	.flush_every = 128,
};

static const struct torture_plan vanishing_readers = {
	.name = "the_next_reader_goes_on_where_one_was_killed",
	.share = 5,
	.threads = 4,
	.rings = 2,
	.depth = 1,
	.geo = { 14, 3 },
	.reader = READER_VANISHES,
};

static const struct torture_plan vanishing_readers_overwritten = {
	.name = "the_next_reader_of_a_ring_that_overwrites_misses_one_packet_at_most",
	.share = 5,
	.threads = 4,
	.rings = 1,
	.depth = 1,
	.geo = { 12, 4 },
	.overwrite = true,
	.reader = READER_VANISHES,
};
#endif

static void print_report(const struct torture_plan *plan, const struct torture_report *report)
{
	print_message("# %llu attempts: %llu found in %llu packets, %llu lost; %llu moves, %.1f s, "
		      "%.0f ns of CPU an attempt\n",
		      (unsigned long long)report->attempts, (unsigned long long)report->found,
		      (unsigned long long)report->packets, (unsigned long long)report->lost,
		      (unsigned long long)report->moves, report->seconds,
		      report->cpu_seconds * 1e9 / (double)report->attempts);
	if (plan->depth > 1)
		print_message("# at depths 0 to 4: %llu, %llu, %llu, %llu, %llu\n",
			      (unsigned long long)report->at_depth[0],
			      (unsigned long long)report->at_depth[1],
			      (unsigned long long)report->at_depth[2],
			      (unsigned long long)report->at_depth[3],
			      (unsigned long long)report->at_depth[4]);
	if (plan->reader == READER_VANISHES)
		print_message("# %llu readers were killed\n", (unsigned long long)report->readers);
}

/* It was a torture: everything that the plan is for did happen. */
static void assert_tortured(const struct torture_plan *plan, const struct torture_report *report,
			    uint64_t events)
{
	unsigned int depth;

	assert_in_range(report->attempts, events - plan->threads, UINT64_MAX);
	assert_int_equal(report->wraps, plan->rings);
	assert_in_range(report->moves, 1, UINT32_MAX);
	assert_in_range(report->packets, 1, UINT64_MAX);
	if (plan->reader == READER_STEADY)
		assert_in_range(report->found, report->attempts / 2, report->attempts);
	if (plan->reader == READER_SLOW && !plan->overwrite)
		assert_in_range(report->lost, 1, report->attempts);
	if (plan->reader == READER_VANISHES)
		assert_in_range(report->readers, 1, UINT32_MAX);
	for (depth = 0; depth < plan->depth; depth++)
		assert_in_range(report->at_depth[depth], 1, UINT64_MAX);
}

static void torture(void **state)
{
	const struct torture_plan *plan = *state;
	uint64_t events = all_events / 100 * plan->share;
	struct torture_report report;
	uint64_t now;

	for (; events; events -= now) {
		now = events > EVENTS_PER_RUN ? EVENTS_PER_RUN : events;
		torture_run(plan, now, seed++, &report);
		print_report(plan, &report);
		if (report.errors)
			fail_msg("seed %u: %lu errors, the first: %s", seed - 1, report.errors,
				 report.first_error);
		assert_tortured(plan, &report, now);
	}
}
#else
/* Plain stores may happen to be enough for a moment; not for long. */
static void plain_stores_are_found_out(void **state)
{
	struct torture_report report;
	unsigned int attempts = 20;

	(void)state;
	do
		torture_run(&shared_rings, all_events, seed++, &report);
	while (!report.errors && --attempts);
	assert_int_not_equal(report.errors, 0);
	print_message("# %lu errors, the first: %s\n", report.errors, report.first_error);
}
#endif

int main(int argc, char **argv)
{
#ifdef STRATA_TORTURE_PLAIN
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_stores_are_found_out),
	};
#else
#define PLAN(plan)                                                \
	{                                                         \
		(plan).name, torture, NULL, NULL, (void *)&(plan) \
	}
	const struct CMUnitTest tests[] = {
		PLAN(shared_rings),
		PLAN(constant_flush),
		PLAN(slow_reader),
		PLAN(overwritten),
#ifndef __SANITIZE_THREAD__
		PLAN(signals_four_deep),
		PLAN(vanishing_readers),
		PLAN(vanishing_readers_overwritten),
#endif
	};
#endif

	if (argc > 1)
		all_events = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		seed = (uint32_t)strtoul(argv[2], NULL, 10);
	setvbuf(stdout, NULL, _IOLBF, 0);
	return cmocka_run_group_tests_name("torture", tests, NULL, NULL);
}

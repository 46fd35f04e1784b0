// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_vcpu_absence.c - where a vCPU may have run unseen, because records of a CPU are
 * missing: its time is not sure there, and only there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clocks/vcpu_stime.h"

#define DOMAIN 7u

static struct strata_vcpu_stime stimes;

/* CPU 1's system time is 50 us ahead of CPU 0's; both go on by one a tick. */
static void correct(uint32_t pcpu, uint64_t ticks)
{
	const struct strata_hv_pcpu_clock clock = { .local_tsc = 1000,
						    .local_stime_ns = 100000 + pcpu * 50000,
						    .mul_frac = 1u << 31,
						    .shift = 1 };

	assert_true(strata_vcpu_stime_pcpu(&stimes, pcpu, ticks, &clock));
}

static void runs(uint64_t ticks, uint32_t pcpu)
{
	assert_true(strata_vcpu_stime_runs(&stimes, ticks, DOMAIN, 0, pcpu));
}

static void stops(uint64_t ticks)
{
	assert_true(strata_vcpu_stime_stops(&stimes, ticks, DOMAIN, 0));
}

static void lose(uint32_t pcpu, uint64_t from_ticks, uint64_t until_ticks)
{
	assert_true(strata_vcpu_stime_gap(&stimes, pcpu, from_ticks, until_ticks));
	correct(pcpu, until_ticks + 50);
}

static bool is_sure(uint64_t ticks)
{
	struct strata_stime_set own = strata_vcpu_stime_own(&stimes, DOMAIN, 0);

	assert_int_equal(own.nr, 1);
	return strata_stime_set_sure(&own, ticks, ticks);
}

/* On CPU 0 from 2000 on. */
static int set_up(void **state)
{
	(void)state;
	correct(0, 1000);
	correct(1, 1000);
	runs(2000, 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	strata_vcpu_stime_clear(&stimes);
	return 0;
}

static void while_it_runs_on_a_cpu_it_is_on_no_other(void **state)
{
	(void)state;
	lose(1, 3000, 4000);
	assert_true(strata_vcpu_stime_finish(&stimes, 0));
	assert_true(is_sure(2500));
	assert_true(is_sure(3500));
	assert_true(is_sure(5000));
}

static void once_it_stopped_it_may_be_anywhere_until_it_runs_again(void **state)
{
	(void)state;
	lose(1, 3000, 4000);
	stops(3500);
	runs(5000, 0);
	stops(6000);
	runs(7000, 0);
	assert_true(strata_vcpu_stime_finish(&stimes, 0));
	assert_true(is_sure(3400));
	assert_false(is_sure(3600));
	assert_false(is_sure(4900));
	assert_true(is_sure(5100));
	assert_true(is_sure(6500));
}

/* It may have stopped in the first, and have begun to run in the second. */
static void after_records_of_its_own_cpu_were_lost_it_may_have_stopped(void **state)
{
	(void)state;
	lose(0, 3000, 3100);
	lose(1, 4000, 4100);
	assert_true(strata_vcpu_stime_finish(&stimes, 0));
	assert_true(is_sure(3900));
	assert_false(is_sure(4050));
	assert_false(is_sure(5000));
}

static void what_is_lost_of_two_cpus_at_a_time_has_no_order(void **state)
{
	(void)state;
	lose(1, 3000, 4000);
	lose(0, 3500, 3600);
	assert_true(strata_vcpu_stime_finish(&stimes, 0));
	assert_true(is_sure(2900));
	assert_false(is_sure(3700));
	assert_false(is_sure(5000));
}

/* The two CPUs' counters may differ by 100. */
static void when_it_stopped_is_told_by_another_counter(void **state)
{
	(void)state;
	lose(1, 2500, 3500);
	stops(3000);
	runs(5000, 0);
	assert_true(strata_vcpu_stime_finish(&stimes, 100));
	assert_true(is_sure(2890));
	assert_false(is_sure(2910));
	assert_false(is_sure(5090));
	assert_true(is_sure(5110));
}

static void before_the_first_record_it_may_have_been_anywhere(void **state)
{
	(void)state;
	lose(1, 1100, 1200);
	assert_true(strata_vcpu_stime_finish(&stimes, 0));
	assert_false(is_sure(1900));
	assert_true(is_sure(2100));
}

/* The time of either CPU is one that it may have been told then. */
static void where_it_may_be_anywhere_each_cpus_time_may_be_its(void **state)
{
	struct strata_stime_set own;

	(void)state;
	lose(1, 3000, 4000);
	stops(3500);
	runs(5000, 0);
	assert_true(strata_vcpu_stime_finish(&stimes, 0));
	own = strata_vcpu_stime_own(&stimes, DOMAIN, 0);
	/* 153000 is CPU 1's at 4000, and CPU 0's at 54000. */
	assert_int_equal(strata_stime_set_first(&own, 153000), 3500);
	assert_int_equal(strata_stime_set_last(&own, 153000), 54000);
	assert_false(strata_stime_set_of_one(&own));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(while_it_runs_on_a_cpu_it_is_on_no_other),
		TEST(once_it_stopped_it_may_be_anywhere_until_it_runs_again),
		TEST(after_records_of_its_own_cpu_were_lost_it_may_have_stopped),
		TEST(what_is_lost_of_two_cpus_at_a_time_has_no_order),
		TEST(when_it_stopped_is_told_by_another_counter),
		TEST(before_the_first_record_it_may_have_been_anywhere),
		TEST(where_it_may_be_anywhere_each_cpus_time_may_be_its),
	};

	return cmocka_run_group_tests_name("vcpu_absence", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_merge_emulated.c - the true times of readings of emulated counters lie within
 * their bounds, whatever the host does to its clocks and whichever of its records
 * are lost: always, so each kind of host is simulated with many sequences of chance.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulated_host.h"

static void on_one_cpu_a_reading_is_known_to_nanoseconds(void **state)
{
	struct emulated_host host = { .jump_ns = 3000000 };

	(void)state;
	/* Jumps forward are no doubt; a nanosecond is 2.4 ticks, and one may have been added. */
	assert_in_range(emulated_simulate(&host), 2, 6);
}

static void where_time_steps_back_the_bound_covers_it(void **state)
{
	struct emulated_host host = { .jump_ns = 3000000, .slower = 1u << 30 };
	uint64_t largest;

	(void)state;
	largest = emulated_simulate(&host);
	/* A stamp of up to 12,000 ticks ago, 30 % slower since: 3,600 ticks back, and 5,100 until
	 * time is again where it was.  Half of both is the bound. */
	assert_in_range(largest, 100, 4400);
}

static void answers_from_before_the_recording_are_not_forgotten(void **state)
{
	struct emulated_host host = { .jump_ns = 100000, .was_ahead = true };
	uint64_t largest;

	(void)state;
	largest = emulated_simulate(&host);
	/* For 20 ms each answer is but one more than the last; half of them is the bound. */
	assert_in_range(largest, EMULATED_TSC_KHZ * 9, EMULATED_TSC_KHZ * 11);
}

static void cpus_that_disagree_cost_as_much_as_they_disagree(void **state)
{
	struct emulated_host host = { .jump_ns = 1000000, .slower = 1u << 26, .moves = true };
	uint64_t largest;

	(void)state;
	largest = emulated_simulate(&host);
	/* Up to a millisecond apart at first, and more with each jump; half of that is the bound.
	 */
	assert_true(largest > EMULATED_TSC_KHZ / 10);
	assert_true(largest < EMULATED_TSC_KHZ * 20ull);
}

static void the_skew_of_cpus_counts_where_they_are_several(void **state)
{
	struct emulated_host together = { .jump_ns = 1, .moves = true };
	struct emulated_host apart = { .jump_ns = 1, .moves = true, .skew_ticks = 3000 };
	struct emulated_host on_one = { .jump_ns = 1, .skew_ticks = 3000 };

	(void)state;
	/* Each correction rounds, on its own: nanoseconds apart after a while. */
	assert_in_range(emulated_simulate(&together), 2, 100);
	assert_in_range(emulated_simulate(&apart), 3000, 6100);
	assert_in_range(emulated_simulate(&on_one), 2, 6);
}

/* Its one vCPU was on both CPUs: its readings follow from either's counter. */
static void the_skew_counts_for_one_vcpu_that_moves(void **state)
{
	struct emulated_host moves = {
		.jump_ns = 1, .moves = true, .skew_ticks = 3000, .of_one = true
	};
	struct emulated_host stays = { .jump_ns = 1, .skew_ticks = 3000, .of_one = true };

	(void)state;
	assert_in_range(emulated_simulate(&moves), 3000, 6100);
	assert_in_range(emulated_simulate(&stays), 2, 6);
}

static void with_any_chance_each_bound_holds(void **state)
{
	static const struct emulated_host kinds[] = {
		{ .jump_ns = 3000000 },
		{ .jump_ns = 3000000, .slower = 1u << 30 },
		{ .jump_ns = 100000, .was_ahead = true },
		{ .jump_ns = 1000000, .slower = 1u << 26, .moves = true },
		{ .jump_ns = 3000000, .slower = 1u << 30, .moves = true, .skew_ticks = 3000 },
		{ .jump_ns = 1, .moves = true, .skew_ticks = 3000, .of_one = true },
		{ .jump_ns = 1000000, .slower = 1u << 26, .moves = true, .hides = true },
	};
	size_t i, unsure;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		emulated_simulate_seeds(&kinds[i], &unsure);
		assert_int_equal(unsure, 0);
	}
}

/* A reading from there may have any time; a certain reading is not from there. */
static void where_a_correction_is_missing_no_reading_is_sure(void **state)
{
	static const struct emulated_host kinds[] = {
		{ .jump_ns = 1, .loses = true },
		{ .jump_ns = 1000000, .slower = 1u << 26, .loses = true },
		{ .jump_ns = 1000000, .slower = 1u << 30, .loses = true },
		{ .jump_ns = 1000000, .slower = 1u << 30, .loses = true, .loses_more = true },
	};
	size_t i, unsure;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		/* Half of a step back, as where nothing is missing. */
		assert_in_range(emulated_simulate_seeds(&kinds[i], &unsure), 2, 4400);
		assert_true(unsure > 0);
	}
}

/* A reading may follow from one that the vCPU got on the other CPU, whose correction is missing. */
static void what_is_missing_of_one_cpu_is_missing_of_all_vcpus_that_were_on_it(void **state)
{
	static const struct emulated_host kinds[] = {
		{ .jump_ns = 1, .moves = true, .loses = true },
		{ .jump_ns = 1, .moves = true, .loses = true, .of_one = true },
		{ .jump_ns = 1000000, .slower = 1u << 26, .moves = true, .loses = true },
		{ .jump_ns = 1000000,
		  .slower = 1u << 30,
		  .moves = true,
		  .loses = true,
		  .loses_more = true,
		  .skew_ticks = 3000 },
	};
	size_t i, unsure;
	uint64_t largest;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		largest = emulated_simulate_seeds(&kinds[i], &unsure);
		assert_true(unsure > 0);
		/* No reading that is sure has a bound that reaches to where one is missing. */
		assert_true(kinds[i].jump_ns > 1 || largest < 100);
	}
}

static void where_a_vcpu_may_have_run_unseen_its_time_may_be_any_cpus(void **state)
{
	static const struct emulated_host kinds[] = {
		{ .jump_ns = 1000000,
		  .moves = true,
		  .loses = true,
		  .loses_more = true,
		  .forgets = true },
		{ .jump_ns = 1000000,
		  .moves = true,
		  .loses = true,
		  .loses_more = true,
		  .forgets = true,
		  .of_one = true },
		{ .jump_ns = 1000000,
		  .slower = 1u << 30,
		  .moves = true,
		  .loses = true,
		  .loses_more = true,
		  .forgets = true,
		  .skew_ticks = 3000 },
	};
	size_t i, unsure;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		emulated_simulate_seeds(&kinds[i], &unsure);
		assert_true(unsure > 0);
	}
}

static void where_it_is_not_known_where_they_ran_all_cpus_count(void **state)
{
	struct emulated_host host = { .jump_ns = 200000, .slower = 1u << 26, .moves = true };
	uint32_t i;

	(void)state;
	emulated_begin(&host);
	for (i = 0; i < EMULATED_STEPS; i++)
		emulated_step(&host, EMULATED_START + 1000 + (uint64_t)i * EMULATED_STEP_TICKS);
	host.stimes.nr_residences = 0;
	emulated_finish(&host);
	emulated_assert_within_bounds(&host);
	emulated_clear(&host);
}

static void a_counter_that_is_set_is_undone_on_both_sides(void **state)
{
	static const int64_t steps_ticks[] = { 50000000, -7000000, -100000, 300000000 };
	struct emulated_host host = { .jump_ns = 100000, .slower = 1u << 26 };
	uint32_t i, next = 0;

	(void)state;
	emulated_begin(&host);
	for (i = 0; i < EMULATED_STEPS; i++) {
		uint64_t ticks = EMULATED_START + 1000 + (uint64_t)i * EMULATED_STEP_TICKS;

		if (next < 4 && i == (next + 1) * EMULATED_STEPS / 5) {
			host.clock.offset += (uint64_t)steps_ticks[next++];
			emulated_record_clock(&host, ticks);
		}
		emulated_step(&host, ticks);
	}
	emulated_finish(&host);
	emulated_assert_within_bounds(&host);
	emulated_clear(&host);
}

/* As when a guest is migrated, or its counter is set: Xen counts from another system time, and
 * that is all that changes. */
static void a_counter_that_counts_from_another_time_is_undone_on_both_sides(void **state)
{
	static const int64_t steps_ns[] = { 21000000, -3000000, -40000, 125000000 };
	struct emulated_host host = { .jump_ns = 100000, .slower = 1u << 26 };
	uint64_t largest;
	uint32_t i, next = 0;

	(void)state;
	emulated_begin(&host);
	for (i = 0; i < EMULATED_STEPS; i++) {
		uint64_t ticks = EMULATED_START + 1000 + (uint64_t)i * EMULATED_STEP_TICKS;

		if (next < 4 && i == (next + 1) * EMULATED_STEPS / 5) {
			host.clock.vtsc_offset_ns += (uint64_t)steps_ns[next++];
			emulated_record_clock(&host, ticks);
		}
		emulated_step(&host, ticks);
	}
	emulated_finish(&host);
	/* Each is a map of its own. */
	assert_int_equal(host.maps.nr, 5 * EMULATED_VCPUS);
	largest = emulated_assert_within_bounds(&host);
	/* The bound is twice the distance of the counter's step back, both times, and no more. */
	assert_in_range(largest, EMULATED_TSC_KHZ * 125 * 2,
			EMULATED_TSC_KHZ * (21 + 125) * 2 + 100);
	emulated_clear(&host);
}

/* Before it is known where a vCPU ran, it is where it is first: with all corrections of that CPU.
 */
static void before_the_first_place_its_cpus_corrections_hold(void **state)
{
	struct strata_hv_pcpu_clock clock = {
		.local_tsc = 1000, .local_stime_ns = 100000, .mul_frac = 1u << 31, .shift = 1
	};
	struct strata_vcpu_stime stimes = { 0 };
	struct strata_stime_set own;

	(void)state;
	assert_true(strata_vcpu_stime_pcpu(&stimes, 0, 1000, &clock));
	clock.local_tsc = 2000;
	clock.local_stime_ns = 105000; /* it would be 101000 */
	assert_true(strata_vcpu_stime_pcpu(&stimes, 0, 2000, &clock));
	assert_true(strata_vcpu_stime_runs(&stimes, 3000, EMULATED_DOMAIN, 0, 0));
	assert_true(strata_vcpu_stime_finish(&stimes, 0));
	own = strata_vcpu_stime_own(&stimes, EMULATED_DOMAIN, 0);
	assert_int_equal(own.nr, 1);
	assert_int_equal(strata_stime_set_first(&own, 100500), 1500);
	assert_int_equal(strata_stime_set_last(&own, 100500), 1500);
	strata_vcpu_stime_clear(&stimes);
}

static void a_guest_that_begins_to_run_all_the_time_loses_its_own_places_only(void **state)
{
	const struct strata_hv_pcpu_clock clock = { .mul_frac = 1u << 31 };
	struct strata_vcpu_stime stimes = { 0 };
	struct strata_stime_set set;
	uint32_t i;

	(void)state;
	assert_true(strata_vcpu_stime_pcpu(&stimes, 0, 1, &clock));
	assert_true(strata_vcpu_stime_pcpu(&stimes, 1, 1, &clock));
	assert_true(strata_vcpu_stime_runs(&stimes, 5, 2, 0, 1));
	for (i = 0; i < 3 * STRATA_RESIDENCES_MAX; i++)
		assert_true(strata_vcpu_stime_runs(&stimes, 10 + i, 1, (uint16_t)(i % 3), i % 2));
	assert_true(strata_vcpu_stime_runs(&stimes, 5, 3, 0, 1));
	assert_true(stimes.capacity <= STRATA_RESIDENCES_MAX);
	assert_true(strata_vcpu_stime_dropped(&stimes, 1));
	assert_false(strata_vcpu_stime_dropped(&stimes, 2));
	assert_true(strata_vcpu_stime_finish(&stimes, 0));
	/* Then its time may be any CPU's; of the others it is known whose. */
	set = strata_vcpu_stime_own(&stimes, 1, 2);
	assert_int_equal(set.nr, 2);
	set = strata_vcpu_stime_own(&stimes, 2, 0);
	assert_int_equal(set.nr, 1);
	set = strata_vcpu_stime_own(&stimes, 3, 0);
	assert_int_equal(set.nr, 1);
	assert_int_equal(set.members[0].pcpu, 1);
	strata_vcpu_stime_clear(&stimes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_one_cpu_a_reading_is_known_to_nanoseconds),
		cmocka_unit_test(where_time_steps_back_the_bound_covers_it),
		cmocka_unit_test(answers_from_before_the_recording_are_not_forgotten),
		cmocka_unit_test(cpus_that_disagree_cost_as_much_as_they_disagree),
		cmocka_unit_test(the_skew_of_cpus_counts_where_they_are_several),
		cmocka_unit_test(with_any_chance_each_bound_holds),
		cmocka_unit_test(where_a_correction_is_missing_no_reading_is_sure),
		cmocka_unit_test(
			what_is_missing_of_one_cpu_is_missing_of_all_vcpus_that_were_on_it),
		cmocka_unit_test(where_a_vcpu_may_have_run_unseen_its_time_may_be_any_cpus),
		cmocka_unit_test(where_it_is_not_known_where_they_ran_all_cpus_count),
		cmocka_unit_test(a_counter_that_is_set_is_undone_on_both_sides),
		cmocka_unit_test(the_skew_counts_for_one_vcpu_that_moves),
		cmocka_unit_test(a_counter_that_counts_from_another_time_is_undone_on_both_sides),
		cmocka_unit_test(before_the_first_place_its_cpus_corrections_hold),
		cmocka_unit_test(a_guest_that_begins_to_run_all_the_time_loses_its_own_places_only),
	};

	return cmocka_run_group_tests_name("emulated", tests, NULL, NULL);
}

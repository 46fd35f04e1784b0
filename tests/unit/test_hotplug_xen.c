// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_hotplug_xen.c - CPUs that are added to the host or leave it, and the rings that channels
 * have of them.
 */
#include "control_xen.h"

/* Whether dom0's reader finds a ring: the test's have no frames, so there is no first one. */
static bool reader_finds(uint32_t cpu)
{
	struct strata_hv_op op = op_on(CHANNEL, STRATA_HV_FRAMES);
	unsigned int gave_way;

	op.u.frames.cpu = cpu;
	return run(&op, &gave_way) != -ENOENT;
}

static void a_cpu_that_is_added_has_its_ring_before_it_runs(void **state)
{
	(void)state;
	assert_int_equal(run_simple(STRATA_HV_START), 0);
	assert_int_equal(rings_by_query(CHANNEL), 2);
	assert_false(reader_finds(2));
	present_cpus = 3;
	notify(CPU_UP_PREPARE, 2);
	assert_non_null(strata_cpus[2].ring[CHANNEL]);
	assert_true(softirqs >= 3); /* it gave way */
	assert_int_equal(rings_by_query(CHANNEL), 3);
	assert_true(reader_finds(2));
	assert_int_equal(idle_states, 0);
	notify(CPU_ONLINE, 2);
	assert_int_equal(idle_states, 1);
}

static void a_cpu_that_comes_back_keeps_its_ring_but_not_its_skew(void **state)
{
	struct strata_cpu_ring *ring;

	(void)state;
	assert_int_equal(run_simple(STRATA_HV_START), 0);
	ring = strata_cpus[1].ring[CHANNEL];
	notify(CPU_DEAD, 1);
	assert_int_equal(flushed_offline[CHANNEL][1], 1);
	assert_int_equal(skew_forgotten[1], 0);
	notify(CPU_UP_PREPARE, 1);
	assert_ptr_equal(strata_cpus[1].ring[CHANNEL], ring);
	assert_int_equal(skew_forgotten[1], 1);
	assert_int_equal(rings_there, 2);
}

static void without_memory_a_cpu_comes_without_a_ring_and_that_is_said(void **state)
{
	(void)state;
	present_cpus = 3;
	memory_runs_out = true;
	notify(CPU_UP_PREPARE, 2);
	assert_null(strata_cpus[2].ring[CHANNEL]);
	assert_int_equal(complaints, 1);
	assert_int_equal(rings_there, 2);
	memory_runs_out = false;
	free_pages = 2; /* and Xen keeps half of them */
	notify(CPU_UP_PREPARE, 2);
	assert_null(strata_cpus[2].ring[CHANNEL]);
	assert_int_equal(complaints, 2);
	assert_int_equal(rings_by_query(CHANNEL), 2);
}

static void without_rings_none_is_made_for_a_cpu(void **state)
{
	(void)state;
	assert_int_equal(run_simple(STRATA_HV_DESTROY), 0);
	present_cpus = 3;
	notify(CPU_UP_PREPARE, 2);
	assert_int_equal(rings_there, 0);
	assert_int_equal(rings_by_query(CHANNEL), 0);
	begin(state);
}

static void a_cpu_that_comes_when_all_others_have_rings_gets_one_too(void **state)
{
	struct strata_hv_op op = create_op_on(CHANNEL);
	unsigned int gave_way;

	(void)state;
	assert_int_equal(run_simple(STRATA_HV_DESTROY), 0);
	cpu_comes = true;
	assert_int_equal(run(&op, &gave_way), 0);
	assert_int_equal(present_cpus, 3);
	assert_int_equal(rings_by_query(CHANNEL), 3);
}

/* Both lose if they do not wait for each other: a CPU without a ring, or a ring that stays. */
static void create_and_destroy_wait_for_a_cpu_that_is_being_added(void **state)
{
	struct strata_hv_op op = create_op_on(CHANNEL), destroy = op_on(CHANNEL, STRATA_HV_DESTROY);
	unsigned int gave_way;

	(void)state;
	assert_int_equal(run_simple(STRATA_HV_DESTROY), 0);
	maps_are_held = true;
	for (unsigned int i = 0; i < 20; i++)
		assert_int_equal(call(&op), -ERESTART);
	assert_int_equal(rings_by_query(CHANNEL), 0);
	/* The CPU comes without a ring, as they are not complete. */
	present_cpus = 3;
	notify(CPU_UP_PREPARE, 2);
	assert_null(strata_cpus[2].ring[CHANNEL]);
	assert_int_equal(run(&op, &gave_way), 0);
	assert_int_equal(rings_by_query(CHANNEL), 3);

	maps_are_held = true;
	assert_int_equal(call(&destroy), -ERESTART);
	assert_int_equal(rings_by_query(CHANNEL), 3);
	maps_are_held = false;
}

/* Every channel with rings gets one; a channel whose rings are being made makes its own. */
static void an_added_cpu_has_a_ring_in_every_channel(void **state)
{
	struct strata_hv_op op = create_op_on(5);

	(void)state;
	assert_int_equal(create_on(ANOTHER), 0);
	assert_int_equal(call(&op), -ERESTART);
	present_cpus = 3;
	notify(CPU_UP_PREPARE, 2);
	assert_non_null(strata_cpus[2].ring[CHANNEL]);
	assert_non_null(strata_cpus[2].ring[ANOTHER]);
	assert_ptr_not_equal(strata_cpus[2].ring[CHANNEL], strata_cpus[2].ring[ANOTHER]);
	assert_null(strata_cpus[2].ring[5]);
	assert_null(strata_cpus[2].ring[0]);
	assert_int_equal(rings_by_query(ANOTHER), 3);
	while (call(&op) == -ERESTART)
		;
	assert_int_equal(rings_by_query(5), 3);
}

/* The rings of a channel that does not record have nothing new, and DESTROY may be freeing them. */
static void a_cpu_that_dies_hands_over_in_each_started_channel_only(void **state)
{
	struct strata_hv_op op = op_on(5, STRATA_HV_DESTROY);

	(void)state;
	assert_int_equal(create_on(ANOTHER), 0);
	assert_int_equal(create_on(5), 0);
	assert_int_equal(run_on(5, STRATA_HV_START), 0);
	assert_int_equal(run_on(CHANNEL, STRATA_HV_START), 0);
	while (rings_by_query(5))
		assert_int_equal(call(&op), -ERESTART);
	notify(CPU_DEAD, 1);
	assert_int_equal(flushed_offline[CHANNEL][1], 1);
	assert_int_equal(flushed_offline[ANOTHER][1], 0);
	assert_int_equal(flushed_offline[5][1], 0);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_START), 0);
	notify(CPU_DEAD, 1);
	assert_int_equal(flushed_offline[CHANNEL][1], 2);
	assert_int_equal(flushed_offline[ANOTHER][1], 1);
}

static void a_channel_without_memory_for_a_ring_takes_none_from_another(void **state)
{
	struct strata_hv_op op = create_op_on(ANOTHER);
	unsigned int gave_way;

	(void)state;
	op.u.create.subbuf_bits = 20;
	assert_int_equal(run(&op, &gave_way), 0);
	present_cpus = 3;
	free_pages = 4000; /* enough for the smaller ring only */
	notify(CPU_UP_PREPARE, 2);
	assert_non_null(strata_cpus[2].ring[CHANNEL]);
	assert_null(strata_cpus[2].ring[ANOTHER]);
	assert_int_equal(complaints, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONTROL_TEST(a_cpu_that_is_added_has_its_ring_before_it_runs),
		CONTROL_TEST(a_cpu_that_comes_back_keeps_its_ring_but_not_its_skew),
		CONTROL_TEST(without_memory_a_cpu_comes_without_a_ring_and_that_is_said),
		CONTROL_TEST(without_rings_none_is_made_for_a_cpu),
		CONTROL_TEST(a_cpu_that_comes_when_all_others_have_rings_gets_one_too),
		CONTROL_TEST(create_and_destroy_wait_for_a_cpu_that_is_being_added),
		CONTROL_TEST(an_added_cpu_has_a_ring_in_every_channel),
		CONTROL_TEST(a_cpu_that_dies_hands_over_in_each_started_channel_only),
		CONTROL_TEST(a_channel_without_memory_for_a_ring_takes_none_from_another),
	};

	initcalls();
	return cmocka_run_group_tests_name("hotplug_xen", tests, NULL, NULL);
}

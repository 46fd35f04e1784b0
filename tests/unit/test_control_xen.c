// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_control_xen.c - the hypervisor's operations on one channel yield to other work and continue,
 * and refuse what their ABI does not offer.
 */
#include "control_xen.h"

static void each_seen(unsigned int times)
{
	for (unsigned int i = 0; i < 3; i++)
		for (unsigned int j = 0; j < VCPUS; j++)
			assert_int_equal(seen[i][j], times);
}

static void start_gives_way_at_each_vcpu_and_tells_each_once(void **state)
{
	struct strata_hv_op op = op_on(CHANNEL, STRATA_HV_START);
	unsigned int gave_way;

	(void)state;
	assert_int_equal(run(&op, &gave_way), 0);
	assert_true(gate());
	each_seen(1);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(made[i], 1);
	/* Each domain, each vCPU and each slice of the skew was a chance. */
	assert_true(gave_way >= 3 + 3 * VCPUS + 3);
}

static void a_flush_tells_each_once_more_and_measures_nothing(void **state)
{
	unsigned int before;

	(void)state;
	assert_int_equal(run_simple(STRATA_HV_START), 0);
	before = skews;
	clocks = 0;
	assert_int_equal(run_simple(STRATA_HV_FLUSH), 0);
	assert_int_equal(clocks, 1);
	each_seen(2);
	assert_int_equal(skews, before);
}

static void a_domain_that_goes_while_it_gives_way_does_no_harm(void **state)
{
	struct strata_hv_op op = op_on(CHANNEL, STRATA_HV_START);

	(void)state;
	while (!seen[1][2])
		assert_int_equal(call(&op), -ERESTART);
	dom0.next_in_list = &other;
	while (call(&op) == -ERESTART)
		;
	assert_int_equal(seen[1][VCPUS - 1], 0);
	for (unsigned int j = 0; j < VCPUS; j++)
		assert_int_equal(seen[2][j], 1);
}

static void stop_ends_a_start_that_gave_way(void **state)
{
	struct strata_hv_op op = op_on(CHANNEL, STRATA_HV_START);

	(void)state;
	while (!seen[0][2])
		assert_int_equal(call(&op), -ERESTART);
	assert_int_equal(run_simple(STRATA_HV_STOP), 0);
	assert_false(gate());
	assert_int_equal(strata_channels[CHANNEL].walk.stage, WALK_IDLE);
}

static struct strata_hv_op apply_op(void)
{
	struct strata_hv_op op = op_on(CHANNEL, STRATA_HV_SELECT);

	op.u.select.flags = STRATA_HV_SELECT_BEGIN | STRATA_HV_SELECT_APPLY;
	return op;
}

static const struct strata_selection *in_effect(void)
{
	return strata_set->selection[CHANNEL];
}

static void a_selection_is_applied_once_however_often_its_call_goes_on(void **state)
{
	struct strata_hv_op op = apply_op();
	const struct strata_selection *applied;

	(void)state;
	assert_int_equal(run_simple(STRATA_HV_START), 0);
	probes_are_busy = true;
	assert_int_equal(call(&op), -ERESTART);
	applied = in_effect();
	assert_int_equal(call(&op), -ERESTART);
	probes_are_busy = false;
	maps_are_held = true; /* CPUs come or go */
	assert_int_equal(call(&op), -ERESTART);
	maps_are_held = false;
	assert_int_equal(call(&op), 0);
	assert_ptr_equal(in_effect(), applied);
	assert_int_equal(op.u.select.continued, 0);
	assert_int_equal(told[CHANNEL][0], 1);
	assert_int_equal(told[CHANNEL][1], 1);
}

static void a_change_in_between_waits_for_the_one_before_it(void **state)
{
	struct strata_hv_op before = apply_op(), first = apply_op(), second = apply_op();

	(void)state;
	assert_int_equal(call(&before), 0);
	probes_are_busy = true;
	assert_int_equal(call(&first), -ERESTART);
	assert_int_equal(call(&second), -ERESTART);
	assert_int_equal(second.u.select.continued, 0);
	probes_are_busy = false;
	assert_int_equal(call(&second), 0);
	assert_int_equal(call(&first), 0);
}

static void what_the_abi_does_not_offer_is_refused(void **state)
{
	struct strata_hv_op op = apply_op();
	unsigned int gave_way;

	(void)state;
	op.u.select.continued = 1000;
	assert_int_equal(run(&op, &gave_way), -EINVAL);
	op.u.select.continued = UINT32_MAX;
	assert_int_equal(run(&op, &gave_way), -EINVAL);
	op = apply_op();
	op.u.select.flags |= 4;
	assert_int_equal(run(&op, &gave_way), -EINVAL);
	op = op_on(CHANNEL, STRATA_HV_START);
	op.u.start.reserved = 1;
	assert_int_equal(run(&op, &gave_way), -EINVAL);
	op = create_op_on(CHANNEL);
	op.u.create.reserved = 1;
	assert_int_equal(run(&op, &gave_way), -EINVAL);
	op = create_op_on(CHANNEL);
	op.u.create.flags = 2;
	assert_int_equal(run(&op, &gave_way), -EINVAL);
	op = op_on(CHANNELS, STRATA_HV_QUERY);
	assert_int_equal(run(&op, &gave_way), -EINVAL);
	op = op_on(UINT32_MAX, STRATA_HV_QUERY);
	assert_int_equal(run(&op, &gave_way), -EINVAL);
	op = op_on(CHANNEL, STRATA_HV_QUERY);
	op.reserved = 1;
	assert_int_equal(run(&op, &gave_way), -EINVAL);
	op = op_on(CHANNEL, STRATA_HV_QUERY);
	op.abi_version--;
	assert_int_equal(run(&op, &gave_way), -EOPNOTSUPP);
	assert_int_equal(op.abi_version, STRATA_HV_ABI_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONTROL_TEST(start_gives_way_at_each_vcpu_and_tells_each_once),
		CONTROL_TEST(a_flush_tells_each_once_more_and_measures_nothing),
		CONTROL_TEST(a_domain_that_goes_while_it_gives_way_does_no_harm),
		CONTROL_TEST(stop_ends_a_start_that_gave_way),
		CONTROL_TEST(a_selection_is_applied_once_however_often_its_call_goes_on),
		CONTROL_TEST(a_change_in_between_waits_for_the_one_before_it),
		CONTROL_TEST(what_the_abi_does_not_offer_is_refused),
	};

	initcalls();
	return cmocka_run_group_tests_name("control_xen", tests, NULL, NULL);
}

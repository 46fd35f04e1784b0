// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_grace_xen.c - no probe sees a set that is half made, and none uses a set or a selection that
 * is freed: channels change and are destroyed while a probe runs at every step, and while another
 * one is under way.
 */
#include "control_xen.h"

static struct vcpu *const runner = &all_vcpus[1][0], *const slow_runner = &all_vcpus[2][0];

static void select_on(unsigned int channel, uint32_t event)
{
	struct strata_hv_op op = select_op(channel, ONE(event));

	assert_int_equal(call(&op), 0);
}

/* ANOTHER takes VCPU_WAKE all the time, CHANNEL takes VM_EXIT; both record. */
static int begin_recording(void **state)
{
	begin(state);
	assert_int_equal(create_on(ANOTHER), 0);
	select_on(CHANNEL, VM_EXIT);
	select_on(ANOTHER, VCPU_WAKE);
	assert_int_equal(run_on(CHANNEL, STRATA_HV_START), 0);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_START), 0);
	return 0;
}

static unsigned int takers(uint32_t event)
{
	return takers_of(strata_set, event, runner);
}

/* The probes at each step, and what they may see. */
static unsigned int nr_probes, saw_old, saw_new, saw_neither;

/* The probe that is under way finds its runner again: another vCPU's, which no other probe sees. */
static unsigned int runner_of_slow_probe(void)
{
	slow_runner->strata.runner = 0;
	return selectors_of(held_set, slow_runner);
}

/* A channel that is being destroyed goes out of a set that is in use. */
static void slow_probe(void)
{
	if (held_set)
		assert_int_equal(runner_of_slow_probe() & ~BIT(CHANNEL), BIT(ANOTHER));
}

static void slow_probe_of_the_last(void)
{
	if (held_set)
		assert_int_equal(runner_of_slow_probe() & ~BIT(ANOTHER), 0);
}

static void probe_at_a_step(void)
{
	unsigned int old, new;

	nr_probes++;
	slow_probe();
	assert_non_null(strata_set);
	assert_int_equal(takers(VCPU_WAKE), BIT(ANOTHER));
	old = takers(VM_EXIT);
	new = takers(GRANT_MAP);
	assert_int_equal((old | new) & ~BIT(CHANNEL), 0);
	assert_false(old && new);
	saw_old += old != 0;
	saw_new += new != 0;
	saw_neither += !old && !new;
}

static void watch_each_step(void)
{
	nr_probes = saw_old = saw_new = saw_neither = 0;
	at_each_step = probe_at_a_step;
}

static void a_probe_sees_the_old_selection_or_the_new_one(void **state)
{
	struct strata_hv_op op = select_op(CHANNEL, ONE(GRANT_MAP));

	(void)state;
	watch_each_step();
	probe_begins();
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(call(&op), -ERESTART);
	/* The set is the new one, and the old one is there for the probe. */
	assert_int_equal(takers(GRANT_MAP), BIT(CHANNEL));
	assert_int_equal(blocks_there, 5);
	probe_ends();
	assert_int_equal(call(&op), 0);
	assert_int_equal(blocks_there, 3);
	assert_true(saw_old && saw_new);
	assert_int_equal(saw_neither, 0);
}

static void a_change_without_memory_changes_nothing(void **state)
{
	struct strata_hv_op op = select_op(CHANNEL, ONE(GRANT_MAP));
	const struct strata_set *before = strata_set;

	(void)state;
	no_blocks = true;
	assert_int_equal(call(&op), -ENOMEM);
	no_blocks = false;
	assert_ptr_equal(strata_set, before);
	assert_int_equal(takers(VM_EXIT), BIT(CHANNEL));
	assert_int_equal(takers(GRANT_MAP), 0);
	/* Each change is announced, and each announcement ends. */
	assert_int_equal(told[CHANNEL][0], told[CHANNEL][1]);
}

static void a_destroyed_channel_leaves_the_set_to_the_other(void **state)
{
	struct strata_hv_op op = op_on(CHANNEL, STRATA_HV_DESTROY);
	const struct strata_set *before = strata_set;

	(void)state;
	watch_each_step();
	probe_begins();
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(call(&op), -ERESTART);
	/* No probe starts to write; the one that had begun goes on. */
	assert_int_equal(takers(VM_EXIT), 0);
	assert_int_equal(blocks_there, 3);
	assert_int_equal(rings_there, 4);
	assert_int_equal(forgotten[CHANNEL], 0);
	probe_ends();
	while (call(&op) == -ERESTART)
		;
	assert_int_equal(blocks_there, 2);
	assert_int_equal(rings_there, 2);
	assert_ptr_equal(strata_set, before);
	assert_int_equal(forgotten[CHANNEL], 1);
	assert_int_equal(forgotten[ANOTHER], 0);
	assert_int_equal(states_freed, 0);
	assert_true(is_started(ANOTHER) && gate());
	assert_true(saw_neither);
	assert_int_equal(flushed[ANOTHER], 0);
}

/* The next owner of the number begins with nothing. */
static void a_channel_made_again_has_no_selection_and_is_stopped(void **state)
{
	(void)state;
	assert_int_equal(run_on(CHANNEL, STRATA_HV_DESTROY), 0);
	assert_int_equal(create_on(CHANNEL), 0);
	assert_false(is_started(CHANNEL));
	assert_int_equal(run_on(CHANNEL, STRATA_HV_START), 0);
	assert_int_equal(takers(VM_EXIT), 0);
	assert_int_equal(takers(RUNSTATE), 0);
	assert_int_equal(takers(VCPU_WAKE), BIT(ANOTHER));
	select_on(CHANNEL, VCPU_WAKE);
	assert_int_equal(takers(VCPU_WAKE), BIT(CHANNEL) | BIT(ANOTHER));
}

static void the_last_channel_takes_the_set_with_it(void **state)
{
	struct strata_hv_op op = op_on(ANOTHER, STRATA_HV_DESTROY);

	(void)state;
	assert_int_equal(run_on(CHANNEL, STRATA_HV_DESTROY), 0);
	probe_begins();
	at_each_step = slow_probe_of_the_last;
	assert_int_equal(call(&op), -ERESTART);
	assert_null(strata_set);
	assert_false(gate());
	assert_int_equal(call(&op), -ERESTART);
	assert_int_equal(blocks_there, 2);
	assert_int_equal(states_freed, 0);
	probe_ends();
	while (call(&op) == -ERESTART)
		;
	assert_int_equal(blocks_there, 0);
	assert_int_equal(states_freed, 1);
	assert_int_equal(forgotten[ANOTHER], 0);
}

/* The new channel makes a set; the old one's DESTROY must not take it. */
static void a_channel_that_comes_while_the_last_one_goes_keeps_its_set(void **state)
{
	struct strata_hv_op op = op_on(ANOTHER, STRATA_HV_DESTROY),
			    selects = select_op(CHANNEL, ONE(GRANT_MAP));

	(void)state;
	assert_int_equal(run_on(CHANNEL, STRATA_HV_DESTROY), 0);
	probe_begins();
	assert_int_equal(call(&op), -ERESTART);
	assert_null(strata_set);
	assert_int_equal(create_on(CHANNEL), 0);
	assert_int_equal(call(&selects), -ERESTART);
	assert_int_equal(run_on(CHANNEL, STRATA_HV_START), 0);
	assert_int_equal(call(&op), -ERESTART);
	assert_int_equal(takers(GRANT_MAP), BIT(CHANNEL));
	probe_ends();
	while (call(&op) == -ERESTART)
		;
	assert_int_equal(call(&selects), 0);
	assert_int_equal(takers(GRANT_MAP), BIT(CHANNEL));
	assert_int_equal(takers(VCPU_WAKE), 0);
	assert_true(gate());
	assert_int_equal(states_freed, 0);
	assert_int_equal(forgotten[ANOTHER], 1);
}

static void a_change_that_comes_while_its_channel_goes_frees_nothing_in_use(void **state)
{
	struct strata_hv_op destroys = op_on(CHANNEL, STRATA_HV_DESTROY),
			    selects = select_op(CHANNEL, ONE(GRANT_MAP));

	(void)state;
	at_each_step = slow_probe;
	probe_begins();
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(call(&destroys), -ERESTART);
		assert_int_equal(call(&selects), -ERESTART);
	}
	probe_ends();
	while (call(&destroys) == -ERESTART)
		;
	assert_int_equal(call(&selects), -ENOENT);
	assert_int_equal(blocks_there, 2);
}

/* The last channel's DESTROY has taken the set already. */
static void a_change_that_comes_while_the_last_channel_goes_is_refused(void **state)
{
	struct strata_hv_op destroys = op_on(ANOTHER, STRATA_HV_DESTROY),
			    selects = select_op(ANOTHER, ONE(GRANT_MAP));

	(void)state;
	assert_int_equal(run_on(CHANNEL, STRATA_HV_DESTROY), 0);
	probe_begins();
	assert_int_equal(call(&destroys), -ERESTART);
	assert_null(strata_set);
	probe_ends();
	assert_int_equal(call(&selects), -ENOENT);
	assert_null(strata_set);
	while (call(&destroys) == -ERESTART)
		;
	assert_int_equal(blocks_there, 0);
}

static void a_channel_that_goes_while_its_change_waits_leaks_nothing(void **state)
{
	struct strata_hv_op destroys = op_on(CHANNEL, STRATA_HV_DESTROY),
			    selects = select_op(CHANNEL, ONE(GRANT_MAP));

	(void)state;
	at_each_step = slow_probe;
	probe_begins();
	assert_int_equal(call(&selects), -ERESTART);
	assert_int_equal(call(&destroys), -ERESTART);
	probe_ends();
	while (call(&destroys) == -ERESTART)
		;
	assert_int_equal(call(&selects), -ENOENT);
	assert_int_equal(blocks_there, 2);
}

/* What a vCPU keeps ------------------------------------------------------------------------ */

static void a_vcpu_keeps_its_channels_until_the_set_changes(void **state)
{
	unsigned long kept;

	(void)state;
	assert_int_equal(takers(VM_EXIT), BIT(CHANNEL));
	kept = runner->strata.runner;
	assert_int_equal(kept & STRATA_ALL_CHANNELS, BIT(CHANNEL) | BIT(ANOTHER));
	assert_int_equal(runner->strata.context, 5);
	assert_int_equal(takers(VM_EXIT), BIT(CHANNEL));
	assert_int_equal(runner->strata.runner, kept);
	assert_int_equal(selectors_of(strata_set, &all_vcpus[2][3]), BIT(CHANNEL) | BIT(ANOTHER));
	assert_int_equal(all_vcpus[2][3].strata.context, 9 | 3 << 16);
	select_on(CHANNEL, GRANT_MAP);
	assert_int_equal(takers(GRANT_MAP), BIT(CHANNEL));
	assert_int_not_equal(runner->strata.runner, kept);
}

static struct strata_hv_op newer;

/* Another CPU leaves out the runner's domain, and an interrupt's probe sees that, before the probe
 * below it has stored what it found. */
static void change_and_nest(void)
{
	at_each_step = NULL;
	assert_int_equal(call(&newer), -ERESTART);
	assert_int_equal(selectors_of(strata_set, runner), BIT(ANOTHER));
}

static void a_nested_probe_with_a_newer_set_is_not_overruled(void **state)
{
	(void)state;
	newer = select_op(CHANNEL, ONE(VM_EXIT));
	newer.u.select.nr = 2;
	newer.u.select.rules[1] = (struct strata_hv_rule){ STRATA_HV_RULE_DOMAINS, 0, 5, 5 };
	probe_begins();
	runner->strata.runner = 0;
	at_each_step = change_and_nest;
	/* Its own set is what counts for the probe itself. */
	assert_int_equal(selectors_of(held_set, runner), BIT(CHANNEL) | BIT(ANOTHER));
	assert_int_equal(selectors_of(strata_set, runner), BIT(ANOTHER));
	assert_int_equal(takers(VM_EXIT), 0);
	probe_ends();
	assert_int_equal(call(&newer), 0);
}

#define GRACE_TEST(name) cmocka_unit_test_setup_teardown(name, begin_recording, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		GRACE_TEST(a_probe_sees_the_old_selection_or_the_new_one),
		GRACE_TEST(a_change_without_memory_changes_nothing),
		GRACE_TEST(a_destroyed_channel_leaves_the_set_to_the_other),
		GRACE_TEST(a_channel_made_again_has_no_selection_and_is_stopped),
		GRACE_TEST(the_last_channel_takes_the_set_with_it),
		GRACE_TEST(a_channel_that_comes_while_the_last_one_goes_keeps_its_set),
		GRACE_TEST(a_change_that_comes_while_its_channel_goes_frees_nothing_in_use),
		GRACE_TEST(a_change_that_comes_while_the_last_channel_goes_is_refused),
		GRACE_TEST(a_channel_that_goes_while_its_change_waits_leaks_nothing),
		GRACE_TEST(a_vcpu_keeps_its_channels_until_the_set_changes),
		GRACE_TEST(a_nested_probe_with_a_newer_set_is_not_overruled),
	};

	initcalls();
	return cmocka_run_group_tests_name("grace_xen", tests, NULL, NULL);
}

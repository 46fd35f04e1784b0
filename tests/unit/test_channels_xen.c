// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_channels_xen.c - what is done to one channel of the hypervisor does not disturb another one:
 * selections, start and stop, flushes, event channels.
 */
#include "control_xen.h"

static int begin_two(void **state)
{
	begin(state);
	assert_int_equal(create_on(ANOTHER), 0);
	return 0;
}

static void select_on(unsigned int channel, uint32_t a, uint32_t b)
{
	struct strata_hv_op op = select_op(channel, a, b);

	assert_int_equal(call(&op), 0);
}

static unsigned int takers(uint32_t event, struct vcpu *v)
{
	return takers_of(strata_set, event, v);
}

static void two_selections_take_their_own_events_only(void **state)
{
	struct vcpu *guests = &all_vcpus[1][0], *others = &all_vcpus[2][3];
	struct strata_hv_op op = select_op(ANOTHER, ONE(GRANT_MAP));

	(void)state;
	select_on(CHANNEL, 0x00080000u, 0x00080000u); /* the class of VM exits */
	/* Of domain 9's vCPU 3 and of domain 5. */
	op.u.select.nr = 5;
	op.u.select.rules[1] = (struct strata_hv_rule){ STRATA_HV_RULE_EVENTS, 1, ONE(RUNSTATE) };
	op.u.select.rules[2] = (struct strata_hv_rule){ STRATA_HV_RULE_DOMAINS, 0, 0, 0x7fff };
	op.u.select.rules[3] = (struct strata_hv_rule){ STRATA_HV_RULE_DOMAINS, 1, 5, 5 };
	op.u.select.rules[4] =
		(struct strata_hv_rule){ STRATA_HV_RULE_VCPUS, 1, 9 << 16 | 3, 9 << 16 | 3 };
	assert_int_equal(call(&op), 0);

	/* Nobody takes anything before it is started. */
	assert_int_equal(takers(VM_EXIT, guests), 0);
	assert_int_equal(run_on(CHANNEL, STRATA_HV_START), 0);
	assert_int_equal(takers(VM_EXIT, guests), BIT(CHANNEL));
	assert_int_equal(takers(GRANT_MAP, guests), 0);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_START), 0);
	assert_int_equal(takers(VM_EXIT, guests), BIT(CHANNEL));
	assert_int_equal(takers(GRANT_MAP, guests), BIT(ANOTHER));
	assert_int_equal(takers(VCPU_WAKE, guests), 0);
	assert_int_equal(takers(GRANT_MAP, others), BIT(ANOTHER));
	assert_int_equal(takers(GRANT_MAP, &all_vcpus[2][2]), 0);
	assert_int_equal(takers(GRANT_MAP, &all_vcpus[0][0]), 0);
	assert_int_equal(takers(VM_EXIT, &all_vcpus[0][0]), BIT(CHANNEL));
	/* Any runner, but in the channel alone that takes the event. */
	assert_int_equal(takers(RUNSTATE, &all_vcpus[0][0]), BIT(ANOTHER));

	select_on(CHANNEL, ONE(GRANT_MAP));
	assert_int_equal(takers(VM_EXIT, guests), 0);
	assert_int_equal(takers(GRANT_MAP, guests), BIT(CHANNEL) | BIT(ANOTHER));
	assert_int_equal(takers(GRANT_MAP, &all_vcpus[0][0]), BIT(CHANNEL));
	assert_int_equal(takers(RUNSTATE, &all_vcpus[0][0]), BIT(ANOTHER));
	select_on(ANOTHER, ONE(GRANT_MAP));
	assert_int_equal(takers(RUNSTATE, &all_vcpus[0][0]), 0);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_STOP), 0);
	assert_int_equal(takers(GRANT_MAP, guests), BIT(CHANNEL));
}

static void states_belong_to_channels_that_record_their_changes(void **state)
{
	(void)state;
	select_on(CHANNEL, ONE(GRANT_MAP));
	select_on(ANOTHER, RUNSTATE & ~0x330u, STRATA_HV_ID_TRACE & ~0x330u);
	assert_int_equal(run_on(CHANNEL, STRATA_HV_START), 0);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_START), 0);
	assert_int_equal(strata_runstate_channels(strata_set), BIT(ANOTHER));
	select_on(ANOTHER, ONE(GRANT_MAP));
	assert_int_equal(strata_runstate_channels(strata_set), 0);
}

static void an_event_without_a_class_goes_nowhere(void **state)
{
	(void)state;
	select_on(CHANNEL, 0, 0);
	assert_int_equal(run_simple(STRATA_HV_START), 0);
	assert_int_equal(takers(VM_EXIT, &all_vcpus[1][0]), BIT(CHANNEL));
	assert_int_equal(takers(0x00001102, &all_vcpus[1][0]), 0);
	assert_int_equal(takers(0x10001102, &all_vcpus[1][0]), 0);
}

static void start_and_stop_leave_the_other_channel_alone(void **state)
{
	(void)state;
	present_cpus = 3; /* the last one is offline */
	assert_int_equal(run_on(CHANNEL, STRATA_HV_START), 0);
	assert_true(is_started(CHANNEL) && !is_started(ANOTHER));
	assert_int_equal(run_on(ANOTHER, STRATA_HV_START), 0);
	assert_true(is_started(CHANNEL) && is_started(ANOTHER));
	assert_int_equal(run_on(CHANNEL, STRATA_HV_STOP), 0);
	assert_true(!is_started(CHANNEL) && is_started(ANOTHER) && gate());
	assert_int_equal(flushed[CHANNEL], 1);
	assert_int_equal(flushed_offline[CHANNEL][2], 1);
	assert_int_equal(flushed[ANOTHER], 0);
	assert_int_equal(flushed_offline[ANOTHER][2], 0);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_FLUSH), 0);
	assert_int_equal(flushed[CHANNEL], 1);
	assert_int_equal(flushed[ANOTHER], 1);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_STOP), 0);
	assert_false(gate());
}

static uint32_t state_by_query(unsigned int channel)
{
	struct strata_hv_op op = op_on(channel, STRATA_HV_QUERY);

	assert_int_equal(call(&op), 0);
	return op.u.query.state;
}

static void each_channel_has_an_owner_a_state_and_a_period_of_its_own(void **state)
{
	struct strata_hv_op op = op_on(ANOTHER, STRATA_HV_START), again = create_op_on(ANOTHER);

	(void)state;
	op.u.start.switch_ms = 250;
	while (call(&op) == -ERESTART)
		;
	assert_int_equal(strata_channels[ANOTHER].switch_period, MILLISECS(250));
	assert_int_equal(strata_channels[CHANNEL].switch_period, 0);
	assert_int_equal(state_by_query(ANOTHER), STRATA_HV_STARTED);
	assert_int_equal(state_by_query(CHANNEL), STRATA_HV_STOPPED);
	assert_int_equal(state_by_query(0), STRATA_HV_IDLE);
	assert_int_equal(run_on(0, STRATA_HV_START), -ENOENT);
	assert_int_equal(run_on(0, STRATA_HV_DESTROY), -ENOENT);
	memcpy(again.u.create.owner, "thief", 6);
	assert_int_equal(call(&again), -EBUSY);
	assert_string_equal(again.u.create.owner, "test");
	assert_int_equal(create_on(0), 0);
	assert_int_equal(run_on(CHANNEL, STRATA_HV_DESTROY), 0);
	assert_int_equal(state_by_query(CHANNEL), STRATA_HV_IDLE);
	assert_int_equal(state_by_query(ANOTHER), STRATA_HV_STARTED);
	assert_int_equal(rings_by_query(ANOTHER), 2);
	assert_int_equal(rings_there, 4);
}

/* Its rings are incomplete as those of a CREATE are, which goes on. */
static void a_create_that_meets_its_channels_destroy_leaves_no_ring(void **state)
{
	struct strata_hv_op destroys = op_on(ANOTHER, STRATA_HV_DESTROY),
			    creates = create_op_on(ANOTHER), larger = create_op_on(ANOTHER);

	(void)state;
	larger.u.create.subbuf_bits = 20;
	while (rings_by_query(ANOTHER))
		assert_int_equal(call(&destroys), -ERESTART);
	assert_int_equal(call(&creates), -ERESTART);
	while (call(&destroys) == -ERESTART)
		;
	assert_int_equal(rings_there, 2);
	while (call(&larger) == -ERESTART)
		;
	assert_int_equal(rings_by_query(ANOTHER), 2);
}

/* The set is gone while the last channel's DESTROY waits for probes, so nothing could start. */
static void a_start_that_meets_the_last_channels_destroy_fails(void **state)
{
	struct strata_hv_op destroys = op_on(CHANNEL, STRATA_HV_DESTROY);

	(void)state;
	assert_int_equal(run_on(ANOTHER, STRATA_HV_DESTROY), 0);
	probes_are_busy = true;
	assert_int_equal(call(&destroys), -ERESTART);
	assert_int_equal(run_on(CHANNEL, STRATA_HV_START), -EBUSY);
	assert_int_equal(state_by_query(CHANNEL), STRATA_HV_STOPPED);
	assert_false(gate());
	probes_are_busy = false;
	assert_int_equal(run_on(CHANNEL, STRATA_HV_DESTROY), 0);
	assert_int_equal(run_on(CHANNEL, STRATA_HV_START), -ENOENT);
}

/* A START that has opened the gate, and yielded, does not say that it is open. */
static void a_destroy_in_the_middle_of_a_start_is_noticed(void **state)
{
	struct strata_hv_op starts = op_on(CHANNEL, STRATA_HV_START),
			    destroys = op_on(CHANNEL, STRATA_HV_DESTROY);
	unsigned int gave_way;

	(void)state;
	assert_int_equal(run_on(ANOTHER, STRATA_HV_DESTROY), 0);
	while (!is_started(CHANNEL))
		assert_int_equal(call(&starts), -ERESTART);
	probes_are_busy = true;
	assert_int_equal(call(&destroys), -ERESTART);
	probes_are_busy = false;
	assert_int_equal(run(&starts, &gave_way), -EBUSY);
	assert_int_equal(run_on(CHANNEL, STRATA_HV_DESTROY), 0);
}

static void channels_that_are_made_at_a_time_share_half_of_the_memory(void **state)
{
	struct strata_hv_op ops[] = { create_op_on(0), create_op_on(1) };
	const struct strata_ring_geometry geometry = strata_channels[CHANNEL].geometry;

	(void)state;
	/* Two rings are half of it. */
	free_pages = 4 * (STRATA_WRITER_AREA_PAGES + strata_data_pages(geometry));
	assert_int_equal(call(&ops[0]), -ERESTART);
	assert_int_equal(call(&ops[1]), -ENOMEM);
	assert_int_equal(state_by_query(1), STRATA_HV_IDLE);
	while (call(&ops[0]) == -ERESTART)
		;
	assert_int_equal(rings_by_query(0), 2);
	/* What is made has been taken from it. */
	assert_int_equal(create_on(1), 0);
}

/* Each START has walks of its own. */
static void two_starts_that_take_turns_both_record_all_vcpus(void **state)
{
	struct strata_hv_op ops[] = { op_on(CHANNEL, STRATA_HV_START),
				      op_on(ANOTHER, STRATA_HV_START) };
	int results[] = { -ERESTART, -ERESTART };

	(void)state;
	for (unsigned int turn = 0; results[0] || results[1]; turn++)
		if (results[turn % 2] == -ERESTART)
			results[turn % 2] = call(&ops[turn % 2]);
	for (unsigned int i = 0; i < 3; i++)
		for (unsigned int j = 0; j < VCPUS; j++)
			assert_int_equal(seen[i][j], 2);
	assert_true(is_started(CHANNEL) && is_started(ANOTHER));
}

/* SELECT of two channels, of which none is done before a probe of earlier ends ----------------- */

/* Calls each operation that gave way, in the order of the bits of @order. */
static void take_turns(struct strata_hv_op ops[2], unsigned int order, unsigned int probe_ends_at)
{
	int results[] = { -ERESTART, -ERESTART };

	for (unsigned int turn = 0; results[0] || results[1]; turn++) {
		unsigned int i = turn < 5 ? order >> turn & 1 : turn & 1;
		bool waits;

		assert_in_range(turn, 0, 100);
		if (turn == probe_ends_at)
			probe_ends();
		waits = held_set;
		if (results[i] == -ERESTART)
			results[i] = call(&ops[i]);
		if (waits)
			assert_int_equal(results[i], -ERESTART);
	}
}

static void two_changes_that_wait_for_one_probe_go_on_in_any_order(void **state)
{
	struct vcpu *v = &all_vcpus[1][0];

	(void)state;
	select_on(CHANNEL, ONE(VM_EXIT));
	select_on(ANOTHER, ONE(VCPU_WAKE));
	assert_int_equal(run_on(CHANNEL, STRATA_HV_START), 0);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_START), 0);
	for (unsigned int order = 0; order < 32; order++)
		for (unsigned int at = 0; at < 6; at++) {
			bool own = (order + at) % 2;
			struct strata_hv_op ops[] = {
				select_op(CHANNEL, ONE(own ? VM_EXIT : GRANT_MAP)),
				select_op(ANOTHER, ONE(own ? VCPU_WAKE : GRANT_MAP)),
			};

			memset(told, 0, sizeof(told));
			probe_begins();
			take_turns(ops, order, at);
			assert_int_equal(takers(VM_EXIT, v), own ? BIT(CHANNEL) : 0);
			assert_int_equal(takers(VCPU_WAKE, v), own ? BIT(ANOTHER) : 0);
			assert_int_equal(takers(GRANT_MAP, v),
					 own ? 0 : BIT(CHANNEL) | BIT(ANOTHER));
			for (unsigned int i = 0; i < 2; i++) {
				assert_int_equal(told[CHANNEL][i], 1);
				assert_int_equal(told[ANOTHER][i], 1);
				assert_int_equal(ops[i].u.select.continued, 0);
			}
			/* The set, and a selection of each channel. */
			assert_int_equal(blocks_there, 3);
		}
}

static void a_stopped_channel_is_not_told_of_its_selection(void **state)
{
	(void)state;
	assert_int_equal(run_on(ANOTHER, STRATA_HV_START), 0);
	select_on(CHANNEL, ONE(VM_EXIT));
	assert_int_equal(told[CHANNEL][0] + told[CHANNEL][1], 0);
	assert_int_equal(told[ANOTHER][0] + told[ANOTHER][1], 0);
	select_on(ANOTHER, ONE(VM_EXIT));
	assert_int_equal(told[ANOTHER][0], 1);
	assert_int_equal(told[ANOTHER][1], 1);
}

static void a_draft_is_the_channels_own(void **state)
{
	struct strata_hv_op begins = select_op(CHANNEL, ONE(VM_EXIT)),
			    applies = select_op(ANOTHER, ONE(GRANT_MAP));

	(void)state;
	begins.u.select.flags = STRATA_HV_SELECT_BEGIN;
	assert_int_equal(call(&begins), 0);
	applies.u.select.flags = STRATA_HV_SELECT_APPLY;
	assert_int_equal(call(&applies), -ENOENT);
	applies.channel = CHANNEL;
	assert_int_equal(call(&applies), 0);
	assert_int_equal(run_simple(STRATA_HV_START), 0);
	assert_int_equal(takers(VM_EXIT, &all_vcpus[1][0]), BIT(CHANNEL));
	assert_int_equal(takers(GRANT_MAP, &all_vcpus[1][0]), BIT(CHANNEL));
}

/* Event channels --------------------------------------------------------------------------- */

static uint32_t port_by_query(unsigned int channel)
{
	struct strata_hv_op op = op_on(channel, STRATA_HV_QUERY);

	assert_int_equal(call(&op), 0);
	return op.u.query.port;
}

static void each_channel_has_a_port_for_as_long_as_it_has_rings(void **state)
{
	uint32_t port = port_by_query(CHANNEL), another = port_by_query(ANOTHER);

	(void)state;
	assert_int_equal(port_by_query(0), 0);
	assert_true(port && another && port != another);
	assert_true(port_is_open[port] && port_is_open[another]);
	assert_int_equal(run_on(CHANNEL, STRATA_HV_DESTROY), 0);
	assert_false(port_is_open[port]);
	assert_true(port_is_open[another]);
	assert_int_equal(port_by_query(CHANNEL), 0);
	assert_int_equal(port_by_query(ANOTHER), another);
	assert_int_equal(ports_left, CHANNELS - 1);
}

static void without_a_port_or_memory_a_channel_is_undone_as_a_whole(void **state)
{
	(void)state;
	ports_left = 0;
	assert_int_equal(create_on(0), -ENOSPC);
	assert_int_equal(state_by_query(0), STRATA_HV_IDLE);
	assert_int_equal(rings_there, 4);
	assert_int_equal(strata_channels[0].owner[0], '\0');
	ports_left = CHANNELS - 2;
	memory_runs_out = true;
	assert_int_equal(create_on(0), -ENOMEM);
	memory_runs_out = false;
	assert_int_equal(create_on(0), 0);
	assert_int_equal(rings_there, 6);
}

static void without_memory_for_the_set_the_first_channel_is_undone(void **state)
{
	(void)state;
	assert_int_equal(run_on(CHANNEL, STRATA_HV_DESTROY), 0);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_DESTROY), 0);
	no_blocks = true;
	assert_int_equal(create_on(ANOTHER), -ENOMEM);
	no_blocks = false;
	assert_int_equal(state_by_query(ANOTHER), STRATA_HV_IDLE);
	assert_int_equal(rings_there, 0);
	assert_int_equal(ports_left, CHANNELS);
	assert_int_equal(create_on(ANOTHER), 0);
}

static void a_ready_sub_buffer_wakes_its_channels_reader_once(void **state)
{
	uint32_t port = port_by_query(CHANNEL), another = port_by_query(ANOTHER);

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		strata_notify(strata_cpus[i % 2].ring[CHANNEL], CHANNEL);
	assert_int_equal(softirqs_raised, 3);
	assert_int_equal(port_events[port], 0); /* a probe wakes nobody */
	softirq_handler();
	softirq_handler();
	assert_int_equal(port_events[port], 1);
	assert_int_equal(port_events[another], 0);
	strata_notify(strata_cpus[0].ring[ANOTHER], ANOTHER);
	strata_notify(strata_cpus[0].ring[CHANNEL], CHANNEL);
	softirq_handler();
	assert_int_equal(port_events[port], 2);
	assert_int_equal(port_events[another], 1);
	/* A reader that has gone is not woken any more. */
	strata_notify(strata_cpus[0].ring[ANOTHER], ANOTHER);
	assert_int_equal(run_on(ANOTHER, STRATA_HV_DESTROY), 0);
	softirq_handler();
	assert_int_equal(port_events[another], 1);
}

static void nobody_waits_for_a_flight_recorder(void **state)
{
	struct strata_hv_op op = create_op_on(0);
	unsigned int gave_way;

	(void)state;
	op.u.create.flags = STRATA_HV_OVERWRITE;
	assert_int_equal(run(&op, &gave_way), 0);
	strata_cpus[0].ring[0]->core.delivered = true;
	strata_notify(strata_cpus[0].ring[0], 0);
	assert_false(strata_cpus[0].ring[0]->core.delivered);
	assert_int_equal(softirqs_raised, 0);
}

#define CHANNELS_TEST(name) cmocka_unit_test_setup_teardown(name, begin_two, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CHANNELS_TEST(states_belong_to_channels_that_record_their_changes),
		CHANNELS_TEST(two_selections_take_their_own_events_only),
		CHANNELS_TEST(an_event_without_a_class_goes_nowhere),
		CHANNELS_TEST(start_and_stop_leave_the_other_channel_alone),
		CHANNELS_TEST(each_channel_has_an_owner_a_state_and_a_period_of_its_own),
		CHANNELS_TEST(a_create_that_meets_its_channels_destroy_leaves_no_ring),
		CHANNELS_TEST(a_start_that_meets_the_last_channels_destroy_fails),
		CHANNELS_TEST(a_destroy_in_the_middle_of_a_start_is_noticed),
		CHANNELS_TEST(channels_that_are_made_at_a_time_share_half_of_the_memory),
		CHANNELS_TEST(two_starts_that_take_turns_both_record_all_vcpus),
		CHANNELS_TEST(two_changes_that_wait_for_one_probe_go_on_in_any_order),
		CHANNELS_TEST(a_stopped_channel_is_not_told_of_its_selection),
		CHANNELS_TEST(a_draft_is_the_channels_own),
		CHANNELS_TEST(each_channel_has_a_port_for_as_long_as_it_has_rings),
		CHANNELS_TEST(without_a_port_or_memory_a_channel_is_undone_as_a_whole),
		CHANNELS_TEST(without_memory_for_the_set_the_first_channel_is_undone),
		CHANNELS_TEST(a_ready_sub_buffer_wakes_its_channels_reader_once),
		CHANNELS_TEST(nobody_waits_for_a_flight_recorder),
	};

	initcalls();
	return cmocka_run_group_tests_name("channels_xen", tests, NULL, NULL);
}

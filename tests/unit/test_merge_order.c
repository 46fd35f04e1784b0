// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_merge_order.c - the merged order and its proof: events of all clocks come
 * out in one order, the smallest slack is found to the tick, and one tick more
 * of shift is caught, on either side.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "merge_fixture.h"
#include "host/order_check.h"

#define RUNNING  0u
#define RUNNABLE 1u
#define BLOCKED  2u

static const struct synthetic_clock offset_clock = { .is_hvm = true,
						     .offset = 0 - 900000000000ull };
/* 5/6 of the host's frequency, and twice it */
static const struct synthetic_clock slow_clock = {
	.is_hvm = true, .offset = 4711, .ratio = 0xd55555555555ull, .frac_bits = 48
};
static const struct synthetic_clock fast_clock = {
	.is_hvm = true, .offset = 0 - 1900000000000ull, .ratio = 1ull << 33, .frac_bits = 32
};

static void build(struct synthetic *rec, struct synthetic_clock clock)
{
	const struct synthetic_host host = {
		.turns = 50, .marks = 3, .slack_before = 370, .slack_after = 230, .clock = clock
	};

	synthetic_init(rec);
	synthetic_build_host(rec, &host);
	synthetic_write(rec);
}

static void assert_in_order(const struct merged *merged)
{
	size_t i;

	for (i = 1; i < merged->nr_events; i++) {
		assert_true(merged->events[i - 1].ticks <= merged->events[i].ticks);
		assert_true(merged->events[i - 1].ns <= merged->events[i].ns);
	}
}

static void events_of_all_clocks_come_out_in_one_order(void **state)
{
	const struct synthetic_clock *clocks[] = { &offset_clock, &slow_clock, &fast_clock };
	struct synthetic rec;
	struct merged merged;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		build(&rec, *clocks[i]);
		merge_directory(&merged, rec.dir, NULL, 0);
		assert_int_equal(merged.status, 0);
		assert_int_equal(merged.nr_complaints, 0);
		assert_int_equal(merged.nr_events, rec.events);
		assert_int_equal(merged.result.events, rec.events);
		assert_in_order(&merged);
		assert_int_equal(merged.result.tally.clamped_times, 0);
		assert_int_equal(merged.result.order.run.violations, 0);
		assert_int_equal(merged.result.order.run.unchecked, 0);
		assert_int_equal(merged.result.order.run.checks,
				 merged_count(&merged, "g1", NULL) +
					 merged_count(&merged, "g2", NULL) +
					 merged_count(&merged, "dom0", NULL));
		merged_free(&merged);
		synthetic_free(&rec);
	}
}

static void guest_times_become_the_hosts_to_the_tick(void **state)
{
	struct synthetic rec;
	struct merged merged;
	size_t i;

	(void)state;
	build(&rec, offset_clock);
	merge_directory(&merged, rec.dir, NULL, 0);
	for (i = 0; i < merged.nr_events; i++) {
		if (strcmp(merged.events[i].name, "hrtimer_expire_entry") == 0)
			break;
	}
	/* The generator puts the first one exactly the slack after its vCPU began to run. */
	assert_true(i > 0 && i < merged.nr_events);
	assert_string_equal(merged.events[i - 1].name, "runstate_runnable_to_running");
	assert_int_equal(merged.events[i].ticks, merged.events[i - 1].ticks + 370);
	assert_int_equal(merged.result.order.run.slack_before_ticks, 370);
	assert_int_equal(merged.result.order.run.slack_after_ticks, 230);
	assert_int_equal(merged.result.bound_ns, 1);
	merged_free(&merged);
	synthetic_free(&rec);
}

static void the_nanoseconds_are_those_of_the_anchor(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	build(&rec, offset_clock);
	merge_directory(&merged, rec.dir, NULL, 0);
	/* A million ticks at 2.4 GHz before the anchor, rounded down. */
	assert_int_equal(merged.events[0].ns, SYNTHETIC_ANCHOR_NS - 416667);
	assert_int_equal(merged.result.first_ns, merged.events[0].ns);
	assert_int_equal(merged.result.last_ns, merged.events[merged.nr_events - 1].ns);
	merged_free(&merged);
	synthetic_free(&rec);
}

static uint64_t violations_with_shift(const char *dir, int64_t shift)
{
	struct merged merged;
	uint64_t violations;

	merge_directory(&merged, dir, "g1", shift);
	assert_int_equal(merged.status, 0);
	violations = merged.result.order.run.violations;
	merged_free(&merged);
	return violations;
}

static void a_shift_is_caught_one_tick_beyond_the_slack(void **state)
{
	struct synthetic rec;

	(void)state;
	build(&rec, offset_clock);
	assert_int_equal(violations_with_shift(rec.dir, 0), 0);
	assert_int_equal(violations_with_shift(rec.dir, -370), 0);
	assert_int_not_equal(violations_with_shift(rec.dir, -371), 0);
	assert_int_equal(violations_with_shift(rec.dir, 230), 0);
	assert_int_not_equal(violations_with_shift(rec.dir, 231), 0);
	synthetic_free(&rec);
}

static void a_violation_is_named_with_how_far_it_is_off(void **state)
{
	const struct strata_violation *named;
	struct synthetic rec;
	struct merged merged;

	(void)state;
	build(&rec, offset_clock);
	merge_directory(&merged, rec.dir, "g1", 240);
	assert_int_equal(merged.result.order.run.nr_named, 5);
	named = &merged.result.order.run.named[0];
	assert_int_equal(named->domain, 1);
	assert_int_equal(named->vcpu, 0);
	assert_string_equal(named->event, "sched_switch");
	assert_string_equal(named->state, "blocked");
	assert_int_equal(named->late_ticks, 10);
	/* It runs again in the next turn. */
	assert_true(named->early_ticks > 1000 && named->early_ticks < 1000000);
	merged_free(&merged);
	synthetic_free(&rec);
}

static void the_hypervisor_itself_can_be_shifted(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	build(&rec, offset_clock);
	merge_directory(&merged, rec.dir, "xen", 371);
	assert_int_not_equal(merged.result.order.run.violations, 0);
	merged_free(&merged);
	/* So far that it covers no event any more, nothing can be judged. */
	merge_directory(&merged, rec.dir, "xen", 1000000000);
	assert_int_equal(merged.result.order.run.violations, 0);
	assert_int_equal(merged.result.order.run.checks, 0);
	merged_free(&merged);
	merge_directory(&merged, rec.dir, "nobody", 1);
	assert_int_equal(merged.status, -1);
	assert_non_null(strstr(merged.error.text, "no source \"nobody\""));
	merged_free(&merged);
	synthetic_free(&rec);
}

static void kernel_events_get_the_pcpu_that_xen_ran_them_on(void **state)
{
	struct synthetic rec;
	struct merged merged;
	size_t i;

	(void)state;
	build(&rec, offset_clock);
	merge_directory(&merged, rec.dir, NULL, 0);
	for (i = 0; i < merged.nr_events; i++) {
		if (strcmp(merged.events[i].source, "dom0") == 0)
			assert_int_equal(merged.events[i].pcpu, 1);
		else if (strcmp(merged.events[i].source, "xen") != 0)
			assert_int_equal(merged.events[i].pcpu, 0);
	}
	merged_free(&merged);
	synthetic_free(&rec);
}

/* A guest g1 of one vCPU with the host's clock; the test tells Xen's side. */
static void begin_small(struct synthetic *rec)
{
	const struct synthetic_clock pv = { .is_hvm = false };

	synthetic_init(rec);
	/* Ties go to the hypervisor wherever it stands among the sources. */
	synthetic_add_source(rec, "g1", "kernel", 1);
	synthetic_add_source(rec, "xen", "xen", 0x7ff2);
	synthetic_vcpu_clock(rec, 0, 1000, 1, 0, &pv);
}

static void at_equal_ticks_the_hypervisor_comes_first(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	begin_small(&rec);
	synthetic_runstate(&rec, 0, 2000, 1, 0, RUNNABLE, RUNNING);
	synthetic_mark(&rec, "g1", 0, 2000, 1);
	synthetic_mark(&rec, "g1", 0, 3000, 2);
	synthetic_runstate(&rec, 0, 3000, 1, 0, RUNNING, BLOCKED);
	merge_written(&rec, &merged);
	assert_string_equal(merged.events[1].name, "runstate_runnable_to_running");
	assert_string_equal(merged.events[2].name, "mark");
	assert_string_equal(merged.events[3].name, "runstate_running_to_blocked");
	assert_string_equal(merged.events[4].name, "mark");
	/* Both borders belong to the interval. */
	assert_int_equal(merged.result.order.run.checks, 2);
	assert_int_equal(merged.result.order.run.violations, 0);
	assert_int_equal(merged.result.order.run.slack_before_ticks, 0);
	assert_int_equal(merged.result.order.run.slack_after_ticks, 0);
	merged_free(&merged);
}

static void the_first_change_tells_what_was_before_it(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	/* No state record: but a vCPU that stops running was running. */
	begin_small(&rec);
	synthetic_mark(&rec, "g1", 0, 500, 1); /* before the hypervisor was recorded */
	synthetic_mark(&rec, "g1", 0, 1500, 2);
	synthetic_runstate(&rec, 0, 2000, 1, 0, RUNNING, BLOCKED);
	synthetic_runstate(&rec, 0, 9000, 1, 0, BLOCKED, RUNNABLE);
	merge_written(&rec, &merged);
	assert_int_equal(merged.result.order.run.checks, 1);
	assert_int_equal(merged.result.order.run.unchecked, 1);
	assert_int_equal(merged.result.order.run.violations, 0);
	assert_int_equal(merged.result.order.run.slack_before_ticks, STRATA_SLACK_NONE);
	assert_int_equal(merged.result.order.run.slack_after_ticks, 500);
	merged_free(&merged);

	/* And one that begins to run was not. */
	begin_small(&rec);
	synthetic_mark(&rec, "g1", 0, 1500, 2);
	synthetic_runstate(&rec, 0, 2000, 1, 0, RUNNABLE, RUNNING);
	merge_written(&rec, &merged);
	assert_int_equal(merged.result.order.run.violations, 1);
	merged_free(&merged);
}

static void a_state_record_counts_only_until_the_first_change(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	/* Sampled while it was blocked, written after it had begun to run. */
	begin_small(&rec);
	synthetic_runstate(&rec, 0, 2000, 1, 0, RUNNABLE, RUNNING);
	synthetic_vcpu_state(&rec, 0, 2100, 1, 0, BLOCKED);
	synthetic_mark(&rec, "g1", 0, 2200, 1);
	synthetic_runstate(&rec, 0, 3000, 1, 0, RUNNING, BLOCKED);
	merge_written(&rec, &merged);
	assert_int_equal(merged.result.order.run.checks, 1);
	assert_int_equal(merged.result.order.run.violations, 0);
	merged_free(&merged);
}

static void events_after_the_hypervisors_end_are_not_judged(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	begin_small(&rec);
	synthetic_runstate(&rec, 0, 2000, 1, 0, RUNNING, BLOCKED);
	synthetic_mark(&rec, "g1", 0, 2001, 1);
	merge_written(&rec, &merged);
	assert_int_equal(merged.result.order.run.checks, 0);
	assert_int_equal(merged.result.order.run.unchecked, 1);
	assert_int_equal(merged.result.order.run.violations, 0);
	merged_free(&merged);
}

static void where_the_hypervisor_lost_events_nothing_is_judged(void **state)
{
	struct synthetic_stream *stream;
	struct synthetic rec;
	struct merged merged;

	(void)state;
	begin_small(&rec);
	stream = synthetic_stream(&rec, "xen", 0);
	synthetic_runstate(&rec, 0, 2000, 1, 0, RUNNING, BLOCKED);
	synthetic_close_packet(stream);
	/* The record that it ran again was lost: only the counter shows that something was. */
	stream->lost = 2;
	synthetic_mark(&rec, "g1", 0, 3000, 1);
	synthetic_runstate(&rec, 0, 4000, 2, 0, RUNNING, BLOCKED);
	synthetic_close_packet(stream);
	/* After that packet's end the hypervisor knows again, from the next change on. */
	synthetic_mark(&rec, "g1", 0, 4500, 1);
	synthetic_runstate(&rec, 0, 5000, 1, 0, RUNNING, BLOCKED);
	synthetic_mark(&rec, "g1", 0, 5500, 1);
	synthetic_runstate(&rec, 0, 6000, 1, 0, BLOCKED, RUNNABLE);
	merge_written(&rec, &merged);
	assert_int_equal(merged.result.tally.discarded, 2);
	assert_int_equal(merged.result.order.run.unchecked, 1);
	assert_int_equal(merged.result.order.run.checks, 2);
	assert_int_equal(merged.result.order.run.violations, 1);
	assert_int_equal(merged.result.order.run.named[0].ticks, 5500);
	merged_free(&merged);
}

static void where_one_cpu_of_the_host_is_not_covered_nothing_is_judged(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	/* CPU 1's stream begins later and ends earlier: it may have run g1 in between. */
	begin_small(&rec);
	synthetic_runstate(&rec, 0, 1500, 1, 0, RUNNING, BLOCKED);
	synthetic_mark(&rec, "g1", 0, 2000, 1);
	synthetic_runstate(&rec, 1, 3000, 2, 0, RUNNING, BLOCKED);
	synthetic_runstate(&rec, 1, 4000, 2, 0, BLOCKED, RUNNABLE);
	synthetic_mark(&rec, "g1", 0, 5000, 1);
	synthetic_runstate(&rec, 0, 9000, 1, 0, BLOCKED, RUNNABLE);
	merge_written(&rec, &merged);
	assert_int_equal(merged.result.order.run.unchecked, 2);
	assert_int_equal(merged.result.order.run.violations, 0);
	merged_free(&merged);
}

static void a_change_that_does_not_follow_starts_anew(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	begin_small(&rec);
	synthetic_runstate(&rec, 0, 2000, 1, 0, RUNNING, BLOCKED);
	/* From blocked it cannot have become runnable twice: the record in between is missing. */
	synthetic_runstate(&rec, 0, 4000, 1, 0, RUNNABLE, BLOCKED);
	synthetic_mark(&rec, "g1", 0, 4100, 1);
	synthetic_runstate(&rec, 0, 5000, 1, 0, BLOCKED, RUNNING);
	synthetic_mark(&rec, "g1", 0, 5100, 1);
	synthetic_runstate(&rec, 0, 6000, 1, 0, RUNNING, BLOCKED);
	merge_written(&rec, &merged);
	assert_int_equal(merged.result.order.run.checks, 2);
	assert_int_equal(merged.result.order.run.violations, 1);
	/* That it stopped at 2000 is no longer the last that is known. */
	assert_int_equal(merged.result.order.run.named[0].late_ticks, UINT64_MAX);
	assert_int_equal(merged.result.order.run.named[0].early_ticks, 900);
	assert_int_equal(merged.result.order.run.slack_before_ticks, 100);
	merged_free(&merged);
}

/* As Xen makes it for 2.4 GHz: times four, times 0.6. */
static const struct synthetic_clock emulated_clock = { .is_hvm = true,
						       .emulated = true,
						       .offset = 0 - 77777777777ull,
						       .vtsc_mul_frac = 0x9999999au,
						       .vtsc_shift = 2,
						       .vtsc_offset_ns = 300000000000ull };

static void a_guest_with_an_emulated_clock_is_merged_within_its_bound(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	build(&rec, emulated_clock);
	merge_directory(&merged, rec.dir, NULL, 0);
	assert_int_equal(merged.status, 0);
	assert_int_equal(merged.nr_complaints, 0);
	assert_int_equal(merged.nr_events, rec.events);
	assert_int_equal(merged.result.tally.clamped_times, 0);
	assert_int_equal(merged.result.order.run.violations, 0);
	assert_int_equal(merged.result.order.run.unchecked, 0);
	/* Of a time in nanoseconds, one added at most, nothing finer can be said. */
	assert_true(merged.result.bound_ticks >= 2 && merged.result.bound_ticks <= 6);
	/* A shift is seen as soon as it exceeds the slack, which has the bound in it. */
	assert_true(merged.result.order.run.slack_before_ticks >= 370);
	assert_true(merged.result.order.run.slack_before_ticks <= 370 + 10);
	assert_int_equal(violations_with_shift(
				 rec.dir, -(int64_t)merged.result.order.run.slack_before_ticks),
			 0);
	assert_int_not_equal(
		violations_with_shift(rec.dir,
				      -(int64_t)merged.result.order.run.slack_before_ticks - 1),
		0);
	merged_free(&merged);
	synthetic_free(&rec);
}

static void a_guest_whose_clock_cannot_be_is_left_out_and_named(void **state)
{
	struct synthetic_clock impossible = offset_clock;
	struct synthetic rec;
	struct merged merged;

	(void)state;
	impossible.frac_bits = 64;
	build(&rec, impossible);
	merge_directory(&merged, rec.dir, NULL, 0);
	assert_int_equal(merged.status, 0);
	assert_int_equal(merged.result.left_out_sources, 1);
	assert_int_equal(merged_count(&merged, "g1", NULL), 0);
	assert_int_not_equal(merged_count(&merged, "g2", NULL), 0);
	assert_non_null(
		strstr(merged.complaints, "g1: the recorded time stamp counter of this domain"));
	merged_free(&merged);
	synthetic_free(&rec);
}

static void a_pv_guest_has_no_guest_mode_to_check(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	build(&rec, offset_clock);
	merge_directory(&merged, rec.dir, NULL, 0);
	assert_int_equal(merged.result.order.guest_mode.checks, 0);
	assert_int_equal(merged.result.order.guest_mode.unchecked, 0);
	merged_free(&merged);
	synthetic_free(&rec);
}

static void the_skew_of_cpus_belongs_to_the_bound(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	/* Given CPU 1, measured twice, and CPU 2 without a measurement ... */
	merge_build_turns(&rec, NULL);
	synthetic_skew(&rec, 0, 6000, 1, -40, 100);
	synthetic_skew(&rec, 0, 6001, 1, 10, 220);
	synthetic_runstate(&rec, 1, 6000, 1, 0, BLOCKED, RUNNABLE);
	synthetic_runstate(&rec, 2, 6000, 2, 0, BLOCKED, RUNNABLE);
	synthetic_mark(&rec, "g1", 0, 1040, 1);
	synthetic_write(&rec);
	merge_directory(&merged, rec.dir, NULL, 0);
	/* ... all measurements count, and missing ones are reported. */
	assert_int_equal(merged.result.skew_ticks, 260);
	assert_int_equal(merged.result.bound_ticks, 261);
	assert_int_equal(merged.pcpus, 3);
	assert_int_equal(merged.unmeasured_pcpus, 1);
	merged_free(&merged);
	synthetic_free(&rec);
}

static void one_cpu_has_no_other_to_be_measured_against(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	merge_build_turns(&rec, NULL);
	synthetic_mark(&rec, "g1", 0, 1040, 1);
	synthetic_write(&rec);
	merge_directory(&merged, rec.dir, NULL, 0);
	assert_int_equal(merged.pcpus, 1);
	assert_int_equal(merged.unmeasured_pcpus, 0);
	merged_free(&merged);
	synthetic_free(&rec);
}

static void a_guests_absurd_times_do_not_stretch_the_recording(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	merge_build_turns(&rec, NULL);
	synthetic_mark(&rec, "g1", 0, 2, 1);
	synthetic_mark(&rec, "g1", 0, 1ull << 62, 1);
	synthetic_write(&rec);
	merge_directory(&merged, rec.dir, NULL, 0);
	/* From the hypervisor's first record, at 100, to its last, at 5000. */
	assert_in_range(merged.result.duration_ns, 2041, 2042);
	merged_free(&merged);
	synthetic_free(&rec);
}

/* The streams of a flight recorder begin at different times: after one CPU recorded a state of a
 * vCPU and before the last stream began, another CPU may have changed it without a record. */
static void what_is_said_before_all_streams_begin_is_not_believed(void **state)
{
	const struct strata_runstate_change woken = { STRATA_RUNSTATE_BLOCKED,
						      STRATA_RUNSTATE_RUNNABLE };
	const struct strata_runstate_change stopped = { STRATA_RUNSTATE_RUNNING,
							STRATA_RUNSTATE_BLOCKED };
	struct strata_order_check *check = strata_order_check_new(1000, 5000);
	const struct strata_order_result *result;
	struct strata_checked_vcpu *vcpu;

	(void)state;
	assert_non_null(check);
	vcpu = strata_order_check_vcpu(check, 1, 0);
	strata_order_check_runstate(check, 900, 1, 0, &woken);
	strata_order_check_event(check, vcpu, 1100, 1, "irq_handler_entry");
	strata_order_check_runstate(check, 2000, 1, 0, &stopped);
	strata_order_check_event(check, vcpu, 2500, 1, "sys_enter");
	result = strata_order_check_finish(check);
	/* The first event is inside the interval that the second record tells of, the last one is
	 * not. */
	assert_int_equal(result->run.checks, 2);
	assert_int_equal(result->run.violations, 1);
	strata_order_check_free(check);
}

static void a_guest_without_a_clock_record_is_complained_of(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	synthetic_init(&rec);
	synthetic_add_source(&rec, "g1", "kernel", 1);
	synthetic_add_source(&rec, "dom0", "kernel", 0);
	synthetic_mark(&rec, "g1", 0, 2000, 1);
	synthetic_mark(&rec, "dom0", 0, 2000, 1);
	merge_written(&rec, &merged);
	assert_int_equal(merged.nr_complaints, 1);
	assert_non_null(strstr(merged.complaints, "g1: the clock of vCPU 0 was not recorded"));
	assert_int_equal(merged.result.order.run.unchecked, 2);
	assert_int_equal(merged.events[0].pcpu, UINT32_MAX);
	merged_free(&merged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_all_clocks_come_out_in_one_order),
		cmocka_unit_test(guest_times_become_the_hosts_to_the_tick),
		cmocka_unit_test(the_nanoseconds_are_those_of_the_anchor),
		cmocka_unit_test(a_shift_is_caught_one_tick_beyond_the_slack),
		cmocka_unit_test(a_violation_is_named_with_how_far_it_is_off),
		cmocka_unit_test(the_hypervisor_itself_can_be_shifted),
		cmocka_unit_test(kernel_events_get_the_pcpu_that_xen_ran_them_on),
		cmocka_unit_test(at_equal_ticks_the_hypervisor_comes_first),
		cmocka_unit_test(the_first_change_tells_what_was_before_it),
		cmocka_unit_test(a_state_record_counts_only_until_the_first_change),
		cmocka_unit_test(events_after_the_hypervisors_end_are_not_judged),
		cmocka_unit_test(where_the_hypervisor_lost_events_nothing_is_judged),
		cmocka_unit_test(where_one_cpu_of_the_host_is_not_covered_nothing_is_judged),
		cmocka_unit_test(a_change_that_does_not_follow_starts_anew),
		cmocka_unit_test(a_guest_with_an_emulated_clock_is_merged_within_its_bound),
		cmocka_unit_test(a_guest_whose_clock_cannot_be_is_left_out_and_named),
		cmocka_unit_test(a_pv_guest_has_no_guest_mode_to_check),
		cmocka_unit_test(one_cpu_has_no_other_to_be_measured_against),
		cmocka_unit_test(the_skew_of_cpus_belongs_to_the_bound),
		cmocka_unit_test(a_guests_absurd_times_do_not_stretch_the_recording),
		cmocka_unit_test(what_is_said_before_all_streams_begin_is_not_believed),
		cmocka_unit_test(a_guest_without_a_clock_record_is_complained_of),
	};

	return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_xentrace_context.c - values derived for xentrace's records: the vCPU that ran, the time, and
 * losses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "xentrace_fixture.h"

#define IDLE 0x7fffu

static void who_runs_follows_from_the_runstates(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	/* Nothing tells of the first; the one who stops was there before. */
	xentrace_timed(&file, 0, 10, 0x28008, 0);
	xentrace_timed(&file, 0, 20, 0x2800e, 3, 1, 0, 5);
	xentrace_timed(&file, 0, 21, 0x2800f, 4, 2, 3, 0, 0);
	xentrace_timed(&file, 0, 22, 0x2800a, 4, 1, 0, 2, 3);
	xentrace_runstate(&file, 0, 23, 1, 0, 0, 2);
	/* The switch itself comes behind this one. */
	xentrace_runstate(&file, 0, 24, 2, 3, 1, 0);
	xentrace_timed(&file, 0, 30, 0x28008, 0);
	/* Another vCPU is woken from here: that changes nothing. */
	xentrace_runstate(&file, 0, 40, 1, 0, 2, 1);
	xentrace_timed(&file, 0, 50, 0x21002, 1, 2u << 16 | 3u);
	xentrace_window(&file, 0);
	/* Of another CPU it is known from where it begins to run on. */
	xentrace_timed(&file, 1, 60, 0x28008, 0);
	xentrace_runstate(&file, 1, 70, 1, 0, 1, 0);
	xentrace_timed(&file, 1, 80, 0x28008, 0);
	xentrace_window(&file, 1);
	import_written(&imported, &file);
	assert_event(&imported, 0, "sched_control", 10, 1, 0);
	assert_event(&imported, 1, "sched_switch_prev", 20, 1, 0);
	assert_event(&imported, 2, "sched_switch_next", 21, 1, 0);
	assert_event(&imported, 3, "sched_switch", 22, 1, 0);
	assert_event(&imported, 4, "runstate_running_to_blocked", 23, 1, 0);
	assert_event(&imported, 5, "runstate_runnable_to_running", 24, 1, 0);
	assert_event(&imported, 6, "sched_control", 30, 2, 3);
	assert_event(&imported, 7, "runstate_blocked_to_runnable", 40, 2, 3);
	assert_event(&imported, 8, "continue_running", 50, 2, 3);
	assert_event(&imported, 9, "sched_control", 60, UNKNOWN_VCPU);
	assert_event(&imported, 10, "runstate_runnable_to_running", 70, UNKNOWN_VCPU);
	assert_event(&imported, 11, "sched_control", 80, 1, 0);
	assert_int_equal(imported.report.contradictions, 0);
	assert_int_equal(imported.report.tally.unknown, 2);
	imported_free(&imported);
}

static void without_runstates_the_switch_tells(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_timed(&file, 0, 10, 0x2800a, 4, 1, 0, IDLE, 0);
	xentrace_timed(&file, 0, 20, 0x28008, 0);
	xentrace_timed(&file, 0, 30, 0x2800a, 4, IDLE, 0, 2, 5);
	xentrace_timed(&file, 0, 40, 0x81001, 0);
	/* That cannot be: idle was left for 2/5. */
	xentrace_timed(&file, 0, 50, 0x28011, 4, 3, 1, 0, 0);
	xentrace_timed(&file, 0, 60, 0x81001, 0);
	xentrace_window(&file, 0);
	import_written(&imported, &file);
	assert_event(&imported, 0, "sched_switch", 10, 1, 0);
	assert_event(&imported, 1, "sched_control", 20, IDLE, 0);
	assert_event(&imported, 2, "sched_switch", 30, IDLE, 0);
	assert_event(&imported, 3, "vm_entry", 40, 2, 5);
	assert_event(&imported, 4, "sched_switch_continue", 50, 3, 1);
	assert_event(&imported, 5, "vm_entry", 60, 3, 1);
	assert_int_equal(imported.report.contradictions, 1);
	imported_free(&imported);
}

static void lost_records_are_counted_and_say_who_runs(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_runstate(&file, 0, 100, 1, 0, 1, 0);
	xentrace_timed(&file, 0, 200, 0x28008, 0);
	xentrace_timed(&file, 0, 900, 0x1f001, 4, 25u, 7u << 16 | 2u, 300u, 0u);
	xentrace_timed(&file, 0, 901, 0x28008, 0);
	xentrace_timed(&file, 0, 1900, 0x1f001, 4, 17u, 7u << 16 | 2u, 1300u, 0u);
	xentrace_window(&file, 0);
	xentrace_runstate(&file, 1, 100, 5, 0, 1, 0);
	xentrace_window(&file, 1);
	import_written(&imported, &file);
	assert_int_equal(imported.report.tally.lost, 42);
	assert_int_equal(imported.merged.result.tally.discarded, 42);
	assert_int_equal(imported.merged.lost[0], 42);
	assert_int_equal(imported.merged.lost[1], 0);
	assert_int_equal(imported.merged.result.tally.missing_packets, 0);
	assert_event(&imported, 3, "lost_records", 900, 2, 7);
	assert_event(&imported, 4, "sched_control", 901, 2, 7);
	imported_free(&imported);
}

/* Between the packet before and the end of that one, and no longer, something is missing. */
static void a_loss_has_a_packet_of_its_own(void **state)
{
	const uint64_t content[] = { 104 + 20 + 16, 104 + 32, 104 + 16 }, lost[] = { 0, 25, 25 };
	struct xentrace_file file;
	struct imported imported;
	uint8_t bytes[1024];
	char path[96];
	size_t i, nr, at = 0;
	FILE *in;

	(void)state;
	xentrace_init(&file);
	xentrace_runstate(&file, 0, 100, 1, 0, 1, 0);
	xentrace_timed(&file, 0, 200, 0x28008, 0);
	xentrace_timed(&file, 0, 900, 0x1f001, 4, 25u, 1u, 300u, 0u);
	xentrace_timed(&file, 0, 901, 0x28008, 0);
	xentrace_window(&file, 0);
	xentrace_write(&file);
	import_file(&imported, &file, 2400000);
	snprintf(path, sizeof(path), "%s/xen/cpu_0", file.raw);
	in = fopen(path, "r");
	assert_non_null(in);
	nr = fread(bytes, 1, sizeof(bytes), in);
	fclose(in);
	for (i = 0; i < 3; i++) {
		uint64_t bits, discarded;

		memcpy(&bits, bytes + at + 40, sizeof(bits));
		memcpy(&discarded, bytes + at + 64, sizeof(discarded));
		assert_int_equal(bits, content[i] * 8);
		assert_int_equal(discarded, lost[i]);
		at += bits / 8;
	}
	assert_int_equal(at, nr);
	imported_free(&imported);
	xentrace_free(&file);
}

static void what_fills_a_buffers_end_is_left_out(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_timed(&file, 0, 100, 0x28008, 0);
	/* These bytes are whatever was there before: not even their time is one. */
	xentrace_untimed(&file, 0, 0x1f002, 3, 0xdead, 0xbeef, 0);
	xentrace_timed(&file, 0, 0xffffffffffffffffull, 0x1f002, 1, 0);
	xentrace_timed(&file, 0, 200, 0x28008, 0);
	xentrace_window(&file, 0);
	import_written(&imported, &file);
	assert_int_equal(imported.report.wraps, 2);
	assert_int_equal(imported.merged.nr_events, 2);
	assert_int_equal(imported.report.tally.steps_back, 0);
	imported_free(&imported);
}

static void a_record_without_a_time_has_that_of_the_one_before(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	/* The first ones have that of the one behind. */
	xentrace_untimed(&file, 0, 0x82013, 1, 0);
	xentrace_untimed(&file, 0, 0x82018, 0);
	xentrace_timed(&file, 0, 500, 0x81001, 0);
	xentrace_untimed(&file, 0, 0x82018, 0);
	xentrace_timed(&file, 0, 700, 0x81001, 0);
	xentrace_window(&file, 0);
	/* One CPU that has none at all. */
	xentrace_untimed(&file, 1, 0x82018, 0);
	xentrace_window(&file, 1);
	import_written(&imported, &file);
	assert_int_equal(imported.merged.nr_events, 5);
	assert_event(&imported, 0, "hvm_halt", 500, UNKNOWN_VCPU);
	assert_event(&imported, 1, "hvm_clts", 500, UNKNOWN_VCPU);
	assert_event(&imported, 2, "vm_entry", 500, UNKNOWN_VCPU);
	assert_event(&imported, 3, "hvm_clts", 500, UNKNOWN_VCPU);
	assert_event(&imported, 4, "vm_entry", 700, UNKNOWN_VCPU);
	assert_int_equal(imported.report.tally.untimed, 3);
	assert_int_equal(imported.report.tally.timeless, 1);
	assert_said(&imported, "1 records are left out");
	imported_free(&imported);
}

/* Also where that is the end of their packet. */
static void records_wait_for_a_time_until_a_loss(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_untimed(&file, 0, 0x82018, 0);
	xentrace_timed(&file, 0, 500, 0x1f001, 4, 1u, 1u, 300u, 0u);
	xentrace_window(&file, 0);
	import_written(&imported, &file);
	assert_event(&imported, 0, "hvm_clts", 500, UNKNOWN_VCPU);
	assert_event(&imported, 1, "lost_records", 500, 1, 0);
	assert_int_equal(imported.report.tally.timeless, 0);
	imported_free(&imported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_runs_follows_from_the_runstates),
		cmocka_unit_test(without_runstates_the_switch_tells),
		cmocka_unit_test(lost_records_are_counted_and_say_who_runs),
		cmocka_unit_test(a_loss_has_a_packet_of_its_own),
		cmocka_unit_test(what_fills_a_buffers_end_is_left_out),
		cmocka_unit_test(a_record_without_a_time_has_that_of_the_one_before),
		cmocka_unit_test(records_wait_for_a_time_until_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

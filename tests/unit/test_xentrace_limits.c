// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_xentrace_limits.c - intact files of xentrace with extreme values: times that jump,
 * uncountable losses, too many kinds of records or CPUs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "xentrace_fixture.h"

static void time_that_steps_back_begins_a_packet(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_whole_window(&file, 0, 5000);
	xentrace_whole_window(&file, 0, 4000);
	import_written(&imported, &file);
	assert_kept(&imported, 20, 0, 0);
	assert_int_equal(imported.report.tally.steps_back, 1);
	assert_int_equal(imported.merged.result.tally.clamped_times, 10);
	assert_said(&imported, "time goes back 1 times");
	imported_free(&imported);
}

/* A year ahead, and back with the next record: else all that follows would be held there. */
static void a_time_that_jumps_ahead_and_back_is_held(void **state)
{
	const uint64_t year = 2400000000ull * 3600 * 24 * 365;
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_records(&file, 0, 1000);
	xentrace_timed(&file, 0, year, 0x28008, 0);
	xentrace_untimed(&file, 0, 0x82018, 0);
	xentrace_records(&file, 0, 2000);
	xentrace_window(&file, 0);
	/* Likewise the first of a CPU. */
	xentrace_untimed(&file, 1, 0x82018, 0);
	xentrace_timed(&file, 1, UINT64_MAX, 0x28008, 0);
	xentrace_records(&file, 1, 3000);
	xentrace_window(&file, 1);
	/* One that the next one agrees with is a jump that was. */
	xentrace_records(&file, 2, 1000);
	xentrace_records(&file, 2, year);
	xentrace_window(&file, 2);
	import_written(&imported, &file);
	assert_int_equal(imported.report.tally.outliers, 2);
	assert_int_equal(imported.report.tally.steps_back, 0);
	assert_int_equal(imported.merged.result.tally.clamped_times, 0);
	assert_int_equal(imported.merged.nr_events, 54);
	assert_event(&imported, 19, "sched_control", 1090, UNKNOWN_VCPU);
	assert_event(&imported, 20, "hvm_clts", 1090, UNKNOWN_VCPU);
	assert_event(&imported, 32, "hvm_clts", 3000, UNKNOWN_VCPU);
	assert_event(&imported, 33, "sched_control", 3000, UNKNOWN_VCPU);
	assert_event(&imported, 53, "credit_tickle", year + 90, UNKNOWN_VCPU);
	imported_free(&imported);
}

static void times_at_the_end_of_64_bits_are_kept(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_timed(&file, 0, UINT64_MAX - 1, 0x28008, 0);
	xentrace_timed(&file, 0, UINT64_MAX, 0x28008, 0);
	xentrace_window(&file, 0);
	import_written(&imported, &file);
	assert_event(&imported, 0, "sched_control", UINT64_MAX - 1, UNKNOWN_VCPU);
	assert_event(&imported, 1, "sched_control", UINT64_MAX, UNKNOWN_VCPU);
	imported_free(&imported);
}

static void losses_beyond_any_count_are_held(void **state)
{
	struct xentrace_file file;
	struct imported imported;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	for (i = 0; i < 3; i++)
		xentrace_timed(&file, 0, 1000 + i, 0x1f001, 4, 0xffffffffu, 1u, 0u, 0u);
	/* One that is too short for a count is a record like any other. */
	xentrace_timed(&file, 0, 2000, 0x1f001, 0);
	xentrace_window(&file, 0);
	import_written(&imported, &file);
	assert_int_equal(imported.merged.result.tally.discarded, 3 * 0xffffffffull);
	imported_free(&imported);
}

static void records_of_too_many_kinds_are_counted(void **state)
{
	struct xentrace_file file;
	struct imported imported;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	for (i = 0; i < 5000; i++)
		xentrace_timed(&file, 0, 1000 + i, 0x08001000u + (i % 4000) + (i / 4000 << 16), 0);
	xentrace_window(&file, 0);
	import_written(&imported, &file);
	assert_int_equal(imported.report.tally.events, 5000);
	assert_int_equal(imported.report.nameless, 5000 - 2048);
	assert_event(&imported, 4999, "trc_guest_other", 5999, UNKNOWN_VCPU);
	assert_said(&imported, "2952 records are imported as trc_guest_other");
	imported_free(&imported);
}

static void numbers_of_guests_leave_room_for_xens_own_events(void **state)
{
	struct xentrace_file file;
	struct imported imported;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	for (i = 0; i < 4096; i++)
		xentrace_timed(&file, 0, 1000 + i, 0x0800f000u + i, 0);
	xentrace_timed(&file, 0, 9000, 0x28008, 0);
	xentrace_window(&file, 0);
	import_written(&imported, &file);
	assert_int_equal(imported.report.tally.events, 4097);
	assert_int_equal(imported.report.nameless, 2048);
	assert_event(&imported, 4096, "sched_control", 9000, UNKNOWN_VCPU);
	imported_free(&imported);
}

/* More than the process may have files open. */
static void a_host_of_many_cpus_needs_few_files(void **state)
{
	struct rlimit few = { 32, 32 }, before;
	struct xentrace_file file;
	struct imported imported;
	uint32_t cpu;

	(void)state;
	xentrace_init(&file);
	for (cpu = 0; cpu < 500; cpu++) {
		xentrace_timed(&file, 0, 1000 + cpu, 0x28008, 0);
		xentrace_lying_window(&file, 0, cpu, 12);
	}
	xentrace_write(&file);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	memset(&imported, 0, sizeof(imported));
	{
		const struct strata_xentrace_options options = { .tsc_khz = 2400000 };

		imported.status = strata_xentrace_import(file.path, file.raw, &options,
							 &imported.report, &imported.error);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(imported.status, 0);
	assert_int_equal(imported.report.pcpus, 500);
	assert_int_equal(imported.report.tally.events, 500);
	xentrace_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_that_steps_back_begins_a_packet),
		cmocka_unit_test(a_time_that_jumps_ahead_and_back_is_held),
		cmocka_unit_test(times_at_the_end_of_64_bits_are_kept),
		cmocka_unit_test(losses_beyond_any_count_are_held),
		cmocka_unit_test(records_of_too_many_kinds_are_counted),
		cmocka_unit_test(numbers_of_guests_leave_room_for_xens_own_events),
		cmocka_unit_test(a_host_of_many_cpus_needs_few_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

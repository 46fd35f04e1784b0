// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_xentrace_damage.c - files of xentrace's that are torn, damaged or forged: what
 * is whole is kept, what is not is named with its file, its byte and how much was
 * lost, and nothing is believed that cannot be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "xentrace_fixture.h"

#define WINDOW_RECORDS 10u
#define WINDOW_BYTES   (WINDOW_RECORDS * 16u)

/* Records of one CPU, each 16 bytes, from @ticks on in steps of 10. */
static void add_records(struct xentrace_file *file, unsigned int pcpu, uint64_t ticks)
{
	unsigned int i;

	for (i = 0; i < WINDOW_RECORDS; i++)
		xentrace_timed(file, pcpu, ticks + i * 10u, 0x22006, 1, i);
}

static void add_window(struct xentrace_file *file, unsigned int pcpu, uint64_t ticks)
{
	add_records(file, pcpu, ticks);
	xentrace_window(file, pcpu);
}

/* Three windows, of 12 + 160 bytes each: of CPU 0, CPU 1 and CPU 0 again. */
static void build(struct xentrace_file *file)
{
	xentrace_init(file);
	add_window(file, 0, 1000);
	add_window(file, 1, 1000);
	add_window(file, 0, 2000);
}

static void assert_kept(const struct imported *imported, unsigned int records,
			unsigned int bad_places, unsigned int left_out_bytes)
{
	if (imported->report.tally.events != records || imported->report.bad_places != bad_places ||
	    imported->report.left_out_bytes != left_out_bytes)
		fail_msg("kept %llu, not %u; %llu bad places, not %u; %llu bytes left out, not %u; "
			 "said: %s",
			 (unsigned long long)imported->report.tally.events, records,
			 (unsigned long long)imported->report.bad_places, bad_places,
			 (unsigned long long)imported->report.left_out_bytes, left_out_bytes,
			 imported->complaints);
}

static void a_file_that_is_torn_anywhere_keeps_what_is_whole(void **state)
{
	unsigned int length;

	(void)state;
	for (length = 12 + 16; length < 3 * (12 + WINDOW_BYTES); length += 7) {
		const unsigned int window = length / (12 + WINDOW_BYTES);
		const unsigned int within = length % (12 + WINDOW_BYTES);
		const unsigned int records = within < 12 ? 0 : (within - 12) / 16;
		struct xentrace_file file;
		struct imported imported;

		build(&file);
		file.whole.nr = length;
		import_written(&imported, &file);
		assert_kept(&imported, window * WINDOW_RECORDS + records, within ? 1 : 0,
			    within < 12 ? within : (within - 12) % 16);
		if (within >= 12)
			assert_said(&imported, "of the 160 bytes of CPU");
		else if (within)
			assert_said(&imported, "torn: the header of a window is cut");
		imported_free(&imported);
	}
}

static void garbage_between_windows_is_stepped_over(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	add_window(&file, 0, 1000);
	/* Not even a multiple of four. */
	xentrace_bytes(&file, "garbage", 7);
	add_window(&file, 1, 1000);
	add_window(&file, 0, 2000);
	import_written(&imported, &file);
	assert_kept(&imported, 30, 1, 7);
	assert_said(&imported, "offset 172: no window begins here (0x62726167)");
	assert_said(&imported, "7 bytes are left out");
	/* Of the first CPU something may be missing, of the second not: it had not begun. */
	assert_int_equal(imported.merged.result.missing_packets, 1);
	imported_free(&imported);
}

static void a_record_that_is_none_costs_the_rest_of_its_window(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	build(&file);
	/* The fourth record of the second window. */
	memset(file.whole.bytes + 172 + 12 + 3 * 16, 0, 4);
	import_written(&imported, &file);
	assert_kept(&imported, 23, 1, 7 * 16);
	assert_said(&imported, "offset 232: no event has the number 0x0000000; 112 bytes");
	assert_int_equal(imported.merged.result.missing_packets, 2 - 1);
	imported_free(&imported);
}

static void a_page_of_zeros_is_named_once(void **state)
{
	static const uint8_t zeros[4096];
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	add_window(&file, 0, 1000);
	xentrace_bytes(&file, zeros, sizeof(zeros));
	add_window(&file, 0, 2000);
	import_written(&imported, &file);
	assert_kept(&imported, 20, 1, sizeof(zeros));
	imported_free(&imported);
}

static void a_record_that_runs_over_its_window_is_left_out(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	add_window(&file, 0, 1000);
	add_records(&file, 1, 1000);
	/* The last one says that it has seven words. */
	file.pcpus[1].bytes[9 * 16 + 3] |= 0x70;
	xentrace_window(&file, 1);
	add_window(&file, 0, 2000);
	import_written(&imported, &file);
	assert_kept(&imported, 29, 1, 16);
	assert_said(&imported, "offset 328: a record of 40 bytes runs over the end of CPU 1's "
			       "window, by 24 bytes");
	imported_free(&imported);
}

static void a_window_that_says_it_is_larger_ends_where_the_next_begins(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	add_window(&file, 0, 1000);
	add_records(&file, 1, 1000);
	xentrace_lying_window(&file, 1, 1, WINDOW_BYTES + 100);
	add_window(&file, 0, 2000);
	add_window(&file, 0, 3000);
	import_written(&imported, &file);
	assert_kept(&imported, 40, 1, 0);
	assert_said(&imported, "offset 344: another window begins within that of CPU 1");
	imported_free(&imported);
}

static void a_window_that_says_it_has_gigabytes_is_no_larger(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	add_window(&file, 0, 1000);
	add_records(&file, 1, 1000);
	xentrace_lying_window(&file, 1, 1, 0xfffffffcu);
	add_window(&file, 0, 2000);
	import_written(&imported, &file);
	assert_kept(&imported, 30, 1, 0);
	imported_free(&imported);
}

static void a_window_that_says_it_is_smaller_loses_what_lies_behind(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	add_window(&file, 0, 1000);
	add_records(&file, 1, 1000);
	xentrace_lying_window(&file, 1, 1, 5 * 16);
	add_window(&file, 0, 2000);
	import_written(&imported, &file);
	assert_kept(&imported, 25, 1, 5 * 16);
	assert_said(&imported, "no window begins here (0x90022006), though the one before ends");
	imported_free(&imported);
}

static void a_lie_in_a_window_of_a_wrong_size_is_left_for_the_next_window(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	add_window(&file, 0, 1000);
	add_records(&file, 1, 1000);
	memset(file.pcpus[1].bytes + 2 * 16, 0, 4);
	/* It would end in the middle of the next one. */
	xentrace_lying_window(&file, 1, 1, WINDOW_BYTES + 100);
	add_window(&file, 0, 2000);
	import_written(&imported, &file);
	assert_kept(&imported, 22, 1, 8 * 16);
	imported_free(&imported);
}

static void what_a_record_carries_is_no_window(void **state)
{
	struct xentrace_file file;
	struct imported imported;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	add_window(&file, 0, 1000);
	add_records(&file, 1, 1000);
	memset(file.pcpus[1].bytes + 9 * 16, 0, 4);
	/* Behind what is none: records whose words look like a window with records. */
	for (i = 0; i < 4; i++)
		xentrace_timed(&file, 1, 2000, 0x22006, 7, 0x2001f003u, 0u, 16u, 0x30022006u, 1u,
			       2u, 3u);
	xentrace_window(&file, 1);
	add_window(&file, 0, 2000);
	import_written(&imported, &file);
	assert_kept(&imported, 29, 1, 16 + 4 * 40);
	imported_free(&imported);
}

static void bytes_that_are_missing_do_not_hide_what_follows(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	build(&file);
	/* Three of the fourth record of the second window: the third one begins at no multiple of
	 * four then. */
	memmove(file.whole.bytes + 232, file.whole.bytes + 235, file.whole.nr - 235);
	file.whole.nr -= 3;
	import_written(&imported, &file);
	assert_kept(&imported, 23, 1, 7 * 16 - 3);
	imported_free(&imported);
}

static void who_runs_is_not_known_behind_a_gap(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_runstate(&file, 0, 900, 3, 0, 1, 0);
	add_window(&file, 0, 1000);
	xentrace_bytes(&file, "garbage!", 8);
	xentrace_timed(&file, 0, 2000, 0x28008, 0);
	xentrace_window(&file, 0);
	import_written(&imported, &file);
	assert_event(&imported, 10, "credit_tickle", 1090, 3, 0);
	assert_event(&imported, 11, "sched_control", 2000, 0x7ff4, 0xffff);
	assert_int_equal(imported.merged.result.missing_packets, 1);
	imported_free(&imported);
}

static void a_cpu_that_cannot_be_has_no_window(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	add_window(&file, 0, 1000);
	add_records(&file, 1, 1000);
	xentrace_lying_window(&file, 1, 4095, WINDOW_BYTES);
	add_records(&file, 1, 1000);
	xentrace_lying_window(&file, 1, 4094, WINDOW_BYTES);
	add_records(&file, 1, 1000);
	xentrace_lying_window(&file, 1, 1, WINDOW_BYTES - 1);
	import_written(&imported, &file);
	assert_kept(&imported, 20, 2, 2 * (12 + WINDOW_BYTES));
	assert_said(&imported, "a window of 160 bytes for CPU 4095 cannot be");
	assert_said(&imported, "a window of 159 bytes for CPU 1 cannot be");
	imported_free(&imported);
}

static void what_looks_like_a_window_must_have_records(void **state)
{
	/* In the middle of garbage: its first record is one, but the second does not fit. */
	const uint32_t bait[] = { 0, 0x2001f003, 0, 20, 0x90022006, 0, 0, 0, 0x11111111, 0 };
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	add_window(&file, 0, 1000);
	xentrace_bytes(&file, bait, sizeof(bait));
	add_window(&file, 0, 2000);
	import_written(&imported, &file);
	assert_kept(&imported, 20, 1, sizeof(bait));
	imported_free(&imported);
}

static void a_file_that_is_bad_all_over_is_given_up(void **state)
{
	struct xentrace_file file;
	struct imported imported;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	add_window(&file, 0, 0);
	for (i = 0; i < 1500; i++) {
		xentrace_timed(&file, 0, 1000 + i, 0x22006, 1, i);
		xentrace_window(&file, 0);
		xentrace_bytes(&file, "bad", 4);
	}
	import_written(&imported, &file);
	assert_int_equal(imported.report.tally.events, 1000 + WINDOW_RECORDS);
	assert_int_equal(imported.report.bad_places, 1000);
	assert_int_equal(imported.report.left_out_bytes, 999 * 4 + 4 + 500 * (12 + 16 + 4));
	assert_said(&imported, "1000 bad places; the rest, 16004 bytes, is left out");
	imported_free(&imported);
}

static void time_that_steps_back_begins_a_packet(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	add_window(&file, 0, 5000);
	add_window(&file, 0, 4000);
	import_written(&imported, &file);
	assert_kept(&imported, 20, 0, 0);
	assert_int_equal(imported.report.tally.steps_back, 1);
	assert_int_equal(imported.merged.result.clamped, 10);
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
	add_records(&file, 0, 1000);
	xentrace_timed(&file, 0, year, 0x28008, 0);
	xentrace_untimed(&file, 0, 0x82018, 0);
	add_records(&file, 0, 2000);
	xentrace_window(&file, 0);
	/* Likewise the first of a CPU. */
	xentrace_untimed(&file, 1, 0x82018, 0);
	xentrace_timed(&file, 1, UINT64_MAX, 0x28008, 0);
	add_records(&file, 1, 3000);
	xentrace_window(&file, 1);
	/* One that the next one agrees with is a jump that was. */
	add_records(&file, 2, 1000);
	add_records(&file, 2, year);
	xentrace_window(&file, 2);
	import_written(&imported, &file);
	assert_int_equal(imported.report.tally.outliers, 2);
	assert_int_equal(imported.report.tally.steps_back, 0);
	assert_int_equal(imported.merged.result.clamped, 0);
	assert_int_equal(imported.merged.nr_events, 54);
	assert_event(&imported, 19, "sched_control", 1090, 0x7ff4, 0xffff);
	assert_event(&imported, 20, "hvm_clts", 1090, 0x7ff4, 0xffff);
	assert_event(&imported, 32, "hvm_clts", 3000, 0x7ff4, 0xffff);
	assert_event(&imported, 33, "sched_control", 3000, 0x7ff4, 0xffff);
	assert_event(&imported, 53, "credit_tickle", year + 90, 0x7ff4, 0xffff);
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
	assert_event(&imported, 0, "sched_control", UINT64_MAX - 1, 0x7ff4, 0xffff);
	assert_event(&imported, 1, "sched_control", UINT64_MAX, 0x7ff4, 0xffff);
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
	assert_int_equal(imported.merged.result.lost, 3 * 0xffffffffull);
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
	assert_int_equal(imported.report.tally.events, 4096);
	assert_int_equal(imported.report.nameless, 904);
	assert_said(&imported, "904 records are left out: there are over 4096 kinds");
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

static void a_file_without_any_time_is_refused(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_untimed(&file, 0, 0x82018, 0);
	xentrace_window(&file, 0);
	xentrace_write(&file);
	import_file(&imported, &file, 2400000);
	assert_int_equal(imported.status, -1);
	assert_said(&imported, "no record of it has a time");
	assert_int_equal(access(file.raw, F_OK), -1);
	xentrace_free(&file);
}

static void assert_refused(const struct xentrace_file *file, const char *why)
{
	struct imported imported;

	import_file(&imported, file, 2400000);
	assert_int_equal(imported.status, -1);
	assert_said(&imported, file->path);
	assert_said(&imported, why);
	assert_int_equal(access(file->raw, F_OK), -1);
}

static void what_is_no_file_of_xentraces_is_refused(void **state)
{
	struct xentrace_file file;

	(void)state;
	xentrace_init(&file);
	assert_refused(&file, "No such file");
	xentrace_write(&file);
	assert_refused(&file, "the file is empty");
	xentrace_bytes(&file, "gzip or so, anything but that", 29);
	xentrace_write(&file);
	assert_refused(&file, "it is not a binary file of xentrace's");
	snprintf(file.path, sizeof(file.path), "%s", file.dir);
	assert_refused(&file, "not a regular file");
	xentrace_free(&file);
}

struct shrinking {
	const char *path;
	uint64_t at; /* where the file was cut; 0: not yet */
	struct imported imported;
};

static void shrink(void *data, uint64_t events, uint64_t bytes, uint64_t bytes_total)
{
	struct shrinking *shrinking = data;

	(void)events;
	(void)bytes_total;
	if (shrinking->at)
		return;
	shrinking->at = bytes;
	if (truncate(shrinking->path, (off_t)bytes))
		abort();
}

static void note(void *data, const char *message)
{
	struct shrinking *shrinking = data;

	snprintf(shrinking->imported.complaints, sizeof(shrinking->imported.complaints), "%s",
		 message);
	shrinking->imported.nr_complaints++;
}

static void a_file_that_shrinks_while_it_is_read_is_torn(void **state)
{
	static struct shrinking shrinking;
	struct strata_xentrace_options options = { .tsc_khz = 2400000,
						   .anchor_realtime_ns = 1,
						   .complain = note,
						   .progress = shrink,
						   .data = &shrinking };
	struct strata_xentrace_report report;
	struct strata_error error;
	struct xentrace_file file;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	for (i = 0; i < 20000; i++)
		add_window(&file, 0, 1000 + i * 100ull);
	xentrace_write(&file);
	shrinking.path = file.path;
	assert_int_equal(strata_xentrace_import(file.path, file.raw, &options, &report, &error), 0);
	assert_int_not_equal(shrinking.at, 0);
	/* What was in the buffer then is there, and not the rest. */
	assert_in_range(report.tally.events, 65536, 65536 + 262144 / 16);
	assert_int_equal(shrinking.imported.nr_complaints, 1);
	assert_said(&shrinking.imported, "it ends here, though it had 3440000 bytes when it was");
	assert_int_equal(report.left_out_bytes + report.tally.events * 16 + report.windows * 12,
			 file.whole.nr);
	xentrace_free(&file);
}

/* Bits that flip anywhere: whatever comes of it, it is a whole recording, and the sums agree. */
static void no_flipped_bit_does_harm(void **state)
{
	unsigned int i, j;

	(void)state;
	srand(4);
	for (i = 0; i < 60; i++) {
		struct xentrace_file file;
		struct imported imported;

		xentrace_init(&file);
		xentrace_host(&file, 100, 2400000, 100, i);
		/* Not in what it is recognised by. */
		for (j = 0; j <= i / 4; j++)
			file.whole.bytes[300 + (unsigned int)rand() % (file.whole.nr - 300)] ^=
				(uint8_t)(1u << rand() % 8);
		xentrace_write(&file);
		import_file(&imported, &file, 2400000);
		assert_int_equal(imported.status, 0);
		assert_int_equal(imported.merged.status, 0);
		assert_int_equal(imported.merged.nr_complaints, 0);
		assert_int_equal(imported.merged.result.events, imported.report.tally.events);
		imported_free(&imported);
		xentrace_free(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_is_torn_anywhere_keeps_what_is_whole),
		cmocka_unit_test(garbage_between_windows_is_stepped_over),
		cmocka_unit_test(a_record_that_is_none_costs_the_rest_of_its_window),
		cmocka_unit_test(a_page_of_zeros_is_named_once),
		cmocka_unit_test(a_record_that_runs_over_its_window_is_left_out),
		cmocka_unit_test(a_window_that_says_it_is_larger_ends_where_the_next_begins),
		cmocka_unit_test(a_window_that_says_it_has_gigabytes_is_no_larger),
		cmocka_unit_test(a_window_that_says_it_is_smaller_loses_what_lies_behind),
		cmocka_unit_test(a_lie_in_a_window_of_a_wrong_size_is_left_for_the_next_window),
		cmocka_unit_test(what_a_record_carries_is_no_window),
		cmocka_unit_test(bytes_that_are_missing_do_not_hide_what_follows),
		cmocka_unit_test(who_runs_is_not_known_behind_a_gap),
		cmocka_unit_test(a_cpu_that_cannot_be_has_no_window),
		cmocka_unit_test(what_looks_like_a_window_must_have_records),
		cmocka_unit_test(a_file_that_is_bad_all_over_is_given_up),
		cmocka_unit_test(time_that_steps_back_begins_a_packet),
		cmocka_unit_test(a_time_that_jumps_ahead_and_back_is_held),
		cmocka_unit_test(times_at_the_end_of_64_bits_are_kept),
		cmocka_unit_test(losses_beyond_any_count_are_held),
		cmocka_unit_test(records_of_too_many_kinds_are_counted),
		cmocka_unit_test(a_host_of_many_cpus_needs_few_files),
		cmocka_unit_test(a_file_without_any_time_is_refused),
		cmocka_unit_test(what_is_no_file_of_xentraces_is_refused),
		cmocka_unit_test(a_file_that_shrinks_while_it_is_read_is_torn),
		cmocka_unit_test(no_flipped_bit_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

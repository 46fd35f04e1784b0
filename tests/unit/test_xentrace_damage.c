// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_xentrace_damage.c - torn or damaged files of xentrace: intact parts are kept, damaged ones
 * are named with file, byte and size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "xentrace_fixture.h"

/* Three windows, of 12 + 160 bytes each: of CPU 0, CPU 1 and CPU 0 again. */
static void build(struct xentrace_file *file)
{
	xentrace_init(file);
	xentrace_whole_window(file, 0, 1000);
	xentrace_whole_window(file, 1, 1000);
	xentrace_whole_window(file, 0, 2000);
}

static void a_file_that_is_torn_anywhere_keeps_what_is_whole(void **state)
{
	unsigned int length;

	(void)state;
	for (length = 12 + 16; length < 3 * (12 + XENTRACE_WINDOW_BYTES); length += 7) {
		const unsigned int window = length / (12 + XENTRACE_WINDOW_BYTES);
		const unsigned int within = length % (12 + XENTRACE_WINDOW_BYTES);
		const unsigned int records = within < 12 ? 0 : (within - 12) / 16;
		struct xentrace_file file;
		struct imported imported;

		build(&file);
		file.whole.nr = length;
		import_written(&imported, &file);
		assert_kept(&imported, window * XENTRACE_WINDOW_RECORDS + records, within ? 1 : 0,
			    within < 12 ? within : (within - 12) % 16);
		if (within >= 12)
			assert_said(&imported, "of the 160 bytes of CPU");
		else if (within)
			assert_said(&imported, "torn: the header of a window is incomplete");
		imported_free(&imported);
	}
}

static void garbage_between_windows_is_stepped_over(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_whole_window(&file, 0, 1000);
	/* Not even a multiple of four. */
	xentrace_bytes(&file, "garbage", 7);
	xentrace_whole_window(&file, 1, 1000);
	xentrace_whole_window(&file, 0, 2000);
	import_written(&imported, &file);
	assert_kept(&imported, 30, 1, 7);
	assert_said(&imported, "offset 172: no window begins here (0x62726167)");
	assert_said(&imported, "7 bytes are left out");
	/* Of the first CPU something may be missing, of the second not: it had not begun. */
	assert_int_equal(imported.merged.result.tally.missing_packets, 1);
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
	assert_int_equal(imported.merged.result.tally.missing_packets, 2 - 1);
	imported_free(&imported);
}

static void a_page_of_zeros_is_named_once(void **state)
{
	static const uint8_t zeros[4096];
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_whole_window(&file, 0, 1000);
	xentrace_bytes(&file, zeros, sizeof(zeros));
	xentrace_whole_window(&file, 0, 2000);
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
	xentrace_whole_window(&file, 0, 1000);
	xentrace_records(&file, 1, 1000);
	/* The last one says that it has seven words. */
	file.pcpus[1].bytes[9 * 16 + 3] |= 0x70;
	xentrace_window(&file, 1);
	xentrace_whole_window(&file, 0, 2000);
	import_written(&imported, &file);
	assert_kept(&imported, 29, 1, 16);
	assert_said(&imported, "offset 328: a record of 40 bytes runs over the end of CPU 1's "
			       "window, by 24 bytes");
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
	xentrace_whole_window(&file, 0, 1000);
	xentrace_bytes(&file, "garbage!", 8);
	xentrace_timed(&file, 0, 2000, 0x28008, 0);
	xentrace_window(&file, 0);
	import_written(&imported, &file);
	assert_event(&imported, 10, "credit_tickle", 1090, 3, 0);
	assert_event(&imported, 11, "sched_control", 2000, UNKNOWN_VCPU);
	assert_int_equal(imported.merged.result.tally.missing_packets, 1);
	imported_free(&imported);
}

static void a_file_that_is_bad_all_over_is_given_up(void **state)
{
	struct xentrace_file file;
	struct imported imported;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	xentrace_whole_window(&file, 0, 0);
	for (i = 0; i < 1500; i++) {
		xentrace_timed(&file, 0, 1000 + i, 0x22006, 1, i);
		xentrace_window(&file, 0);
		xentrace_bytes(&file, "bad", 4);
	}
	import_written(&imported, &file);
	assert_int_equal(imported.report.tally.events, 1000 + XENTRACE_WINDOW_RECORDS);
	assert_int_equal(imported.report.bad_places, 1000);
	assert_int_equal(imported.report.left_out_bytes, 999 * 4 + 4 + 500 * (12 + 16 + 4));
	assert_said(&imported, "1000 bad places; the rest, 16004 bytes, is left out");
	imported_free(&imported);
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
		xentrace_whole_window(&file, 0, 1000 + i * 100ull);
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
		assert_whole_but_for_times(&imported.merged);
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
		cmocka_unit_test(bytes_that_are_missing_do_not_hide_what_follows),
		cmocka_unit_test(who_runs_is_not_known_behind_a_gap),
		cmocka_unit_test(a_file_that_is_bad_all_over_is_given_up),
		cmocka_unit_test(a_file_that_shrinks_while_it_is_read_is_torn),
		cmocka_unit_test(no_flipped_bit_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

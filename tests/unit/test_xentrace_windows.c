// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_xentrace_windows.c - windows of xentrace's that are forged: of another size or CPU than they
 * say, or bytes that only look like a window.  No window is believed that cannot be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "xentrace_fixture.h"

static void a_window_that_says_it_is_larger_ends_where_the_next_begins(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_whole_window(&file, 0, 1000);
	xentrace_records(&file, 1, 1000);
	xentrace_lying_window(&file, 1, 1, XENTRACE_WINDOW_BYTES + 100);
	xentrace_whole_window(&file, 0, 2000);
	xentrace_whole_window(&file, 0, 3000);
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
	xentrace_whole_window(&file, 0, 1000);
	xentrace_records(&file, 1, 1000);
	xentrace_lying_window(&file, 1, 1, 0xfffffffcu);
	xentrace_whole_window(&file, 0, 2000);
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
	xentrace_whole_window(&file, 0, 1000);
	xentrace_records(&file, 1, 1000);
	xentrace_lying_window(&file, 1, 1, 5 * 16);
	xentrace_whole_window(&file, 0, 2000);
	import_written(&imported, &file);
	assert_kept(&imported, 25, 1, 5 * 16);
	assert_said(&imported, "no window begins here (0x90022006), where the previous one ends");
	imported_free(&imported);
}

static void a_lie_in_a_window_of_a_wrong_size_is_left_for_the_next_window(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_whole_window(&file, 0, 1000);
	xentrace_records(&file, 1, 1000);
	memset(file.pcpus[1].bytes + 2 * 16, 0, 4);
	/* It would end in the middle of the next one. */
	xentrace_lying_window(&file, 1, 1, XENTRACE_WINDOW_BYTES + 100);
	xentrace_whole_window(&file, 0, 2000);
	import_written(&imported, &file);
	assert_kept(&imported, 22, 1, 8 * 16);
	imported_free(&imported);
}

static void a_cpu_that_cannot_be_has_no_window(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_whole_window(&file, 0, 1000);
	xentrace_records(&file, 1, 1000);
	xentrace_lying_window(&file, 1, 4095, XENTRACE_WINDOW_BYTES);
	xentrace_records(&file, 1, 1000);
	xentrace_lying_window(&file, 1, 4094, XENTRACE_WINDOW_BYTES);
	xentrace_records(&file, 1, 1000);
	xentrace_lying_window(&file, 1, 1, XENTRACE_WINDOW_BYTES - 1);
	import_written(&imported, &file);
	assert_kept(&imported, 20, 2, 2 * (12 + XENTRACE_WINDOW_BYTES));
	assert_said(&imported, "invalid window of 160 bytes for CPU 4095");
	assert_said(&imported, "invalid window of 159 bytes for CPU 1");
	imported_free(&imported);
}

static void what_a_record_carries_is_no_window(void **state)
{
	struct xentrace_file file;
	struct imported imported;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	xentrace_whole_window(&file, 0, 1000);
	xentrace_records(&file, 1, 1000);
	memset(file.pcpus[1].bytes + 9 * 16, 0, 4);
	/* Behind what is none: records whose words look like a window with records. */
	for (i = 0; i < 4; i++)
		xentrace_timed(&file, 1, 2000, 0x22006, 7, 0x2001f003u, 0u, 16u, 0x30022006u, 1u,
			       2u, 3u);
	xentrace_window(&file, 1);
	xentrace_whole_window(&file, 0, 2000);
	import_written(&imported, &file);
	assert_kept(&imported, 29, 1, 16 + 4 * 40);
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
	xentrace_whole_window(&file, 0, 1000);
	xentrace_bytes(&file, bait, sizeof(bait));
	xentrace_whole_window(&file, 0, 2000);
	import_written(&imported, &file);
	assert_kept(&imported, 20, 1, sizeof(bait));
	imported_free(&imported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_that_says_it_is_larger_ends_where_the_next_begins),
		cmocka_unit_test(a_window_that_says_it_has_gigabytes_is_no_larger),
		cmocka_unit_test(a_window_that_says_it_is_smaller_loses_what_lies_behind),
		cmocka_unit_test(a_lie_in_a_window_of_a_wrong_size_is_left_for_the_next_window),
		cmocka_unit_test(a_cpu_that_cannot_be_has_no_window),
		cmocka_unit_test(what_a_record_carries_is_no_window),
		cmocka_unit_test(what_looks_like_a_window_must_have_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

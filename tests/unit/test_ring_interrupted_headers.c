// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_interrupted_headers.c - a writer of short record headers that is interrupted wherever
 * it can be: each record has its time.  And a control: a writer that shortens against the wrong
 * mark is found out.
 */
#include "interrupted_lives.h"

static void short_headers_interrupted_anywhere_tell_the_time(void **state)
{
	(void)state;
	reader_calls = false;
	fixture.form = STRATA_HEADER_LARGE;
	interrupt_once(writes_small);
	fixture.form = STRATA_HEADER_COMPACT;
	interrupt_once(writes_small);
	assert_true(audit.short_headers > 0);
	overwriting = true;
	interrupt_once(writes_small);
	interruptions_at_drawn_places();
	overwriting = false;
	fixture.form = STRATA_HEADER_FULL;
}

/* The control: a mark that an attempt left and that became no record's is no time to count from. */
static void headers_shortened_against_the_newest_mark_are_found_out(void **state)
{
	(void)state;
	reader_calls = false;
	decides_against_the_newest = true;
	for (fixture.form = STRATA_HEADER_COMPACT; fixture.form < STRATA_NR_HEADER_FORMS;
	     fixture.form++) {
		assert_true(finds_fault(writes_small));
		print_message("# found: %s\n", fault);
	}
	decides_against_the_newest = false;
	fixture.form = STRATA_HEADER_FULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_headers_interrupted_anywhere_tell_the_time),
		cmocka_unit_test(headers_shortened_against_the_newest_mark_are_found_out),
	};

	return cmocka_run_group_tests_name("ring_interrupted_headers", tests, open_the_ring,
					   close_the_ring);
}

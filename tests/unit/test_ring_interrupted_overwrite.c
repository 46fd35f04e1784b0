// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_interrupted_overwrite.c - writers, flushes and readers of a ring that overwrites, each
 * interrupted at every possible place: only whole packets are lost.
 */
#include "interrupted_lives.h"

static void a_ring_that_overwrites_interrupted_anywhere_loses_whole_packets_only(void **state)
{
	(void)state;
	overwriting = true;
	for (reader_calls = false;; reader_calls = true) {
		interrupt_once(writes_small);
		interrupt_once(fills_the_subbuffer);
		interrupt_once(fills_the_buffer);
		interrupt_once(flushes);
		interrupt_once(reader_drains);
		if (reader_calls)
			break;
	}
	interruptions_at_drawn_places();
	overwriting = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_ring_that_overwrites_interrupted_anywhere_loses_whole_packets_only),
	};

	return cmocka_run_group_tests_name("ring_interrupted_overwrite", tests, open_the_ring,
					   close_the_ring);
}

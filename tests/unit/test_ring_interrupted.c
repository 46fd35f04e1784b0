// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_interrupted.c - a writer that is interrupted at each place where it can be, by each
 * thing that can happen there: in a ring that discards, every record is read or counted as lost.
 */
#include "interrupted_lives.h"

static void a_writer_interrupted_anywhere_loses_nothing_uncounted(void **state)
{
	(void)state;
	reader_calls = false;
	interrupt_once(writes_small);
}

static void a_switching_writer_interrupted_anywhere_loses_nothing_uncounted(void **state)
{
	(void)state;
	reader_calls = false;
	interrupt_once(fills_the_subbuffer);
}

static void a_flush_interrupted_anywhere_loses_nothing_uncounted(void **state)
{
	(void)state;
	reader_calls = false;
	interrupt_once(flushes);
}

static void a_loss_interrupted_anywhere_is_counted_for_the_reader(void **state)
{
	(void)state;
	reader_calls = false;
	interrupt_once(loses_a_record_too_big);
}

static void a_reader_by_calls_sees_what_a_reader_by_memory_does(void **state)
{
	(void)state;
	reader_calls = true;
	interrupt_once(writes_small);
	interrupt_once(fills_the_subbuffer);
	interrupt_once(flushes);
}

static void interruptions_of_interruptions_lose_nothing_uncounted(void **state)
{
	(void)state;
	interruptions_at_drawn_places();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_writer_interrupted_anywhere_loses_nothing_uncounted),
		cmocka_unit_test(a_switching_writer_interrupted_anywhere_loses_nothing_uncounted),
		cmocka_unit_test(a_flush_interrupted_anywhere_loses_nothing_uncounted),
		cmocka_unit_test(a_loss_interrupted_anywhere_is_counted_for_the_reader),
		cmocka_unit_test(a_reader_by_calls_sees_what_a_reader_by_memory_does),
		cmocka_unit_test(interruptions_of_interruptions_lose_nothing_uncounted),
	};

	return cmocka_run_group_tests_name("ring_interrupted", tests, open_the_ring,
					   close_the_ring);
}

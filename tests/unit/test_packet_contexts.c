// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_packet_contexts.c - the packet check reads contexts of a length of their own, and no further
 * than the packet's end.
 */
#include "given_packet.h"

#include <strata/abi/guest_context.h>

/* A packet of a kernel with contexts: a record with empty stacks, and one of the same event with
 * @frames in each of two stacks, which claim to have @claimed. */
static int check_stacks(struct given *given, uint32_t frames, uint32_t claimed,
			struct strata_error *error)
{
	const uint32_t stack = 4 + 8 * frames;
	struct strata_packet packet;
	uint64_t nr;
	uint32_t at;

	begin_anew(given, STRATA_HEADER_FULL, 1000, 2000);
	given->source->contexts = (uint16_t)(STRATA_CONTEXT_BIT(STRATA_CONTEXT_NICE) |
					     STRATA_CONTEXT_BIT(STRATA_CONTEXT_CALLSTACK_KERNEL) |
					     STRATA_CONTEXT_BIT(STRATA_CONTEXT_CALLSTACK_USER));
	add_record(given, 7, 1400, 4 + 8 + 4 + 4, 0);
	at = given->used + 16;
	add_record(given, 7, 1500, 4 + 8 + 2 * stack, 0);
	put(given->bytes, at + 12, claimed, 4);
	put(given->bytes, at + 12 + stack, claimed, 4);
	if (strata_packet_check(given->source, given->bytes, PACKET_BYTES, &packet, &nr, error))
		return -1;
	assert_int_equal(nr, 2);
	return 0;
}

static void call_stacks_have_their_lengths(void **state)
{
	struct given *given = *state;
	struct strata_error error;
	uint32_t frames;

	for (frames = 0; frames <= STRATA_CONTEXT_FRAMES_MAX; frames++)
		if (check_stacks(given, frames, frames, &error))
			fail_msg("%u frames: %s", frames, error.text);
	frames = STRATA_CONTEXT_FRAMES_MAX + 1;
	assert_int_equal(check_stacks(given, frames, frames, &error), -1);
	assert_non_null(strstr(error.text, "runs over the packet's end"));
	/* 8 times this is 8. */
	assert_int_equal(check_stacks(given, 1, 0x20000001u, &error), -1);
}

static void contexts_end_within_the_packet(void **state)
{
	/* The priority, two words that say whether stacks are cut, and two stacks of one frame. */
	const uint32_t whole = 4 + 8 + 4 + 8 + 4 + 8;
	struct given *given = *state;
	struct strata_packet packet;
	struct strata_error error;
	uint64_t nr;
	uint32_t bytes;

	for (bytes = 0; bytes <= whole; bytes += 4) {
		begin_anew(given, STRATA_HEADER_FULL, 1000, 2000);
		given->source->contexts =
			(uint16_t)(STRATA_CONTEXT_BIT(STRATA_CONTEXT_PRIO) |
				   STRATA_CONTEXT_BIT(STRATA_CONTEXT_CALLSTACK_KERNEL) |
				   STRATA_CONTEXT_BIT(STRATA_CONTEXT_CALLSTACK_USER));
		put(given->bytes, given->used + 16 + 12, 1, 4);
		put(given->bytes, given->used + 16 + 24, 1, 4);
		given->used += 16 + bytes;
		put(given->bytes, 40, (uint64_t)given->used * 8, 8);
		put(given->bytes, HEADER_BYTES, 7, 4);
		put(given->bytes, HEADER_BYTES + 4, 1500, 8);
		assert_int_equal(strata_packet_check(given->source, given->bytes, PACKET_BYTES,
						     &packet, &nr, &error),
				 bytes == whole ? 0 : -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(call_stacks_have_their_lengths),
		TEST(contexts_end_within_the_packet),
	};

	return cmocka_run_group_tests_name("packet: contexts", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* test_tcp_pairs.c - segments that were sent and received are paired, and nothing else is. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "inputs/tcp/tcp_pairs.h"

enum { A, B, C };

/* What came of matching. */
struct result {
	struct strata_tcp_pair pairs[64];
	size_t nr;
	struct strata_tcp_tally tally;
};

static int keep(void *data, const struct strata_tcp_pair *pair)
{
	struct result *result = data;

	assert_true(result->nr < 64);
	result->pairs[result->nr++] = *pair;
	return 1;
}

/* A segment of one connection, by its place in the stream. */
static struct strata_tcp_segment segment(uint32_t sequence, uint16_t id)
{
	struct strata_tcp_segment segment = {
		.sequence = sequence,
		.acknowledged = 77,
		.source_port = 40000,
		.destination_port = 80,
		.flags = 0x10,
		.id = id,
	};

	segment.source[15] = 1;
	segment.destination[15] = 2;
	return segment;
}

static void sent(struct strata_tcp_pairs *pairs, uint32_t clock, uint32_t sequence, uint16_t id,
		 int64_t reading)
{
	const struct strata_tcp_segment it = segment(sequence, id);

	strata_tcp_pairs_add(pairs, clock, STRATA_TCP_SENT, 0, &it, reading);
}

static void received(struct strata_tcp_pairs *pairs, uint32_t clock, uint32_t sequence, uint16_t id,
		     int64_t reading)
{
	const struct strata_tcp_segment it = segment(sequence, id);

	strata_tcp_pairs_add(pairs, clock, STRATA_TCP_RECEIVED, 0, &it, reading);
}

static struct result matched(struct strata_tcp_pairs *pairs)
{
	struct result result = { .nr = 0 };

	assert_int_equal(strata_tcp_pairs_match(pairs, keep, &result, &result.tally), 0);
	assert_int_equal(result.nr, result.tally.pairs);
	strata_tcp_pairs_free(pairs);
	return result;
}

static void assert_pair(const struct strata_tcp_pair *pair, uint32_t sent_clock, int64_t sent_at,
			uint32_t received_clock, int64_t received_at)
{
	assert_int_equal(pair->sent_clock, sent_clock);
	assert_int_equal(pair->sent, sent_at);
	assert_int_equal(pair->received_clock, received_clock);
	assert_int_equal(pair->received, received_at);
}

static void what_was_sent_and_received_is_a_pair(void **state)
{
	struct strata_tcp_pairs *pairs = strata_tcp_pairs_new(64);
	struct result result;

	(void)state;
	received(pairs, B, 10, 0, -5);
	sent(pairs, A, 20, 9, 400);
	sent(pairs, A, 10, 0, 300);
	received(pairs, B, 20, 9, 90);
	result = matched(pairs);
	assert_int_equal(result.nr, 2);
	assert_pair(&result.pairs[0], A, 300, B, -5);
	assert_pair(&result.pairs[1], A, 400, B, 90);
	assert_int_equal(result.tally.sightings, 4);
	assert_int_equal(result.tally.repeated, 0);
}

static void what_differs_in_anything_is_no_pair(void **state)
{
	struct strata_tcp_pairs *pairs = strata_tcp_pairs_new(64);
	struct strata_tcp_segment other;
	size_t i;

	(void)state;
	sent(pairs, A, 1000, 3, 1);
	for (i = 0; i < sizeof(other); i++) {
		other = segment(1000, 3);
		((uint8_t *)&other)[i] ^= 0x40;
		strata_tcp_pairs_add(pairs, B, STRATA_TCP_RECEIVED, 0, &other, 2);
	}
	assert_int_equal(matched(pairs).nr, 0);
}

static void one_machine_alone_makes_no_pair(void **state)
{
	struct strata_tcp_pairs *pairs = strata_tcp_pairs_new(64);

	(void)state;
	sent(pairs, A, 1000, 3, 1);
	received(pairs, A, 1000, 3, 2);
	sent(pairs, A, 2000, 4, 3);
	received(pairs, B, 3000, 5, 4);
	assert_int_equal(matched(pairs).nr, 0);
}

static void a_segment_that_was_sent_again_makes_no_pair(void **state)
{
	struct strata_tcp_pairs *pairs = strata_tcp_pairs_new(64);
	struct result result;

	(void)state;
	sent(pairs, A, 1000, 0, 10);
	sent(pairs, A, 1000, 0, 20);
	received(pairs, B, 1000, 0, 15);
	sent(pairs, A, 2000, 0, 30);
	received(pairs, B, 2000, 0, 35);
	received(pairs, B, 2000, 0, 36);
	result = matched(pairs);
	assert_int_equal(result.nr, 0);
	assert_int_equal(result.tally.repeated, 2);
}

static void with_an_identification_the_first_sending_and_the_last_receipt_count(void **state)
{
	struct strata_tcp_pairs *pairs = strata_tcp_pairs_new(64);
	struct result result;

	(void)state;
	sent(pairs, A, 1000, 7, 12);
	sent(pairs, A, 1000, 7, 10);
	received(pairs, B, 1000, 7, 15);
	received(pairs, B, 1000, 7, 19);
	received(pairs, B, 1000, 7, 17);
	result = matched(pairs);
	assert_int_equal(result.nr, 1);
	assert_pair(&result.pairs[0], A, 10, B, 19);
}

static void a_router_on_the_way_gives_more_pairs(void **state)
{
	struct strata_tcp_pairs *pairs = strata_tcp_pairs_new(64);
	struct result result;

	(void)state;
	sent(pairs, A, 1000, 7, 10);
	received(pairs, C, 1000, 7, 11);
	sent(pairs, C, 1000, 7, 12);
	received(pairs, B, 1000, 7, 13);
	result = matched(pairs);
	assert_int_equal(result.nr, 3);
	assert_pair(&result.pairs[0], A, 10, B, 13);
	assert_pair(&result.pairs[1], A, 10, C, 11);
	assert_pair(&result.pairs[2], C, 12, B, 13);
}

static void what_everybody_saw_makes_no_pair(void **state)
{
	struct strata_tcp_pairs *pairs = strata_tcp_pairs_new(64);
	uint32_t clock;

	(void)state;
	sent(pairs, A, 1000, 7, 10);
	for (clock = 1; clock < 10; clock++)
		received(pairs, clock, 1000, 7, 20);
	assert_int_equal(matched(pairs).nr, 0);
}

/* That it was seen twice is known still when lists have been sorted many times since. */
static void a_repetition_is_never_forgotten(void **state)
{
	struct strata_tcp_pairs *pairs = strata_tcp_pairs_new(8);
	struct result result;
	uint32_t i;

	(void)state;
	sent(pairs, A, 1000, 0, 10);
	sent(pairs, A, 1000, 0, 11);
	for (i = 0; i < 100; i++)
		sent(pairs, A, 2000, 5, i);
	received(pairs, B, 1000, 0, 15);
	for (i = 0; i < 100; i++)
		received(pairs, B, 2000, 5, 1000 + i);
	result = matched(pairs);
	assert_int_equal(result.nr, 1);
	assert_pair(&result.pairs[0], A, 0, B, 1099);
	assert_int_equal(result.tally.repeated, 1);
	assert_int_equal(result.tally.halvings, 0);
}

static int refuse(void *data, const struct strata_tcp_pair *pair)
{
	(void)pair;
	++*(int *)data;
	return -1;
}

static void matching_ends_when_a_pair_is_refused(void **state)
{
	struct strata_tcp_pairs *pairs = strata_tcp_pairs_new(64);
	struct strata_tcp_tally tally;
	int calls = 0;

	(void)state;
	sent(pairs, A, 1000, 7, 10);
	received(pairs, B, 1000, 7, 11);
	sent(pairs, A, 2000, 8, 20);
	received(pairs, B, 2000, 8, 21);
	assert_int_equal(strata_tcp_pairs_match(pairs, refuse, &calls, &tally), -1);
	assert_int_equal(calls, 1);
	strata_tcp_pairs_free(pairs);
}

/* A conversation on a bad network: all pairs that are handed on have to be true, and all possible
 * ones are. */
#define TRUTH_OFFSET 123456789

struct conversation {
	uint64_t state; /* of random numbers */
	struct strata_tcp_pairs *pairs;
	size_t expected; /* pairs, provided that the matcher drops no segment */
	size_t got;
	size_t in_slot[32]; /* of them, by time */
	int64_t slot_ns;
};

static uint64_t below(struct conversation *conversation, uint64_t limit)
{
	conversation->state = conversation->state * 6364136223846793005ull + 1442695040888963407ull;
	return (conversation->state >> 33) % limit;
}

static int check_true(void *data, const struct strata_tcp_pair *pair)
{
	struct conversation *conversation = data;
	/* Both as A's clock would show it. */
	const int64_t sent_at = pair->sent - (pair->sent_clock == B ? TRUTH_OFFSET : 0);
	const int64_t received_at = pair->received - (pair->received_clock == B ? TRUTH_OFFSET : 0);

	assert_true(sent_at < received_at);
	conversation->got++;
	conversation->in_slot[sent_at / conversation->slot_ns % 32]++;
	return 1;
}

/* Sends one segment now, now and then twice, or through two devices, or into the void. */
static void send_one(struct conversation *conversation, uint32_t from, uint32_t number, int64_t now,
		     bool has_id)
{
	const bool again = !below(conversation, 20), two_devices = !below(conversation, 10);
	const uint32_t to = from == A ? B : A;
	const int64_t offsets[] = { [A] = 0, [B] = TRUTH_OFFSET };
	/* The two directions differ in where the stream is. */
	const uint32_t sequence = number * 2000 + from;
	unsigned int attempt, sendings = 0, receipts = 0;
	bool pair = false;

	for (attempt = 0; attempt < (again ? 2u : 1u); attempt++) {
		const uint16_t id = has_id ? (uint16_t)(1 + (number * 2 + attempt) % 60000) : 0;
		const int64_t at = now + attempt * 300000 + offsets[from];
		const int64_t arrival =
			now + attempt * 300000 + 50000 + (int64_t)below(conversation, 100000);
		const bool lost = !below(conversation, 20);

		sent(conversation->pairs, from, sequence, id, at);
		if (two_devices && id)
			sent(conversation->pairs, from, sequence, id, at + 500);
		sendings++;
		if (lost)
			continue;
		received(conversation->pairs, to, sequence, id, arrival + offsets[to]);
		receipts++;
		conversation->expected += has_id;
		pair = true;
	}
	if (!has_id && pair && sendings == 1 && receipts == 1)
		conversation->expected++;
}

static void converse(struct conversation *conversation, uint32_t segments, size_t most)
{
	struct strata_tcp_tally tally;
	uint32_t i;

	conversation->pairs = strata_tcp_pairs_new(most);
	conversation->slot_ns = (int64_t)segments * 1000000 / 32;
	for (i = 0; i < segments; i++)
		send_one(conversation, below(conversation, 2) ? A : B, i, (int64_t)i * 1000000,
			 below(conversation, 2));
	assert_int_equal(
		strata_tcp_pairs_match(conversation->pairs, check_true, conversation, &tally), 0);
	assert_int_equal(tally.pairs, conversation->got);
	assert_true(tally.kept <= most);
	strata_tcp_pairs_free(conversation->pairs);
}

static void all_that_is_true_is_found_and_nothing_false(void **state)
{
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= 20; seed++) {
		struct conversation conversation = { .state = seed };

		converse(&conversation, 3000, 1 << 15);
		assert_int_equal(conversation.got, conversation.expected);
	}
}

/* 60 times as many sightings as fit: whole pairs are kept, and all over the time. */
static void with_little_memory_whole_pairs_are_kept(void **state)
{
	struct conversation conversation = { .state = 1 };
	unsigned int i;

	(void)state;
	converse(&conversation, 250000, 8192);
	assert_true(conversation.got > 8192 / 8);
	for (i = 0; i < 32; i++)
		assert_true(conversation.in_slot[i] > 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_sent_and_received_is_a_pair),
		cmocka_unit_test(what_differs_in_anything_is_no_pair),
		cmocka_unit_test(one_machine_alone_makes_no_pair),
		cmocka_unit_test(a_segment_that_was_sent_again_makes_no_pair),
		cmocka_unit_test(
			with_an_identification_the_first_sending_and_the_last_receipt_count),
		cmocka_unit_test(a_router_on_the_way_gives_more_pairs),
		cmocka_unit_test(what_everybody_saw_makes_no_pair),
		cmocka_unit_test(a_repetition_is_never_forgotten),
		cmocka_unit_test(matching_ends_when_a_pair_is_refused),
		cmocka_unit_test(all_that_is_true_is_found_and_nothing_false),
		cmocka_unit_test(with_little_memory_whole_pairs_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

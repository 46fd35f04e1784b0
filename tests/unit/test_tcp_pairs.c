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

enum { A, B, C, MACHINES = 16 };

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
	struct strata_tcp_pairs *pairs = *state;
	struct result result;

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
	struct strata_tcp_pairs *pairs = *state;
	struct strata_tcp_segment other;
	size_t i;

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
	struct strata_tcp_pairs *pairs = *state;

	sent(pairs, A, 1000, 3, 1);
	received(pairs, A, 1000, 3, 2);
	sent(pairs, A, 2000, 4, 3);
	received(pairs, B, 3000, 5, 4);
	assert_int_equal(matched(pairs).nr, 0);
}

static void a_segment_that_was_sent_again_makes_no_pair(void **state)
{
	struct strata_tcp_pairs *pairs = *state;
	struct result result;

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
	struct strata_tcp_pairs *pairs = *state;
	struct result result;

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
	struct strata_tcp_pairs *pairs = *state;
	struct result result;

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

struct crowd {
	size_t a_to_b; /* pairs of A and B */
	size_t in_segment[400], largest;
	size_t by_sender[64], by_receiver[64];
};

static int count_in_crowd(void *data, const struct strata_tcp_pair *pair)
{
	struct crowd *crowd = data;
	size_t *segment = &crowd->in_segment[pair->sent / 1000];

	crowd->a_to_b += pair->sent_clock == A && pair->received_clock == B;
	crowd->by_sender[pair->sent_clock]++;
	crowd->by_receiver[pair->received_clock]++;
	if (++*segment > crowd->largest)
		crowd->largest = *segment;
	return 1;
}

/* A sends B 400 segments, and the @senders and @receivers claim to have seen them, too. */
static struct crowd crowded(uint32_t senders, uint32_t receivers)
{
	struct strata_tcp_pairs *pairs = strata_tcp_pairs_new(1u << 16, 64);
	struct strata_tcp_tally tally;
	struct crowd crowd = { 0 };
	uint32_t i, clock;

	for (i = 0; i < 400; i++) {
		sent(pairs, A, i, 0, i * 1000);
		received(pairs, B, i, 0, i * 1000 + 500);
		for (clock = C; clock < C + senders; clock++)
			sent(pairs, clock, i, 0, i * 1000);
		for (; clock < C + senders + receivers; clock++)
			received(pairs, clock, i, 0, i * 1000);
	}
	assert_int_equal(strata_tcp_pairs_match(pairs, count_in_crowd, &crowd, &tally), 0);
	strata_tcp_pairs_free(pairs);
	return crowd;
}

/* Eight liars claim all segments of two others, which keep all of their pairs. */
static void a_crowd_does_not_cancel_what_two_saw(void **state)
{
	(void)state;
	assert_int_equal(crowded(8, 0).a_to_b, 400);
	assert_int_equal(crowded(0, 8).a_to_b, 400);
	assert_int_equal(crowded(60, 0).a_to_b, 400);
}

/* Of two roles with a crowd each, senders and receivers are drawn: 1/16 of the pairs are those of A
 * and B, and nobody is drawn more often than others. */
static void of_a_large_crowd_each_has_its_part(void **state)
{
	const struct crowd crowd = crowded(31, 31);
	size_t i;

	(void)state;
	assert_int_equal(crowd.largest, 64);
	assert_in_range(crowd.a_to_b, 10, 50);
	for (i = C; i < C + 31; i++) {
		assert_in_range(crowd.by_sender[i], 400, 1200);
		assert_in_range(crowd.by_receiver[i + 31], 400, 1200);
	}
}

/* What is left of a bound on pairs: none is dropped that fits, and no role loses to the other. */
static void the_pairs_of_a_crowd_are_bounded(void **state)
{
	(void)state;
	assert_int_equal(crowded(8, 8).largest, 64);
	assert_int_equal(crowded(50, 2).largest, 63);
	assert_int_equal(crowded(2, 50).largest, 63);
}

/* That it was seen twice is known still when lists have been sorted many times since. */
static void a_repetition_is_never_forgotten(void **state)
{
	struct strata_tcp_pairs *pairs = strata_tcp_pairs_new(8, MACHINES);
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

/* What A and B saw once is a pair, whatever C says of it. */
static void a_third_machine_does_not_cancel_what_two_saw(void **state)
{
	struct strata_tcp_pairs *pairs = *state;
	struct result result;

	sent(pairs, A, 1000, 0, 10);
	received(pairs, B, 1000, 0, 15);
	sent(pairs, C, 1000, 0, 11);
	sent(pairs, C, 1000, 0, 12);
	received(pairs, C, 1000, 0, 14);
	result = matched(pairs);
	assert_int_equal(result.nr, 1);
	assert_pair(&result.pairs[0], A, 10, B, 15);
	assert_int_equal(result.tally.repeated, 1);
}

static int refuse(void *data, const struct strata_tcp_pair *pair)
{
	(void)pair;
	++*(int *)data;
	return -1;
}

static void matching_ends_when_a_pair_is_refused(void **state)
{
	struct strata_tcp_pairs *pairs = *state;
	struct strata_tcp_tally tally;
	int calls = 0;

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

	conversation->pairs = strata_tcp_pairs_new(most, MACHINES);
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

/* C says that it saw a hundred times as many segments as there is room for, before and after A and
 * B saw theirs: these are kept all the same. */
static void a_machine_with_too_many_sightings_thins_only_its_own(void **state)
{
	struct strata_tcp_pairs *pairs = strata_tcp_pairs_new(1024, MACHINES);
	struct result result;
	uint32_t i;

	(void)state;
	for (i = 0; i < 50000; i++)
		sent(pairs, C, 1000000 + i, 0, i);
	for (i = 0; i < 60; i++) {
		sent(pairs, A, i, 0, i);
		received(pairs, B, i, 0, i + 1);
	}
	for (i = 0; i < 50000; i++)
		received(pairs, C, 2000000 + i, 0, i);
	result = matched(pairs);
	assert_int_equal(result.nr, 60);
	assert_true(result.tally.halvings > 3);
	assert_true(result.tally.kept <= 1024);
}

/* With another key, others are kept: nobody can know which. */
static void which_segments_are_kept_depends_on_the_key(void **state)
{
	struct result first, second;
	unsigned int round;

	(void)state;
	for (round = 0; round < 2; round++) {
		struct strata_tcp_pairs *pairs = strata_tcp_pairs_new(64, MACHINES);
		uint32_t i;

		strata_tcp_pairs_add_key(pairs, &round, sizeof(round));
		for (i = 0; i < 4000; i++) {
			sent(pairs, A, i, 0, i);
			received(pairs, B, i, 0, i + 1);
		}
		if (round)
			second = matched(pairs);
		else
			first = matched(pairs);
	}
	assert_true(first.nr > 4 && second.nr > 4);
	assert_false(first.pairs[0].sent == second.pairs[0].sent &&
		     first.pairs[1].sent == second.pairs[1].sent);
}

static int begin(void **state)
{
	*state = strata_tcp_pairs_new(64, MACHINES);
	return *state ? 0 : -1;
}

/* A test that gets its pairs, and frees them. */
#define PAIRS(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAIRS(what_was_sent_and_received_is_a_pair),
		PAIRS(what_differs_in_anything_is_no_pair),
		PAIRS(one_machine_alone_makes_no_pair),
		PAIRS(a_segment_that_was_sent_again_makes_no_pair),
		PAIRS(with_an_identification_the_first_sending_and_the_last_receipt_count),
		PAIRS(a_router_on_the_way_gives_more_pairs),
		cmocka_unit_test(a_crowd_does_not_cancel_what_two_saw),
		cmocka_unit_test(of_a_large_crowd_each_has_its_part),
		cmocka_unit_test(the_pairs_of_a_crowd_are_bounded),
		cmocka_unit_test(a_repetition_is_never_forgotten),
		PAIRS(a_third_machine_does_not_cancel_what_two_saw),
		cmocka_unit_test(a_machine_with_too_many_sightings_thins_only_its_own),
		cmocka_unit_test(which_segments_are_kept_depends_on_the_key),
		PAIRS(matching_ends_when_a_pair_is_refused),
		cmocka_unit_test(all_that_is_true_is_found_and_nothing_false),
		cmocka_unit_test(with_little_memory_whole_pairs_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

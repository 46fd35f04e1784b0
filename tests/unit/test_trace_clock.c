// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_trace_clock.c - the trace clock on a machine of 64 bits: the arithmetic of
 * each width at its bounds and just beyond them, millions of overflows, and nested
 * readers and updates.
 */
#include "trace_clock_world.h"

#define OVERFLOWS 2000000u

/* A generator of our own: the same numbers on every run. */
static uint64_t random_state = 0x9e3779b97f4a7c15ull;

static uint64_t random64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Where carries are: of a width, of 32 bits, of the sign, and of 64 bits. */
static unsigned int places_where_carries_are(unsigned int bits, uint64_t *place)
{
	const uint64_t wrap = 1ull << bits,
		       top[] = { wrap, 0x5a * wrap, 1ull << 32, 1ull << 63, 0 };
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < sizeof(top) / sizeof(top[0]); i++) {
		place[nr++] = top[i] - 1;
		place[nr++] = top[i];
		place[nr++] = top[i] + 1;
		place[nr++] = top[i] + wrap / 2;
	}
	place[nr++] = random64();
	return nr;
}

#define PLACES_MAX 32u

/* A clock that was updated at @since, @passed ticks later; right if it is off by @wraps wraps. */
static void expect_wraps(const struct world_rules *its_rules, uint64_t since, uint64_t passed,
			 int64_t wraps)
{
	uint64_t wrap = 1ull << its_rules->counter_bits, off = (uint64_t)wraps * wrap, answer;

	begin(its_rules, since - wrap / 4);
	world.now = since;
	updates();
	world.now += passed;
	answer = reads_the_clock(&world.clock);
	if (answer != world.now + off)
		fail_msg("%u bits: %#llx, not %#llx", its_rules->counter_bits,
			 (unsigned long long)answer, (unsigned long long)(world.now + off));
	/* An update continues from the time that a read would have returned. */
	updates();
	world.now += 3;
	assert_int_equal(reads_the_clock(&world.clock), world.now + off);
}

static void each_width_is_exact_to_its_last_tick(void **state)
{
	uint64_t place[PLACES_MAX], wrap;
	struct world_rules its_rules;
	unsigned int bits, nr, i;

	(void)state;
	for (bits = 8; bits <= 63; bits++) {
		its_rules = rules_of(bits, 0, 0, 0);
		wrap = 1ull << bits;
		nr = places_where_carries_are(bits, place);
		for (i = 0; i < nr; i++) {
			expect_wraps(&its_rules, place[i], 0, 0);
			expect_wraps(&its_rules, place[i], 1, 0);
			expect_wraps(&its_rules, place[i], wrap / 2 - 1, 0);
			expect_wraps(&its_rules, place[i], wrap / 2, 0);
			expect_wraps(&its_rules, place[i], wrap - 2, 0);
			expect_wraps(&its_rules, place[i], wrap - 1, 0);
			expect_wraps(&its_rules, place[i], random64() % wrap, 0);
			/* Too late is behind; back is ahead. */
			expect_wraps(&its_rules, place[i], wrap, -1);
			expect_wraps(&its_rules, place[i], -(uint64_t)1, 1);
		}
	}
}

static void each_width_tells_an_overflow_from_a_step_back(void **state)
{
	uint64_t place[PLACES_MAX], wrap;
	struct world_rules its_rules;
	unsigned int bits, nr, i, b;

	(void)state;
	for (bits = 8; bits <= 63; bits++) {
		const uint64_t backs[] = { 1, 7, 1ull << (bits - 2), 1ull << (bits - 1) };

		wrap = 1ull << bits;
		nr = places_where_carries_are(bits, place);
		for (i = 0; i < nr; i++) {
			for (b = 0; b < sizeof(backs) / sizeof(backs[0]); b++) {
				its_rules = rules_of(bits, 0, backs[b], 0);
				expect_wraps(&its_rules, place[i], 0, 0);
				expect_wraps(&its_rules, place[i], wrap - 1 - backs[b], 0);
				expect_wraps(&its_rules, place[i], -(uint64_t)1, 0);
				expect_wraps(&its_rules, place[i], -backs[b], 0);
				/* One tick too late is behind; one too far back is ahead. */
				expect_wraps(&its_rules, place[i], wrap - backs[b], -1);
				expect_wraps(&its_rules, place[i], -backs[b] - 1, 1);
			}
		}
	}
}

static void what_a_clock_cannot_be_is_refused(void **state)
{
	struct strata_trace_clock clock, before;
	unsigned int bits;

	(void)state;
	memset(&before, 0x5a, sizeof(before));
	clock = before;
	for (bits = 0; bits < 100; bits++) {
		if (bits >= 8 && bits <= 63)
			continue;
		assert_false(strata_trace_clock_init(&clock, bits, 0, counter_shows, 0));
	}
	for (bits = 8; bits <= 63; bits++)
		assert_false(strata_trace_clock_init(&clock, bits, (1ull << (bits - 1)) + 1,
						     counter_shows, 0));
	assert_memory_equal(&clock, &before, sizeof(clock));
}

static void time_begins_at_or_after_the_start_that_was_asked_for(void **state)
{
	uint64_t start, answer;
	unsigned int i;

	(void)state;
	for (i = 0; i < 10000; i++) {
		rules = rules_of(8 + i % 56, 0, 0, 0);
		world.now = random64();
		start = i & 1 ? random64() >> 1 : world.now;
		assert_true(strata_trace_clock_init(&world.clock, rules.counter_bits, 0,
						    counter_shows, start));
		answer = reads_the_clock(&world.clock);
		assert_true(answer >= start && answer - start < 1ull << rules.counter_bits);
		assert_int_equal((answer - world.now) & ((1ull << rules.counter_bits) - 1), 0);
	}
}

static void a_sleep_of_many_wraps_is_made_up_for(void **state)
{
	struct world_rules its_rules;
	uint64_t half;
	unsigned int bits;

	(void)state;
	for (bits = 8; bits <= 60; bits++) {
		const int64_t off[] = { 0,
					1,
					-1,
					(1ll << (bits - 1)) - 1,
					-(1ll << (bits - 1)) + 1,
					1ll << (bits - 1) };
		size_t i;

		half = 1ull << (bits - 1);
		for (i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
			its_rules = rules_of(bits, 0, i & 1, 0);
			begin(&its_rules, random64());
			world.now += 5 * half + random64() % half;
			strata_trace_clock_resume(&world.clock, counter_shows,
						  world.now + (uint64_t)off[i]);
			world.now += half / 2;
			assert_int_equal(reads_the_clock(&world.clock), world.now);
		}
		/* Half a wrap too little is one too much to be off. */
		strata_trace_clock_resume(&world.clock, counter_shows, world.now - half);
		assert_int_equal(reads_the_clock(&world.clock), world.now - 2 * half);
	}
}

/* Overflows by the million, with interruptions at random, up to three deep. */
static void overflow_by_the_million(const struct world_rules *its_rules)
{
	const uint64_t start = random64() >> 1;
	unsigned int i;

	begin(its_rules, start);
	while ((world.now - start) >> its_rules->counter_bits < OVERFLOWS) {
		uint64_t chance = random64();

		/* A reading that is lower now and then, and not each other one. */
		world.readings = (unsigned int)(chance >> 60);
		world.nr_interruptions = chance & 3;
		for (i = 0; i < world.nr_interruptions; i++, chance >>= 16) {
			struct interruption *it = &world.interruptions[i];

			it->at = (chance >> 2 & 15) % 14;
			it->ticks = chance >> 6 & 63;
			it->happens = happenings[(chance >> 12 & 15) % NR_HAPPENINGS];
			it->passed = 0;
			it->came = false;
		}
		world.interruptible = true;
		let_pass(random64() & 511);
		if (chance & 1)
			reads();
		updates();
		world.interruptible = false;
	}
	no_answer_was_wrong();
}

static void a_counter_of_8_bits_overflows_by_the_million(void **state)
{
	struct world_rules its_rules = rules_of(8, 40, 0, 0);

	(void)state;
	overflow_by_the_million(&its_rules);
}

static void a_counter_that_steps_back_overflows_by_the_million(void **state)
{
	struct world_rules its_rules = rules_of(8, 40, 30, 30);

	(void)state;
	overflow_by_the_million(&its_rules);
}

static void interruptions_nested_anywhere(void **state)
{
	struct world_rules its_rules = rules_of(8, 100, 0, 0);

	(void)state;
	assert_int_equal(STRATA_TRACE_CLOCK_WORDS, 1);
	every_answer_is_right(&its_rules, 1, 1);
	every_answer_is_right(&its_rules, 2, 128);
	every_answer_is_right(&its_rules, 3, 256);
	its_rules = rules_of(8, 255, 0, 0);
	every_answer_is_right(&its_rules, 1, 1);
}

/* It is the words of 32 bits that two slots are for: see test_trace_clock_words.c. */
static void one_slot_of_one_word_would_do(void **state)
{
	struct world_rules its_rules = rules_of(8, 64, 0, 0);

	(void)state;
	its_rules.variant = &clock_of_one_slot;
	every_answer_is_right(&its_rules, 1, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_width_is_exact_to_its_last_tick),
		cmocka_unit_test(each_width_tells_an_overflow_from_a_step_back),
		cmocka_unit_test(what_a_clock_cannot_be_is_refused),
		cmocka_unit_test(time_begins_at_or_after_the_start_that_was_asked_for),
		cmocka_unit_test(a_sleep_of_many_wraps_is_made_up_for),
		COUNTING_TEST(a_counter_of_8_bits_overflows_by_the_million),
		COUNTING_TEST(a_counter_that_steps_back_overflows_by_the_million),
		COUNTING_TEST(interruptions_nested_anywhere),
		COUNTING_TEST(one_slot_of_one_word_would_do),
	};

	return cmocka_run_group_tests_name("trace_clock", tests, NULL, NULL);
}

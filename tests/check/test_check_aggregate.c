// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_check_aggregate.c - aggregate.h and aggregate_threads.h in every order of their steps: CPUs
 * that enter keys at the same time, NMIs that count within a count, and threads that take each
 * other's places.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <strata/aggregate_threads.h>

#include "explore.h"
#include "weaken.h"

#define CPUS  2u
#define BEGIN 3u
#define END   4u
/* How long the threads' times are: each ends in a bucket of its own. */
#define SHORT 4u
#define LONG  64u

#define TABLE_WORDS (STRATA_AGGREGATE_OTHERS + 2u * STRATA_AGGREGATE_TIME_WORDS)

static struct {
	unsigned long keys[2];
	unsigned long table[CPUS][TABLE_WORDS];
	struct strata_aggregate_place places[STRATA_AGGREGATE_THREADS];
} shared;

static struct strata_aggregate aggregate;
static unsigned long threads[CPUS]; /* that want the same place first */
static uint32_t events[2];          /* that want the same row first */

static void begin(enum strata_aggregate_kind kind)
{
	struct strata_aggregate_spec spec = { .version = STRATA_AGGREGATE_VERSION,
					      .kind = (uint8_t)kind,
					      .row_bits = 1 };

	if (kind == STRATA_AGGREGATE_TIME) {
		spec.begin = (struct strata_aggregate_event){ BEGIN, ~0u };
		spec.end = (struct strata_aggregate_event){ END, ~0u };
	}
	memset(&shared, 0, sizeof(shared));
	strata_aggregate_init(&aggregate, &spec, shared.keys);
}

static void name_of(uintptr_t at, char *name, size_t bytes)
{
	size_t offset = at - (uintptr_t)&shared;

	if (offset < offsetof(__typeof__(shared), table))
		snprintf(name, bytes, "keys[%zu]", offset / 8);
	else if (offset < offsetof(__typeof__(shared), places))
		snprintf(name, bytes, "table word %zu",
			 (offset - offsetof(__typeof__(shared), table)) / 8);
	else
		snprintf(name, bytes, "place %zu, %s",
			 (offset - offsetof(__typeof__(shared), places)) / 16,
			 offset % 16 == offsetof(__typeof__(shared), places) % 16 ? "thread"
										  : "open");
}

static void search(const struct explore_plan *of, struct explore_result *result)
{
	struct explore_plan plan = *of;

	plan.name_of = name_of;
	explore_aloud(&plan, result);
}

/* With one operation weakened, some order violates what must hold; @words are in the message. */
static void is_refuted(const struct weakness *weakness, const struct explore_plan *plan,
		       const char *words)
{
	struct explore_result result;

	weakened = weakness;
	search(plan, &result);
	weakened = NULL;
	assert_string_not_equal(result.violation, "");
	assert_non_null(strstr(result.violation, words));
}

/* Counts ----------------------------------------------------------------------------------- */

static void count(unsigned int cpu, uint32_t id)
{
	strata_aggregate_count(&aggregate, shared.table[cpu], 0, id);
}

static void first_cpu(void)
{
	count(0, events[0]);
	count(0, events[1]);
}

static void its_nmi(void)
{
	count(0, events[1]);
	count(0, events[0]);
}

static void second_cpu(void)
{
	count(1, events[1]);
	count(1, events[0]);
}

static void begin_counts(void)
{
	begin(STRATA_AGGREGATE_COUNT);
}

/* Each event has one row, and all of its counts. */
static void end_counts(void)
{
	for (unsigned int i = 0; i < 2; i++) {
		unsigned long sum = 0;

		for (unsigned int row = 0; row < 2; row++)
			for (unsigned int cpu = 0; cpu < CPUS; cpu++)
				if (shared.keys[row] == strata_aggregate_key(events[i], 0))
					sum += shared.table[cpu][STRATA_AGGREGATE_OTHERS + row];
		if (sum != 3)
			explore_complain("event %u was counted %lu times of 3", events[i], sum);
	}
	if (shared.keys[0] == shared.keys[1])
		explore_complain("one key has two rows");
}

static const struct explore_plan counts = {
	.name = "two CPUs and an NMI count two new events",
	.memory = EXPLORE_TSO,
	.nr_contexts = 3,
	.contexts = { { "CPU 0", 0, 0, first_cpu },
		      { "NMI", 0, 1, its_nmi },
		      { "CPU 1", 1, 0, second_cpu } },
	.begin = begin_counts,
	.end = end_counts,
};

static void no_count_is_lost_in_any_order(void **state)
{
	struct explore_result result;

	(void)state;
	search(&counts, &result);
	assert_string_equal(result.violation, "");
	assert_true(result.exhaustive && result.complete > 100);
}

static bool is_key(const volatile void *at)
{
	return (const unsigned long *)at >= shared.keys &&
	       (const unsigned long *)at < shared.keys + 2;
}

static bool is_count(const volatile void *at)
{
	return !is_key(at);
}

static void a_key_that_is_entered_in_two_steps_is_refuted(void **state)
{
	static const struct weakness weakness = { .name = "a key is entered by a load and a store",
						  .how = WEAKEN_IN_TWO,
						  .kind = STRATA_CHECK_CMPXCHG,
						  .at = is_key };

	(void)state;
	is_refuted(&weakness, &counts, "");
}

static void a_count_in_two_steps_is_refuted(void **state)
{
	static const struct weakness weakness = { .name = "a count is a load and a store",
						  .how = WEAKEN_IN_TWO,
						  .kind = STRATA_CHECK_LOCAL_ADD,
						  .at = is_count };

	(void)state;
	is_refuted(&weakness, &counts, "of 3");
}

/* Threads ---------------------------------------------------------------------------------- */

static void measure(unsigned int cpu, uint32_t id, uint64_t ticks)
{
	strata_aggregate_measure_thread(&aggregate, shared.places, shared.table[cpu], 0,
					threads[cpu], id, ticks);
}

static void short_thread(void)
{
	measure(0, BEGIN, 1000);
	measure(0, END, 1000 + SHORT);
}

static void long_thread(void)
{
	measure(1, BEGIN, 2000);
	measure(1, END, 2000 + LONG);
}

/* There is one place for both. */
static void begin_threads(void)
{
	begin(STRATA_AGGREGATE_TIME);
	for (unsigned int i = 0; i < STRATA_AGGREGATE_THREADS; i++)
		shared.places[i].thread = STRATA_AGGREGATE_THREAD_BUSY;
	strata_aggregate_place(shared.places, threads[0], 0)->thread = STRATA_AGGREGATE_THREAD_FREE;
}

/* How many times a CPU has in a bucket, in any row. */
static unsigned long in_bucket(unsigned int cpu, unsigned int bucket)
{
	const unsigned long *row =
		&shared.table[cpu][STRATA_AGGREGATE_OTHERS + STRATA_AGGREGATE_BUCKET];

	return row[bucket] + row[STRATA_AGGREGATE_TIME_WORDS + bucket];
}

/* Each end has its own thread's time, or counts as one without a begin. */
static void end_threads(void)
{
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		const unsigned int own = (unsigned int)__builtin_ctz(cpu ? LONG : SHORT);
		unsigned long others = 0;

		for (unsigned int bucket = 0; bucket < STRATA_AGGREGATE_BUCKETS; bucket++)
			others += bucket == own ? 0 : in_bucket(cpu, bucket);
		if (others)
			explore_complain("thread %u has a time that is not its own", cpu);
		if (in_bucket(cpu, own) + shared.table[cpu][STRATA_AGGREGATE_NO_BEGIN] +
			    shared.table[cpu][STRATA_AGGREGATE_BACKWARDS] !=
		    1)
			explore_complain("an end of thread %u is counted wrong", cpu);
		if (shared.table[cpu][STRATA_AGGREGATE_BACKWARDS])
			explore_complain("thread %u has a later begin of another", cpu);
	}
	if (strata_aggregate_place(shared.places, threads[0], 0)->thread !=
	    STRATA_AGGREGATE_THREAD_FREE)
		explore_complain("a place is taken for ever");
}

static const struct explore_plan places = {
	.name = "two threads want the same place",
	.memory = EXPLORE_WEAK,
	.nr_contexts = 2,
	.contexts = { { "short", 0, 0, short_thread }, { "long", 1, 0, long_thread } },
	.begin = begin_threads,
	.end = end_threads,
};

static void no_thread_has_anothers_time_in_any_order(void **state)
{
	struct explore_result result;

	(void)state;
	search(&places, &result);
	assert_string_equal(result.violation, "");
	assert_true(result.exhaustive && result.complete > 100);
}

static bool is_place(const volatile void *at)
{
	return at == &strata_aggregate_place(shared.places, threads[0], 0)->thread;
}

static void a_place_that_is_named_before_its_time_is_refuted(void **state)
{
	static const struct weakness weakness = { .name = "a place is named without a release",
						  .how = WEAKEN_UNORDERED,
						  .kind = STRATA_CHECK_STORE_RELEASE,
						  .at = is_place };

	(void)state;
	is_refuted(&weakness, &places, "");
}

static void a_place_that_is_left_in_two_steps_is_refuted(void **state)
{
	static const struct weakness weakness = {
		.name = "a place is taken or left by a load and a store",
		.how = WEAKEN_IN_TWO,
		.kind = STRATA_CHECK_CMPXCHG,
		.at = is_place
	};

	(void)state;
	is_refuted(&weakness, &places, "");
}

/* The row that an event wants first, of two. */
static unsigned int first_row(uint32_t id)
{
	begin(STRATA_AGGREGATE_COUNT);
	return (unsigned int)strata_aggregate_row(&aggregate, strata_aggregate_key(id, 0));
}

static int share(void **state)
{
	(void)state;
	events[0] = events[1] = 1;
	do
		events[1]++;
	while (first_row(events[1]) != first_row(events[0]));
	threads[0] = threads[1] = 1;
	do
		threads[1]++;
	while (strata_aggregate_place(shared.places, threads[1], 0) !=
	       strata_aggregate_place(shared.places, threads[0], 0));
	strata_check_writers_share_cpu = true;
	explore_share(&shared, sizeof(shared));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_count_is_lost_in_any_order),
		cmocka_unit_test(a_key_that_is_entered_in_two_steps_is_refuted),
		cmocka_unit_test(a_count_in_two_steps_is_refuted),
		cmocka_unit_test(no_thread_has_anothers_time_in_any_order),
		cmocka_unit_test(a_place_that_is_named_before_its_time_is_refuted),
		cmocka_unit_test(a_place_that_is_left_in_two_steps_is_refuted),
	};

	return cmocka_run_group_tests_name("check_aggregate", tests, share, NULL);
}

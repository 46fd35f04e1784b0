// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_aggregate.c - counts of an aggregating channel (include/strata/aggregate.h): rows, times,
 * what is in no row, an interrupt at each step of an update that counts the same, and CPUs that
 * enter keys at the same time.
 */
#include "aggregate_world.h"

static void happens(uint32_t id, uint32_t owner, uint64_t ticks, uint64_t *open)
{
	if (aggregate.spec.kind == STRATA_AGGREGATE_COUNT)
		strata_aggregate_count(&aggregate, table, owner, id);
	else
		strata_aggregate_measure(&aggregate, table, owner, id, ticks, open);
}

static unsigned long count_of(uint32_t id, uint32_t owner)
{
	const unsigned long *row = row_of(strata_aggregate_key(id, owner));

	return row ? *row : 0;
}

static void each_event_has_a_row(void **state)
{
	(void)state;
	given(STRATA_AGGREGATE_COUNT, false, 10);
	for (uint32_t id = 1; id <= 300; id++)
		for (uint32_t i = 0; i < id; i++)
			happens(id, i, 0, NULL);
	for (uint32_t id = 1; id <= 300; id++)
		assert_int_equal(count_of(id, 0), id);
	assert_int_equal(others(), 0);
}

static void each_owner_has_rows_of_its_own(void **state)
{
	(void)state;
	given(STRATA_AGGREGATE_COUNT, true, 6);
	happens(BEGIN, 0, 0, NULL);
	happens(BEGIN, 5, 0, NULL);
	happens(BEGIN, 5, 0, NULL);
	happens(0, STRATA_AGGREGATE_OWNER_MAX, 0, NULL);
	assert_int_equal(count_of(BEGIN, 0), 1);
	assert_int_equal(count_of(BEGIN, 5), 2);
	assert_int_equal(count_of(0, STRATA_AGGREGATE_OWNER_MAX), 1);
	assert_int_equal(strata_aggregate_key_owner(strata_aggregate_key(7, 5)), 5);
	assert_int_equal(strata_aggregate_key_event(strata_aggregate_key(7, 5)), 7);
}

static void what_has_no_row_is_counted_too(void **state)
{
	unsigned long in_rows = 0;

	(void)state;
	given(STRATA_AGGREGATE_COUNT, false, 3);
	for (uint32_t id = 1; id <= 100; id++)
		happens(id, 0, 0, NULL);
	for (uint32_t id = 1; id <= 100; id++)
		in_rows += count_of(id, 0);
	assert_int_equal(in_rows, 8);
	assert_int_equal(table[STRATA_AGGREGATE_NO_ROW], 92);
	assert_int_equal(others(), 92);
}

static void times_go_to_the_bucket_of_their_power_of_two(void **state)
{
	static const struct {
		uint64_t ticks;
		unsigned int bucket;
	} cases[] = { { 0, 0 }, { 1, 0 },    { 2, 1 },     { 3, 1 },
		      { 4, 2 }, { 1023, 9 }, { 1024, 10 }, { 1ull << 62, 62 } };
	const unsigned long *row;
	uint64_t open = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		given(STRATA_AGGREGATE_TIME, false, 1);
		happens(BEGIN, 0, 1000, &open);
		happens(END, 0, 1000 + cases[i].ticks, &open);
		assert_int_equal(open, 0);
		row = row_of(strata_aggregate_key(0, 0));
		assert_non_null(row);
		for (unsigned int bucket = 0; bucket < STRATA_AGGREGATE_BUCKETS; bucket++)
			assert_int_equal(row[STRATA_AGGREGATE_BUCKET + bucket],
					 bucket == cases[i].bucket);
		assert_int_equal(row[STRATA_AGGREGATE_SUM], cases[i].ticks);
		assert_int_equal(row[STRATA_AGGREGATE_MAX], cases[i].ticks);
		assert_int_equal(~row[STRATA_AGGREGATE_MIN_INVERTED], cases[i].ticks);
	}
}

static void sum_least_and_most_are_of_all(void **state)
{
	static const uint64_t ticks[] = { 50, 10, 90, 20 };
	const unsigned long *row;
	uint64_t open = 0;

	(void)state;
	given(STRATA_AGGREGATE_TIME, true, 4);
	for (size_t i = 0; i < 4; i++) {
		/* Another id that the mask takes for the same event. */
		happens(BEGIN | 0x100u, 5, 1000 * (i + 1), &open);
		happens(END, 5, 1000 * (i + 1) + ticks[i], &open);
	}
	row = row_of(strata_aggregate_key(0, 5));
	assert_non_null(row);
	assert_int_equal(row[STRATA_AGGREGATE_SUM], 170);
	assert_int_equal(row[STRATA_AGGREGATE_MAX], 90);
	assert_int_equal(~row[STRATA_AGGREGATE_MIN_INVERTED], 10);
	assert_int_equal(others(), 0);
}

static void ends_and_begins_that_do_not_match_are_counted(void **state)
{
	uint64_t open = 0;

	(void)state;
	given(STRATA_AGGREGATE_TIME, false, 1);
	happens(END, 0, 10, &open);
	assert_int_equal(table[STRATA_AGGREGATE_NO_BEGIN], 1);
	happens(BEGIN, 0, 20, &open);
	happens(BEGIN, 0, 30, &open);
	assert_int_equal(table[STRATA_AGGREGATE_REPEATED], 1);
	happens(END, 0, 40, &open);
	assert_int_equal(row_of(strata_aggregate_key(0, 0))[STRATA_AGGREGATE_SUM], 10);
	happens(BEGIN, 0, 60, &open);
	happens(END, 0, 50, &open);
	assert_int_equal(table[STRATA_AGGREGATE_BACKWARDS], 1);
	happens(END, 0, 70, &open);
	assert_int_equal(table[STRATA_AGGREGATE_NO_BEGIN], 2);
	/* Events that are neither. */
	happens(0x81003u, 0, 80, &open);
	assert_int_equal(others(), 4);
	assert_int_equal(open, 0);
}

static void begins_of_an_earlier_user_are_forgotten(void **state)
{
	uint64_t open = 500;

	(void)state;
	given(STRATA_AGGREGATE_TIME, false, 1);
	aggregate.since_ticks = 1000;
	happens(END, 0, 1010, &open);
	assert_int_equal(table[STRATA_AGGREGATE_NO_BEGIN], 1);
	happens(BEGIN, 0, 1020, &open);
	assert_int_equal(table[STRATA_AGGREGATE_REPEATED], 0);
	happens(END, 0, 1030, &open);
	assert_int_equal(row_of(strata_aggregate_key(0, 0))[STRATA_AGGREGATE_SUM], 10);
}

static void one_event_may_begin_and_end(void **state)
{
	uint64_t open = 0;

	(void)state;
	given(STRATA_AGGREGATE_TIME, false, 1);
	aggregate.spec.begin = aggregate.spec.end;
	happens(END, 0, 10, &open);
	happens(END, 0, 15, &open);
	happens(END, 0, 22, &open);
	assert_int_equal(row_of(strata_aggregate_key(0, 0))[STRATA_AGGREGATE_SUM], 12);
	assert_int_equal(table[STRATA_AGGREGATE_NO_BEGIN], 1);
	assert_int_equal(others(), 1);
}

/* An interrupt at each step: nothing that it counts is lost, nor anything of the update below. ----
 */

static void same_event(void)
{
	happens(BEGIN, 5, 0, NULL);
}

static void no_count_is_lost_to_an_interrupt(void **state)
{
	unsigned int step = 0;

	(void)state;
	do {
		given(STRATA_AGGREGATE_COUNT, true, 1);
		interrupt = same_event;
		steps_until_interrupt = ++step;
		happens(BEGIN, 5, 0, NULL);
		assert_int_equal(count_of(BEGIN, 5), interrupt ? 1 : 2);
		assert_int_equal(others(), 0);
	} while (!interrupt);
	assert_in_range(step, 6, 100);
	interrupt = NULL;
}

static uint64_t thread_open;

static void nested_time(void)
{
	uint64_t open = 0;

	/* Of another vCPU's, which is shorter, and longer, than the one below. */
	happens(BEGIN, 5, 1000, &open);
	happens(END, 5, 1003, &open);
	happens(BEGIN, 5, 1000, &open);
	happens(END, 5, 1900, &open);
}

static void no_time_is_lost_to_an_interrupt(void **state)
{
	const unsigned long *row;
	unsigned int step = 0;
	bool came;

	(void)state;
	do {
		given(STRATA_AGGREGATE_TIME, true, 1);
		thread_open = 0;
		happens(BEGIN, 5, 2000, &thread_open);
		interrupt = nested_time;
		steps_until_interrupt = ++step;
		happens(END, 5, 2100, &thread_open);
		came = !interrupt;
		row = row_of(strata_aggregate_key(0, 5));
		assert_non_null(row);
		assert_int_equal(row[STRATA_AGGREGATE_BUCKET + 6], 1);
		assert_int_equal(row[STRATA_AGGREGATE_BUCKET + 1], came);
		assert_int_equal(row[STRATA_AGGREGATE_BUCKET + 9], came);
		assert_int_equal(row[STRATA_AGGREGATE_SUM], came ? 1003 : 100);
		assert_int_equal(row[STRATA_AGGREGATE_MAX], came ? 900 : 100);
		assert_int_equal(~row[STRATA_AGGREGATE_MIN_INVERTED], came ? 3 : 100);
		assert_int_equal(others(), 0);
	} while (came);
	assert_in_range(step, 14, 200);
	interrupt = NULL;
}

static uint64_t nested_ticks;

static void nested_one(void)
{
	uint64_t open = 0;

	happens(BEGIN, 5, 1000, &open);
	happens(END, 5, 1000 + nested_ticks, &open);
}

/* The one below is longer, or shorter, than what comes in between: it still counts. */
static void least_and_most_are_not_lost_to_an_interrupt(void **state)
{
	const unsigned long *row;

	(void)state;
	for (nested_ticks = 60; nested_ticks <= 160; nested_ticks += 100) {
		unsigned int step = 0;
		bool came;

		do {
			given(STRATA_AGGREGATE_TIME, true, 1);
			thread_open = 0;
			happens(BEGIN, 5, 2000, &thread_open);
			interrupt = nested_one;
			steps_until_interrupt = ++step;
			happens(END, 5, 2100, &thread_open);
			came = !interrupt;
			interrupt = NULL;
			row = row_of(strata_aggregate_key(0, 5));
			assert_int_equal(row[STRATA_AGGREGATE_MAX],
					 came && nested_ticks > 100 ? nested_ticks : 100);
			assert_int_equal(~row[STRATA_AGGREGATE_MIN_INVERTED],
					 came && nested_ticks < 100 ? nested_ticks : 100);
		} while (came);
	}
}

static void same_end(void)
{
	happens(END, 5, 2090, &thread_open);
}

/* Of two ends of one begin, one has the time, whichever comes first. */
static void an_end_within_an_end_counts_once(void **state)
{
	unsigned int step = 0;
	bool came;

	(void)state;
	do {
		given(STRATA_AGGREGATE_TIME, true, 1);
		thread_open = 0;
		happens(BEGIN, 5, 2000, &thread_open);
		interrupt = same_end;
		steps_until_interrupt = ++step;
		happens(END, 5, 2100, &thread_open);
		came = !interrupt;
		assert_int_equal(row_of(strata_aggregate_key(0, 5))[STRATA_AGGREGATE_BUCKET + 6],
				 1);
		assert_int_equal(others(), came);
		assert_int_equal(table[STRATA_AGGREGATE_NO_BEGIN], came);
	} while (came);
	interrupt = NULL;
}

/* CPUs enter keys at the same time ----------------------------------------------------------------
 */

#define ROUNDS 200u
#define IDS    50u

struct cpu {
	pthread_t thread;
	unsigned long *table;
};

static void *count_all(void *argument)
{
	struct cpu *cpu = argument;

	pthread_barrier_wait(&together);
	for (uint32_t id = 1; id <= IDS; id++)
		strata_aggregate_count(&aggregate, cpu->table, 0, id);
	return NULL;
}

static void cpus_agree_on_the_rows(void **state)
{
	struct cpu cpus[THREADS];

	(void)state;
	assert_int_equal(pthread_barrier_init(&together, NULL, THREADS), 0);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		given(STRATA_AGGREGATE_COUNT, false, 6);
		for (unsigned int i = 0; i < THREADS; i++) {
			cpus[i].table = calloc(strata_aggregate_table_words(&aggregate.spec),
					       sizeof(*table));
			assert_int_equal(pthread_create(&cpus[i].thread, NULL, count_all, &cpus[i]),
					 0);
		}
		for (unsigned int i = 0; i < THREADS; i++) {
			uint64_t sum = 0;

			pthread_join(cpus[i].thread, NULL);
			for (uint32_t row = 0; row < 64; row++)
				strata_aggregate_add(STRATA_AGGREGATE_COUNT, &sum,
						     &cpus[i].table[STRATA_AGGREGATE_OTHERS + row]);
			assert_int_equal(sum + cpus[i].table[STRATA_AGGREGATE_NO_ROW], IDS);
			for (uint32_t row = 0; row < strata_aggregate_table_words(&aggregate.spec);
			     row++)
				table[row] += cpus[i].table[row];
			free(cpus[i].table);
		}
		for (uint32_t id = 1; id <= IDS; id++)
			assert_true(count_of(id, 0) == THREADS || table[STRATA_AGGREGATE_NO_ROW]);
	}
	pthread_barrier_destroy(&together);
}

static void rows_of_cpus_add_up(void **state)
{
	unsigned long first[STRATA_AGGREGATE_TIME_WORDS] = { 0 },
		      second[STRATA_AGGREGATE_TIME_WORDS] = { 0 };
	uint64_t sum[STRATA_AGGREGATE_TIME_WORDS] = { 0 };

	(void)state;
	first[STRATA_AGGREGATE_SUM] = 10;
	first[STRATA_AGGREGATE_MAX] = 6;
	first[STRATA_AGGREGATE_MIN_INVERTED] = ~4ul;
	first[STRATA_AGGREGATE_BUCKET + 63] = 2;
	second[STRATA_AGGREGATE_SUM] = 7;
	second[STRATA_AGGREGATE_MAX] = 7;
	second[STRATA_AGGREGATE_MIN_INVERTED] = ~7ul;
	second[STRATA_AGGREGATE_BUCKET + 63] = 3;
	strata_aggregate_add(STRATA_AGGREGATE_TIME, sum, first);
	strata_aggregate_add(STRATA_AGGREGATE_TIME, sum, second);
	assert_int_equal(sum[STRATA_AGGREGATE_SUM], 17);
	assert_int_equal(sum[STRATA_AGGREGATE_MAX], 7);
	assert_int_equal(~sum[STRATA_AGGREGATE_MIN_INVERTED], 4);
	assert_int_equal(sum[STRATA_AGGREGATE_BUCKET + 63], 5);
}

static void specifications_have_limits(void **state)
{
	const struct strata_aggregate_spec good = { .version = STRATA_AGGREGATE_VERSION,
						    .kind = STRATA_AGGREGATE_COUNT,
						    .row_bits = 14 };
	struct strata_aggregate_spec spec = good;

	(void)state;
	assert_true(strata_aggregate_valid(&spec));
	spec.version++;
	assert_false(strata_aggregate_valid(&spec));
	spec = good;
	spec.kind = 3;
	assert_false(strata_aggregate_valid(&spec));
	spec = good;
	spec.by_owner = 2;
	assert_false(strata_aggregate_valid(&spec));
	spec = good;
	spec.row_bits = 15;
	assert_false(strata_aggregate_valid(&spec));
	spec.row_bits = 0;
	assert_false(strata_aggregate_valid(&spec));
	spec = good;
	spec.end.mask = 1;
	assert_false(strata_aggregate_valid(&spec));
	spec = good;
	spec.kind = STRATA_AGGREGATE_TIME;
	assert_false(strata_aggregate_valid(&spec));
	spec.row_bits = 8;
	assert_true(strata_aggregate_valid(&spec));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_has_a_row),
		cmocka_unit_test(each_owner_has_rows_of_its_own),
		cmocka_unit_test(what_has_no_row_is_counted_too),
		cmocka_unit_test(times_go_to_the_bucket_of_their_power_of_two),
		cmocka_unit_test(sum_least_and_most_are_of_all),
		cmocka_unit_test(ends_and_begins_that_do_not_match_are_counted),
		cmocka_unit_test(begins_of_an_earlier_user_are_forgotten),
		cmocka_unit_test(one_event_may_begin_and_end),
		cmocka_unit_test(no_count_is_lost_to_an_interrupt),
		cmocka_unit_test(no_time_is_lost_to_an_interrupt),
		cmocka_unit_test(least_and_most_are_not_lost_to_an_interrupt),
		cmocka_unit_test(an_end_within_an_end_counts_once),
		cmocka_unit_test(cpus_agree_on_the_rows),
		cmocka_unit_test(rows_of_cpus_add_up),
		cmocka_unit_test(specifications_have_limits),
	};

	return cmocka_run_group_tests_name("aggregate", tests, NULL, NULL);
}

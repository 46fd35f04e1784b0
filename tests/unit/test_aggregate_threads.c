// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_aggregate_threads.c - times between two events of a thread
 * (include/strata/aggregate_threads.h): its place, places that run out, an interrupt at each step,
 * and CPUs that want the same place.
 */
#include "aggregate_world.h"

static struct strata_aggregate_place places[STRATA_AGGREGATE_THREADS];

static void given_threads(void)
{
	given(STRATA_AGGREGATE_TIME, false, 1);
	memset(places, 0, sizeof(places));
}

static void thread_does(unsigned long thread, uint32_t id, uint64_t ticks)
{
	strata_aggregate_measure_thread(&aggregate, places, table, 0, thread, id, ticks);
}

static unsigned long sum_of_times(void)
{
	const unsigned long *row = row_of(strata_aggregate_key(0, 0));

	return row ? row[STRATA_AGGREGATE_SUM] : 0;
}

static unsigned long number_of_times(void)
{
	const unsigned long *row = row_of(strata_aggregate_key(0, 0));
	unsigned long nr = 0;

	for (unsigned int i = 0; row && i < STRATA_AGGREGATE_BUCKETS; i++)
		nr += row[STRATA_AGGREGATE_BUCKET + i];
	return nr;
}

/* No thread has two places. */
static unsigned int places_taken(void)
{
	unsigned int taken = 0;

	for (unsigned int i = 0; i < STRATA_AGGREGATE_THREADS; i++) {
		taken += places[i].thread != STRATA_AGGREGATE_THREAD_FREE;
		for (unsigned int j = 0; places[i].thread && j < i; j++)
			assert_int_not_equal(places[i].thread, places[j].thread);
	}
	return taken;
}

static void each_thread_has_its_own_begin(void **state)
{
	(void)state;
	given_threads();
	for (unsigned long thread = 1; thread <= 100; thread++)
		thread_does(thread, BEGIN, 1000 + thread);
	assert_int_equal(places_taken(), 100);
	for (unsigned long thread = 1; thread <= 100; thread++)
		thread_does(thread, END, 1000 + 3 * thread);
	assert_int_equal(number_of_times(), 100);
	assert_int_equal(sum_of_times(), 2 * 5050);
	assert_int_equal(places_taken(), 0);
	assert_int_equal(others(), 0);
	thread_does(7, END, 2000);
	assert_int_equal(table[STRATA_AGGREGATE_NO_BEGIN], 1);
}

static void a_thread_that_begins_again_keeps_its_place(void **state)
{
	(void)state;
	given_threads();
	thread_does(7, BEGIN, 1000);
	thread_does(7, BEGIN, 1050);
	assert_int_equal(places_taken(), 1);
	assert_int_equal(table[STRATA_AGGREGATE_REPEATED], 1);
	thread_does(7, END, 1060);
	assert_int_equal(sum_of_times(), 10);
	assert_int_equal(others(), 1);
}

/* The places are full of threads that ended in between: the newest ones have room, all the same. */
static void the_oldest_begin_is_forgotten(void **state)
{
	const unsigned long all = 3 * STRATA_AGGREGATE_THREADS;

	(void)state;
	given_threads();
	for (unsigned long thread = 1; thread <= all; thread++)
		thread_does(thread, BEGIN, thread);
	thread_does(all + 1, BEGIN, 10000);
	thread_does(all + 1, END, 10010);
	assert_int_equal(sum_of_times(), 10);
	assert_int_equal(table[STRATA_AGGREGATE_NO_PLACE] + places_taken(), all + 1 - 1);
	for (unsigned long thread = 1; thread <= all; thread++)
		thread_does(thread, END, 20000);
	assert_int_equal(number_of_times() + table[STRATA_AGGREGATE_NO_BEGIN], all + 1);
	assert_int_equal(table[STRATA_AGGREGATE_NO_PLACE], table[STRATA_AGGREGATE_NO_BEGIN]);
	assert_int_equal(places_taken(), 0);
}

static void nested_thread(void)
{
	thread_does(7, BEGIN, 2040);
	thread_does(7, END, 2041);
}

/* Whatever comes in between belongs to the same thread: no time is of another begin, and each begin
 * and each end is a time, or counted as none. */
static void an_interrupt_of_the_same_thread_gives_no_wrong_time(void **state)
{
	unsigned int step = 0;
	bool came;

	(void)state;
	do {
		given_threads();
		interrupt = nested_thread;
		steps_until_interrupt = ++step;
		thread_does(7, BEGIN, 2000);
		thread_does(7, END, 2100);
		came = !interrupt;
		interrupt = NULL;
		assert_int_equal(number_of_times() + table[STRATA_AGGREGATE_NO_BEGIN], 1 + came);
		assert_true(sum_of_times() == 100 || sum_of_times() == 101 || sum_of_times() == 1);
		assert_in_range(places_taken(), 0, 1);
	} while (came);
	assert_in_range(step, 10, 200);
}

#define THREAD_ROUNDS 20000u

struct many {
	pthread_t thread;
	unsigned long *table;
	unsigned int number;
	unsigned long name;
};

/* A thread on a CPU of its own. */
static void *measure_all(void *argument)
{
	struct many *many = argument;
	const uint64_t length = 1ull << (4 * many->number);

	pthread_barrier_wait(&together);
	for (unsigned int i = 0; i < THREAD_ROUNDS; i++) {
		const uint64_t begin = 1000 + i % 100;

		strata_aggregate_measure_thread(&aggregate, places, many->table, 0, many->name,
						BEGIN, begin);
		strata_aggregate_measure_thread(&aggregate, places, many->table, 0, many->name, END,
						begin + length);
	}
	return NULL;
}

/* Its own times and no others: each CPU's are of one bucket. */
static void cpus_never_mix_their_times_up(void **state)
{
	struct many cpus[THREADS];
	unsigned long name = 0;

	(void)state;
	given_threads();
	/* There is one place, and all of them want it. */
	for (unsigned int i = 0; i < STRATA_AGGREGATE_THREADS; i++)
		places[i].thread = STRATA_AGGREGATE_THREAD_BUSY;
	strata_aggregate_place(places, 1, 0)->thread = STRATA_AGGREGATE_THREAD_FREE;
	for (unsigned int i = 0; i < THREADS; i++)
		do
			cpus[i].name = ++name;
		while (strata_aggregate_place(places, name, 0) !=
		       strata_aggregate_place(places, 1, 0));
	assert_int_equal(pthread_barrier_init(&together, NULL, THREADS), 0);
	for (unsigned int i = 0; i < THREADS; i++) {
		cpus[i].number = i;
		cpus[i].table =
			calloc(strata_aggregate_table_words(&aggregate.spec), sizeof(*table));
		assert_int_equal(pthread_create(&cpus[i].thread, NULL, measure_all, &cpus[i]), 0);
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		const unsigned long *row = &cpus[i].table[STRATA_AGGREGATE_OTHERS];
		unsigned long nr = 0;

		pthread_join(cpus[i].thread, NULL);
		for (unsigned int r = 0; r < 2; r++, row += STRATA_AGGREGATE_TIME_WORDS)
			for (unsigned int bucket = 0; bucket < STRATA_AGGREGATE_BUCKETS; bucket++) {
				const unsigned long in = row[STRATA_AGGREGATE_BUCKET + bucket];

				assert_true(!in || bucket == 4 * i);
				nr += in;
			}
		assert_int_equal(nr + cpus[i].table[STRATA_AGGREGATE_NO_BEGIN], THREAD_ROUNDS);
		free(cpus[i].table);
	}
	pthread_barrier_destroy(&together);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_has_its_own_begin),
		cmocka_unit_test(a_thread_that_begins_again_keeps_its_place),
		cmocka_unit_test(the_oldest_begin_is_forgotten),
		cmocka_unit_test(an_interrupt_of_the_same_thread_gives_no_wrong_time),
		cmocka_unit_test(cpus_never_mix_their_times_up),
	};

	return cmocka_run_group_tests_name("aggregate_threads", tests, NULL, NULL);
}

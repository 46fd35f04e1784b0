// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_threads.c - threads that share one ring, as those of an application
 * do: the operations of user space are real atomic ones.  A reader drains while
 * they write; every record is found once or counted as lost.
 */
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <strata/platform/user.h>

/* So fast that pauses come which a short header does not span; see measure_clock(). */
static unsigned int clock_shift;

static __thread uint64_t clock_showed;

static uint64_t fast_clock(void)
{
	return clock_showed = strata_clock() << clock_shift;
}

/* The clock itself, by whatever name it goes below. */
static uint64_t slow_clock(void)
{
	return strata_clock();
}

#define strata_clock() fast_clock()
#define AUDIT_TICKS()  clock_showed

#include <strata/ring_end.h>

#include "record_audit.h"

#define THREADS_MAX        4u
#define RECORDS_PER_THREAD 60000u

static struct ring_fixture fixture;
static struct record_audit audit;
static bool writers_done;
static unsigned long looks; /* of the reader at the ring */

/* With any number of CPUs and other load, the reader has its turn. */
static void let_reader_look(void)
{
	unsigned long before = __atomic_load_n(&looks, __ATOMIC_ACQUIRE);

	while (__atomic_load_n(&looks, __ATOMIC_ACQUIRE) == before)
		sched_yield();
}

static void *writes_records(void *argument)
{
	uint32_t level = (uint32_t)(uintptr_t)argument, i;

	for (i = 0; i < RECORDS_PER_THREAD; i++) {
		audited_write(&audit, fixture.ring, level, i * 7 % 61);
		/* So that most records arrive. */
		if (i % 64 == 0)
			sched_yield();
		if (i % 1024 == 0)
			let_reader_look();
	}
	return NULL;
}

static void *drains(void *argument)
{
	(void)argument;
	while (!__atomic_load_n(&writers_done, __ATOMIC_ACQUIRE)) {
		if (!audit_drain(&audit, &fixture.reader))
			sched_yield();
		__atomic_add_fetch(&looks, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void threads_write(unsigned int nr_threads, struct strata_ring_geometry geo)
{
	pthread_t writers[THREADS_MAX], reader;
	unsigned int i;

	ring_fixture_open(&fixture, geo, wraps_after(geo, 3));
	audit_open(&audit, fixture.ring, RECORDS_PER_THREAD);
	writers_done = false;
	assert_int_equal(pthread_create(&reader, NULL, drains, NULL), 0);
	for (i = 0; i < nr_threads; i++)
		assert_int_equal(
			pthread_create(&writers[i], NULL, writes_records, (void *)(uintptr_t)i), 0);
	for (i = 0; i < nr_threads; i++)
		pthread_join(writers[i], NULL);
	__atomic_store_n(&writers_done, true, __ATOMIC_RELEASE);
	pthread_join(reader, NULL);

	audit_balance(&audit, &fixture);
	assert_books_balance(&audit);
	assert_in_range(audit.records, 1000, nr_threads * RECORDS_PER_THREAD);
	assert_in_range(audit.packets, 6, UINT32_MAX);
	if (fixture.form == STRATA_HEADER_COMPACT)
		assert_in_range(audit.short_headers, 1000, audit.records - audit.packets - 1);
	audit_close(&audit);
	ring_fixture_close(&fixture);
}

/* Records of one thread, to see how long one takes. */
#define MEASURED_RECORDS 2000u
#define MEASURED_TURNS   20u

/* A short header spans this many records, whatever machine this is: threads that are left out of
 * turn leave longer pauses. */
#define RECORDS_SPANNED 64u

/* Sets how fast the clock is, before there are threads. */
static void measure_clock(void)
{
	const struct strata_ring_geometry geo = { 12, 1 };
	uint64_t shortest = UINT64_MAX, began, took;
	unsigned int turn, i;

	ring_fixture_open(&fixture, geo, 0);
	audit_open(&audit, fixture.ring, MEASURED_TURNS * MEASURED_RECORDS);
	for (turn = 0; turn < MEASURED_TURNS; turn++) {
		began = slow_clock();
		for (i = 0; i < MEASURED_RECORDS; i++) {
			audited_write(&audit, fixture.ring, 0, i * 7 % 61);
			if (i % 16 == 0)
				audit_drain(&audit, &fixture.reader);
		}
		took = slow_clock() - began;
		shortest = took < shortest ? took : shortest;
	}
	while (clock_shift < 20 && (shortest * RECORDS_SPANNED / MEASURED_RECORDS) << clock_shift <
					   1u << (STRATA_COMPACT_TICKS_BITS - 1))
		clock_shift++;
	audit_close(&audit);
	ring_fixture_close(&fixture);
}

static void two_threads_and_a_reader_lose_nothing_uncounted(void **state)
{
	(void)state;
	threads_write(2, (struct strata_ring_geometry){ 12, 1 });
}

static void four_threads_and_a_reader_lose_nothing_uncounted(void **state)
{
	(void)state;
	threads_write(4, (struct strata_ring_geometry){ 12, 2 });
}

static void four_threads_in_a_large_ring_lose_nothing_uncounted(void **state)
{
	(void)state;
	threads_write(4, (struct strata_ring_geometry){ 16, 3 });
}

/* Threads that write until they are told to quit, and a ring that is stopped meanwhile. */
#define STOP_AFTER_PACKETS 12u
#define ATTEMPTS_AFTER     2000u

static bool quit;
static unsigned long attempts[THREADS_MAX];

static void *writes_until_told(void *argument)
{
	uint32_t level = (uint32_t)(uintptr_t)argument;

	while (!__atomic_load_n(&quit, __ATOMIC_ACQUIRE) && audit.next[level] < audit.capacity) {
		audited_write(&audit, fixture.ring, level, audit.next[level] % 61);
		__atomic_add_fetch(&attempts[level], 1, __ATOMIC_RELEASE);
		if (audit.next[level] % 64 == 0)
			let_reader_look();
	}
	return NULL;
}

static void wait_for_attempts(unsigned int nr_threads)
{
	unsigned long before;
	unsigned int i;

	for (i = 0; i < nr_threads; i++) {
		before = __atomic_load_n(&attempts[i], __ATOMIC_ACQUIRE);
		while (__atomic_load_n(&attempts[i], __ATOMIC_ACQUIRE) < before + ATTEMPTS_AFTER)
			sched_yield();
	}
}

/* The writer area without its counts of losses, the one thing that a late probe still changes. */
static struct strata_ring_writer_area area_without_losses(void)
{
	struct strata_ring_writer_area area = *fixture.writer_area;

	memset(area.lost, 0, sizeof(area.lost));
	return area;
}

/* Whether anything but a count of losses changes while the threads go on after @stop. */
static bool changes_after(void (*stop)(struct strata_ring *ring), struct strata_ring_geometry geo)
{
	const unsigned int nr_threads = 3;
	pthread_t writers[THREADS_MAX], reader;
	struct strata_ring_writer_area before, after;
	unsigned char *data = malloc(strata_data_bytes(geo));
	uint64_t refused = 0, counted = 0;
	unsigned int i, number;
	bool changed;

	ring_fixture_open(&fixture, geo, wraps_after(geo, 3));
	audit_open(&audit, fixture.ring, 1u << 22);
	writers_done = quit = false;
	assert_non_null(data);
	assert_int_equal(pthread_create(&reader, NULL, drains, NULL), 0);
	for (i = 0; i < nr_threads; i++)
		assert_int_equal(
			pthread_create(&writers[i], NULL, writes_until_told, (void *)(uintptr_t)i),
			0);
	while (__atomic_load_n(&audit.packets, __ATOMIC_ACQUIRE) < STOP_AFTER_PACKETS)
		sched_yield();

	stop(fixture.ring);
	before = area_without_losses();
	memcpy(data, fixture.data, strata_data_bytes(geo));
	wait_for_attempts(nr_threads);
	after = area_without_losses();
	changed = memcmp(&before, &after, sizeof(before)) != 0 ||
		  memcmp(data, fixture.data, strata_data_bytes(geo)) != 0;

	__atomic_store_n(&quit, true, __ATOMIC_RELEASE);
	for (i = 0; i < nr_threads; i++)
		pthread_join(writers[i], NULL);
	__atomic_store_n(&writers_done, true, __ATOMIC_RELEASE);
	pthread_join(reader, NULL);
	strata_ring_flush(fixture.ring);
	audit_drain(&audit, &fixture.reader);
	for (i = 0; i < nr_threads; i++)
		for (number = 0; number < audit.next[i]; number++)
			refused += audit.fate[i][number] == RECORD_LOST;
	for (i = 0; i < STRATA_NR_LOST; i++)
		counted += fixture.ring->lost[i];
	assert_true(counted <= refused);
	audit_balance_books(&audit, refused);
	assert_books_balance(&audit);
	audit_close(&audit);
	ring_fixture_close(&fixture);
	free(data);
	return changed;
}

static void ends_and_settles(struct strata_ring *ring)
{
	strata_ring_end(ring);
	while (!strata_ring_settled(ring))
		sched_yield();
	/* Once more, as a recorder does that hangs up after it stopped. */
	strata_ring_end(ring);
	assert_true(strata_ring_settled(ring));
}

static void nothing_is_written_after_the_end(void **state)
{
	unsigned int round;

	(void)state;
	for (round = 0; round < 8; round++)
		assert_false(changes_after(ends_and_settles,
					   (struct strata_ring_geometry){ 12, 1 + round % 2 }));
}

static void a_flush_alone_ends_nothing(void **state)
{
	(void)state;
	assert_true(changes_after(strata_ring_flush, (struct strata_ring_geometry){ 12, 1 }));
}

static void threads_with_short_headers_tell_the_time(void **state)
{
	(void)state;
	for (fixture.form = STRATA_HEADER_COMPACT; fixture.form < STRATA_NR_HEADER_FORMS;
	     fixture.form++) {
		threads_write(4, (struct strata_ring_geometry){ 12, 2 });
		threads_write(4, (struct strata_ring_geometry){ 16, 3 });
	}
	fixture.form = STRATA_HEADER_FULL;
}

/* Two threads that lose a record each at the same instant, again and again. */
#define LOSING_MS 700

static unsigned int round_begun, round_last, arrived[2];
static unsigned long stale_rounds;

/* Waits for the other thread; lets it run if both share a CPU. */
static void wait_for(const unsigned int *word, unsigned int round)
{
	unsigned int spins = 0;

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < round)
		if (++spins % 4096 == 0)
			sched_yield();
}

static bool time_is_up(const struct timespec *began)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - began->tv_sec) * 1000 + (now.tv_nsec - began->tv_nsec) / 1000000 >=
	       LOSING_MS;
}

static void loses_in_step(unsigned int self)
{
	struct strata_slot slot;
	struct timespec began;
	unsigned int round;

	clock_gettime(CLOCK_MONOTONIC, &began);
	for (round = 1; round <= __atomic_load_n(&round_last, __ATOMIC_ACQUIRE); round++) {
		wait_for(&round_begun, round);
		if (strata_ring_reserve(fixture.ring, self, STRATA_PAYLOAD_BYTES_MAX + 1, &slot))
			abort();
		__atomic_store_n(&arrived[self], round, __ATOMIC_RELEASE);
		if (self == 1) {
			wait_for(&round_begun, round + 1);
			continue;
		}
		wait_for(&arrived[1], round);
		stale_rounds += strata_reader_lost(&fixture.reader, STRATA_LOST_BIG) != 2 * round;
		if (time_is_up(&began))
			__atomic_store_n(&round_last, round, __ATOMIC_RELEASE);
		__atomic_store_n(&round_begun, round + 1, __ATOMIC_RELEASE);
	}
}

static void *loses_with_the_other(void *argument)
{
	(void)argument;
	loses_in_step(1);
	return NULL;
}

static void losses_of_two_threads_at_once_reach_the_reader(void **state)
{
	struct strata_ring_geometry geo = { 12, 1 };
	pthread_t other;

	(void)state;
	ring_fixture_open(&fixture, geo, 0);
	stale_rounds = 0;
	round_begun = 1;
	round_last = UINT32_MAX;
	assert_int_equal(pthread_create(&other, NULL, loses_with_the_other, NULL), 0);
	loses_in_step(0);
	pthread_join(other, NULL);
	assert_int_equal(stale_rounds, 0);
	assert_int_equal(fixture.ring->lost[STRATA_LOST_BIG], 2ul * round_last);
	ring_fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_threads_and_a_reader_lose_nothing_uncounted),
		cmocka_unit_test(four_threads_and_a_reader_lose_nothing_uncounted),
		cmocka_unit_test(four_threads_in_a_large_ring_lose_nothing_uncounted),
		cmocka_unit_test(nothing_is_written_after_the_end),
		cmocka_unit_test(a_flush_alone_ends_nothing),
		cmocka_unit_test(threads_with_short_headers_tell_the_time),
		cmocka_unit_test(losses_of_two_threads_at_once_reach_the_reader),
	};

	measure_clock();
	print_message("# a clock shifted by %u\n", clock_shift);
	return cmocka_run_group_tests_name("ring_threads", tests, NULL, NULL);
}

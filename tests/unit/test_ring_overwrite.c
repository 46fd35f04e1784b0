// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_overwrite.c - a ring that overwrites its oldest sub-buffers: the sub-buffers that a
 * reader finds and owns while the writer continues, what remains when one of the two dies, and a
 * hostile reader area.
 */
#define STRATA_WRITERS_SHARE_CPU 1

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "record_audit.h"

static const struct strata_ring_geometry four_small = { 12, 2 };

static struct ring_fixture fixture;
static struct record_audit audit;

static int open_ring(void **state)
{
	(void)state;
	ring_fixture_open(&fixture, four_small, wraps_after(four_small, 2));
	fixture.ring->overwrite = true;
	fixture.reader.overwrite = true;
	audit_open(&audit, fixture.ring, 1u << 20);
	return 0;
}

static int close_ring(void **state)
{
	(void)state;
	audit_close(&audit);
	ring_fixture_close(&fixture);
	return 0;
}

/* Writes until @nr sub-buffers more have been begun. */
static void write_subbufs(unsigned int nr)
{
	strata_count_t end = strata_subbuf_start(four_small, fixture.ring->write_count) +
			     nr * strata_subbuf_bytes(four_small);

	while (strata_subbuf_start(four_small, fixture.ring->write_count) != end)
		assert_true(audited_write(&audit, fixture.ring, 0, 60));
}

static void balance(void)
{
	audit_balance(&audit, &fixture);
	assert_books_balance(&audit);
}

static void a_full_ring_keeps_its_newest_subbuffers(void **state)
{
	unsigned int nr;

	(void)state;
	for (nr = 5; nr < 40; nr++) {
		strata_count_t newest;

		write_subbufs(nr);
		strata_ring_flush(fixture.ring);
		newest = fixture.ring->write_count;
		assert_true(strata_reader_get(&fixture.reader));
		assert_int_equal(fixture.reader.read_count,
				 newest - strata_buffer_bytes(four_small));
		audit_packet(&audit, strata_reader_subbuf(&fixture.reader));
		strata_reader_put(&fixture.reader);
		assert_int_equal(audit_drain(&audit, &fixture.reader), 3);
	}
	balance();
	assert_int_equal(fixture.ring->lost[STRATA_LOST_FULL], 0);
	assert_int_equal(fixture.ring->lost[STRATA_LOST_NESTED], 0);
}

static void a_reader_that_keeps_up_misses_nothing(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 500; i++) {
		write_subbufs(1);
		assert_int_equal(audit_drain(&audit, &fixture.reader), 1);
	}
	balance();
	assert_int_equal(audit.records, audit.next[0]);
}

static void what_the_reader_took_stays_as_it_was(void **state)
{
	static unsigned char copy[4096];
	const void *taken;
	unsigned int i;

	(void)state;
	write_subbufs(2);
	for (i = 0; i < 50; i++) {
		assert_true(strata_reader_get(&fixture.reader));
		taken = strata_reader_subbuf(&fixture.reader);
		memcpy(copy, taken, sizeof(copy));
		write_subbufs(9);
		assert_memory_equal(copy, taken, sizeof(copy));
		audit_packet(&audit, taken);
		strata_reader_put(&fixture.reader);
	}
	balance();
}

static void a_subbuffer_that_is_written_again_is_stepped_over(void **state)
{
	struct strata_slot slot;

	(void)state;
	write_subbufs(4); /* 0 to 3 are complete, 4 has begun: in the place of 0 */
	assert_true(audited_reserve(&audit, fixture.ring, 1, 5, &slot));
	assert_true(strata_reader_get(&fixture.reader));
	assert_int_equal(fixture.reader.read_count,
			 wraps_after(four_small, 2) + strata_subbuf_bytes(four_small));
	audit_packet(&audit, strata_reader_subbuf(&fixture.reader));
	strata_reader_put(&fixture.reader);
	assert_int_equal(audit_drain(&audit, &fixture.reader), 2);
	strata_ring_commit(fixture.ring, &slot);
	balance();
}

/* A reader that dies has put the spare of its last exchange nowhere. */
static void the_next_reader_goes_on_where_one_died(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 60; i++) {
		write_subbufs(1 + i % 7);
		if (strata_reader_get(&fixture.reader)) {
			audit_packet(&audit, strata_reader_subbuf(&fixture.reader));
			if (i % 3)
				strata_reader_put(&fixture.reader);
		}
		/* The next reader knows only what is mapped. */
		assert_int_equal(strata_reader_init(&fixture.reader, four_small,
						    fixture.writer_area, fixture.reader_area,
						    fixture.data),
				 STRATA_READER_OK);
		strata_reader_resume(&fixture.reader);
		fixture.reader.overwrite = true;
	}
	balance();
	assert_in_range(audit.packets, 40, 200);
}

/* Counts the records of level 0 in a prefix, and checks each. */
static unsigned int records_in_prefix(const unsigned char *bytes, uint32_t length)
{
	uint32_t offset = STRATA_PACKET_HEADER_BYTES;
	unsigned int nr = 0;

	while (offset < length) {
		const struct audit_payload *payload =
			(const struct audit_payload *)(bytes + offset + STRATA_RECORD_HEADER_BYTES);
		uint32_t i;

		for (i = 0; i < payload->words; i++)
			assert_int_equal(payload->word[i],
					 audit_word(payload->level, payload->number, i));
		offset += STRATA_RECORD_HEADER_BYTES + (uint32_t)sizeof(*payload) +
			  4 * payload->words;
		nr++;
	}
	assert_int_equal(offset, length);
	return nr;
}

static unsigned int prefix(void)
{
	static unsigned char copy[4096];
	strata_count_t start = strata_subbuf_start(four_small, fixture.ring->write_count);
	uint32_t bytes = strata_reader_copy_prefix(&fixture.reader, start, copy);

	return bytes ? records_in_prefix(copy, bytes) : 0;
}

static void every_record_is_within_reach_once_it_is_committed(void **state)
{
	unsigned int i;

	(void)state;
	assert_int_equal(prefix(), 0);
	for (i = 1; i <= 60; i++) {
		assert_true(audited_write(&audit, fixture.ring, 0, 2));
		assert_int_equal(prefix(), i);
	}
	write_subbufs(1);
	assert_int_equal(prefix(), 1);
	balance();
}

static void what_is_committed_behind_a_gap_is_not_within_reach_until_it_closes(void **state)
{
	struct strata_slot outer, middle;

	(void)state;
	/* Three of equal size: sizes alone do not tell which of them are there. */
	assert_true(audited_write(&audit, fixture.ring, 0, 2));
	assert_true(audited_reserve(&audit, fixture.ring, 1, 2, &outer));
	assert_true(audited_reserve(&audit, fixture.ring, 2, 2, &middle));
	assert_true(audited_write(&audit, fixture.ring, 3, 2));
	assert_int_equal(prefix(), 1);
	strata_ring_commit(fixture.ring, &middle);
	assert_int_equal(prefix(), 1);
	strata_ring_commit(fixture.ring, &outer);
	assert_int_equal(prefix(), 4);
	balance();
}

static void a_ring_may_change_its_mode_while_it_is_still(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 12; i++) {
		bool overwrite = i % 2 == 0;

		fixture.ring->overwrite = fixture.reader.overwrite = overwrite;
		if (overwrite)
			write_subbufs(6);
		else
			while (audited_write(&audit, fixture.ring, 0, 60))
				;
		strata_ring_flush(fixture.ring);
		/* Now and then by a reader that has only just come. */
		if (i % 4 < 2) {
			assert_int_equal(strata_reader_init(&fixture.reader, four_small,
							    fixture.writer_area,
							    fixture.reader_area, fixture.data),
					 STRATA_READER_OK);
			strata_reader_resume(&fixture.reader);
			fixture.reader.overwrite = overwrite;
		}
		assert_int_equal(audit_drain(&audit, &fixture.reader), 4);
	}
	balance();
}

/* The reader area as a hostile domain 0 leaves it: random, and changing all the time. */
static bool scribbling;

static void *scribbles(void *argument)
{
	unsigned long *words = (unsigned long *)(void *)fixture.reader_area;
	uint64_t random = 88172645463325252u;

	(void)argument;
	while (__atomic_load_n(&scribbling, __ATOMIC_ACQUIRE)) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		__atomic_store_n(&words[random % (STRATA_PAGE_BYTES / sizeof(*words))],
				 random & 1 ? random : random >> 50, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void a_reader_area_that_lies_leaves_the_writer_in_its_areas(void **state)
{
	struct strata_slot slot;
	pthread_t liar;
	unsigned int i, mode;

	(void)state;
	scribbling = true;
	assert_int_equal(pthread_create(&liar, NULL, scribbles, NULL), 0);
	for (mode = 0; mode < 2; mode++) {
		fixture.ring->overwrite = mode;
		for (i = 0; i < 300000; i++) {
			/* Guard pages end the test at the first byte beside an area. */
			if (!strata_ring_reserve(fixture.ring, 1, i % 2048, &slot))
				continue;
			assert_in_range(slot.payload, fixture.data,
					fixture.data + strata_data_bytes(four_small) - i % 2048);
			memset(slot.payload, 0xa5, i % 2048);
			strata_ring_commit(fixture.ring, &slot);
			if (i % 1000 == 0)
				strata_ring_flush(fixture.ring);
		}
	}
	__atomic_store_n(&scribbling, false, __ATOMIC_RELEASE);
	pthread_join(liar, NULL);
	/* In overwrite mode no word of a reader can cost a record. */
	assert_int_equal(fixture.ring->lost[STRATA_LOST_NESTED], 0);
}

/* As many sub-buffers as there can be: the spare's number takes one bit more than theirs. */
static void the_spare_page_of_the_largest_ring_is_exchanged_like_any_other(void **state)
{
	const struct strata_ring_geometry most = { 12, STRATA_NR_SUBBUFS_BITS_MAX };
	bool seen[STRATA_NR_SUBBUFS_MAX + 1] = { false };
	unsigned int round, i, nr_seen = 0;
	struct strata_ring_reader next = { 0 };
	const unsigned char *taken;

	(void)state;
	audit_close(&audit);
	ring_fixture_close(&fixture);
	ring_fixture_open(&fixture, most, wraps_after(most, 2));
	fixture.ring->overwrite = true;
	fixture.reader.overwrite = true;
	audit_open(&audit, fixture.ring, 1u << 20);
	assert_int_equal(fixture.reader.spare, STRATA_NR_SUBBUFS_MAX);
	/* Given a ring of 256 sub-buffers that goes round several times ... */
	for (round = 0; round < 4; round++) {
		for (i = 0; i < 300; i++) {
			assert_true(audited_write(&audit, fixture.ring, 0, 60));
			strata_ring_flush(fixture.ring);
		}
		/* ... when all that it holds is read, each page comes once, the spare's too. */
		for (i = 0; i < STRATA_NR_SUBBUFS_MAX; i++) {
			size_t page;

			assert_true(strata_reader_get(&fixture.reader));
			taken = strata_reader_subbuf(&fixture.reader);
			page = (size_t)(taken - fixture.data) >> most.subbuf_bits;
			assert_in_range(page, 0, STRATA_NR_SUBBUFS_MAX);
			nr_seen += !seen[page];
			seen[page] = true;
			audit_packet(&audit, taken);
			strata_reader_put(&fixture.reader);
		}
		assert_false(strata_reader_get(&fixture.reader));
	}
	assert_int_equal(nr_seen, STRATA_NR_SUBBUFS_MAX + 1);
	/* A reader that comes next finds the page that no place has. */
	assert_int_equal(strata_reader_init(&next, most, fixture.writer_area, fixture.reader_area,
					    fixture.data),
			 STRATA_READER_OK);
	strata_reader_resume(&next);
	assert_int_equal(next.spare, fixture.reader.spare);
	balance();
}

/* A writer that laps a reader on another CPU again and again. */
#define RACE_MS    1500
#define BURSTS_MIN 4096u /* in which the reader has 32 turns */

static bool race_over;
static unsigned long looks; /* of the reader at the ring */

static void *reads(void *argument)
{
	(void)argument;
	while (!__atomic_load_n(&race_over, __ATOMIC_ACQUIRE)) {
		if (!audit_drain(&audit, &fixture.reader))
			sched_yield();
		__atomic_add_fetch(&looks, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* With any number of CPUs and other load, the reader has its turn. */
static void let_reader_look(void)
{
	unsigned long before = __atomic_load_n(&looks, __ATOMIC_ACQUIRE);

	while (__atomic_load_n(&looks, __ATOMIC_ACQUIRE) == before)
		sched_yield();
}

static void a_reader_on_another_cpu_sees_whole_packets_only(void **state)
{
	struct timespec began, now;
	pthread_t reader;
	uint32_t i = 0, bursts = 0;

	(void)state;
	race_over = false;
	assert_int_equal(pthread_create(&reader, NULL, reads, NULL), 0);
	clock_gettime(CLOCK_MONOTONIC, &began);
	do {
		unsigned int burst = 1 + (i * 2654435761u >> 24);

		while (burst-- && audit.next[0] + 1 < audit.capacity)
			audited_write(&audit, fixture.ring, 0, i++ % 61);
		if (i % 4 == 0)
			sched_yield();
		if (++bursts % 128 == 0)
			let_reader_look();
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (((now.tv_sec - began.tv_sec) * 1000 + (now.tv_nsec - began.tv_nsec) / 1000000 <
			  RACE_MS ||
		  bursts < BURSTS_MIN) &&
		 audit.next[0] + 1 < audit.capacity);
	__atomic_store_n(&race_over, true, __ATOMIC_RELEASE);
	pthread_join(reader, NULL);
	balance();
	print_message("# %u records written, %llu packets read\n", audit.next[0],
		      (unsigned long long)audit.packets);
	assert_in_range(audit.packets, 10, UINT32_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_ring, close_ring)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_full_ring_keeps_its_newest_subbuffers),
		TEST(a_reader_that_keeps_up_misses_nothing),
		TEST(what_the_reader_took_stays_as_it_was),
		TEST(a_subbuffer_that_is_written_again_is_stepped_over),
		TEST(the_next_reader_goes_on_where_one_died),
		TEST(every_record_is_within_reach_once_it_is_committed),
		TEST(what_is_committed_behind_a_gap_is_not_within_reach_until_it_closes),
		TEST(a_ring_may_change_its_mode_while_it_is_still),
		TEST(a_reader_area_that_lies_leaves_the_writer_in_its_areas),
		TEST(the_spare_page_of_the_largest_ring_is_exchanged_like_any_other),
		TEST(a_reader_on_another_cpu_sees_whole_packets_only),
	};

	return cmocka_run_group_tests_name("ring_overwrite", tests, NULL, NULL);
}

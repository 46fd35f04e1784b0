// SPDX-License-Identifier: GPL-2.0-or-later
/* test_app_ring.c - single-store rings: the torture of single_torture.h, and their edges. */
#include "single_torture.h"

static bool was_a_torture(void)
{
	return torture_written(TORTURE_THREADS) >= 1000 && torture_written(0) >= 100000 &&
	       torture.moves >= 1000 &&
	       __atomic_load_n(&torture.nr_found, __ATOMIC_RELAXED) >= 10000;
}

static void records_are_once_in_order_or_counted_as_lost(void **state)
{
	(void)state;
	torture_rings(1500, was_a_torture, false);
	print_message("# %llu records of threads, %llu of handlers, %llu moves, %llu lost\n",
		      (unsigned long long)torture_written(0),
		      (unsigned long long)torture_written(TORTURE_THREADS),
		      (unsigned long long)torture.moves, (unsigned long long)torture_lost());
	if (torture.errors)
		fail_msg("%lu errors, the first: %s", torture.errors, torture.first_error);
	assert_int_equal(torture.nr_found + torture_lost(),
			 torture_written(0) + torture_written(TORTURE_THREADS));
	assert_true(was_a_torture());
	torture_end();
}

static bool was_overtaken(void)
{
	return was_a_torture() && torture.overtaken >= 20;
}

static void records_that_are_overwritten_are_never_found_torn(void **state)
{
	uint64_t written;

	(void)state;
	torture_rings(1000, was_overtaken, true);
	written = torture_written(0) + torture_written(TORTURE_THREADS);
	print_message("# %llu records, %llu found, the reader was overtaken %llu times\n",
		      (unsigned long long)written, (unsigned long long)torture.nr_found,
		      (unsigned long long)torture.overtaken);
	if (torture.errors)
		fail_msg("%lu errors, the first: %s", torture.errors, torture.first_error);
	assert_int_equal(torture_lost(), 0);
	assert_true(was_overtaken());
	assert_in_range(torture.nr_found, 1000, written - 1);
	torture_end();
}

/* Of the ring of the CPU that one_ring() has us run on. */
static struct strata_single_area *our_area(void)
{
	return (struct strata_single_area *)(torture.rings + torture.cpus[0] * torture.stride);
}

static struct strata_single_reader one_ring(struct strata_ring_geometry geo, bool overwrite)
{
	struct strata_single_reader reader;
	struct strata_single_area *area;
	uint32_t i;

	memset(&torture, 0, sizeof(torture));
	torture_count_cpus();
	torture.geo = geo;
	torture.stride = strata_single_bytes(geo);
	torture.rings = mmap(NULL, torture.nr * torture.stride, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(torture.rings, MAP_FAILED);
	for (i = 0; i < torture.nr; i++)
		strata_single_init(
			(struct strata_single_area *)(torture.rings + i * torture.stride), geo, i,
			overwrite);
	strata_single_direct(&torture.table, torture.rings, torture.nr, torture.stride);
	torture_pin(torture.cpus[0]);
	area = our_area();
	assert_true(strata_single_reader_init(&reader, geo, area, strata_single_reader_area(area),
					      (unsigned char *)area + STRATA_SINGLE_HEAD_BYTES));
	reader.overwrite = overwrite;
	return reader;
}

static void write_one(uint32_t body_bytes)
{
	uint64_t body[STRATA_SINGLE_BODY_MAX / 8 + 1] = { 0 };

	if (!strata_single_write(&torture.table, 1, body, body_bytes))
		strata_single_write_slow(&torture.table, 1, body, body_bytes, NULL);
}

static void a_record_that_is_too_large_is_refused_and_counted(void **state)
{
	struct strata_single_reader reader = one_ring(
		(struct strata_ring_geometry){ .subbuf_bits = 12, .nr_subbufs_bits = 1 }, false);

	(void)state;
	write_one(STRATA_SINGLE_BODY_MAX + 4);
	assert_int_equal(reader.area->lost[STRATA_LOST_BIG], 1);
	assert_int_equal(reader.area->position, STRATA_PACKET_HEADER_BYTES);
	write_one(STRATA_SINGLE_BODY_MAX);
	assert_int_equal(reader.area->position,
			 STRATA_PACKET_HEADER_BYTES + 12 + STRATA_SINGLE_BODY_MAX);
	munmap(torture.rings, torture.nr * torture.stride);
}

/* Losses of all kinds, each in its place: in the words that the writer leaves when it closes a
 * sub-buffer, and in those of the open sub-buffer. */
static void losses_of_each_kind_are_said_of_the_subbuffer_that_they_precede(void **state)
{
	struct strata_single_reader reader = one_ring(
		(struct strata_ring_geometry){ .subbuf_bits = 12, .nr_subbufs_bits = 2 }, false);
	struct strata_single_area *area = our_area();
	uint64_t lost[STRATA_NR_LOST];
	unsigned char copy[4096];
	uint32_t bytes, i;

	(void)state;
	/* Given three kinds of losses before a sub-buffer is left, and more after that ... */
	for (i = 0; i < 3; i++)
		write_one(STRATA_SINGLE_BODY_MAX + 4);
	strata_single_count_lost(area, STRATA_LOST_NESTED);
	strata_single_count_lost(area, STRATA_LOST_NESTED);
	strata_single_count_lost(area, STRATA_LOST_FULL);
	while (area->position < 4096)
		write_one(8);
	write_one(STRATA_SINGLE_BODY_MAX + 4);
	strata_single_count_lost(area, STRATA_LOST_FULL);
	/* ... when both are taken, each has those of before its end. */
	assert_int_equal(area->closed[0].lost[STRATA_LOST_FULL], 1);
	assert_int_equal(area->closed[0].lost[STRATA_LOST_NESTED], 2);
	assert_int_equal(area->closed[0].lost[STRATA_LOST_BIG], 3);
	memset(lost, 0xa5, sizeof(lost));
	assert_int_equal(strata_single_take(&reader, true, copy, &bytes, lost),
			 STRATA_SINGLE_TAKEN);
	assert_int_equal(lost[STRATA_LOST_FULL], 1);
	assert_int_equal(lost[STRATA_LOST_NESTED], 2);
	assert_int_equal(lost[STRATA_LOST_BIG], 3);
	assert_int_equal(strata_single_take(&reader, true, copy, &bytes, lost),
			 STRATA_SINGLE_TAKEN);
	assert_int_equal(lost[STRATA_LOST_FULL], 2);
	assert_int_equal(lost[STRATA_LOST_NESTED], 2);
	assert_int_equal(lost[STRATA_LOST_BIG], 4);
	munmap(torture.rings, torture.nr * torture.stride);
}

static void a_full_ring_counts_until_the_reader_lets_go(void **state)
{
	struct strata_single_reader reader = one_ring(
		(struct strata_ring_geometry){ .subbuf_bits = 12, .nr_subbufs_bits = 1 }, false);
	uint64_t lost[STRATA_NR_LOST];
	unsigned char copy[4096];
	uint32_t bytes;
	unsigned int i;

	(void)state;
	for (i = 0; i < 1000; i++)
		write_one(8);
	assert_true(reader.area->lost[STRATA_LOST_FULL] > 0);
	assert_int_equal(strata_single_take(&reader, false, copy, &bytes, lost),
			 STRATA_SINGLE_TAKEN);
	assert_int_equal(lost[STRATA_LOST_FULL], 0); /* they were lost after it */
	i = (unsigned int)reader.area->lost[STRATA_LOST_FULL];
	write_one(8);
	assert_int_equal(reader.area->lost[STRATA_LOST_FULL], i + 1);
	strata_single_put(&reader);
	write_one(8);
	assert_int_equal(reader.area->lost[STRATA_LOST_FULL], i + 1);
	assert_int_equal(strata_single_take(&reader, false, copy, &bytes, lost),
			 STRATA_SINGLE_TAKEN);
	assert_int_equal(lost[STRATA_LOST_FULL], i + 1);
	assert_int_equal(strata_single_take(&reader, false, copy, &bytes, lost),
			 STRATA_SINGLE_NOTHING);
	assert_int_equal(strata_single_take(&reader, true, copy, &bytes, lost),
			 STRATA_SINGLE_TAKEN);
	assert_int_equal(bytes, STRATA_PACKET_HEADER_BYTES + 20);
	munmap(torture.rings, torture.nr * torture.stride);
}

/* The torture's reader drains until nothing moves.  It must not stop there, or what the writers
 * wrote last is missing from the books if they stop at that moment. */
static void the_empty_rest_of_a_subbuffer_hides_nothing_behind_it(void **state)
{
	struct strata_single_reader reader = one_ring(
		(struct strata_ring_geometry){ .subbuf_bits = 12, .nr_subbufs_bits = 2 }, false);
	struct strata_single_area *area = our_area();

	(void)state;
	assert_non_null(torture.found[0] = calloc(TORTURE_NUMBERS, 1));
	torture.newest[torture.cpus[0]][0] = -1;
	/* Given a reader that took each record at once, when the writer leaves a sub-buffer ... */
	do {
		assert_int_equal(reader.position, area->position);
		torture_write(0);
	} while (strata_subbuf_start(reader.geo, area->position) == 0 &&
		 torture_drain(torture.cpus[0], &reader, true));
	assert_int_equal(reader.position, area->closed[0].content_bytes);
	/* ... then nothing is left in that one, but the reader moves on ... */
	assert_true(torture_drain(torture.cpus[0], &reader, true));
	assert_int_equal(torture.nr_found, torture.written[0] - 1);
	/* ... to the record behind it. */
	assert_true(torture_drain(torture.cpus[0], &reader, true));
	assert_int_equal(torture.nr_found, torture.written[0]);
	assert_false(torture_drain(torture.cpus[0], &reader, true));
	assert_int_equal(torture.errors, 0);
	free(torture.found[0]);
	munmap(torture.rings, torture.nr * torture.stride);
}

static void a_clock_that_was_set_back_opens_the_next_packet(void **state)
{
	struct strata_single_reader reader = one_ring(
		(struct strata_ring_geometry){ .subbuf_bits = 12, .nr_subbufs_bits = 2 }, false);
	struct strata_single_area *area = our_area();

	(void)state;
	write_one(8);
	area->newest_ticks = strata_clock() + ((uint64_t)1 << 40);
	write_one(8);
	assert_int_equal(reader.area->position, 4096 + STRATA_PACKET_HEADER_BYTES + 20);
	assert_int_equal(area->closed[0].content_bytes, STRATA_PACKET_HEADER_BYTES + 20);
	assert_true(area->newest_ticks <= strata_clock());
	munmap(torture.rings, torture.nr * torture.stride);
}

static void a_ring_that_was_stopped_takes_nothing(void **state)
{
	struct strata_single_reader reader = one_ring(
		(struct strata_ring_geometry){ .subbuf_bits = 12, .nr_subbufs_bits = 2 }, false);

	(void)state;
	write_one(8);
	strata_single_stop(our_area());
	write_one(8);
	write_one(100);
	assert_int_equal(reader.area->position, STRATA_PACKET_HEADER_BYTES + 20);
	assert_int_equal(reader.area->lost[STRATA_LOST_FULL], 0);
	assert_int_equal(reader.area->lost[STRATA_LOST_NESTED], 0);
	munmap(torture.rings, torture.nr * torture.stride);
}

/* Ids stand for numbers: the records that are taken go up to @last without a gap.  Returns how
 * many. */
static unsigned int take_up_to(struct strata_single_reader *reader, uint32_t last)
{
	unsigned char copy[4096];
	uint64_t lost[STRATA_NR_LOST];
	enum strata_single_take result;
	unsigned int records = 0;
	uint32_t bytes, at, id = 0;

	while ((result = strata_single_take(reader, true, copy, &bytes, lost)) !=
	       STRATA_SINGLE_NOTHING) {
		if (result == STRATA_SINGLE_OVERWRITTEN) {
			assert_int_equal(records, 0);
			continue;
		}
		assert_int_equal(result, STRATA_SINGLE_TAKEN);
		for (at = STRATA_PACKET_HEADER_BYTES; at < bytes; at += 20, records++) {
			const struct strata_record_header *record =
				(const struct strata_record_header *)(copy + at);

			assert_true(records == 0 || record->id == id + 1);
			id = record->id;
		}
	}
	assert_int_equal(id, last);
	return records;
}

static void a_flight_recorder_holds_the_newest(void **state)
{
	const struct strata_ring_geometry geo = { .subbuf_bits = 12, .nr_subbufs_bits = 2 };
	const unsigned int in_subbuf = (4096 - STRATA_PACKET_HEADER_BYTES) / 20;
	struct strata_single_reader reader = one_ring(geo, true);
	uint64_t body = 0;
	uint32_t id;

	(void)state;
	for (id = 1; id <= 5000; id++)
		if (!strata_single_write(&torture.table, id, &body, 8))
			strata_single_write_slow(&torture.table, id, &body, 8, NULL);
	assert_in_range(take_up_to(&reader, 5000), 3 * (in_subbuf - 2), 4 * in_subbuf);
	/* Records that were taken do not appear again, and later ones do. */
	for (; id <= 5010; id++)
		if (!strata_single_write(&torture.table, id, &body, 8))
			strata_single_write_slow(&torture.table, id, &body, 8, NULL);
	assert_int_equal(take_up_to(&reader, 5010), 10);
	assert_int_equal(reader.area->lost[STRATA_LOST_FULL], 0);
	munmap(torture.rings, torture.nr * torture.stride);
}

static void who_fills_a_subbuffer_wakes_a_reader_that_sleeps(void **state)
{
	const struct strata_ring_geometry geo = { .subbuf_bits = 12, .nr_subbufs_bits = 2 };
	struct strata_single_reader reader = one_ring(geo, false);
	const uint64_t sleep = 77;
	unsigned int asked = 0;
	uint64_t body = 0;
	uint32_t id;

	(void)state;
	strata_single_sleep(&reader, sleep);
	for (id = 1; id <= 400; id++)
		if (!strata_single_write(&torture.table, id, &body, 8))
			asked += strata_single_write_slow(&torture.table, id, &body, 8, NULL) ==
				 sleep;
	assert_in_range(asked, 1, 3);
	strata_single_awake(&reader);
	for (asked = 0; id <= 700; id++)
		if (!strata_single_write(&torture.table, id, &body, 8))
			asked += strata_single_write_slow(&torture.table, id, &body, 8, NULL) != 0;
	assert_int_equal(asked, 0);
	munmap(torture.rings, torture.nr * torture.stride);
}

static unsigned char *trap;

/* The copy came to the second page: meanwhile the ring is written, once round and more. */
static void overtake(int number)
{
	uint64_t body = 0;
	uint32_t id;

	(void)number;
	mprotect(trap, STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE);
	for (id = 1; id <= 2000; id++)
		if (!strata_single_write(&torture.table, id, &body, 8))
			strata_single_write_slow(&torture.table, id, &body, 8, NULL);
}

static void a_reader_that_is_overtaken_while_it_copies_knows(void **state)
{
	const struct strata_ring_geometry geo = { .subbuf_bits = 12, .nr_subbufs_bits = 2 };
	struct sigaction action = { .sa_handler = overtake }, before;
	struct strata_single_reader reader = one_ring(geo, true);
	unsigned char *pages = mmap(NULL, 2 * STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t lost[STRATA_NR_LOST], written;
	uint32_t bytes, i;

	(void)state;
	assert_ptr_not_equal(pages, MAP_FAILED);
	trap = pages + STRATA_PAGE_BYTES;
	for (i = 0; i < 300; i++)
		write_one(8);
	written = reader.area->position;
	mprotect(trap, STRATA_PAGE_BYTES, PROT_NONE);
	sigaction(SIGSEGV, &action, &before);
	assert_int_equal(
		strata_single_take(&reader, true, pages + STRATA_PAGE_BYTES / 2, &bytes, lost),
		STRATA_SINGLE_OVERWRITTEN);
	sigaction(SIGSEGV, &before, NULL);
	assert_true(reader.area->position > written + strata_buffer_bytes(geo));
	assert_in_range(take_up_to(&reader, 2000), 150, 800);
	munmap(pages, 2 * STRATA_PAGE_BYTES);
	munmap(torture.rings, torture.nr * torture.stride);
}

/* Where the entry of a table's ring with this number begins its second page. */
#define SECOND_PAGE_RING                                                    \
	((STRATA_PAGE_BYTES - offsetof(struct strata_single_rings, area)) / \
	 sizeof(struct strata_single_area *))

static struct strata_single_rings *filled;
static uint32_t nr_while_filled[2];

/* The table is half full: its second page can be written from here on. */
static void look_at_the_count(int number)
{
	(void)number;
	nr_while_filled[0]++;
	nr_while_filled[1] = strata_read_once(&filled->nr);
	mprotect((unsigned char *)filled + STRATA_PAGE_BYTES, STRATA_PAGE_BYTES,
		 PROT_READ | PROT_WRITE);
}

static void events_find_no_ring_before_the_table_has_it(void **state)
{
	struct sigaction action = { .sa_handler = look_at_the_count }, before;
	const uint32_t nr = SECOND_PAGE_RING + 1;
	const size_t bytes = sizeof(*filled) + STRATA_PAGE_BYTES;
	unsigned char memory[1];

	(void)state;
	filled = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(filled, MAP_FAILED);
	mprotect((unsigned char *)filled + STRATA_PAGE_BYTES, STRATA_PAGE_BYTES, PROT_NONE);
	sigaction(SIGSEGV, &action, &before);
	strata_single_direct(filled, memory, nr, 0);
	sigaction(SIGSEGV, &before, NULL);
	assert_int_equal(nr_while_filled[0], 1);
	assert_int_equal(nr_while_filled[1], 0);
	assert_int_equal(filled->nr, nr);
	assert_ptr_equal(filled->area[nr - 1], memory);
	munmap(filled, bytes);
}

static void an_event_where_there_is_no_ring_writes_nothing(void **state)
{
	struct strata_single_reader reader = one_ring(
		(struct strata_ring_geometry){ .subbuf_bits = 12, .nr_subbufs_bits = 1 }, false);
	uint64_t body = 0;

	(void)state;
	strata_single_direct(&torture.table, torture.rings, torture.cpus[0], torture.stride);
	assert_false(strata_single_write(&torture.table, 1, &body, 8));
	assert_int_equal(reader.area->position, STRATA_PACKET_HEADER_BYTES);
	munmap(torture.rings, torture.nr * torture.stride);
}

/* The ticks of the last record of 16 bytes, which has a full header. */
static uint64_t last_ticks(const struct strata_single_area *area)
{
	uint64_t ticks;

	memcpy(&ticks,
	       (const unsigned char *)area + STRATA_SINGLE_HEAD_BYTES + area->position - 16 -
		       STRATA_RECORD_HEADER_BYTES + 4,
	       sizeof(ticks));
	return ticks;
}

static void a_record_has_the_ticks_that_it_was_given(void **state)
{
	const struct strata_ring_geometry geo = { .subbuf_bits = 16, .nr_subbufs_bits = 1 };
	struct strata_single_reader reader = one_ring(geo, false);
	const uint64_t body[4] = { 1, 2, 3, 4 }, ticks = strata_clock();
	uint32_t bytes;

	(void)state;
	/* A section may be aborted, and is then run again. */
	while (strata_single_section_at(&torture.table, 1, body, 16, ticks) !=
	       STRATA_SINGLE_WRITTEN)
		;
	assert_int_equal(last_ticks(reader.area), ticks);
	for (bytes = 12; bytes <= 48; bytes += 4) {
		const uint64_t before = reader.area->position;

		strata_single_write_slow(&torture.table, 1, body, 16, &ticks);
		assert_int_equal(last_ticks(reader.area), ticks);
		strata_single_write_slow(&torture.table, 1, (uint64_t[6]){ 0 }, bytes, &ticks);
		assert_int_equal(reader.area->position,
				 before + 28 + STRATA_RECORD_HEADER_BYTES + bytes);
		assert_int_equal(reader.area->newest_ticks, ticks);
	}
	munmap(torture.rings, torture.nr * torture.stride);
}

static void a_record_that_was_overtaken_has_a_later_time(void **state)
{
	const struct strata_ring_geometry geo = { .subbuf_bits = 16, .nr_subbufs_bits = 1 };
	struct strata_single_reader reader = one_ring(geo, false);
	const uint64_t body[4] = { 1, 2, 3, 4 }, ticks = strata_clock();
	uint64_t newest;

	(void)state;
	write_one(16);
	newest = reader.area->newest_ticks;
	assert_true(newest > ticks);
	assert_int_not_equal(strata_single_section_at(&torture.table, 1, body, 16, ticks),
			     STRATA_SINGLE_WRITTEN);
	strata_single_write_slow(&torture.table, 1, body, 16, &ticks);
	/* In the same sub-buffer: the clock was not set back. */
	assert_int_equal(reader.area->position, STRATA_PACKET_HEADER_BYTES + 2 * 28);
	assert_in_range(last_ticks(reader.area), newest, strata_clock());
	munmap(torture.rings, torture.nr * torture.stride);
}

static void lead_nowhere(bool overwrite)
{
	const struct strata_ring_geometry geo = { .subbuf_bits = 12, .nr_subbufs_bits = 2 };
	struct strata_single_reader reader = one_ring(geo, overwrite);
	struct strata_single_area *area = our_area();
	uint64_t lost[STRATA_NR_LOST], random = 88172645463325252u;
	unsigned char *copy = malloc(strata_subbuf_bytes(geo));
	unsigned long taken = 0, lies = 0;
	uint32_t bytes;
	unsigned int i;

	assert_non_null(copy);
	for (i = 0; i < 1000000; i++) {
		enum strata_single_take result;

		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		area->position = i % 3 ? reader.position + random % (5u << 12) : random;
		area->closed[random >> 62].content_bytes =
			(uint32_t)(random >> (i % 5 ? 40 : 20) & (i % 7 ? 8191 : UINT32_MAX));
		bytes = 0;
		result = strata_single_take(&reader, i % 2, copy, &bytes, lost);
		if (result == STRATA_SINGLE_TAKEN) {
			assert_in_range(bytes, STRATA_PACKET_HEADER_BYTES, 4096);
			taken++;
		}
		lies += result == STRATA_SINGLE_LIES;
		strata_single_put(&reader);
	}
	assert_in_range(taken, 1000, 1000000);
	assert_in_range(lies, 1000, 1000000);
	free(copy);
	munmap(torture.rings, torture.nr * torture.stride);
}

static void words_that_no_ring_has_lead_nowhere(void **state)
{
	(void)state;
	lead_nowhere(false);
	lead_nowhere(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_once_in_order_or_counted_as_lost),
		cmocka_unit_test(records_that_are_overwritten_are_never_found_torn),
		cmocka_unit_test(who_fills_a_subbuffer_wakes_a_reader_that_sleeps),
		cmocka_unit_test(a_flight_recorder_holds_the_newest),
		cmocka_unit_test(a_reader_that_is_overtaken_while_it_copies_knows),
		cmocka_unit_test(a_record_that_is_too_large_is_refused_and_counted),
		cmocka_unit_test(losses_of_each_kind_are_said_of_the_subbuffer_that_they_precede),
		cmocka_unit_test(a_full_ring_counts_until_the_reader_lets_go),
		cmocka_unit_test(the_empty_rest_of_a_subbuffer_hides_nothing_behind_it),
		cmocka_unit_test(a_clock_that_was_set_back_opens_the_next_packet),
		cmocka_unit_test(a_ring_that_was_stopped_takes_nothing),
		cmocka_unit_test(a_record_has_the_ticks_that_it_was_given),
		cmocka_unit_test(a_record_that_was_overtaken_has_a_later_time),
		cmocka_unit_test(events_find_no_ring_before_the_table_has_it),
		cmocka_unit_test(an_event_where_there_is_no_ring_writes_nothing),
		cmocka_unit_test(words_that_no_ring_has_lead_nowhere),
	};

	return cmocka_run_group_tests_name("app_ring", tests, NULL, NULL);
}

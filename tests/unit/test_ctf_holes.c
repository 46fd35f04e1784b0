// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ctf_holes.c - files of streams with holes, which take no place on the disk: they are not
 * read as events, and large events take no more memory than readers share.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctf/reader/window_room.h"
#include "damaged_trace.h"
#include "ignored_events.h"
#include "timeline/holders.h"

#define BLOCK ((size_t)64 << 10) /* no file system has larger ones */
#define GIB   (1ull << 30)

static int set_up_blobs(void **state)
{
	char text[8192];

	(void)state;
	memset(&heard, 0, sizeof(heard));
	trace_dir_make(&dir);
	snprintf(text, sizeof(text),
		 "%s	event.header := struct { u32 id; time timestamp; }; };\n"
		 "event { name = a; id = 0; stream_id = 0; fields := struct { u32 n; u8 data[n]; "
		 "}; };\n",
		 maker_metadata);
	trace_dir_put_text(&dir, "metadata", text);
	return 0;
}

/* Writes bytes into a stream's file, or only makes it longer; holes stay between. */
static void put_at(const char *name, uint64_t offset, const void *bytes, size_t nr, uint64_t size)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir.path, name);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, nr, (off_t)offset), nr);
	if (lseek(fd, 0, SEEK_END) < (off_t)size)
		assert_int_equal(ftruncate(fd, (off_t)size), 0);
	close(fd);
}

/* Appends an event with @nr bytes of data, which are not put. */
static void put_event(struct bits *bits, uint64_t time, uint32_t nr)
{
	bits_put(bits, 0, 32);
	bits_put(bits, time, 64);
	bits_put(bits, nr, 32);
}

/* A packet of @size, of which the first @written bytes are events; the rest is a hole. */
static void put_packet_with_hole(const char *name, uint64_t offset, unsigned int number,
				 size_t written, uint64_t content, uint64_t size)
{
	const uint64_t begin = BEGIN + number * PACKET_NS;
	struct bits bits = { 0 };

	maker_begin_packet(&bits, begin, number, 0);
	while (bits_bytes(&bits) < written)
		put_event(&bits, begin, 0);
	maker_end_packet(&bits, begin, 0);
	bits_set_u64(&bits, MAKER_AT_CONTENT, content * 8);
	bits_set_u64(&bits, MAKER_AT_SIZE, size * 8);
	put_at(name, offset, bits.bytes, written, offset + size);
	bits_clear(&bits);
}

static void a_hole_in_the_content_ends_it(void **state)
{
	const uint64_t whole = (BLOCK - MAKER_HEADER_BYTES) / EVENT_BYTES;
	const size_t small = MAKER_HEADER_BYTES + 3 * EVENT_BYTES;
	struct result result;

	(void)state;
	put_packet_with_hole("stream", 0, 0, BLOCK, GIB, GIB);
	put_packet_with_hole("stream", GIB, 1, small, small, small);
	result = read_all();
	/* The event at the begin of the hole is torn; the packet counts once. */
	expect(&result, whole + 3, 1, GIB - MAKER_HEADER_BYTES - whole * EVENT_BYTES);
	heard_of("stream", BLOCK, "a hole in the file");
	assert_non_null(strstr(heard.all, "the hole begins within an event"));
}

/* The first block of the file is its header alone. */
static void a_content_that_is_a_hole_has_no_events(void **state)
{
	struct result result;

	(void)state;
	put_packet_with_hole("stream", 0, 0, MAKER_HEADER_BYTES, GIB << 10, GIB << 10);
	result = read_with(1);
	/* The zeroes that fill the block of the header can be events. */
	assert_in_range(result.tally.events, 0, BLOCK / EVENT_BYTES);
	assert_int_equal(result.tally.bad_packets, 1);
	assert_in_range(result.tally.skipped_bytes, (GIB << 10) - BLOCK, GIB << 10);
	assert_non_null(strstr(heard.all, "a hole in the file"));
}

static void a_hole_behind_the_content_is_no_damage(void **state)
{
	const size_t small = MAKER_HEADER_BYTES + 3 * EVENT_BYTES;
	struct result result;

	(void)state;
	put_packet_with_hole("stream", 0, 0, small, small, GIB);
	put_packet_with_hole("stream", GIB, 1, small, small, GIB);
	result = read_all();
	expect(&result, 6, 0, 0);
	assert_int_equal(heard.nr, 0);
}

/* One packet with an event of @nr bytes; a byte is written at each @step of its file. */
static void put_large_event(const char *name, uint32_t nr, size_t step)
{
	const uint64_t size = MAKER_HEADER_BYTES + EVENT_BYTES + nr;
	struct bits bits = { 0 };
	uint64_t at;

	maker_begin_packet(&bits, BEGIN, 0, 0);
	put_event(&bits, BEGIN, nr);
	maker_end_packet(&bits, BEGIN, 0);
	bits_set_u64(&bits, MAKER_AT_CONTENT, size * 8);
	bits_set_u64(&bits, MAKER_AT_SIZE, size * 8);
	put_at(name, 0, bits.bytes, bits_bytes(&bits), size);
	bits_clear(&bits);
	for (at = step; at < size; at += step)
		put_at(name, at, "x", 1, 0);
}

static void short_holes_may_be_zeroes_of_an_event(void **state)
{
	struct result result;

	(void)state;
	put_large_event("stream", 4u << 20, (1u << 20) - BLOCK);
	result = read_all();
	expect(&result, 1, 0, 0);
	/* Where all data of an event is a hole, it is damage. */
	put_large_event("other", 4u << 20, 8u << 20);
	result = read_all();
	assert_int_equal(result.tally.events, 1);
	assert_int_equal(result.tally.bad_packets, 1);
}

/* Windows ----------------------------------------------------------------------------------------
 */

static void one_trace_gets_half_of_the_room(void **state)
{
	const size_t half = STRATA_WINDOW_ROOM_MAX / 2;
	const struct strata_ctf_trace one = { 0 }, other = { 0 };

	(void)state;
	assert_false(strata_window_room_take(&one, half + 1));
	assert_true(strata_window_room_take(&one, half));
	assert_false(strata_window_room_take(&one, 1));
	assert_true(strata_window_room_take(&other, half / 2));
	assert_false(strata_window_room_take(&other, 1));
	strata_window_room_give_back(&one, half);
	assert_int_equal(strata_window_room_taken(), half / 2);
	assert_true(strata_window_room_take(&other, half / 4));
	strata_window_room_give_back(&other, half / 2 + half / 4);
	assert_int_equal(strata_window_room_taken(), 0);
}

#define STREAMS 12u
#define LARGE   15000000u

/* All of them have their event in memory at once, as in a merge. */
static void large_events_beyond_the_room_are_damage(void **state)
{
	struct strata_ctf_reader readers[STREAMS];
	struct strata_ctf_trace *trace, *other;
	struct strata_ctf_reader another, mate;
	struct strata_error error;
	unsigned int i, events = 0, bad = 0;
	char name[16];

	(void)state;
	for (i = 0; i < STREAMS; i++) {
		snprintf(name, sizeof(name), "stream%02u", i);
		put_large_event(name, LARGE, 1u << 19);
	}
	trace = strata_ctf_trace_open(dir.path, complaints_hear, &heard, &error);
	other = strata_ctf_trace_open(dir.path, complaints_hear, &heard, &error);
	assert_non_null(trace);
	assert_non_null(other);
	for (i = 0; i < STREAMS; i++) {
		assert_int_equal(
			strata_ctf_reader_open(&readers[i], &trace->streams[i], 4096, &error), 0);
		assert_true(strata_ctf_reader_next(&readers[i]) >= 0);
		events += (unsigned int)readers[i].tally.events;
		bad += (unsigned int)readers[i].tally.bad_packets;
		assert_true(strata_window_room_taken() <= STRATA_WINDOW_ROOM_MAX / 2);
	}
	assert_int_equal(events, STRATA_WINDOW_ROOM_MAX / 2 >> 24);
	assert_int_equal(bad, STREAMS - events);
	assert_non_null(strstr(heard.all, "readers have no memory left for it"));
	/* Another trace's event has room. */
	assert_int_equal(strata_ctf_reader_open(&another, &other->streams[0], 4096, &error), 0);
	assert_int_equal(strata_ctf_reader_next(&another), 1);
	/* Not if one user's programs have written both. */
	other->holder = trace;
	assert_int_equal(strata_ctf_reader_open(&mate, &other->streams[1], 4096, &error), 0);
	assert_int_equal(strata_ctf_reader_next(&mate), 0);
	assert_int_equal(mate.tally.bad_packets, 1);
	strata_ctf_reader_close(&mate);
	other->holder = NULL;
	/* A reader that goes on gives its room back, and so does one that is closed, also if its
	 * stream goes on in another trace. */
	readers[0].stream = &other->streams[0];
	assert_int_equal(strata_ctf_reader_next(&another), 0);
	assert_true(strata_window_room_taken() <= STRATA_WINDOW_ROOM_MAX / 2);
	strata_ctf_reader_close(&another);
	for (i = 0; i < STREAMS; i++)
		strata_ctf_reader_close(&readers[i]);
	assert_int_equal(strata_window_room_taken(), 0);
	assert_true(strata_window_room_take(trace, STRATA_WINDOW_ROOM_MAX / 2));
	strata_window_room_give_back(trace, STRATA_WINDOW_ROOM_MAX / 2);
	strata_ctf_trace_close(trace);
	strata_ctf_trace_close(other);
}

/* Opens traces whose environment is this, of which each claims a user. */
static void open_claims(struct strata_trace_set *set, const char *env)
{
	struct strata_error error;
	char text[8192];
	size_t i;

	snprintf(text, sizeof(text),
		 "%s	event.header := struct { u32 id; time timestamp; }; };\n"
		 "env { uid = 5; %s };\n",
		 maker_metadata, env);
	trace_dir_put_text(&dir, "metadata", text);
	put_large_event("stream", 16, 1);
	for (i = 0; i < 2; i++)
		assert_int_equal(
			strata_trace_set_add(
				set,
				strata_ctf_trace_open(dir.path, complaints_hear, &heard, &error),
				&error),
			0);
	set->traces[1]->machine = set->traces[0]->machine;
}

static bool is_one_holder(const struct strata_trace_set *set)
{
	assert_int_equal(strata_holders_mark(set), 0);
	assert_ptr_equal(set->traces[0]->holder, set->traces[0]);
	return set->traces[1]->holder == set->traces[0];
}

static void programs_of_a_user_are_one_holder(void **state)
{
	struct strata_trace_set set = { 0 };

	(void)state;
	open_claims(&set, "");
	set.traces[0]->recording = set.traces[1]->recording = &set;
	assert_true(is_one_holder(&set));
	set.traces[1]->machine++;
	assert_false(is_one_holder(&set));
	strata_trace_set_clear(&set);
}

/* Another trace, or another recording, can claim any user. */
static void a_claimed_user_takes_no_share_of_another(void **state)
{
	struct strata_trace_set set = { 0 };

	(void)state;
	open_claims(&set, "");
	assert_false(is_one_holder(&set));
	set.traces[0]->recording = &set;
	assert_false(is_one_holder(&set));
	set.traces[1]->recording = &dir;
	assert_false(is_one_holder(&set));
	strata_trace_set_clear(&set);
}

/* It can claim another one's merge, too, but not lie in its directory. */
static void programs_of_a_merge_lie_in_one_directory(void **state)
{
	struct strata_trace_set set = { 0 };
	char *path;

	(void)state;
	open_claims(&set, "strata_merge = \"m\";");
	assert_true(is_one_holder(&set));
	path = set.traces[1]->path;
	set.traces[1]->path = strdup("/elsewhere/trace");
	assert_non_null(set.traces[1]->path);
	assert_false(is_one_holder(&set));
	free(path);
	strata_trace_set_clear(&set);
}

/* Slices -----------------------------------------------------------------------------------------
 */

static struct strata_trace_set open_set(void)
{
	struct strata_trace_set set = { 0 };
	struct strata_error error;
	struct strata_ctf_trace *trace =
		strata_ctf_trace_open(dir.path, complaints_hear, &heard, &error);

	assert_non_null(trace);
	assert_int_equal(strata_trace_set_add(&set, trace, &error), 0);
	return set;
}

static struct strata_slice_sink *begin(struct strata_slice_work *work, size_t at,
				       struct strata_slice_sink *used)
{
	struct strata_slice_sink *sink = used ? used : calloc(1, sizeof(*sink));

	(void)work;
	(void)at;
	assert_non_null(sink);
	sink->take = ignore_events;
	return sink;
}

static size_t joined;

static int join(struct strata_slice_work *work, struct strata_slice_sink *sink,
		struct strata_error *error)
{
	(void)work;
	(void)sink;
	(void)error;
	joined++;
	return 0;
}

static void end(struct strata_slice_work *work, struct strata_slice_sink *sink)
{
	(void)work;
	free(sink);
}

/* Returns the number of slices of a set. */
static size_t count_slices(uint64_t slice_bytes)
{
	const struct strata_slice_options options = { .to_ns = UINT64_MAX,
						      .threads = 2,
						      .slice_bytes = slice_bytes };
	struct strata_slice_work work = { .begin = begin, .join = join, .end = end };
	struct strata_trace_set set = open_set();
	struct strata_error error;

	joined = 0;
	assert_int_equal(strata_slices_run(&set, &options, &work, &error), 0);
	strata_trace_set_clear(&set);
	return joined;
}

static void put_ordinary_stream(unsigned int packets)
{
	struct bits bits = { 0 };

	put_packets(&bits, packets);
	trace_dir_put(&dir, "ordinary", bits.bytes, bits_bytes(&bits));
	bits_clear(&bits);
}

static void the_size_of_a_hole_makes_no_slices(void **state)
{
	const size_t small = MAKER_HEADER_BYTES + EVENT_BYTES;

	(void)state;
	put_ordinary_stream(400);
	assert_in_range(count_slices(10000), 9, 11);
	/* Without a packet; in a packet; and behind a packet's content. */
	put_at("hole", 0, "", 0, GIB << 10);
	assert_in_range(count_slices(10000), 9, 11);
	put_packet_with_hole("content", 0, 0, small, GIB << 10, GIB << 10);
	assert_in_range(count_slices(10000), 9, 12);
	put_packet_with_hole("padding", 0, 0, small, small, GIB << 10);
	assert_in_range(count_slices(10000), 9, 12);
}

/* Each slice opens a reader of each stream. */
static void many_streams_make_fewer_slices(void **state)
{
	char name[16];
	unsigned int i;

	(void)state;
	put_ordinary_stream(400);
	assert_in_range(count_slices(500), 15, 30);
	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "small%u", i);
		trace_dir_put(&dir, name, "", 0);
	}
	assert_in_range(count_slices(500), 2, 8);
}

static void padding_draws_no_cuts(void **state)
{
	const size_t small = MAKER_HEADER_BYTES + EVENT_BYTES;
	struct strata_trace_set set;
	struct strata_error error;
	uint64_t cuts[9];

	(void)state;
	put_ordinary_stream(100);
	put_packet_with_hole("padding", 0, 50, small, small, GIB << 10);
	set = open_set();
	assert_int_equal(strata_trace_set_make_index(&set, &error), 0);
	assert_in_range(strata_trace_set_data_bytes(&set), 100 * small, 100 * PACKET_BYTES);
	assert_int_equal(strata_trace_set_cut(&set, 10, 0, UINT64_MAX, cuts), 9);
	strata_trace_set_clear(&set);
}

/* Of a file with more packets than the index has places. */
static void the_index_counts_all_packets(void **state)
{
	const unsigned int packets = 3 * STRATA_CTF_INDEX_MAX;
	struct strata_trace_set set;
	struct strata_error error;

	(void)state;
	put_ordinary_stream(packets);
	set = open_set();
	assert_int_equal(strata_trace_set_make_index(&set, &error), 0);
	assert_int_equal(strata_trace_set_data_bytes(&set),
			 packets * (MAKER_HEADER_BYTES + EVENTS * EVENT_BYTES));
	strata_trace_set_clear(&set);
}

#define CASE(name)  cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define BLOBS(name) cmocka_unit_test_setup_teardown(name, set_up_blobs, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_size_of_a_hole_makes_no_slices),
		CASE(many_streams_make_fewer_slices),
		CASE(padding_draws_no_cuts),
		CASE(the_index_counts_all_packets),
		BLOBS(a_hole_in_the_content_ends_it),
		BLOBS(a_content_that_is_a_hole_has_no_events),
		BLOBS(a_hole_behind_the_content_is_no_damage),
		BLOBS(short_holes_may_be_zeroes_of_an_event),
		cmocka_unit_test(one_trace_gets_half_of_the_room),
		BLOBS(large_events_beyond_the_room_are_damage),
		BLOBS(programs_of_a_user_are_one_holder),
		BLOBS(a_claimed_user_takes_no_share_of_another),
		BLOBS(programs_of_a_merge_lie_in_one_directory),
	};

	return cmocka_run_group_tests_name("ctf_holes", tests, NULL, NULL);
}

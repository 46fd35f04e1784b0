// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ctf_packet.c - headers of packets whose sizes cannot be: each is named, and the packets
 * beside it are read; a file that ends within a packet; events that take no room; and fields of
 * odd places and values, as filters find them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ctf/reader/ctf_index.h"
#include "ctf/reader/ctf_reader.h"
#include "ctf_maker.h"
#include "filter/filter.h"
#include "timeline/trace_set.h"

#define EVENT_BYTES 9u
#define EVENTS      5u /* in each packet */

static struct trace_dir dir;
static struct complaints heard;
static struct bits bits;

static int set_up(void **state)
{
	(void)state;
	memset(&heard, 0, sizeof(heard));
	memset(&bits, 0, sizeof(bits));
	trace_dir_make(&dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	bits_clear(&bits);
	trace_dir_remove(&dir);
	return 0;
}

static void put_metadata(const char *rest)
{
	char text[8192];

	snprintf(text, sizeof(text), "%s%s", maker_metadata, rest);
	trace_dir_put_text(&dir, "metadata", text);
}

/* A packet of five events.  Returns where it begins. */
static size_t put_packet(uint64_t number, size_t size)
{
	unsigned int i;

	maker_begin_packet(&bits, 1000 * number, number, 0);
	for (i = 0; i < EVENTS; i++) {
		bits_put(&bits, 1000 * number + i, 64);
		bits_put(&bits, i, 8);
	}
	return maker_end_packet(&bits, 1000 * number + EVENTS, size);
}

/* Reads all that is there.  Returns the events; stops at a number that no test has. */
static uint64_t read_all(size_t file_bytes, struct strata_ctf_tally *tally)
{
	struct strata_ctf_reader reader;
	struct strata_ctf_trace *trace;
	struct strata_error error;
	uint64_t events = 0;
	int got;

	trace_dir_put(&dir, "stream", bits.bytes, file_bytes);
	trace = strata_ctf_trace_open(dir.path, complaints_hear, &heard, &error);
	if (!trace)
		fail_msg("%s", error.text);
	assert_int_equal(strata_ctf_reader_open(&reader, &trace->streams[0], 4096, &error), 0);
	while ((got = strata_ctf_reader_next(&reader)) > 0 && events < 100000)
		events += (uint64_t)got;
	assert_int_equal(got, 0);
	*tally = reader.tally;
	strata_ctf_reader_close(&reader);
	strata_ctf_trace_close(trace);
	return events;
}

static void is_told(const char *what)
{
	if (!strstr(heard.all, what))
		fail_msg("\"%s\" does not say \"%s\"", heard.all, what);
}

static void sizes_that_cannot_be_are_named(void **state)
{
	static const struct {
		size_t at;
		uint64_t bits; /* in place of the size of 200 bytes, or of its content */
		const char *said;
	} wrong[] = {
		{ MAKER_AT_SIZE, 200 * 8 + 1, "its size of 1601 bits is not whole bytes" },
		{ MAKER_AT_SIZE, 200 * 8 + 4, "its size of 1604 bits is not whole bytes" },
		{ MAKER_AT_CONTENT, 200 * 8 + 1, "its content of 1601 bits is more than its 1600" },
		{ MAKER_AT_CONTENT, MAKER_HEADER_BYTES * 8 - 1,
		  "its content of 607 bits is less than its header's 608" },
	};
	struct strata_ctf_tally tally;
	unsigned int i;

	(void)state;
	put_metadata("	event.header := struct { u64 t; }; };\n"
		     "event { name = e; id = 0; stream_id = 0; fields := struct { u8 n; }; };\n");
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		size_t second;

		bits_clear(&bits);
		memset(&heard, 0, sizeof(heard));
		put_packet(1, 200);
		second = put_packet(2, 200);
		put_packet(3, 200);
		bits_set_u64(&bits, second + wrong[i].at, wrong[i].bits);
		assert_int_equal(read_all(bits_bytes(&bits), &tally), 2 * EVENTS);
		is_told(wrong[i].said);
		assert_int_equal(tally.bad_packets, 1);
		assert_int_equal(tally.skipped_bytes, 200);
	}
	/* The largest content, and the smallest, can be. */
	bits_clear(&bits);
	memset(&heard, 0, sizeof(heard));
	bits_set_u64(&bits,
		     put_packet(1, MAKER_HEADER_BYTES + EVENTS * EVENT_BYTES) + MAKER_AT_CONTENT,
		     MAKER_HEADER_BYTES * 8);
	put_packet(2, 0);
	assert_int_equal(read_all(bits_bytes(&bits), &tally), EVENTS);
	assert_int_equal(heard.nr, 0);
}

static void of_a_packet_that_is_cut_what_is_missing_is_told(void **state)
{
	const size_t whole = MAKER_HEADER_BYTES + EVENTS * EVENT_BYTES;
	struct strata_ctf_tally tally;
	size_t missing;
	char said[80];

	(void)state;
	put_metadata("	event.header := struct { u64 t; }; };\n"
		     "event { name = e; id = 0; stream_id = 0; fields := struct { u8 n; }; };\n");
	put_packet(1, 0);
	put_packet(2, 0);
	for (missing = 1; missing < 2 * EVENT_BYTES; missing++) {
		memset(&heard, 0, sizeof(heard));
		assert_int_equal(read_all(2 * whole - missing, &tally),
				 2 * EVENTS - (missing + EVENT_BYTES - 1) / EVENT_BYTES);
		snprintf(said, sizeof(said), "%zu bytes of its content are not there", missing);
		is_told(said);
	}
}

/* Events at a time may lie at the end of the packet before the one that begins at it. */
static void whoever_looks_for_a_time_begins_before_it(void **state)
{
	struct strata_ctf_index_place places[] = {
		{ .offset = 0, .begin_ns = 100 },
		{ .offset = 500, .begin_ns = 200 },
		{ .offset = 900, .begin_ns = 200 },
		{ .offset = 1300, .begin_ns = 300 },
	};
	const struct strata_ctf_index index = { .places = places, .nr = 4, .has_times = true };
	const struct strata_ctf_index timeless = { .places = places, .nr = 4 };

	(void)state;
	assert_int_equal(strata_ctf_index_find(&index, 50), 0);
	assert_int_equal(strata_ctf_index_find(&index, 199), 0);
	assert_int_equal(strata_ctf_index_find(&index, 200), 0);
	assert_int_equal(strata_ctf_index_find(&index, 201), 900);
	assert_int_equal(strata_ctf_index_find(&index, 300), 900);
	assert_int_equal(strata_ctf_index_find(&index, UINT64_MAX), 1300);
	assert_int_equal(strata_ctf_index_find(&timeless, 250), 0);
}

/* Their number is unknown: one stands for all. */
static void events_that_take_no_room_do_not_come_for_ever(void **state)
{
	struct strata_ctf_tally tally;

	(void)state;
	put_metadata("};\nevent { name = e; id = 0; stream_id = 0; fields := struct { }; };\n");
	put_packet(1, 0);
	put_packet(2, 0);
	assert_int_equal(read_all(bits_bytes(&bits), &tally), 2);
}

static int count_events(struct strata_slice_sink *sink, size_t stream,
			struct strata_ctf_reader *reader, const struct strata_lane_event *events,
			size_t nr, struct strata_error *error)
{
	(void)stream;
	(void)reader;
	(void)events;
	(void)error;
	*(size_t *)(sink + 1) += nr;
	return 0;
}

/* How many of ten events match: small counts from 0, n is 99, list has three elements of 12 bits,
 * real is no number in the last, and a half of small in the others. */
static size_t matching(const char *expression)
{
	struct {
		struct strata_slice_sink sink;
		size_t nr;
	} counted = { .sink = { .take = count_events } };
	struct strata_filter *filter = strata_filter_new();
	struct strata_ctf_tally tally = { 0 };
	struct strata_trace_set set = { 0 };
	struct strata_ctf_trace *trace;
	const char *name = "trace";
	struct strata_error error;
	unsigned int i, j;

	bits_clear(&bits);
	put_metadata("	event.header := struct { u64 t; }; };\n"
		     "event { name = e; id = 0; stream_id = 0; fields := struct {"
		     " integer { size = 12; align = 16; } list[3];"
		     " integer { size = 4; align = 1; } small; u8 n;"
		     " floating_point { exp_dig = 11; mant_dig = 53; align = 8; } real; }; };\n");
	maker_begin_packet(&bits, 1000, 0, 0);
	for (i = 0; i < 10; i++) {
		const double real = i == 9 ? (double)NAN : i / 2.0;
		uint64_t words;

		memcpy(&words, &real, sizeof(words));
		bits_put_aligned(&bits, 1000 + i, 64, 16);
		for (j = 0; j < 3; j++)
			bits_put_aligned(&bits, 0xabc, 12, 16);
		bits_put(&bits, i, 4);
		bits_put_aligned(&bits, 99, 8, 8);
		bits_put_aligned(&bits, words, 64, 8);
	}
	maker_end_packet(&bits, 1010, 0);
	trace_dir_put(&dir, "stream", bits.bytes, bits_bytes(&bits));
	trace = strata_ctf_trace_open(dir.path, complaints_hear, &heard, &error);
	assert_non_null(trace);
	assert_int_equal(strata_trace_set_add(&set, trace, &error), 0);
	if (strata_filter_expression(filter, expression, &error) ||
	    strata_filter_bind(filter, &set, &name, &error))
		fail_msg("%s", error.text);
	set.filter = strata_filter_of_set(filter);
	assert_int_equal(strata_trace_set_merge(&set, 0, UINT64_MAX, &counted.sink, &tally, &error),
			 0);
	assert_int_equal(heard.nr, 0);
	set.filter = NULL;
	strata_filter_free(filter);
	strata_trace_set_clear(&set);
	return counted.nr;
}

/* The last element of an array ends with its bits, and not where another one would begin. */
static void what_follows_narrow_elements_lies_right_behind_them(void **state)
{
	(void)state;
	assert_int_equal(matching("small >= 7 && n == 99"), 3);
	assert_int_equal(matching("list[2] == 0xabc"), 10);
}

static void numbers_are_compared_at_their_limits(void **state)
{
	(void)state;
	assert_int_equal(matching("small == -0"), 1);
	assert_int_equal(matching("small > -9223372036854775808"), 10);
	assert_int_equal(matching("small < 18446744073709551615"), 10);
	/* A NaN is neither equal to another number nor in any order with it. */
	assert_int_equal(matching("real == 2.0"), 1);
	assert_int_equal(matching("real >= 2.0"), 5);
	assert_int_equal(matching("real < 2.0"), 4);
	assert_int_equal(matching("real != 2.0"), 9);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(sizes_that_cannot_be_are_named),
		CASE(of_a_packet_that_is_cut_what_is_missing_is_told),
		CASE(whoever_looks_for_a_time_begins_before_it),
		CASE(numbers_are_compared_at_their_limits),
		CASE(what_follows_narrow_elements_lies_right_behind_them),
		CASE(events_that_take_no_room_do_not_come_for_ever),
	};

	return cmocka_run_group_tests_name("ctf_packet", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ctf_damage.c - reading bad packets and times: as much as possible is read, losses are
 * counted, and the message names the file and the byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "damaged_trace.h"

static void a_sound_trace_is_read_whole(void **state)
{
	struct bits bits = { 0 };
	struct result result;

	(void)state;
	put_packets(&bits, 20);
	result = read_stream(&bits);
	expect(&result, 20 * EVENTS, 0, 0);
	assert_int_equal(heard.nr, 0);
}

static void a_file_that_ends_early_keeps_whole_events(void **state)
{
	size_t cut;

	(void)state;
	for (cut = 1; cut <= PACKET_BYTES; cut += 3) {
		const size_t content = MAKER_HEADER_BYTES + EVENTS * EVENT_BYTES;
		const size_t left = PACKET_BYTES - cut;
		const size_t whole = left < MAKER_HEADER_BYTES ? 0
				     : left >= content         ? EVENTS
						       : (left - MAKER_HEADER_BYTES) / EVENT_BYTES;
		struct bits bits = { 0 };
		struct result result;

		memset(&heard, 0, sizeof(heard));
		put_packets(&bits, 3);
		bits.at -= cut * 8;
		result = read_stream(&bits);
		assert_int_equal(result.tally.events, 2 * EVENTS + whole);
		/* Bytes behind the content cause no message. */
		assert_int_equal(heard.nr > 0, left > 0 && left < content);
		if (heard.nr)
			heard_of("stream", 2 * PACKET_BYTES, "the file ends within");
	}
}

static void a_wrong_magic_in_the_middle_costs_its_packet(void **state)
{
	struct bits bits = { 0 };
	struct result result;

	(void)state;
	put_packets(&bits, 10);
	bits.bytes[4 * PACKET_BYTES + 1] ^= 0x40;
	result = read_stream(&bits);
	expect(&result, 9 * EVENTS, 1, PACKET_BYTES);
	assert_int_equal(result.tally.missing_packets, 1);
	heard_of("stream", 4 * PACKET_BYTES, "no packet begins here");
	heard_of("stream", 4 * PACKET_BYTES, "256 bytes are left out");
}

static void another_traces_packet_is_left_out(void **state)
{
	struct bits bits = { 0 };
	struct result result;

	(void)state;
	put_packets(&bits, 10);
	bits.bytes[7 * PACKET_BYTES + 9] ^= 1;
	result = read_stream(&bits);
	expect(&result, 9 * EVENTS, 1, PACKET_BYTES);
	heard_of("stream", 7 * PACKET_BYTES, "another trace's");
}

static void garbage_between_packets_is_left_out(void **state)
{
	static uint8_t garbage[10007];
	struct bits bits = { 0 };
	struct result result;

	(void)state;
	memset(garbage, 0xc1, sizeof(garbage));
	bits_put_bytes(&bits, garbage, 77);
	put_packet(&bits, 0);
	bits_put_bytes(&bits, garbage, sizeof(garbage));
	put_packet(&bits, 1);
	bits_put_bytes(&bits, garbage, 3);
	result = read_stream(&bits);
	expect(&result, 2 * EVENTS, 3, 77 + sizeof(garbage) + 3);
	heard_of("stream", 0, "77 bytes are left out");
	heard_of("stream", 77 + PACKET_BYTES, "10007 bytes are left out");
}

static void an_unknown_event_costs_the_rest_of_its_packet(void **state)
{
	struct bits bits = { 0 };
	struct result result;

	(void)state;
	put_packets(&bits, 10);
	bits_set_u32(&bits, 5 * PACKET_BYTES + MAKER_HEADER_BYTES + 3 * EVENT_BYTES, 4000000000u);
	result = read_stream(&bits);
	expect(&result, 9 * EVENTS + 3, 1, 7 * EVENT_BYTES);
	heard_of("stream", 5 * PACKET_BYTES + MAKER_HEADER_BYTES + 3 * EVENT_BYTES,
		 "event id 4000000000 is not in the metadata");
}

/* Sizes -----------------------------------------------------------------------------------------
 */

static void sizes_that_lie_cost_little(void **state)
{
	static const struct {
		uint64_t content, size; /* bits; of the fifth packet of ten */
		uint64_t least_events;
	} cases[] = {
		/* Too large: the next packets are found within. */
		{ PACKET_BYTES * 8, PACKET_BYTES * 8, 9 * EVENTS },
		{ 2 * PACKET_BYTES * 8, 2 * PACKET_BYTES * 8 + 40, 9 * EVENTS },
		{ 5 * PACKET_BYTES * 8 - 8, 5 * PACKET_BYTES * 8 - 8, 9 * EVENTS },
		/* Beyond the file. */
		{ 1ull << 40, 1ull << 40, 9 * EVENTS },
		{ UINT64_MAX - 7, UINT64_MAX - 7, 9 * EVENTS },
		{ 8, 1ull << 63, 5 * EVENTS },
		/* Too small. */
		{ 0, 0, 9 * EVENTS },
		{ MAKER_HEADER_BYTES * 8, MAKER_HEADER_BYTES * 8, 9 * EVENTS },
		{ 100 * 8, 100 * 8, 9 * EVENTS },
		{ 101 * 8 + 3, 104 * 8, 9 * EVENTS },
		{ 50 * 8, PACKET_BYTES * 8, 9 * EVENTS },
		/* Nonsense. */
		{ PACKET_BYTES * 8, 100 * 8, 9 * EVENTS },
		{ 100 * 8, PACKET_BYTES * 8 + 3, 9 * EVENTS },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bits bits = { 0 };
		struct result result;

		memset(&heard, 0, sizeof(heard));
		put_packets(&bits, 10);
		bits_set_u64(&bits, 4 * PACKET_BYTES + MAKER_AT_CONTENT, cases[i].content);
		bits_set_u64(&bits, 4 * PACKET_BYTES + MAKER_AT_SIZE, cases[i].size);
		result = read_stream(&bits);
		if (result.tally.events < cases[i].least_events)
			fail_msg("case %zu: %llu events.  Told:\n%s", i,
				 (unsigned long long)result.tally.events, heard.all);
		/* Bytes behind a packet's content may look like an event. */
		assert_true(result.tally.events <= 10 * EVENTS + 1);
		assert_true(result.tally.skipped_bytes <= 2 * PACKET_BYTES ||
			    cases[i].least_events < 9 * EVENTS);
		assert_true(heard.nr > 0 || i == 6);
		assert_true(result.tally.bad_packets > 0 || result.tally.events == 10 * EVENTS ||
			    heard.nr > 0);
	}
}

/* Times -----------------------------------------------------------------------------------------
 */

static void set_time(struct bits *bits, unsigned int packet, unsigned int event, uint64_t ns)
{
	bits_set_u64(bits, packet * PACKET_BYTES + MAKER_HEADER_BYTES + event * EVENT_BYTES + 4,
		     ns);
}

static void a_time_that_goes_back_is_held(void **state)
{
	struct bits bits = { 0 };
	struct result result;

	(void)state;
	put_packets(&bits, 10);
	set_time(&bits, 4, 6, BEGIN + 7);
	set_time(&bits, 6, 0, 0);
	result = read_stream(&bits);
	expect(&result, 10 * EVENTS, 0, 0);
	assert_int_equal(result.tally.clamped_times, 2);
	assert_int_equal(heard.nr, 2);
	heard_of("stream", 4 * PACKET_BYTES + MAKER_HEADER_BYTES + 6 * EVENT_BYTES, "goes back");
}

/* The time of the last event that a reader sees. */
static uint64_t last_time(void)
{
	struct strata_ctf_reader reader;
	struct strata_ctf_trace *trace;
	struct strata_error error;
	uint64_t ns;
	int got;

	trace = strata_ctf_trace_open(dir.path, NULL, NULL, &error);
	assert_non_null(trace);
	assert_int_equal(strata_ctf_reader_open(&reader, &trace->streams[0], 4096, &error), 0);
	while ((got = strata_ctf_reader_next(&reader)) > 0)
		;
	assert_int_equal(got, 0);
	ns = reader.last_ns;
	strata_ctf_reader_close(&reader);
	strata_ctf_trace_close(trace);
	return ns;
}

#define LAST_NS (BEGIN + 9 * PACKET_NS + 10 * (EVENTS - 1))

static void a_time_that_jumps_a_year_moves_nobody_else(void **state)
{
	static const unsigned int at[] = { 0, 5, EVENTS - 1 };
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct bits bits = { 0 };
		struct result result;

		memset(&heard, 0, sizeof(heard));
		put_packets(&bits, 10);
		set_time(&bits, 4, at[i], BEGIN + YEAR_NS);
		result = read_stream(&bits);
		expect(&result, 10 * EVENTS, 0, 0);
		assert_int_equal(result.tally.wild_times, 1);
		assert_int_equal(result.tally.clamped_times, 0);
		heard_of("stream", 4 * PACKET_BYTES + MAKER_HEADER_BYTES + at[i] * EVENT_BYTES,
			 "far beyond its packet's end");
		assert_int_equal(last_time(), LAST_NS);
	}
}

/* The events are in order; their packet's own times are wrong. */
static void a_packet_whose_times_jump_keeps_its_events_times(void **state)
{
	static const struct {
		uint64_t begin, end;
	} cases[] = {
		{ BEGIN + YEAR_NS, BEGIN + YEAR_NS + 90 },
		{ BEGIN + YEAR_NS, BEGIN + 4 * PACKET_NS + 90 },
		{ UINT64_MAX, UINT64_MAX },
		{ 0, BEGIN + YEAR_NS },
		{ BEGIN + 4 * PACKET_NS, UINT64_MAX },
		{ BEGIN + 4 * PACKET_NS, 0 },
	};
	uint64_t sound = 0;
	size_t i;

	(void)state;
	for (i = 0; i <= sizeof(cases) / sizeof(cases[0]); i++) {
		struct bits bits = { 0 };
		struct result result;

		put_packets(&bits, 10);
		if (i > 0) {
			bits_set_u64(&bits, 4 * PACKET_BYTES + MAKER_AT_BEGIN, cases[i - 1].begin);
			bits_set_u64(&bits, 4 * PACKET_BYTES + MAKER_AT_END, cases[i - 1].end);
		}
		result = read_stream(&bits);
		expect(&result, 10 * EVENTS, 0, 0);
		if (i == 0)
			sound = result.chain.hash;
		assert_int_equal(result.chain.hash, sound);
		assert_int_equal(result.tally.clamped_times + result.tally.wild_times, 0);
	}
}

static void the_last_times_that_there_are_are_no_end(void **state)
{
	struct bits bits = { 0 };
	struct result result;
	unsigned int i;

	(void)state;
	maker_begin_packet(&bits, UINT64_MAX - 5, 0, 0);
	for (i = 0; i < EVENTS; i++) {
		bits_put(&bits, 0, 32);
		bits_put(&bits, UINT64_MAX - (i < 5 ? 5 - i : 0), 64);
		bits_put(&bits, i, 32);
	}
	maker_end_packet(&bits, UINT64_MAX, 0);
	result = read_stream(&bits);
	expect(&result, EVENTS, 0, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_sound_trace_is_read_whole),
		CASE(a_file_that_ends_early_keeps_whole_events),
		CASE(a_wrong_magic_in_the_middle_costs_its_packet),
		CASE(another_traces_packet_is_left_out),
		CASE(garbage_between_packets_is_left_out),
		CASE(an_unknown_event_costs_the_rest_of_its_packet),
		CASE(sizes_that_lie_cost_little),
		CASE(a_time_that_goes_back_is_held),
		CASE(a_time_that_jumps_a_year_moves_nobody_else),
		CASE(a_packet_whose_times_jump_keeps_its_events_times),
		CASE(the_last_times_that_there_are_are_no_end),
	};

	return cmocka_run_group_tests_name("ctf_damage", tests, NULL, NULL);
}

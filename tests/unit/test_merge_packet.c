// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_merge_packet.c - the packet check, on packets made by hand: a good one
 * passes, and each way to be bad is found and named.
 */
#include "given_packet.h"
#include "../packet_records.h"

/* A header of @bytes, then a tid and nothing else. */
static void add_bare_record(struct given *given, const void *header, uint32_t bytes)
{
	memcpy(given->bytes + given->used, header, bytes);
	put(given->bytes, given->used + bytes, 77, 4);
	given->used += bytes + 4;
	put(given->bytes, 40, (uint64_t)given->used * 8, 8);
}

/* Behind the escape value of 5 or of 16 bits. */
static void add_extended(struct given *given, uint32_t id, uint64_t ticks)
{
	uint8_t header[16];

	memset(header, 0xff, 4);
	put(header, 4, id, 4);
	put(header, 8, ticks, 8);
	add_bare_record(given, header, sizeof(header));
}

/* CTF's first bits are a little-endian word's low ones, and a big-endian one's high ones. */
static void add_compact(struct given *given, uint32_t id, uint32_t low_ticks)
{
	const uint32_t little = id | low_ticks << 5, big = id << 27 | low_ticks;
	const uint16_t order = 1;
	uint8_t first;

	memcpy(&first, &order, 1);
	add_bare_record(given, first ? &little : &big, 4);
}

static void add_large(struct given *given, uint16_t id, uint32_t low_ticks)
{
	uint8_t header[8] = { 0 };

	memcpy(header, &id, sizeof(id));
	memcpy(header + 4, &low_ticks, sizeof(low_ticks));
	add_bare_record(given, header, sizeof(header));
}

static int check(struct given *given, struct strata_packet *packet, uint64_t *nr_events,
		 struct strata_error *error)
{
	/* A copy of exactly that size: a look beyond it would be seen by the sanitizer. */
	uint8_t *copy = test_malloc(PACKET_BYTES);
	int status;

	memcpy(copy, given->bytes, PACKET_BYTES);
	status = strata_packet_check(given->source, copy, PACKET_BYTES, packet, nr_events, error);
	test_free(copy);
	return status;
}

static void assert_refused(struct given *given, const char *because)
{
	struct strata_packet packet;
	struct strata_error error;
	uint64_t nr_events;

	assert_int_equal(check(given, &packet, &nr_events, &error), -1);
	if (!strstr(error.text, because))
		fail_msg("\"%s\" does not say \"%s\"", error.text, because);
}

static void a_good_packet_passes_and_its_records_are_read(void **state)
{
	struct given *given = *state;
	struct strata_packet packet;
	struct strata_error error;
	struct strata_record record;
	size_t offset = HEADER_BYTES;
	uint64_t nr_events;
	int32_t tid;

	assert_int_equal(check(given, &packet, &nr_events, &error), 0);
	assert_int_equal(nr_events, 3);
	assert_int_equal(packet.begin_ticks, 1000);
	assert_int_equal(packet.end_ticks, 2000);
	assert_int_equal(packet.packet_bytes, PACKET_BYTES);
	/* Its last record's padding is no content. */
	assert_int_equal(packet.content_bytes, given->used - 2);
	assert_int_equal(packet.sequence, 5);
	assert_int_equal(packet.lost[STRATA_LOST_BIG], 3);
	assert_int_equal(packet.cpu, 3);

	assert_true(strata_packet_next(given->source, given->bytes, &packet, &offset, &record));
	assert_string_equal(record.event->name, "first");
	assert_int_equal(record.ticks, 1000);
	memcpy(&tid, record.context, sizeof(tid));
	assert_int_equal(tid, 77);
	assert_int_equal(record.payload[0], 0xaa);
	assert_true(strata_packet_next(given->source, given->bytes, &packet, &offset, &record));
	assert_string_equal(record.event->name, "second");
	assert_true(strata_packet_next(given->source, given->bytes, &packet, &offset, &record));
	assert_int_equal(record.payload[5], 0xbb);
	assert_false(strata_packet_next(given->source, given->bytes, &packet, &offset, &record));
}

static void a_packet_without_records_passes(void **state)
{
	struct given *given = *state;
	struct strata_packet packet;
	struct strata_error error;
	uint64_t nr_events;

	put(given->bytes, 40, HEADER_BYTES * 8, 8);
	assert_int_equal(check(given, &packet, &nr_events, &error), 0);
	assert_int_equal(nr_events, 0);
}

static void the_traces_own_uuid_passes_and_another_does_not(void **state)
{
	struct given *given = *state;
	struct strata_packet packet;
	struct strata_error error;
	uint64_t nr_events;

	memcpy(given->bytes + 4, given->source->uuid, 16);
	assert_int_equal(check(given, &packet, &nr_events, &error), 0);
	given->bytes[4] ^= 1;
	assert_refused(given, "UUID");
}

static void a_wrong_magic_is_refused(void **state)
{
	((struct given *)*state)->bytes[0] ^= 0x10;
	assert_refused(*state, "no packet begins here");
}

static void a_packet_larger_than_what_is_there_is_refused(void **state)
{
	struct given *given = *state;

	put(given->bytes, 48, 70368 * 8, 8);
	assert_refused(given, "bad packet size 70368 (4096 bytes are there)");
	put(given->bytes, 48, (PACKET_BYTES + 4) * 8, 8);
	assert_refused(given, "bad packet size 4100 (4096 bytes are there)");
	put(given->bytes, 48, UINT64_MAX - 7, 8);
	assert_refused(given, "bad packet size");
	put(given->bytes, 48, PACKET_BYTES * 8 + 1, 8);
	assert_refused(given, "not whole bytes");
}

static void content_outside_of_its_packet_is_refused(void **state)
{
	struct given *given = *state;

	put(given->bytes, 40, (PACKET_BYTES + 8) * 8, 8);
	assert_refused(given, "bad content size");
	put(given->bytes, 40, (HEADER_BYTES - 8) * 8, 8);
	assert_refused(given, "bad content size");
}

static void losses_that_do_not_add_up_are_refused(void **state)
{
	struct given *given = *state;

	put(given->bytes, 64, 7, 8);
	assert_refused(given, "events discarded");
	put(given->bytes, 72, UINT64_MAX, 8);
	assert_refused(given, "lost");
}

static void time_that_runs_backwards_is_refused_with_its_place(void **state)
{
	struct given *given = *state;

	/* The second record is at 104 + 24. */
	put(given->bytes, 128 + 4, 999, 8);
	assert_refused(given, "record at 128: time goes back from 1000 to 999");
	put(given->bytes, 128 + 4, 2001, 8);
	assert_refused(given, "record at 128: time 2001 is after the packet's end 2000");
	put(given->bytes, 24, 2001, 8);
	assert_refused(given, "it ends (2000) before it begins (2001)");
}

static void a_record_before_the_packets_begin_is_refused(void **state)
{
	put(((struct given *)*state)->bytes, 24, 1001, 8);
	assert_refused(*state, "record at 104: time goes back");
}

static void an_unknown_event_is_refused_with_its_id(void **state)
{
	put(((struct given *)*state)->bytes, 128, 8, 4);
	assert_refused(*state, "record at 128: unknown event id 8");
}

static void a_record_over_the_contents_end_is_refused(void **state)
{
	struct given *given = *state;

	put(given->bytes, 40, (uint64_t)(given->used - 4) * 8, 8);
	assert_refused(given, "record at 144: first runs over the packet's end");
	put(given->bytes, 40, (uint64_t)(144 + 8) * 8, 8);
	assert_refused(given, "record at 144: no room for its header");
}

static void a_cpu_number_beyond_all_is_refused(void **state)
{
	struct given *given = *state;
	struct strata_packet packet;
	struct strata_error error;
	uint64_t nr_events;

	put(given->bytes, 96, 0xffffffffu, 4);
	assert_refused(given, "bad CPU number");
	put(given->bytes, 96, STRATA_CPU_MAX + 1, 4);
	assert_refused(given, "bad CPU number 65535");
	put(given->bytes, 96, STRATA_CPU_MAX, 4);
	assert_int_equal(check(given, &packet, &nr_events, &error), 0);
}

/* The rest that a writer left of a packet: its begin and end are its records', and the padding
 * behind the last one is not content. */
static void records_without_a_packet_header_are_checked_as_well(void **state)
{
	struct given *given = *state;
	struct strata_packet packet;
	struct strata_error error;
	uint64_t nr_events;

	memset(given->bytes, 0, HEADER_BYTES);
	assert_int_equal(strata_packet_check_unfinished(given->source, given->bytes, given->used, 0,
							&packet, &nr_events, &error),
			 0);
	assert_int_equal(nr_events, 3);
	assert_int_equal(packet.begin_ticks, 1000);
	assert_int_equal(packet.end_ticks, 2000);
	assert_int_equal(packet.content_bytes, given->used - 2);
	assert_int_equal(packet.packet_bytes, given->used);
	/* Cut within its last record, or between two words. */
	assert_int_equal(strata_packet_check_unfinished(given->source, given->bytes,
							given->used - 4, 0, &packet, &nr_events,
							&error),
			 -1);
	assert_int_equal(strata_packet_check_unfinished(given->source, given->bytes,
							given->used - 1, 0, &packet, &nr_events,
							&error),
			 -1);
	assert_int_equal(strata_packet_check_unfinished(given->source, given->bytes, HEADER_BYTES,
							0, &packet, &nr_events, &error),
			 -1);
	/* A record before the packet's begin, where that is known. */
	assert_int_equal(strata_packet_check_unfinished(given->source, given->bytes, given->used,
							1001, &packet, &nr_events, &error),
			 -1);
}

static void too_few_bytes_are_refused(void **state)
{
	struct given *given = *state;
	struct strata_packet packet;
	struct strata_error error;
	uint64_t nr_events;

	assert_int_equal(strata_packet_check(given->source, given->bytes, HEADER_BYTES - 1, &packet,
					     &nr_events, &error),
			 -1);
	assert_non_null(strstr(error.text, "103 bytes are too few"));
}

static void hypervisor_ids_that_nobody_knows_pass_as_words(void **state)
{
	struct given *given = *state;
	struct strata_packet packet;
	struct strata_error error;
	struct strata_record record;
	size_t offset = HEADER_BYTES;
	uint64_t nr_events;

	given->source->layer = STRATA_LAYER_XEN;
	given->used = HEADER_BYTES;
	add_record(given, 0x30ff0123u, 1100, 12, 1);
	assert_int_equal(check(given, &packet, &nr_events, &error), 0);
	assert_int_equal(nr_events, 1);
	assert_true(strata_packet_next(given->source, given->bytes, &packet, &offset, &record));
	assert_string_equal(record.event->name, "trc_0x0ff0123");
	assert_int_equal(record.event->fields[0].count, 3);
	/* But none of Strata's own that it does not know: their length is not in the id. */
	put(given->bytes, HEADER_BYTES, 0x80000099u, 4);
	assert_refused(given, "unknown event id 2147483801");
}

static void assert_times(struct given *given, const uint64_t *expected, unsigned int nr)
{
	struct strata_packet packet;
	struct strata_error error;
	struct strata_record record;
	size_t offset = HEADER_BYTES;
	uint64_t nr_events;
	unsigned int i;

	if (check(given, &packet, &nr_events, &error))
		fail_msg("%s", error.text);
	assert_int_equal(nr_events, nr);
	for (i = 0; i < nr; i++) {
		assert_true(
			strata_packet_next(given->source, given->bytes, &packet, &offset, &record));
		assert_string_equal(record.event->name, "second");
		assert_int_equal(record.ticks, expected[i]);
	}
	assert_false(strata_packet_next(given->source, given->bytes, &packet, &offset, &record));
}

static void compact_headers_are_read_against_the_record_before(void **state)
{
	const uint64_t begin = (5ull << 27) + 100;
	const uint64_t expected[] = { begin,        begin,           begin + 7, (6ull << 27) + 99,
				      (9ull << 27), (9ull << 27) + 3 };
	struct given *given = *state;

	begin_anew(given, STRATA_HEADER_COMPACT, begin, 10ull << 27);
	add_extended(given, 7, begin);
	add_compact(given, 7, 100);
	add_compact(given, 7, 107);
	add_compact(given, 7, 99); /* the low bits wrapped */
	add_extended(given, 7, 9ull << 27);
	add_compact(given, 7, 3);
	assert_times(given, expected, 6);
}

static void large_headers_are_read_against_the_record_before(void **state)
{
	const uint64_t begin = (5ull << 32) + 100;
	const uint64_t expected[] = { begin, begin + 7, (6ull << 32) + 99, 9ull << 32 };
	struct given *given = *state;

	begin_anew(given, STRATA_HEADER_LARGE, begin, 10ull << 32);
	add_extended(given, 7, begin);
	add_large(given, 7, 107);
	add_large(given, 7, 99); /* the low bits wrapped */
	add_extended(given, 7, 9ull << 32);
	assert_times(given, expected, 4);
}

static void the_first_short_header_is_read_against_the_packets_begin(void **state)
{
	const uint64_t begin = (5ull << 27) + 100;
	struct given *given = *state;

	begin_anew(given, STRATA_HEADER_COMPACT, begin, begin);
	add_compact(given, 7, 100);
	assert_times(given, &begin, 1);
}

static void short_headers_that_lead_over_the_packets_end_are_refused(void **state)
{
	struct given *given = *state;

	begin_anew(given, STRATA_HEADER_COMPACT, 1000, 2000);
	add_extended(given, 7, 1500);
	add_compact(given, 7, 1499);
	assert_refused(given, "is after the packet's end");
}

static void short_headers_that_lead_over_the_end_of_time_are_refused(void **state)
{
	struct given *given = *state;

	begin_anew(given, STRATA_HEADER_COMPACT, 1000, UINT64_MAX);
	add_extended(given, 7, UINT64_MAX - 5);
	add_compact(given, 7, 3);
	assert_refused(given, "time goes back");
}

static void an_escape_value_with_nothing_behind_it_is_refused(void **state)
{
	struct given *given = *state;
	uint32_t cut;

	for (cut = 4; cut < 20; cut += 4) {
		begin_anew(given, STRATA_HEADER_COMPACT, 1000, 2000);
		add_extended(given, 7, 1500);
		add_extended(given, 7, 1500);
		put(given->bytes, 40, (uint64_t)(given->used - cut) * 8, 8);
		assert_refused(given,
			       cut == 4 ? "runs over the packet's end" : "no room for its header");
	}
	begin_anew(given, STRATA_HEADER_LARGE, 1000, 2000);
	add_extended(given, 7, 1500);
	put(given->bytes, 40, (uint64_t)(given->used - 16) * 8, 8);
	assert_refused(given, "no room for its header");
}

static void an_unknown_short_id_is_refused(void **state)
{
	struct given *given = *state;

	begin_anew(given, STRATA_HEADER_COMPACT, 1000, 2000);
	add_compact(given, 30, 1000);
	assert_refused(given, "unknown event id 30");
}

static void a_packet_whose_records_have_other_headers_is_refused(void **state)
{
	struct given *given = *state;

	given->source->form = STRATA_HEADER_LARGE;
	assert_refused(given, "full headers, and the recording has large ones");
	put(given->bytes, 20, STRATA_NR_HEADER_FORMS, 4);
	assert_refused(given, "bad stream id 3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_good_packet_passes_and_its_records_are_read),
		TEST(a_packet_without_records_passes),
		TEST(the_traces_own_uuid_passes_and_another_does_not),
		TEST(a_wrong_magic_is_refused),
		TEST(a_packet_larger_than_what_is_there_is_refused),
		TEST(content_outside_of_its_packet_is_refused),
		TEST(losses_that_do_not_add_up_are_refused),
		TEST(time_that_runs_backwards_is_refused_with_its_place),
		TEST(a_record_before_the_packets_begin_is_refused),
		TEST(an_unknown_event_is_refused_with_its_id),
		TEST(a_record_over_the_contents_end_is_refused),
		TEST(a_cpu_number_beyond_all_is_refused),
		TEST(records_without_a_packet_header_are_checked_as_well),
		TEST(too_few_bytes_are_refused),
		TEST(hypervisor_ids_that_nobody_knows_pass_as_words),
		TEST(compact_headers_are_read_against_the_record_before),
		TEST(large_headers_are_read_against_the_record_before),
		TEST(the_first_short_header_is_read_against_the_packets_begin),
		TEST(short_headers_that_lead_over_the_packets_end_are_refused),
		TEST(short_headers_that_lead_over_the_end_of_time_are_refused),
		TEST(an_escape_value_with_nothing_behind_it_is_refused),
		TEST(an_unknown_short_id_is_refused),
		TEST(a_packet_whose_records_have_other_headers_is_refused),
	};

	return cmocka_run_group_tests_name("packet", tests, NULL, NULL);
}

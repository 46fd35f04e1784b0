// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ctf2_roles.c - the meaning of fields of packets and of events' headers in CTF 2: by their
 * roles, wherever they are and whatever they are called.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ctf/reader/ctf_reader.h"
#include "ctf/trace/ctf_trace.h"
#include "ctf2_cases.h"

#define RS             "\x1e"
#define M(name, class) "{\"name\":\"" name "\",\"field-class\":{" class "}}"
#define S(members)     "{\"type\":\"structure\",\"member-classes\":[" members "]}"
#define FIXED(bits, order)                                                                        \
	"\"type\":\"fixed-length-unsigned-integer\",\"length\":" #bits ",\"byte-order\":\"" order \
	"-endian\""
#define U(bits)    FIXED(bits, "little")
#define VARINT     "\"type\":\"variable-length-unsigned-integer\""
#define ROLE(role) ",\"roles\":[\"" role "\"]"

struct world {
	struct trace_dir dir;
	struct bits bits;
	struct strata_ctf_trace *trace;
	struct strata_ctf_reader reader;
	struct complaints heard;
};

static void open_world(struct world *world, const char *metadata)
{
	struct strata_error error = { "" };

	trace_dir_put_text(&world->dir, "metadata", metadata);
	trace_dir_put(&world->dir, "stream", world->bits.bytes, bits_bytes(&world->bits));
	world->trace =
		strata_ctf_trace_open(world->dir.path, complaints_hear, &world->heard, &error);
	if (!world->trace)
		fail_msg("%s", error.text);
	assert_int_equal(
		strata_ctf_reader_open(&world->reader, &world->trace->streams[0], 4096, &error), 0);
}

static struct world *begin(void)
{
	struct world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	trace_dir_make(&world->dir);
	return world;
}

/* Reads the next batch; its times have to be these, ended by 0. */
static void expect_times(struct world *world, const uint64_t *ns)
{
	size_t i;

	assert_true(strata_ctf_reader_next(&world->reader) >= 0);
	for (i = 0; ns[i]; i++) {
		assert_true(i < world->reader.nr_events);
		assert_int_equal(world->reader.events[i].ns, ns[i]);
	}
	assert_int_equal(world->reader.nr_events, i);
}

static void end(struct world *world)
{
	strata_ctf_reader_close(&world->reader);
	strata_ctf_trace_close(world->trace);
	trace_dir_remove(&world->dir);
	bits_clear(&world->bits);
	free(world);
}

#define EVENT(id, stream)                                                       \
	RS "{\"type\":\"event-record-class\",\"name\":\"e" #id "\",\"id\":" #id \
	   ",\"data-stream-class-id\":" #stream "}\n"

static const char uuid[] = "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]";

/* Every role that there is, in odd places: within structures, as LEB128 integers, out of order. */
static char *all_roles(void)
{
	char *text = NULL;

	assert_true(
		asprintf(&text,
			 RS "{\"type\":\"preamble\",\"version\":2,\"uuid\":%s}\n" RS "{\"type\":\"trace-class\",\"packet-header-field-class\":" S(M("the magic!", FIXED(32, "big") ROLE("packet-magic-number")) "," M("the UUID", "\"type\":\"static-length-blob\",\"length\":16" ROLE("metadata-stream-uuid")) "," M("in", "\"type\":\"structure\",\"member-classes\":[" M(
																																								    "class", U(8) ROLE(
																																										     "data-stream-class-id")) "," M("one",
																																														    VARINT ROLE("data-stream-id")) "]")) "}\n" RS
																																																			 "{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":1000000000,"
																																																			 "\"name\":\"monotonic\",\"uid\":\"00010203-0405-0607-0809-0a0b0c0d0e0f\","
																																																			 "\"precision\":100,\"accuracy\":5,\"origin\":\"unix-epoch\"}\n" RS
																																																			 "{\"type\":\"data-stream-class\",\"id\":7,\"default-clock-class-id\":\"c\","
																																																			 "\"packet-context-field-class\":" S(M("g", U(
																																																									    64) ROLE("packet-end-default-clock-timestamp")) "," M("a", U(64)
																																																																	       ROLE(
																																																																		       "default-clock-timestamp")) "," M("n", VARINT
																																																																								      ROLE(
																																																																									      "packet-sequence-number")) "," M("d", U(32)
																																																																															    ROLE(
																																																																																    "discarded-event-record-counter-snapshot")) "," M("t",
																																																																																						      U(32) ROLE(
																																																																																							      "packet-total-length")) "," M("c",
																																																																																											    U(32) ROLE("packet-content-length")) "," M("cpu_id", U(8))) ","
																																																																																																			"\"event-record-header-field-class\":" S(M(
																																																																																																				"when",
																																																																																																				U(8)
																																																																																																					ROLE("default-clock-timestamp")) "," M("what",
																																																																																																									       VARINT ROLE(
																																																																																																										       "event-record-class-id"))) "}\n" EVENT(1,
																																																																																																															      7) EVENT(300,
																																																																																																																       7),
			 uuid) > 0);
	return text;
}

/* A packet of that form with events 1 and 300, whose times have 8 bits. */
static void put_packet(struct world *world, uint64_t begin_ns, uint8_t sequence, uint32_t discarded)
{
	struct bits *bits = &world->bits;
	const size_t from = bits_bytes(bits);
	uint8_t i;

	bits->origin = bits->at;
	bits_put_bytes(bits, "\xc1\xfc\x1f\xc1", 4);
	for (i = 0; i < 16; i++)
		bits_put(bits, i, 8);
	bits_put(bits, 7, 8);
	bits_put_bytes(bits, "\x85\x01", 2); /* stream 133 */
	bits_put(bits, begin_ns + 1000, 64);
	bits_put(bits, begin_ns, 64);
	bits_put(bits, sequence, 8);
	bits_put(bits, discarded, 32);
	bits_put(bits, 64 * 8, 32);
	bits_put(bits, 58 * 8, 32);
	bits_put(bits, 3, 8);
	assert_int_equal(bits_bytes(bits) - from, 53);
	bits_put(bits, (begin_ns + 10) & 0xff, 8);
	bits_put(bits, 1, 8);
	/* The clock's low 8 bits begin anew. */
	bits_put(bits, (begin_ns + 9) & 0xff, 8);
	bits_put_bytes(bits, "\xac\x02", 2);
	assert_int_equal(bits_bytes(bits) - from, 58);
	bits_put_bytes(bits, "\xff\xff\xff\xff\xff\xff", 6);
}

static void each_role_is_taken_wherever_it_is(void **data)
{
	struct world *world = begin();
	char *metadata = all_roles();
	const struct strata_ctf_packet *packet;

	(void)data;
	put_packet(world, 5000, 4, 2);
	put_packet(world, 9000, 6, 5);
	open_world(world, metadata);
	packet = &world->reader.packet;
	expect_times(world, (const uint64_t[]){ 5010, 5010 + 255, 0 });
	assert_int_equal(packet->class->id, 7);
	assert_int_equal(packet->instance, 133);
	assert_int_equal(packet->begin, 5000);
	assert_int_equal(packet->end, 6000);
	assert_int_equal(packet->sequence, 4);
	assert_int_equal(packet->cpu, 3);
	assert_int_equal(packet->packet_bits, 64 * 8);
	assert_int_equal(packet->content_bits, 58 * 8);
	assert_string_equal(world->reader.kind->classes[world->reader.events[1].class].event->name,
			    "e300");
	expect_times(world, (const uint64_t[]){ 9010, 9010 + 255, 0 });
	assert_int_equal(world->reader.tally.missing_packets, 1);
	assert_int_equal(world->reader.tally.discarded, 3);
	assert_int_equal(strata_ctf_reader_next(&world->reader), 0);
	assert_int_equal(world->trace->streams[0].cpu, 3);
	assert_true(world->trace->metadata.clocks[0].has_uuid);
	assert_string_equal(world->trace->metadata.clocks[0].name, "monotonic");
	assert_int_equal(world->trace->metadata.clocks[0].uuid[15], 15);
	assert_int_equal(world->trace->metadata.clocks[0].precision, 100);
	free(metadata);
	end(world);
}

static void packets_of_another_trace_or_without_magic_are_left_out(void **data)
{
	struct world *world = begin();
	char *metadata = all_roles();

	(void)data;
	put_packet(world, 5000, 1, 0);
	put_packet(world, 9000, 2, 0);
	put_packet(world, 12000, 3, 0);
	world->bits.bytes[4] ^= 1;  /* the first one's UUID */
	world->bits.bytes[64] ^= 1; /* the second one's magic number */
	open_world(world, metadata);
	expect_times(world, (const uint64_t[]){ 12010, 12010 + 255, 0 });
	assert_int_equal(world->reader.tally.bad_packets, 1);
	assert_int_equal(world->reader.tally.skipped_bytes, 128);
	assert_non_null(
		strstr(world->heard.all, "the packet is another trace's (its UUID differs)"));
	assert_int_equal(strata_ctf_reader_next(&world->reader), 0);
	free(metadata);
	end(world);
}

#define CLOCK                                                                                  \
	RS "{\"type\":\"preamble\",\"version\":2}\n" RS                                        \
	   "{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":1000,\"offset-from-origin\":" \
	   "{\"seconds\":2,\"cycles\":500}}\n"

/* No packet header, and no id of a class: both are 0.  The content's length is the packet's, too.
 */
static void what_has_no_role_is_0_and_a_length_alone_is_both(void **data)
{
	struct world *world = begin();

	(void)data;
	bits_put(&world->bits, 32, 16);
	bits_put(&world->bits, 7, 8);
	bits_put(&world->bits, 9, 8);
	bits_put(&world->bits, 24, 16);
	bits_put(&world->bits, 12, 8);
	open_world(
		world, CLOCK RS
		"{\"type\":\"data-stream-class\",\"default-clock-class-id\":\"c\","
		"\"packet-context-field-class\":" S(M(
			"c",
			U(16) ROLE(
				"packet-content-length"))) ","
							   "\"event-record-header-field-class\":" S(M(
								   "t",
								   U(8) ROLE(
									   "default-clock-timestamp"))) "}\n" RS
													"{\"type\":\"data-stream-class\",\"id\":1}\n" EVENT(
														0,
														0));
	expect_times(world, (const uint64_t[]){ 2507000000, 2509000000, 0 });
	expect_times(world, (const uint64_t[]){ 2512000000, 0 });
	assert_int_equal(strata_ctf_reader_next(&world->reader), 0);
	end(world);
}

/* The header that LTTng writes, as a variant of CTF 2: read the short way, as in CTF 1.8. */
static void lttngs_headers_are_recognised(void **data)
{
	struct world *world = begin();

	(void)data;
	bits_put(&world->bits, 17 * 8, 32);
	bits_put(&world->bits, 5 | 100u << 5, 32);
	bits_put(&world->bits, 31, 8);
	bits_put(&world->bits, 6, 32);
	bits_put(&world->bits, 200, 32);
	open_world(
		world, CLOCK RS
		"{\"type\":\"data-stream-class\",\"default-clock-class-id\":\"c\","
		"\"packet-context-field-class\":" S(M(
			"c",
			U(32) ROLE(
				"packet-total-length"))) ","
							 "\"event-record-header-field-class\":{\"type\":\"structure\","
							 "\"minimum-alignment\":8,\"member-classes\":[" M("id", U(5) ROLE("event-record-class-id")) "," M(
								 "v",
								 "\"type\":\"variant\",\"selector-field-location\":{\"origin\":"
								 "\"event-record-header\",\"path\":[\"id\"]},\"options\":["
								 "{\"selector-field-ranges\":[[0,30]],\"field-class\":" S(M(
									 "timestamp",
									 U(27) ROLE(
										 "default-clock-timestamp"))) "},"
													      "{\"selector-field-ranges\":[[31,31]],\"field-class\":" S(
														      M("id", U(32) ",\"alignment\":8" ROLE("event-record-class-id")) "," M(
															      "timestamp",
															      U(32) ",\"alignment\":8" ROLE(
																      "default-clock-"
																      "timestamp"))) "}]") "]}}\n" EVENT(5,
																					 0)
								 EVENT(6, 0));
	assert_int_equal(world->trace->kinds[0].header.form, STRATA_CTF_HEADER_TAGGED);
	expect_times(world, (const uint64_t[]){ 2600000000, 2700000000, 0 });
	assert_int_equal(world->reader.kind->classes[world->reader.events[1].class].id, 6);
	end(world);
}

/* A timestamp in an optional field: an event without it is of the time of the one before. */
static void roles_may_be_optional(void **data)
{
	struct world *world = begin();

	(void)data;
	bits_put_bytes(&world->bits, "\x01\x07\x00\x01\x09", 5);
	open_world(
		world, CLOCK RS
		"{\"type\":\"data-stream-class\",\"default-clock-class-id\":\"c\","
		"\"event-record-header-field-class\":" S(M(
			"has",
			"\"type\":\"fixed-length-boolean\",\"length\":8,\"byte-order\":"
			"\"little-endian\"") "," M("t",
						   "\"type\":\"optional\",\"selector-field-location\":{\"path\":["
						   "\"has\"]},\"field-class\":{" U(8) ROLE(
							   "default-clock-timestamp") "}")) "}\n" EVENT(0,
													0));
	expect_times(world, (const uint64_t[]){ 2507000000, 2507000000, 2509000000, 0 });
	end(world);
}

/* Metadata that gives events nothing to read: there would be no end of them. */
static void events_of_no_bits_are_refused(void **data)
{
	struct world *world = begin();

	(void)data;
	bits_put_bytes(&world->bits, "foo", 3);
	open_world(world, CLOCK RS "{\"type\":\"data-stream-class\"}\n" EVENT(0, 0));
	assert_int_equal(strata_ctf_reader_next(&world->reader), 0);
	assert_int_equal(world->reader.tally.bad_packets, 1);
	assert_non_null(strstr(world->heard.all, "an event without any bits"));
	end(world);
}

/* Bits of both byte orders in one byte are in no order: as babeltrace2 has it, too. */
static void no_byte_has_two_byte_orders(void **data)
{
	struct world *world = begin();
	struct strata_error error;

	(void)data;
	bits_put_bytes(&world->bits, "\x11\x21\x43", 3);
	open_world(
		world, CLOCK RS
		"{\"type\":\"data-stream-class\",\"event-record-header-field-class\":" S(M("id", U(8) ROLE("event-record-class-id"))) "}\n" RS "{\"type\":\"event-record-class\",\"id\":17,\"payload-field-class\":" S(
			M("a", U(8)) "," M("b", FIXED(4, "big")) "," M(
				"c",
				FIXED(4,
				      "big"))) "}\n" RS
					       "{\"type\":\"event-record-class\",\"id\":18,\"payload-field-class\":" S(
						       M("a", U(4)) "," M("b",
									  FIXED(4, "big"))) "}\n");
	assert_int_equal(strata_ctf_reader_next(&world->reader), 1);
	assert_int_equal(world->reader.events[0].end, 24);
	strata_ctf_reader_close(&world->reader);
	world->bits.bytes[0] = 18;
	trace_dir_put(&world->dir, "stream", world->bits.bytes, 2);
	assert_int_equal(
		strata_ctf_reader_open(&world->reader, &world->trace->streams[0], 4096, &error), 0);
	assert_int_equal(strata_ctf_reader_next(&world->reader), 0);
	assert_int_equal(world->reader.tally.bad_packets, 1);
	end(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_role_is_taken_wherever_it_is),
		cmocka_unit_test(packets_of_another_trace_or_without_magic_are_left_out),
		cmocka_unit_test(what_has_no_role_is_0_and_a_length_alone_is_both),
		cmocka_unit_test(lttngs_headers_are_recognised),
		cmocka_unit_test(roles_may_be_optional),
		cmocka_unit_test(events_of_no_bits_are_refused),
		cmocka_unit_test(no_byte_has_two_byte_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

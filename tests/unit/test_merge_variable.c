// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_merge_variable.c - fields of variable length in a packet: the places of these and of the
 * fields behind them, and that a packet in which they run too far is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <strata/packet.h>

#include "consumerd/packets/packet_check.h"
#include "../packet_records.h"

#define HEADER_BYTES 104u
#define PACKET_BYTES 8192u

struct given {
	struct strata_recording recording;
	struct strata_source *source;
	uint8_t bytes[PACKET_BYTES];
	uint32_t used;
};

static void put(struct given *given, uint32_t offset, uint64_t value, uint32_t size)
{
	memcpy(given->bytes + offset, &value, size);
}

static void append(struct given *given, const void *bytes, uint32_t length)
{
	memcpy(given->bytes + given->used, bytes, length);
	given->used += length;
	put(given, 40, (uint64_t)given->used * 8, 8);
}

static void append_number(struct given *given, uint64_t value, uint32_t size)
{
	append(given, &value, size);
}

/* A record's header and context; its payload follows. */
static void begin_record(struct given *given, uint32_t id)
{
	given->used = (given->used + 3) & ~3u;
	append_number(given, id, 4);
	append_number(given, 1500, 8);
	append_number(given, 77, 4);
}

static int set_up(void **state)
{
	/* s32, string, u16 sequence, u8, x64 sequence, text sequence, string */
	const struct strata_event_desc mixed = {
		.id = 0,
		.name = "mixed",
		.nr_fields = 7,
		.fields = { { "a", STRATA_FIELD_SIGNED, 4, 1 },
			    { "b", STRATA_FIELD_STRING, 1, 1 },
			    { "c", STRATA_FIELD_UNSIGNED, 2, 0 },
			    { "d", STRATA_FIELD_UNSIGNED, 1, 1 },
			    { "e", STRATA_FIELD_HEX, 8, 0 },
			    { "f", STRATA_FIELD_TEXT, 1, 0 },
			    { "g", STRATA_FIELD_STRING, 1, 1 } },
	};
	const struct strata_event_desc string = {
		.id = 1,
		.name = "string",
		.nr_fields = 1,
		.fields = { { "s", STRATA_FIELD_STRING, 1, 1 } },
	};
	const struct strata_event_desc sequence = {
		.id = 2,
		.name = "sequence",
		.nr_fields = 1,
		.fields = { { "s", STRATA_FIELD_HEX, 8, 0 } },
	};
	static struct given given;
	struct strata_error error;

	memset(&given, 0, sizeof(given));
	given.source = strata_recording_add_source(&given.recording, "g1");
	given.source->layer = STRATA_LAYER_KERNEL;
	assert_int_equal(strata_source_add_event(given.source, &mixed, &error), 0);
	assert_int_equal(strata_source_add_event(given.source, &string, &error), 0);
	assert_int_equal(strata_source_add_event(given.source, &sequence, &error), 0);
	put(&given, 0, 0xC1FC1FC1u, 4);
	put(&given, 24, 1000, 8);
	put(&given, 32, 2000, 8);
	put(&given, 48, PACKET_BYTES * 8, 8);
	given.used = HEADER_BYTES;
	*state = &given;
	return 0;
}

static int tear_down(void **state)
{
	strata_recording_clear(&((struct given *)*state)->recording);
	return 0;
}

/* Of a copy that ends where the content does: a look beyond it would be seen by the sanitizer. */
static int check(struct given *given, struct strata_packet *packet, struct strata_error *error)
{
	uint8_t *copy = test_malloc(given->used);
	uint64_t nr_events;
	int status;

	put(given, 48, (uint64_t)given->used * 8, 8);
	memcpy(copy, given->bytes, given->used);
	status = strata_packet_check(given->source, copy, given->used, packet, &nr_events, error);
	test_free(copy);
	return status;
}

static void assert_refused(struct given *given, const char *because)
{
	struct strata_packet packet;
	struct strata_error error;

	assert_int_equal(check(given, &packet, &error), -1);
	if (!strstr(error.text, because))
		fail_msg("\"%s\" does not say \"%s\"", error.text, because);
}

static void append_mixed(struct given *given)
{
	begin_record(given, 0);
	append_number(given, 1, 4); /* a */
	append(given, "hello", 6);  /* b, ends at 10 */
	append(given, "\0\0", 2);   /* to a multiple of 4 */
	append_number(given, 3, 4); /* c: three of them */
	append(given, "\1\0\2\0\3\0", 6);
	append_number(given, 9, 1); /* d, ends at 23 */
	append(given, "\0", 1);
	append_number(given, 1, 4); /* e: one, at a multiple of 4 and not of 8 */
	append_number(given, 0x1122334455667788, 8);
	append_number(given, 2, 4); /* f */
	append(given, "xy", 2);
	append(given, "", 1); /* g is empty */
}

static void fields_lie_behind_what_has_no_fixed_length(void **state)
{
	static const uint32_t offsets[] = { 0, 4, 16, 22, 28, 40, 42 };
	static const uint32_t counts[] = { 1, 5, 3, 1, 1, 2, 0 };
	struct given *given = *state;
	const struct strata_event_desc *event;
	struct strata_field_place place;
	struct strata_packet packet;
	struct strata_error error;
	struct strata_record record;
	size_t at = HEADER_BYTES;
	uint32_t offset = 0;
	unsigned int i;

	append_mixed(given);
	append_mixed(given);
	assert_int_equal(check(given, &packet, &error), 0);
	assert_int_equal(packet.content_bytes, given->used);
	assert_true(strata_packet_next(given->source, given->bytes, &packet, &at, &record));
	assert_true(strata_packet_next(given->source, given->bytes, &packet, &at, &record));
	event = record.event;
	assert_string_equal(event->name, "mixed");
	assert_int_equal(record.payload_bytes, 43);
	for (i = 0; i < event->nr_fields; i++) {
		assert_true(strata_field_find(&event->fields[i], record.payload,
					      record.payload_bytes, &offset, &place));
		assert_int_equal(place.offset, offsets[i]);
		assert_int_equal(place.count, counts[i]);
	}
	assert_int_equal(offset, 43);
	assert_int_equal(record.payload[22], 9);
	assert_memory_equal(record.payload + 40, "xy", 3);
	assert_false(strata_packet_next(given->source, given->bytes, &packet, &at, &record));
}

static void every_packet_that_ends_within_a_record_is_refused(void **state)
{
	struct given *given = *state;
	uint32_t whole;

	append_mixed(given);
	for (whole = given->used--; given->used > HEADER_BYTES + 12; given->used--) {
		put(given, 40, (uint64_t)given->used * 8, 8);
		assert_refused(given, "mixed runs over the packet's end");
	}
	given->used = whole;
}

static void a_string_without_its_end_is_refused(void **state)
{
	struct given *given = *state;

	begin_record(given, 1);
	append(given, "abcdefgh", 8);
	assert_refused(given, "string runs over the packet's end");
	append(given, "", 1);
	assert_int_equal(check(given, &(struct strata_packet){ 0 }, &(struct strata_error){ "" }),
			 0);
}

static void a_sequence_longer_than_its_packet_is_refused(void **state)
{
	static const uint32_t too_many[] = { 3, 0x20000000, 0x1fffffff, 0x80000000, 0xffffffff };
	struct given *given = *state;
	uint32_t at, i;

	begin_record(given, 2);
	at = given->used;
	append_number(given, 2, 4);
	append_number(given, 1, 8);
	append_number(given, 2, 8);
	assert_int_equal(check(given, &(struct strata_packet){ 0 }, &(struct strata_error){ "" }),
			 0);
	for (i = 0; i < sizeof(too_many) / sizeof(too_many[0]); i++) {
		put(given, at, too_many[i], 4);
		assert_refused(given, "sequence runs over the packet's end");
	}
}

static void a_payload_longer_than_any_can_be_is_refused(void **state)
{
	struct given *given = *state;
	char text[STRATA_PAYLOAD_BYTES_MAX + 1];

	memset(text, 'x', sizeof(text));
	text[STRATA_PAYLOAD_BYTES_MAX - 1] = '\0';
	begin_record(given, 1);
	append(given, text, STRATA_PAYLOAD_BYTES_MAX);
	assert_int_equal(check(given, &(struct strata_packet){ 0 }, &(struct strata_error){ "" }),
			 0);
	text[STRATA_PAYLOAD_BYTES_MAX - 1] = 'x';
	text[STRATA_PAYLOAD_BYTES_MAX] = '\0';
	begin_record(given, 1);
	append(given, text, STRATA_PAYLOAD_BYTES_MAX + 1);
	assert_refused(given, "string runs over the packet's end");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fields_lie_behind_what_has_no_fixed_length),
		TEST(every_packet_that_ends_within_a_record_is_refused),
		TEST(a_string_without_its_end_is_refused),
		TEST(a_sequence_longer_than_its_packet_is_refused),
		TEST(a_payload_longer_than_any_can_be_is_refused),
	};

	return cmocka_run_group_tests_name("variable", tests, NULL, NULL);
}

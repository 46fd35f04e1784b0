// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_guest_numbers.c - a guest that writes events with all numbers there are (HVMOP_xentrace)
 * causes no packet of Xen to be refused, and takes no place of others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <strata/abi/hypervisor.h>

#include "consumerd/packets/packet_check.h"
#include "recording/guest_numbers.h"
#include "../packet_records.h"

#define PACKET_BYTES 4096u
#define NUMBERS      4096u
#define GRANT_MAP    0x00101001u
#define OF_DOMAIN    STRATA_GUEST_NUMBERS_OF_DOMAIN

struct given {
	struct strata_recording recording, read;
	struct strata_source *source, *reader; /* the reader's has no limit */
	uint8_t bytes[PACKET_BYTES];
	uint32_t used;
	uint64_t ticks;
};

static uint32_t guest_id(uint32_t number, uint32_t words)
{
	return STRATA_HV_ID_GUEST | number | words << STRATA_HV_ID_WORDS_SHIFT;
}

static void begin_packet(struct given *given)
{
	given->used = STRATA_PACKET_HEADER_BYTES;
}

static uint32_t whole_header(const struct given *given)
{
	return strata_whole_header_bytes(given->source->form);
}

/* Each word of its payload is @id. */
static void add_record(struct given *given, uint32_t id, uint16_t domain)
{
	const struct strata_hv_context context = { .domain = domain, .vcpu = 3 };
	uint8_t *at = given->bytes + given->used + whole_header(given);
	uint32_t words = id & STRATA_HV_ID_OWN ? 1 : id >> STRATA_HV_ID_WORDS_SHIFT;

	strata_header_write(given->bytes + given->used, whole_header(given), id, ++given->ticks);
	memcpy(at, &context, sizeof(context));
	for (at += sizeof(context); words; words--, at += sizeof(id))
		memcpy(at, &id, sizeof(id));
	given->used = (uint32_t)(at - given->bytes);
}

static int check_packet(struct given *given, struct strata_packet *packet, uint64_t *nr,
			struct strata_error *error)
{
	struct strata_packet made = { .content_bytes = given->used,
				      .packet_bytes = PACKET_BYTES,
				      .end_ticks = given->ticks,
				      .form = given->source->form };
	struct strata_packet_header header;

	strata_packet_header_build(&header, &made);
	memcpy(given->bytes, &header, sizeof(header));
	return strata_packet_check(given->source, given->bytes, PACKET_BYTES, packet, nr, error);
}

/* The event of a packet's only record, as a reader of the recording finds it; NULL: refused. */
static const struct strata_event_desc *only_event(struct given *given, struct strata_record *record)
{
	size_t offset = STRATA_PACKET_HEADER_BYTES;
	struct strata_packet packet;
	struct strata_error error;
	uint64_t nr;

	if (check_packet(given, &packet, &nr, &error)) {
		print_error("%s\n", error.text);
		return NULL;
	}
	assert_int_equal(nr, 1);
	assert_int_equal(strata_packet_check(given->reader, given->bytes, PACKET_BYTES, &packet,
					     &nr, &error),
			 0);
	assert_true(strata_packet_next(given->reader, given->bytes, &packet, &offset, record));
	return record->event;
}

static const struct strata_event_desc *recorded_as(struct given *given, uint32_t id,
						   uint16_t domain)
{
	struct strata_record record;

	begin_packet(given);
	add_record(given, id, domain);
	return only_event(given, &record);
}

#define assert_recorded_as(given, id, domain, as)                                        \
	do {                                                                             \
		const struct strata_event_desc *event_ = recorded_as(given, id, domain); \
		assert_non_null(event_);                                                 \
		assert_string_equal(event_->name, as);                                   \
	} while (0)

/* All numbers in all sizes, from one domain. */
static void write_all_numbers(struct given *given, uint16_t domain)
{
	struct strata_packet packet;
	struct strata_error error;
	uint32_t number, words;
	uint64_t nr;

	for (number = 0; number < NUMBERS; number++) {
		begin_packet(given);
		for (words = 0; words < 8; words++)
			add_record(given, guest_id(number, words), domain);
		if (check_packet(given, &packet, &nr, &error))
			fail_msg("number %u: %s", number, error.text);
		assert_int_equal(nr, 8);
	}
}

static struct strata_source *add_xen(struct strata_recording *recording)
{
	struct strata_source *source = strata_recording_add_source(recording, "xen");

	assert_non_null(source);
	source->layer = STRATA_LAYER_XEN;
	return source;
}

static int set_up(void **state)
{
	static struct given given;
	struct strata_error error;

	memset(&given, 0, sizeof(given));
	given.source = add_xen(&given.recording);
	given.reader = add_xen(&given.read);
	assert_int_equal(strata_source_limit_guests(given.source, &error), 0);
	*state = &given;
	return 0;
}

static int tear_down(void **state)
{
	struct given *given = *state;

	strata_recording_clear(&given->recording);
	strata_recording_clear(&given->read);
	return 0;
}

static void few_numbers_are_recorded_as_they_are(void **state)
{
	struct given *given = *state;
	uint32_t number;
	char name[20];

	for (number = 0; number < OF_DOMAIN; number++) {
		snprintf(name, sizeof(name), "trc_0x%07x", STRATA_HV_ID_GUEST + number);
		assert_recorded_as(given, guest_id(number, 0), 1, name);
	}
	assert_false(given->source->guest_numbers->any_replaced);
	assert_recorded_as(given, guest_id(number, 0), 1, "trc_guest_other");
	assert_true(given->source->guest_numbers->any_replaced);
	assert_int_equal(given->source->guest_numbers->replaced_domain, 1);
	/* It has its places for good. */
	assert_recorded_as(given, guest_id(0, 0), 1, "trc_0x800f000");
}

static void all_numbers_of_a_guest_take_no_place_of_others(void **state)
{
	struct given *given = *state;

	write_all_numbers(given, 1);
	/* Its own in eight sizes, and what stands for the others in each. */
	assert_int_equal(given->source->nr_events, OF_DOMAIN + 8);
	assert_recorded_as(given, GRANT_MAP | 2u << STRATA_HV_ID_WORDS_SHIFT, 2, "trc_0x0101001");
	assert_recorded_as(given, guest_id(NUMBERS - 1, 1), 2, "trc_0x800ffff");
	assert_recorded_as(given, guest_id(NUMBERS - 2, 1), 1, "trc_guest_other");
}

static void all_guests_together_leave_room_for_xen(void **state)
{
	struct given *given = *state;
	uint16_t domain;
	uint32_t i;

	for (domain = 1; domain <= 100; domain++)
		for (i = 0; i < 2 * OF_DOMAIN; i++)
			assert_non_null(recorded_as(
				given,
				guest_id((domain * 2u * OF_DOMAIN + i) % NUMBERS, domain % 8),
				domain));
	assert_int_equal(given->source->guest_numbers->nr, STRATA_GUEST_NUMBERS_MAX);
	assert_int_equal(given->source->nr_events, STRATA_GUEST_NUMBERS_MAX + 8);
	assert_recorded_as(given, 0x00321001u, 200, "trc_0x0321001");
}

static void what_stands_for_others_has_their_words_and_time(void **state)
{
	struct given *given = *state;
	struct strata_hv_context context;
	struct strata_record record;
	const uint32_t id = guest_id(0x123, 5);
	uint32_t word, i;

	write_all_numbers(given, 1);
	begin_packet(given);
	add_record(given, id, 1);
	assert_string_equal(only_event(given, &record)->name, "trc_guest_other");
	assert_int_equal(record.ticks, given->ticks);
	memcpy(&context, record.context, sizeof(context));
	assert_int_equal(context.domain, 1);
	assert_int_equal(context.vcpu, 3);
	assert_int_equal(record.payload_bytes, 20);
	for (i = 0; i < 5; i++) {
		memcpy(&word, record.payload + i * sizeof(word), sizeof(word));
		assert_int_equal(word, id);
	}
}

/* The same id without a place, again and again, and between others of the same size. */
static void records_in_a_row_are_all_replaced(void **state)
{
	struct given *given = *state;
	size_t offset = STRATA_PACKET_HEADER_BYTES;
	struct strata_record record;
	struct strata_packet packet;
	struct strata_error error;
	uint32_t i, others = 0;
	uint64_t nr;

	write_all_numbers(given, 1);
	begin_packet(given);
	for (i = 0; i < 60; i++)
		add_record(given, guest_id(i % 3 == 2 ? 0 : 0x800, 0), 1);
	assert_int_equal(check_packet(given, &packet, &nr, &error), 0);
	assert_int_equal(nr, 60);
	while (strata_packet_next(given->reader, given->bytes, &packet, &offset, &record))
		others += strcmp(record.event->name, "trc_guest_other") == 0;
	assert_int_equal(others, 40);
	assert_int_equal(given->reader->nr_events, 2);
}

static void extended_headers_get_the_other_id_as_well(void **state)
{
	struct given *given = *state;

	given->source->form = given->reader->form = STRATA_HEADER_COMPACT;
	write_all_numbers(given, 1);
	assert_recorded_as(given, guest_id(0x800, 2), 1, "trc_guest_other");
}

static void records_without_a_packet_header_are_replaced_as_well(void **state)
{
	struct given *given = *state;
	struct strata_packet packet;
	struct strata_error error;
	uint32_t id;
	uint64_t nr;

	write_all_numbers(given, 1);
	begin_packet(given);
	add_record(given, guest_id(0x800, 1), 1);
	assert_int_equal(strata_packet_check_unfinished(given->source, given->bytes, given->used, 0,
							&packet, &nr, &error),
			 0);
	memcpy(&id, given->bytes + STRATA_PACKET_HEADER_BYTES, sizeof(id));
	assert_int_equal(id, STRATA_HV_ID_GUEST_CLASS | 1u << STRATA_HV_ID_WORDS_SHIFT);
}

/* Xen itself has a few hundred; but if a later one has more, no packet is lost. */
static void a_full_table_leaves_out_no_packet(void **state)
{
	struct given *given = *state;
	uint32_t i;

	for (i = 0; i < STRATA_SOURCE_EVENTS_MAX; i++)
		assert_non_null(strata_source_place_event(given->source, 0x00300000u + i, 1));
	assert_recorded_as(given, 0x00402000u | 3u << STRATA_HV_ID_WORDS_SHIFT, 2, "trc_other");
	assert_recorded_as(given, guest_id(1, 3), 2, "trc_guest_other");
	assert_int_equal(given->source->guest_numbers->replaced_id, 0x00300000u + 4072);
	assert_recorded_as(given, (uint32_t)STRATA_HV_SELECTION, 2, "strata_selection");
	assert_true(given->source->nr_events <= STRATA_SOURCE_EVENTS_MAX);
}

/* Xen's ids do not fit in a short header; one that does has no room for another id. */
static void a_short_header_without_a_place_is_refused(void **state)
{
	struct given *given = *state;
	struct strata_packet packet;
	struct strata_error error;
	uint64_t nr;
	uint32_t i;

	given->source->form = given->reader->form = STRATA_HEADER_COMPACT;
	for (i = 0; i < STRATA_SOURCE_EVENTS_MAX; i++)
		strata_source_place_event(given->source, 0x00300000u + i, 1);
	begin_packet(given);
	memset(given->bytes + given->used, 0, 64);
	strata_header_write(given->bytes + given->used, STRATA_COMPACT_HEADER_BYTES, 5, 1);
	given->used += STRATA_COMPACT_HEADER_BYTES + (uint32_t)sizeof(struct strata_hv_context);
	given->ticks = 1;
	assert_int_equal(check_packet(given, &packet, &nr, &error), -1);
}

static void malformed_packets_are_refused_still(void **state)
{
	const uint32_t unplaced = guest_id(0x800, 2);
	struct given *given = *state;
	struct strata_packet packet;
	struct strata_error error;
	uint64_t nr;

	write_all_numbers(given, 1);
	/* A record without a place that runs over the end, and one that ends in its context. */
	begin_packet(given);
	add_record(given, unplaced, 1);
	given->used -= 4;
	assert_int_equal(check_packet(given, &packet, &nr, &error), -1);
	given->used -= 8;
	assert_int_equal(check_packet(given, &packet, &nr, &error), -1);
	/* One of Strata's own events that there is not. */
	begin_packet(given);
	add_record(given, STRATA_HV_ID_OWN | 77u, 1);
	assert_int_equal(check_packet(given, &packet, &nr, &error), -1);
	assert_non_null(strstr(error.text, "unknown event id"));
	/* Time that goes back. */
	begin_packet(given);
	add_record(given, unplaced, 1);
	given->ticks -= 5;
	add_record(given, unplaced, 1);
	assert_int_equal(check_packet(given, &packet, &nr, &error), -1);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(few_numbers_are_recorded_as_they_are),
		TEST(all_numbers_of_a_guest_take_no_place_of_others),
		TEST(all_guests_together_leave_room_for_xen),
		TEST(what_stands_for_others_has_their_words_and_time),
		TEST(records_in_a_row_are_all_replaced),
		TEST(extended_headers_get_the_other_id_as_well),
		TEST(records_without_a_packet_header_are_replaced_as_well),
		TEST(a_full_table_leaves_out_no_packet),
		TEST(a_short_header_without_a_place_is_refused),
		TEST(malformed_packets_are_refused_still),
	};

	return cmocka_run_group_tests_name("guest numbers", tests, NULL, NULL);
}

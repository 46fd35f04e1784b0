/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * given_packet.h - a good packet, made by hand, whose bytes a test changes.
 */
#ifndef STRATA_TESTS_GIVEN_PACKET_H
#define STRATA_TESTS_GIVEN_PACKET_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "consumerd/packets/packet_check.h"

#define PACKET_BYTES 4096u
#define HEADER_BYTES 104u

struct given {
	struct strata_recording recording;
	struct strata_source *source;
	uint8_t bytes[PACKET_BYTES];
	uint32_t used;
};

static inline void put(uint8_t *bytes, uint32_t offset, uint64_t value, uint32_t size)
{
	const uint32_t half = (uint32_t)value;

	memcpy(bytes + offset, size == 4 ? (const void *)&half : &value, size);
}

/* id, ticks, tid, then @payload_bytes of @fill; padded to a multiple of 4. */
static inline void add_record(struct given *given, uint32_t id, uint64_t ticks,
			      uint32_t payload_bytes, uint8_t fill)
{
	put(given->bytes, given->used, id, 4);
	put(given->bytes, given->used + 4, ticks, 8);
	put(given->bytes, given->used + 12, 77, 4);
	memset(given->bytes + given->used + 16, fill, payload_bytes);
	given->used += (16 + payload_bytes + 3) & ~3u;
	put(given->bytes, 40, (uint64_t)given->used * 8, 8);
}

/* Takes the records out of a packet, which has those headers from then on and this time. */
static inline void begin_anew(struct given *given, enum strata_header_form form, uint64_t begin,
			      uint64_t end)
{
	given->used = HEADER_BYTES;
	given->source->form = form;
	put(given->bytes, 20, form, 4);
	put(given->bytes, 24, begin, 8);
	put(given->bytes, 32, end, 8);
}

static inline int set_up(void **state)
{
	/* 4 + 2 bytes: needs padding */
	const struct strata_event_desc first = {
		.id = 0,
		.name = "first",
		.nr_fields = 2,
		.fields = { { "a", STRATA_FIELD_UNSIGNED, 4, 1 },
			    { "b", STRATA_FIELD_UNSIGNED, 2, 1 } },
	};
	const struct strata_event_desc second = { .id = 7, .name = "second", .nr_fields = 0 };
	static struct given given;
	struct strata_error error;
	unsigned int i;

	memset(&given, 0, sizeof(given));
	given.source = strata_recording_add_source(&given.recording, "g1");
	given.source->layer = STRATA_LAYER_KERNEL;
	for (i = 0; i < 16; i++)
		given.source->uuid[i] = (uint8_t)(i + 1);
	assert_int_equal(strata_source_add_event(given.source, &first, &error), 0);
	assert_int_equal(strata_source_add_event(given.source, &second, &error), 0);

	put(given.bytes, 0, 0xC1FC1FC1u, 4);
	put(given.bytes, 24, 1000, 8);             /* begin */
	put(given.bytes, 32, 2000, 8);             /* end */
	put(given.bytes, 48, PACKET_BYTES * 8, 8); /* packet size */
	put(given.bytes, 56, 5, 8);                /* sequence */
	put(given.bytes, 64, 6, 8);                /* discarded = 1 + 2 + 3 */
	put(given.bytes, 72, 1, 8);
	put(given.bytes, 80, 2, 8);
	put(given.bytes, 88, 3, 8);
	put(given.bytes, 96, 3, 4); /* CPU */
	given.used = HEADER_BYTES;
	add_record(&given, 0, 1000, 6, 0xaa);
	add_record(&given, 7, 1500, 0, 0);
	add_record(&given, 0, 2000, 6, 0xbb);
	*state = &given;
	return 0;
}

static inline int tear_down(void **state)
{
	strata_recording_clear(&((struct given *)*state)->recording);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif /* STRATA_TESTS_GIVEN_PACKET_H */

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write_trace.c - a CTF trace from beginning to end, in the byte order of the
 * processor that it runs on: records go through a ring, a reader drains it,
 * packets are checked and written as the recorder does, and so is the metadata.
 * Any processor must write a trace that reads the same.  The same events are
 * written once with each form of header, into `arch`, `arch-compact` and
 * `arch-large`.  Called by test_traces.sh; prints how many events there must be.
 */
#include <stdint.h>

/* Every clock is the same. */
static uint64_t ticks_now;
#define strata_clock() ticks_now

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <strata/ring_reader.h>
#include <strata/ring_writer.h>

#include "recording/ctf_metadata.h"
#include "consumerd/packets/packet_check.h"
#include "consumerd/drain/stream_file.h"

#define NR_CPUS        2u
#define RECORDS        700u
#define RECORDS_NESTED 5u  /* each so many records, one that is committed later than the next */
#define RECORDS_BIG    97u /* each so many records, one that is too large */

static const struct strata_ring_geometry geo = { .subbuf_bits = 12, .nr_subbufs_bits = 2 };

/* Each kind and width of field there is. */
static const struct strata_event_desc described[] = {
	{ .id = 1,
	  .name = "fixed",
	  .group = "arch",
	  .nr_fields = 11,
	  .fields = { { "u8", STRATA_FIELD_UNSIGNED, 1, 1 },
		      { "u16", STRATA_FIELD_UNSIGNED, 2, 1 },
		      { "u32", STRATA_FIELD_UNSIGNED, 4, 1 },
		      { "u64", STRATA_FIELD_UNSIGNED, 8, 1 },
		      { "s8", STRATA_FIELD_SIGNED, 1, 1 },
		      { "s16", STRATA_FIELD_SIGNED, 2, 1 },
		      { "s32", STRATA_FIELD_SIGNED, 4, 1 },
		      { "s64", STRATA_FIELD_SIGNED, 8, 1 },
		      { "hex", STRATA_FIELD_HEX, 8, 1 },
		      { "text", STRATA_FIELD_TEXT, 1, 6 },
		      { "array", STRATA_FIELD_UNSIGNED, 2, 3 } } },
	{ .id = 2,
	  .name = "variable",
	  .group = "arch",
	  .nr_fields = 3,
	  .fields = { { "string", STRATA_FIELD_STRING, 1, 1 },
		      { "sequence", STRATA_FIELD_UNSIGNED, 2, 0 },
		      { "last", STRATA_FIELD_HEX, 4, 1 } } },
};

/* A payload that grows by one value after the other, aligned as event.h says. */
struct payload {
	unsigned char bytes[256];
	uint32_t used;
};

static void put(struct payload *payload, const void *value, uint32_t bytes, uint32_t count)
{
	payload->used = strata_field_align(payload->used, bytes);
	memcpy(payload->bytes + payload->used, value, (size_t)bytes * count);
	payload->used += bytes * count;
}

/* The integer types hold the value's low part, whatever the byte order. */
static void put_integers(struct payload *payload, uint64_t value)
{
	const uint8_t u8 = (uint8_t)value;
	const uint16_t u16 = (uint16_t)value;
	const uint32_t u32 = (uint32_t)value;

	put(payload, &u8, 1, 1);
	put(payload, &u16, 2, 1);
	put(payload, &u32, 4, 1);
	put(payload, &value, 8, 1);
}

static void fill_fixed(struct payload *payload, uint32_t number)
{
	const uint16_t array[3] = { (uint16_t)number, 258, 0xff00 };
	const uint64_t hex = 0x0123456789abcdefu ^ number;

	put_integers(payload, number * 0x0101010101010101u);
	put_integers(payload, (uint64_t) - (int64_t)number);
	put(payload, &hex, 8, 1);
	put(payload, "arch\0", 1, 6);
	put(payload, array, 2, 3);
}

static void fill_variable(struct payload *payload, uint32_t number)
{
	const uint32_t length = number % 5, last = 0xfeed0000u + number;
	uint16_t sequence[5];
	uint32_t i;

	for (i = 0; i < length; i++)
		sequence[i] = (uint16_t)(number + 256 * i);
	/* Not empty: babeltrace2 shows an empty string as one that it read before. */
	put(payload, "a string", 1, number % 8 + 2);
	payload->bytes[payload->used - 1] = 0;
	put(payload, &length, 4, 1);
	put(payload, sequence, 2, length);
	put(payload, &last, 4, 1);
}

/* Some records come as late after the one before as a short header spans, some a tick later. */
static uint64_t pause_before(uint32_t number)
{
	switch (number % 50) {
	case 10:
		return (1ull << STRATA_COMPACT_TICKS_BITS) - 1;
	case 20:
		return 1ull << STRATA_COMPACT_TICKS_BITS;
	case 30:
		return (1ull << STRATA_LARGE_TICKS_BITS) - 1;
	case 40:
		return 1ull << STRATA_LARGE_TICKS_BITS;
	default:
		return 1000;
	}
}

/* Reserves and fills a record of the application's layer. */
static bool begin_record(struct strata_ring *ring, uint32_t number, struct strata_slot *slot)
{
	struct payload payload = { .used = 0 };
	const int32_t context[2] = { 4711, -(int32_t)number };

	put(&payload, context, 4, 2);
	if (number % 3)
		fill_fixed(&payload, number);
	else
		fill_variable(&payload, number);
	ticks_now += pause_before(number);
	if (!strata_ring_reserve(ring, number % 3 ? 1 : 2, payload.used, slot))
		return false;
	strata_copy(slot->payload, payload.bytes, payload.used);
	return true;
}

static void fail(const char *what, const struct strata_error *error)
{
	fprintf(stderr, "write_trace: %s%s%s\n", what, error ? ": " : "", error ? error->text : "");
	exit(1);
}

/* Takes what is ready, as a reader that does not trust it.  Returns the events. */
static uint64_t drain(struct strata_ring_reader *reader, struct strata_source *source,
		      struct stream_file *file)
{
	uint64_t events = 0, packet_events;
	static uint64_t copy[(1u << 12) / 8];
	struct strata_packet_header *header = (struct strata_packet_header *)copy;
	struct strata_packet packet;
	struct strata_error error;

	while (strata_reader_get(reader)) {
		memcpy(copy, strata_reader_subbuf(reader), sizeof(copy));
		strata_reader_put(reader);
		memcpy(header->uuid, source->uuid, sizeof(header->uuid));
		if (strata_packet_check(source, copy, sizeof(copy), &packet, &packet_events,
					&error))
			fail("a packet", &error);
		strata_packet_header_build(header, &packet);
		memcpy(header->uuid, source->uuid, sizeof(header->uuid));
		if (stream_file_append(file, copy, sizeof(copy), &error) != STREAM_FILE_OK)
			fail("a stream", &error);
		events += packet_events;
	}
	return events;
}

static void *zeroed(size_t bytes)
{
	void *memory =
		aligned_alloc(STRATA_PAGE_BYTES, (bytes + STRATA_PAGE_BYTES - 1) & ~(size_t)4095);

	if (!memory)
		fail("no memory", NULL);
	return memset(memory, 0, (bytes + STRATA_PAGE_BYTES - 1) & ~(size_t)4095);
}

/* One CPU: writes, and drains while it does.  Returns the events. */
static uint64_t trace_cpu(const struct strata_dir *dir, struct strata_source *source, uint32_t cpu)
{
	struct strata_ring_writer_area *writer = zeroed(sizeof(*writer));
	struct strata_ring_reader_area *shared = zeroed(sizeof(*shared));
	struct strata_ring *ring = zeroed(strata_ring_bytes(geo));
	void *data = zeroed(strata_data_bytes(geo));
	struct strata_slot outer, inner;
	struct strata_ring_reader reader;
	struct stream_file file;
	struct strata_error error;
	uint64_t events = 0;
	uint32_t number;

	strata_ring_init(ring, geo, data, writer, shared, cpu, 0);
	strata_ring_set_form(ring, source->form);
	if (strata_reader_init(&reader, geo, writer, shared, data) != STRATA_READER_OK)
		fail("the reader refuses the ring", NULL);
	stream_file_name(&file, dir, source->name, cpu);
	for (number = 0; number < RECORDS; number++) {
		if (number % RECORDS_BIG == 0)
			strata_ring_reserve(ring, 1, STRATA_PAYLOAD_BYTES_MAX + 1, &outer);
		if (!begin_record(ring, number, &outer))
			fail("a record is lost", NULL);
		if (number % RECORDS_NESTED == 0 && begin_record(ring, number + 1000, &inner))
			strata_ring_commit(ring, &inner);
		strata_ring_commit(ring, &outer);
		events += drain(&reader, source, &file);
	}
	strata_ring_flush(ring);
	events += drain(&reader, source, &file);
	if (stream_file_close(&file, &error))
		fail("a stream", &error);
	free(data);
	free(ring);
	free(shared);
	free(writer);
	return events;
}

/* One trace, in a directory of its own.  Returns the events. */
static uint64_t trace(const char *dir, const char *name, enum strata_header_form form)
{
	struct strata_recording recording = { .tsc_khz = 1000000,
					      .anchor_ticks = 5000,
					      .anchor_realtime_ns = 1700000000000000755u };
	struct strata_source *source = strata_recording_add_source(&recording, name);
	uint64_t nr_events = 0;
	struct strata_error error;
	struct strata_dir opened;
	char path[512];
	uint32_t i;

	if (!source)
		fail("no memory", NULL);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (mkdir(path, 0755))
		fail("a trace's directory cannot be made", NULL);
	source->layer = STRATA_LAYER_APP;
	source->form = form;
	strcpy(source->domain_name, "arch");
	for (i = 0; i < sizeof(source->uuid); i++)
		source->uuid[i] = (uint8_t)(0x10 + 0x10 * form + i);
	for (i = 0; i < sizeof(described) / sizeof(described[0]); i++)
		if (strata_source_add_event(source, &described[i], &error))
			fail("an event", &error);
	ticks_now = 1000000;
	if (strata_dir_open(&opened, dir, &error))
		fail("the directory", &error);
	for (i = 0; i < NR_CPUS; i++)
		nr_events += trace_cpu(&opened, source, i);
	if (strata_ctf_metadata_save(&recording, source, &opened, &error))
		fail("the metadata", &error);
	strata_dir_close(&opened);
	strata_recording_clear(&recording);
	return nr_events;
}

int main(int argc, char **argv)
{
	uint64_t nr_events;

	if (argc != 2 || mkdir(argv[1], 0755))
		fail("usage: write_trace DIR, which must not be there", NULL);
	nr_events = trace(argv[1], "arch", STRATA_HEADER_FULL) +
		    trace(argv[1], "arch-compact", STRATA_HEADER_COMPACT) +
		    trace(argv[1], "arch-large", STRATA_HEADER_LARGE);
	printf("%llu\n", (unsigned long long)nr_events);
	return 0;
}

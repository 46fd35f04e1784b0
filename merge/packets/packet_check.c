// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * packet_check.c - takes packets apart.  The recorder calls it before a packet
 * goes to disk, the merger for each packet of a file.
 *
 * The bytes may be anybody's.  Sizes are compared before they are added, no
 * offset is used before it was compared, and a packet costs time in proportion
 * to its size at most.
 */
#include "packets/packet_check.h"

#include <string.h>

static uint32_t padded(uint32_t bytes)
{
	return (bytes + 3u) & ~3u;
}

/* What a record is made of after its header: context, then payload on a multiple of 4. */
static uint32_t context_bytes(const struct strata_source *source)
{
	/* Each record asks: found out once for a layer; whoever else does at the same time finds
	 * the same. */
	static uint32_t known[STRATA_LAYER_APP + 1];
	uint32_t bytes = __atomic_load_n(&known[source->layer], __ATOMIC_RELAXED);

	if (bytes)
		return bytes;
	bytes = padded(strata_event_payload_bytes(strata_layer_context(source->layer)));
	__atomic_store_n(&known[source->layer], bytes, __ATOMIC_RELAXED);
	return bytes;
}

static void read_header(const void *bytes, struct strata_packet_header *header)
{
	memcpy(header, bytes, sizeof(*header));
}

static void unpack_header(const struct strata_packet_header *header, struct strata_packet *packet)
{
	unsigned int i;

	packet->begin_ticks = header->timestamp_begin;
	packet->end_ticks = header->timestamp_end;
	packet->content_bytes = (uint32_t)(header->content_size / 8u);
	packet->packet_bytes = (uint32_t)(header->packet_size / 8u);
	packet->sequence = header->packet_seq_num;
	for (i = 0; i < STRATA_NR_LOST; i++)
		packet->lost[i] = header->lost[i];
	packet->cpu = header->cpu_id;
	packet->form = (enum strata_header_form)header->stream_id;
}

static bool uuid_fits(const struct strata_source *source, const uint8_t uuid[16])
{
	static const uint8_t none[16];

	return memcmp(uuid, source->uuid, 16) == 0 || memcmp(uuid, none, 16) == 0;
}

static int check_sizes(const struct strata_packet_header *header, size_t size,
		       struct strata_error *error)
{
	if (header->packet_size % 8u || header->content_size % 8u)
		return strata_fail(error, "sizes of %llu and %llu bits are not whole bytes",
				   (unsigned long long)header->content_size,
				   (unsigned long long)header->packet_size);
	if (header->packet_size / 8u > size)
		return strata_fail(error, "bad packet size %llu (%zu bytes are there)",
				   (unsigned long long)(header->packet_size / 8u), size);
	if (header->packet_size / 8u > 1ull << STRATA_SUBBUF_BITS_MAX)
		return strata_fail(error, "bad packet size %llu (at most %llu can be)",
				   (unsigned long long)(header->packet_size / 8u),
				   1ull << STRATA_SUBBUF_BITS_MAX);
	if (header->content_size > header->packet_size ||
	    header->content_size / 8u < sizeof(*header))
		return strata_fail(error, "bad content size %llu (packet is %llu)",
				   (unsigned long long)(header->content_size / 8u),
				   (unsigned long long)(header->packet_size / 8u));
	return 0;
}

static int check_lost(const struct strata_packet_header *header, struct strata_error *error)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < STRATA_NR_LOST; i++) {
		if (header->lost[i] > INT64_MAX - sum)
			return strata_fail(error, "bad count of lost events");
		sum += header->lost[i];
	}
	if (header->events_discarded != sum)
		return strata_fail(
			error, "%llu events discarded, but the kinds of loss sum to %llu",
			(unsigned long long)header->events_discarded, (unsigned long long)sum);
	return 0;
}

static int check_header(const struct strata_source *source,
			const struct strata_packet_header *header, size_t size,
			struct strata_error *error)
{
	if (header->magic != STRATA_CTF_MAGIC)
		return strata_fail(error, "no packet begins here (magic 0x%08x)", header->magic);
	if (!uuid_fits(source, header->uuid))
		return strata_fail(error, "the packet is another trace's (its UUID differs)");
	if (header->stream_id >= STRATA_NR_HEADER_FORMS)
		return strata_fail(error, "bad stream id %u", header->stream_id);
	if (header->stream_id != source->form)
		return strata_fail(error,
				   "its events have %s headers, and the recording has %s ones",
				   strata_header_form_name(header->stream_id),
				   strata_header_form_name(source->form));
	if (check_sizes(header, size, error) || check_lost(header, error))
		return -1;
	if (header->timestamp_begin > header->timestamp_end)
		return strata_fail(error, "it ends (%llu) before it begins (%llu)",
				   (unsigned long long)header->timestamp_end,
				   (unsigned long long)header->timestamp_begin);
	if (header->cpu_id > STRATA_CPU_MAX)
		return strata_fail(error, "bad CPU number %u", header->cpu_id);
	return 0;
}

/* The description of a record's event by its id or number, and how long its payloads are. */
static const struct strata_event_shape *find_shape(struct strata_source *source, uint32_t id)
{
	const struct strata_event_shape *shape = strata_source_record_shape(source, id);

	if (!shape && !source->by_number && strata_source_event(source, id))
		shape = strata_source_shape(source, id);
	return shape;
}

/*
 * Reads the record at @offset, which is a multiple of 4 and within the content.
 * Returns its bytes, without the padding behind it; 0: it runs over the end; @id
 * is set then too if there was room for a header.  An unknown id gives
 * record->event NULL.
 * @record: IN: ticks of the record before, or the packet's begin; OUT
 */
static uint32_t read_record(struct strata_source *source, const uint8_t *bytes,
			    uint32_t content_bytes, uint32_t offset, uint32_t *id,
			    struct strata_record *record)
{
	const struct strata_event_shape *shape;
	uint32_t left = content_bytes - offset;
	uint32_t header_bytes, head;
	int64_t length;

	*id = UINT32_MAX;
	record->event = NULL;
	header_bytes = strata_header_read(source->form, bytes + offset, left, record->ticks, id,
					  &record->ticks);
	if (!header_bytes)
		return 0;
	head = header_bytes + context_bytes(source);
	shape = find_shape(source, *id);
	if (!shape)
		return 0;
	record->event = strata_shape_event(source, shape);
	if (head > left)
		return 0;
	record->context = bytes + offset + header_bytes;
	record->payload = bytes + offset + head;
	left -= head;
	if (left > STRATA_PAYLOAD_BYTES_MAX)
		left = STRATA_PAYLOAD_BYTES_MAX;
	length = shape->fixed_bytes;
	if (shape->variable)
		length = strata_payload_length(source, shape, record->payload, left);
	if (length < 0 || length > left)
		return 0;
	record->payload_bytes = (uint32_t)length;
	return head + (uint32_t)length;
}

/*
 * Checks all records.
 * @end:    OUT, where the last one ends, or the header if there is none
 * @newest: OUT, its time, or the packet's begin
 */
static int check_records(struct strata_source *source, const uint8_t *bytes,
			 const struct strata_packet *packet, uint64_t *nr_events, uint32_t *end,
			 uint64_t *newest, struct strata_error *error)
{
	uint64_t previous = packet->begin_ticks;
	uint32_t offset = STRATA_PACKET_HEADER_BYTES;
	struct strata_record record = { .ticks = previous };
	uint32_t id, length;

	*end = offset;
	for (*nr_events = 0; offset < packet->content_bytes; (*nr_events)++) {
		length = read_record(source, bytes, packet->content_bytes, offset, &id, &record);
		if (length == 0 && !record.event && id == UINT32_MAX)
			return strata_fail(error, "record at %u: no room for its header", offset);
		if (length == 0 && !record.event)
			return strata_fail(error, "record at %u: unknown event id %u", offset, id);
		if (length == 0)
			return strata_fail(error, "record at %u: %s runs over the packet's end",
					   offset, record.event->name);
		if (record.ticks < previous)
			return strata_fail(error, "record at %u: time goes back from %llu to %llu",
					   offset, (unsigned long long)previous,
					   (unsigned long long)record.ticks);
		if (record.ticks > packet->end_ticks)
			return strata_fail(error,
					   "record at %u: time %llu is after the packet's end %llu",
					   offset, (unsigned long long)record.ticks,
					   (unsigned long long)packet->end_ticks);
		previous = record.ticks;
		*end = offset + length;
		offset = padded(*end);
	}
	*newest = previous;
	return 0;
}

int strata_packet_check(struct strata_source *source, const void *bytes, size_t size,
			struct strata_packet *packet, uint64_t *nr_events,
			struct strata_error *error)
{
	struct strata_packet_header header;
	uint64_t newest;
	uint32_t end;

	*nr_events = 0;
	if (size < sizeof(header))
		return strata_fail(error, "%zu bytes are too few for a packet's header", size);
	read_header(bytes, &header);
	if (check_header(source, &header, size, error))
		return -1;
	unpack_header(&header, packet);
	if (check_records(source, bytes, packet, nr_events, &end, &newest, error))
		return -1;
	packet->content_bytes = end;
	return 0;
}

int strata_packet_check_unfinished(struct strata_source *source, const void *bytes,
				   uint32_t content_bytes, uint64_t begin_ticks,
				   struct strata_packet *packet, uint64_t *nr_events,
				   struct strata_error *error)
{
	size_t offset = STRATA_PACKET_HEADER_BYTES;
	struct strata_record record;
	uint64_t newest;
	uint32_t end;

	memset(packet, 0, sizeof(*packet));
	*nr_events = 0;
	if (content_bytes <= STRATA_PACKET_HEADER_BYTES || content_bytes % 4)
		return strata_fail(error, "%u bytes hold no records", content_bytes);
	packet->content_bytes = packet->packet_bytes = content_bytes;
	packet->begin_ticks = begin_ticks;
	packet->end_ticks = UINT64_MAX;
	packet->form = source->form;
	if (check_records(source, bytes, packet, nr_events, &end, &newest, error))
		return -1;
	packet->content_bytes = end;
	if (!begin_ticks && strata_packet_next(source, bytes, packet, &offset, &record))
		packet->begin_ticks = record.ticks;
	packet->end_ticks = newest;
	return 0;
}

bool strata_packet_next(struct strata_source *source, const void *bytes,
			const struct strata_packet *packet, size_t *offset,
			struct strata_record *record)
{
	uint32_t id, length;

	if (*offset >= packet->content_bytes)
		return false;
	if (*offset == STRATA_PACKET_HEADER_BYTES)
		record->ticks = packet->begin_ticks;
	length = read_record(source, bytes, packet->content_bytes, (uint32_t)*offset, &id, record);
	*offset = padded((uint32_t)*offset + length);
	return length != 0;
}

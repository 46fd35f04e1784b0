// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * packet_check.c - validates packets.  The recorder calls it before a packet goes to disk, and the
 *                  merge for each packet of a file.
 *
 * The bytes are hostile.  Sizes are compared before they are added, offsets before they are used,
 * and the time for a packet is at most proportional to its size.
 */
#include "consumerd/packets/packet_check.h"

#include <string.h>

#include <strata/abi/guest_context.h>
#include <strata/abi/hypervisor.h>

#include "recording/guest_numbers.h"
#include "recording/header_form.h"

static uint32_t padded(uint32_t bytes)
{
	return (bytes + 3u) & ~3u;
}

/* The layer's context and the payload follow a record's header, the payload on a multiple of 4; a
 * kernel's chosen contexts are in between. */
static uint32_t context_bytes(const struct strata_source *source)
{
	/* Computed once for each layer; threads that race store the same value. */
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
	packet->layer_word = header->layer_word;
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
		return strata_fail(error, "bad packet size %llu (at most %llu)",
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

/* Finds the shape of an event that is not at its usual index. */
static __attribute__((noinline)) const struct strata_event_shape *
search_shape(struct strata_source *source, uint32_t id)
{
	const struct strata_event_shape *shape = strata_source_record_shape(source, id);

	if (!shape && !source->by_number && !source->guest_numbers &&
	    strata_source_event(source, id))
		shape = strata_source_shape(source, id);
	return shape;
}

/* Finds the shape of the event with that id or number; NULL: no such event. */
static inline const struct strata_event_shape *find_shape(struct strata_source *source, uint32_t id)
{
	/* A kernel's and an application's ids are indices into its table. */
	if (!source->by_number && id < source->nr_events && source->shapes[id].id == id)
		return &source->shapes[id];
	return search_shape(source, id);
}

/*
 * Adds the id of a record of Xen to the table.  If the table has no room for it, the record gets
 * another id, which stands for all that have no room, in the packet as well: readers know no
 * other.
 * @behind: what follows the record's header, its context first
 * @header_bytes: of that header; a short one has no room for another id, and Xen writes none
 * @id: IN/OUT
 * Returns the shape; NULL: no such event.
 */
static __attribute__((noinline)) const struct strata_event_shape *
place_record(struct strata_source *source, uint8_t *behind, uint32_t header_bytes, uint32_t *id)
{
	const struct strata_event_shape *shape;
	uint16_t domain;

	memcpy(&domain, behind + offsetof(struct strata_hv_context, domain), sizeof(domain));
	shape = strata_source_place_event(source, *id, domain);
	if (!shape || shape->id == *id)
		return shape;
	if (header_bytes != strata_whole_header_bytes(source->form))
		return NULL;
	*id = shape->id;
	memcpy(behind - STRATA_RECORD_HEADER_BYTES + offsetof(struct strata_record_header, id), id,
	       sizeof(*id));
	return shape;
}

/* What a step through records needs of their source; constants where inlined. */
struct layout {
	enum strata_header_form form;
	uint32_t context_bytes; /* of the layer's */
};

/* A record that is being read. */
struct reading {
	uint32_t id; /* UINT32_MAX: no room for a header */
	uint64_t ticks;
	uint32_t header_bytes;
	const struct strata_event_shape *shape; /* NULL: the id is unknown */
};

/* The last event whose records all have the same length. Most records are of the same event as the
 * one before: then the next one's place does not wait for a look at the event's description. */
struct repeated {
	uint32_t id;
	uint32_t bytes; /* of contexts and payload; UINT32_MAX: there was no such event yet */
};

/*
 * Finds how long the record is whose header was read.
 * @bytes, @left: what follows the header, up to the end of the content
 * Returns the bytes behind the header, without the padding behind them; -1: the record exceeds the
 * content, or its id is unknown.
 */
static int64_t read_length(struct strata_source *source, uint32_t context_bytes, uint8_t *bytes,
			   uint32_t left, struct reading *reading, struct repeated *repeated)
{
	uint32_t head = context_bytes, length;
	int32_t chosen = 0;

	reading->shape = find_shape(source, reading->id);
	if (!reading->shape && source->guest_numbers && head <= left)
		reading->shape = place_record(source, bytes, reading->header_bytes, &reading->id);
	if (!reading->shape)
		return -1;
	if (head > left)
		return -1;
	if (source->contexts)
		chosen = strata_guest_context_bytes(source->contexts, bytes + head, left - head);
	if (chosen < 0)
		return -1;
	head += (uint32_t)chosen;
	left -= head;
	if (left > STRATA_PAYLOAD_BYTES_MAX)
		left = STRATA_PAYLOAD_BYTES_MAX;
	length = reading->shape->fixed_bytes;
	if (reading->shape->variable) {
		const int64_t found =
			strata_payload_length(source, reading->shape, bytes + head, left);

		if (found < 0)
			return -1;
		length = (uint32_t)found;
	}
	if (length > left)
		return -1;
	if (!reading->shape->variable && !strata_guest_context_stacks(source->contexts))
		*repeated = (struct repeated){ reading->id, head + length };
	return head + length;
}

/*
 * Finds where the record at @offset ends, which is a multiple of 4 and within the content.
 * @previous: ticks of the record before, or the packet's begin
 * @reading: OUT, as far as it got
 * Returns the record's bytes, without the padding behind it; 0: the record exceeds the content, or
 * its id is unknown.
 */
static inline __attribute__((always_inline)) uint32_t
read_record(struct strata_source *source, struct layout layout, uint8_t *bytes,
	    uint32_t content_bytes, uint32_t offset, uint64_t previous, struct reading *reading,
	    struct repeated *repeated)
{
	uint32_t left = content_bytes - offset;
	int64_t length;

	reading->id = UINT32_MAX;
	reading->shape = NULL;
	reading->ticks = previous;
	reading->header_bytes = strata_header_read(layout.form, bytes + offset, left, previous,
						   &reading->id, &reading->ticks);
	if (!reading->header_bytes)
		return 0;
	left -= reading->header_bytes;
	if (__builtin_expect(reading->id == repeated->id && repeated->bytes <= left, 1))
		return reading->header_bytes + repeated->bytes;
	length = read_length(source, layout.context_bytes, bytes + offset + reading->header_bytes,
			     left, reading, repeated);
	return length < 0 ? 0 : reading->header_bytes + (uint32_t)length;
}

/* Says what is wrong with the record at @offset: its length or its time.  Returns -1. */
static __attribute__((noinline)) int refuse_record(const struct strata_source *source,
						   const struct strata_packet *packet,
						   uint32_t offset, uint32_t length,
						   uint64_t previous, const struct reading *reading,
						   struct strata_error *error)
{
	if (length == 0 && !reading->shape && reading->id == UINT32_MAX)
		return strata_fail(error, "record at %u: no room for its header", offset);
	if (length == 0 && !reading->shape)
		return strata_fail(error, "record at %u: unknown event id %u", offset, reading->id);
	if (length == 0)
		return strata_fail(error, "record at %u: %s runs over the packet's end", offset,
				   strata_shape_event(source, reading->shape)->name);
	if (reading->ticks < previous)
		return strata_fail(error, "record at %u: time goes back from %llu to %llu", offset,
				   (unsigned long long)previous,
				   (unsigned long long)reading->ticks);
	return strata_fail(error, "record at %u: time %llu is after the packet's end %llu", offset,
			   (unsigned long long)reading->ticks,
			   (unsigned long long)packet->end_ticks);
}

/* The result of a check of all records. */
struct records {
	uint64_t nr;
	uint32_t end;    /* of the last record, or of the header if there are no records */
	uint64_t oldest; /* time of the first; without records the packet's begin */
	uint64_t newest; /* time of the last, likewise */
};

static inline __attribute__((always_inline)) int
check_records_of(struct strata_source *source, struct layout layout, uint8_t *bytes,
		 const struct strata_packet *packet, struct records *records,
		 struct strata_error *error)
{
	const uint32_t content_bytes = packet->content_bytes;
	const uint64_t end_ticks = packet->end_ticks;
	struct repeated repeated = { 0, UINT32_MAX };
	uint64_t previous = packet->begin_ticks, nr = 0;
	uint32_t offset = STRATA_PACKET_HEADER_BYTES, end = offset;

	records->oldest = previous;
	while (offset < content_bytes) {
		struct reading reading;
		const uint32_t length = read_record(source, layout, bytes, content_bytes, offset,
						    previous, &reading, &repeated);

		if (length == 0 || reading.ticks < previous || reading.ticks > end_ticks) {
			const struct reading refused = reading;

			records->nr = nr;
			return refuse_record(source, packet, offset, length, previous, &refused,
					     error);
		}
		if (nr++ == 0)
			records->oldest = reading.ticks;
		previous = reading.ticks;
		end = offset + length;
		offset = padded(end);
	}
	records->nr = nr;
	records->end = end;
	records->newest = previous;
	return 0;
}

/* Checks all records, with separate code for each form of their headers: a recorder spends most of
 * its time here. */
static int check_records(struct strata_source *source, uint8_t *bytes,
			 const struct strata_packet *packet, struct records *records,
			 struct strata_error *error)
{
	const uint32_t context = context_bytes(source);

	switch (source->form) {
	case STRATA_HEADER_COMPACT:
		return check_records_of(source, (struct layout){ STRATA_HEADER_COMPACT, context },
					bytes, packet, records, error);
	case STRATA_HEADER_LARGE:
		return check_records_of(source, (struct layout){ STRATA_HEADER_LARGE, context },
					bytes, packet, records, error);
	default:
		return check_records_of(source, (struct layout){ STRATA_HEADER_FULL, context },
					bytes, packet, records, error);
	}
}

int strata_packet_check(struct strata_source *source, void *bytes, size_t size,
			struct strata_packet *packet, uint64_t *nr_events,
			struct strata_error *error)
{
	struct strata_packet_header header;
	struct records records;
	int result;

	*nr_events = 0;
	if (size < sizeof(header))
		return strata_fail(error, "%zu bytes are too few for a packet's header", size);
	read_header(bytes, &header);
	if (check_header(source, &header, size, error))
		return -1;
	unpack_header(&header, packet);
	result = check_records(source, bytes, packet, &records, error);
	*nr_events = records.nr;
	if (!result)
		packet->content_bytes = records.end;
	return result;
}

int strata_packet_check_unfinished(struct strata_source *source, void *bytes,
				   uint32_t content_bytes, uint64_t begin_ticks,
				   struct strata_packet *packet, uint64_t *nr_events,
				   struct strata_error *error)
{
	struct records records;
	int result;

	memset(packet, 0, sizeof(*packet));
	*nr_events = 0;
	if (content_bytes <= STRATA_PACKET_HEADER_BYTES || content_bytes % 4)
		return strata_fail(error, "%u bytes hold no records", content_bytes);
	packet->content_bytes = packet->packet_bytes = content_bytes;
	packet->begin_ticks = begin_ticks;
	packet->end_ticks = UINT64_MAX;
	packet->form = source->form;
	result = check_records(source, bytes, packet, &records, error);
	*nr_events = records.nr;
	if (result)
		return result;
	packet->content_bytes = records.end;
	if (!begin_ticks)
		packet->begin_ticks = records.oldest;
	packet->end_ticks = records.newest;
	return 0;
}

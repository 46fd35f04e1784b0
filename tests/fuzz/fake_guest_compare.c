// SPDX-License-Identifier: GPL-2.0-or-later
/* fake_guest_compare.c - compares what was recorded of a guest with what it wrote; see
 * fake_guest.h. */
#include "fake_guest.h"

#include <stdio.h>
#include <string.h>

uint64_t fake_parts;

/* Compares the records of one packet with those from @next on.  Their number, or -1. */
static int64_t compare_packet(struct fake_guest *guest, uint32_t index, const unsigned char *packet,
			      enum strata_header_form form, uint32_t content, uint32_t next)
{
	struct fake_ring *ring = &guest->rings[index];
	const uint64_t sequence = next < ring->nr_records ? ring->records[next].sequence : 0;
	uint32_t offset = STRATA_PACKET_HEADER_BYTES, first;
	uint64_t ticks;

	/* The first of a part has the time of the record before to go by, which is in another. */
	memcpy(&ticks, packet + offsetof(struct strata_packet_header, timestamp_begin),
	       sizeof(ticks));
	for (first = next; offset < content; next++) {
		struct fake_record *record = &ring->records[next];
		unsigned char payload[STRATA_PAYLOAD_BYTES_MAX];
		uint32_t header_bytes, bytes, id;

		if (next == ring->nr_records || record->sequence != sequence)
			return -1;
		header_bytes = strata_header_read(form, packet + offset, content - offset, ticks,
						  &id, &ticks);
		if (!header_bytes || id != record->id || ticks != record->ticks)
			return -1;
		bytes = fake_event_payload(&guest->event[id], record->contexts,
					   fake_record_seed(index, next), payload);
		if (content - offset < header_bytes + bytes ||
		    memcmp(packet + offset + header_bytes, payload, bytes))
			return -1;
		offset += header_bytes + strata_padded_bytes(bytes);
		record->taken = true;
	}
	return next - first;
}

/* The first record that a packet can have.  What is overwritten leaves gaps; else its records come
 * behind those of the packet before, @next, also where that is a part of the same sub-buffer. */
static uint32_t first_record(const struct fake_ring *ring, uint32_t next, uint64_t sequence)
{
	while (next < ring->nr_records &&
	       (ring->ring->overwrite ? ring->records[next].sequence != sequence
				      : ring->records[next].of_another))
		next++;
	return next;
}

const char *fake_guest_compare(struct fake_guest *guest, uint32_t index, const char *dir,
			       uint64_t *records)
{
	static unsigned char packet[1u << STRATA_SUBBUF_BITS_MAX];
	struct fake_ring *ring = &guest->rings[index];
	size_t bytes = strata_subbuf_bytes(guest->geo);
	struct strata_packet_header header;
	uint64_t next_sequence = 0;
	uint32_t next = 0;
	int64_t nr = 0;
	char path[600];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cpu_%u", dir, index);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	while (nr >= 0 && fread(&header, sizeof(header), 1, file) == 1) {
		size_t rest = header.packet_size / 8 - sizeof(header);

		nr = -1;
		next = first_record(ring, next, header.packet_seq_num);
		memcpy(packet, &header, sizeof(header));
		if (header.packet_size <= bytes * 8 && header.packet_size >= sizeof(header) * 8 &&
		    header.content_size <= header.packet_size && !header.events_discarded &&
		    (header.packet_seq_num == next_sequence ||
		     (header.packet_seq_num > next_sequence &&
		      (ring->ring->overwrite || next_sequence == 0))) &&
		    fread(packet + sizeof(header), 1, rest, file) == rest)
			nr = compare_packet(guest, index, packet, header.stream_id,
					    (uint32_t)(header.content_size / 8), next);
		/* Packets have the numbers of sub-buffers for as long as none was taken in parts.
		 */
		fake_parts += nr > 0 && header.packet_seq_num != ring->records[next].sequence;
		next_sequence = header.packet_seq_num + 1;
		next += nr > 0 ? (uint32_t)nr : 0;
		*records += nr > 0 ? (uint64_t)nr : 0;
	}
	fclose(file);
	return nr < 0 ? "a packet is not as it was written" : NULL;
}

const char *fake_guest_complete(const struct fake_guest *guest, uint32_t index)
{
	const struct fake_ring *ring = &guest->rings[index];
	uint64_t last = ring->nr_records ? ring->records[ring->nr_records - 1].sequence : 0,
		 first = 0;
	uint32_t i;

	if (ring->ring->overwrite && last >= strata_nr_subbufs(guest->geo))
		first = last + 1 - strata_nr_subbufs(guest->geo);
	for (i = 0; i < ring->nr_records; i++)
		if (ring->records[i].sequence >= first && !ring->records[i].taken)
			return "records are missing";
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * forge_packet.c - a whole packet made up, ready to be read: plausible to its
 * last record, which may end anywhere, and with sizes that may be anything.
 */
#include <string.h>

#include "mutate.h"

/* Several times the 100 ms by which a packet may lie outside of its source's presence. */
#define EDGE_TICKS 1000000000ull

/* The number of bytes of a sub-buffer of @bytes that the packet claims to use. */
static uint32_t forged_content(struct randomness *random, uint32_t bytes)
{
	switch (random_below(random, 6)) {
	case 0:
		return bytes - random_below(random, 64);
	case 1:
		return bytes + random_below(random, 256);
	case 2:
		return STRATA_PACKET_HEADER_BYTES + random_below(random, bytes);
	case 3:
		return random_below(random, 2 * STRATA_PACKET_HEADER_BYTES);
	default:
		return bytes;
	}
}

static uint64_t forged_ticks(struct randomness *random, uint64_t now)
{
	static const uint64_t ticks[] = { 0, INT64_MAX - 5, INT64_MAX, UINT64_MAX - 60 };

	if (random_one_in(random, 2))
		return now;
	/* Around the edges of the accepted times. */
	if (random_one_in(random, 2))
		return now + random_next(random) % (2 * EDGE_TICKS) - EDGE_TICKS;
	return ticks[random_below(random, sizeof(ticks) / sizeof(ticks[0]))];
}

/* Call stacks and fields of variable length lie about it: a string without an end, a count of
 * anything. */
static void forge_lengths(const struct strata_event_desc *event, uint32_t contexts,
			  unsigned char *payload, struct randomness *random)
{
	uint32_t count = (uint32_t)random_awkward(random, 3);

	payload += sizeof(struct strata_guest_context) + strata_guest_context_fixed_bytes(contexts);
	if (strata_guest_context_stacks(contexts)) {
		memcpy(payload, &count, sizeof(count));
		return;
	}
	payload += strata_event_payload_bytes(event);
	if (strata_event_first_variable(event) == event->nr_fields)
		return;
	if (random_one_in(random, 2))
		memset(payload, 'x', 200);
	else
		memcpy(payload, &count, sizeof(count));
}

/*
 * Records one behind the other, to the end of the content or of the sub-buffer.
 * Returns where the last begins that has room for its header.
 */
static uint32_t forge_records(const struct fake_guest *guest, struct randomness *random,
			      unsigned char *subbuf, uint32_t end, uint64_t ticks)
{
	uint32_t offset = STRATA_PACKET_HEADER_BYTES, last = offset;
	unsigned char payload[STRATA_PAYLOAD_BYTES_MAX];

	for (;;) {
		uint32_t id = random_below(random, guest->nr_events);
		uint32_t head = strata_header_bytes(guest->form, id,
						    random_one_in(random, 8) ? UINT64_MAX : 0);
		const struct strata_event_desc *event = &guest->event[id];
		uint32_t bytes = fake_event_payload(event, guest->contexts, random_next(random),
						    payload),
			 room;

		if (random_one_in(random, 64))
			forge_lengths(event, guest->contexts, payload, random);
		if (offset + head > end)
			return last;
		strata_header_write(subbuf + offset, head, id, ticks);
		last = offset;
		offset += head;
		room = end - offset < bytes ? end - offset : bytes;
		memcpy(subbuf + offset, payload, room);
		ticks += random_below(random, 2);
		offset = last + head + strata_padded_bytes(bytes);
	}
}

bool forge_packet(struct fake_guest *guest, struct fake_ring *ring, struct randomness *random)
{
	uint32_t bytes = (uint32_t)strata_subbuf_bytes(guest->geo);
	strata_count_t position = ring->reader->read_count;
	uint32_t index = strata_subbuf_index(guest->geo, position), last;
	unsigned char *subbuf = fake_ring_subbuf(guest, ring, position);
	const uint64_t now = ring->ring->subbuf[0].newest_ticks;
	struct strata_packet packet = {
		.begin_ticks = forged_ticks(random, now),
		.end_ticks = UINT64_MAX,
		.content_bytes = forged_content(random, bytes),
		.packet_bytes = bytes,
		.form = guest->form,
	};

	if (random_one_in(random, 3))
		packet.end_ticks = forged_ticks(random, now);
	if (random_one_in(random, 8))
		packet.packet_bytes = (uint32_t)random_awkward(random, bytes);
	if (random_one_in(random, 8))
		packet.lost[random_below(random, STRATA_NR_LOST)] = random_awkward(random, 1);
	last = forge_records(guest, random, subbuf,
			     packet.content_bytes < bytes ? packet.content_bytes : bytes,
			     packet.begin_ticks);
	/* Only a whole number of records can be taken. */
	if (random_one_in(random, 2))
		packet.content_bytes = last;
	strata_packet_header_build((struct strata_packet_header *)subbuf, &packet);
	/* Now and then an incomplete packet: it ends where its last record does, or elsewhere. */
	if (random_one_in(random, 4))
		bytes = random_one_in(random, 2) ? last : random_below(random, bytes);
	ring->writer->commit_seq[index] = strata_commit_at_turn(guest->geo, position) + bytes;
	return true;
}

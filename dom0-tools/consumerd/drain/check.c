// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check.c - makes a packet of a piece that was copied out of a ring, or refuses it and says why:
 * the third step of the drain (drain.h).
 *
 * packet_check.c knows what a packet may contain. This file adds: its number and times may not step
 * back, its records have the contexts of the recording, no record is taken twice, and its place,
 * CPU and losses are ours, not the writer's.
 */
#include "consumerd/drain/line.h"

#include <strata/abi/hypervisor.h>

#include "consumerd/packets/packet_check.h"
#include "recording/guest_numbers.h"
#include "recording/presence.h"

/* Complaints about one ring's packets that are printed; all are counted. */
#define BAD_PACKETS_SHOWN 5

/*
 * Removes the records from the copy that were already taken as a part, and makes a packet of the
 * others, which end at @end. 0, or -1: they are not a valid packet; for example, they do not end on
 * a multiple of 4, as every record does.
 */
static int cut_off_part(struct drain *drain, const struct ring_stream *stream, uint32_t end,
			struct piece *piece, struct strata_error *error)
{
	const uint32_t taken = stream->part_bytes ? stream->part_bytes : STRATA_PACKET_HEADER_BYTES;
	const uint32_t bytes = end > taken ? end - taken : 0;
	struct strata_packet *packet = &piece->packet;

	if (bytes) {
		memmove(drain->copy + STRATA_PACKET_HEADER_BYTES, drain->copy + taken, bytes);
		return strata_packet_check_unfinished(stream_source(drain, stream), drain->copy,
						      STRATA_PACKET_HEADER_BYTES + bytes,
						      stream->part_ticks, packet, &piece->events,
						      error);
	}
	piece->events = 0;
	memset(packet, 0, sizeof(*packet));
	packet->begin_ticks = packet->end_ticks = stream->part_ticks;
	packet->content_bytes = packet->packet_bytes = STRATA_PACKET_HEADER_BYTES;
	packet->form = stream_source(drain, stream)->form;
	return 0;
}

/* Checks a complete sub-buffer, and removes what was already taken as a part. 0 or -1. */
static int check_subbuf(struct drain *drain, const struct ring_stream *stream, struct piece *piece,
			struct strata_error *error)
{
	struct strata_packet *packet = &piece->packet;
	uint64_t end_ticks;
	uint32_t end;

	/* The content is within the copy: both sizes come from the copied header. */
	if (strata_packet_check(stream_source(drain, stream), drain->copy, piece->closed, packet,
				&piece->events, error))
		return -1;
	memcpy(piece->lost, packet->lost, sizeof(piece->lost));
	packet->packet_bytes = piece->bytes;
	if (!stream->part_bytes)
		return 0;
	end_ticks = packet->end_ticks;
	/* With the padding behind the last record: sub-buffers are whole words. */
	end = (packet->content_bytes + 3u) & ~3u;
	if (cut_off_part(drain, stream, end, piece, error))
		return -1;
	if (packet->end_ticks < end_ticks)
		packet->end_ticks = end_ticks;
	return 0;
}

/* Checks that the packet's times lie within its source's presence; see presence.h. 0 or -1. */
static int check_times(const struct drain *drain, const struct ring_stream *stream,
		       const struct strata_packet *packet, struct strata_error *error)
{
	const struct strata_source *source = stream_source(drain, stream);
	struct strata_presence presence;

	/* Readers of the recording convert the clocks of other layers, and check them then. */
	if (source->layer != STRATA_LAYER_APP)
		return 0;
	presence =
		strata_presence_of(drain->recording, source, drain->is_of_now ? strata_clock() : 0);
	return strata_presence_check(&presence, packet->begin_ticks, packet->end_ticks, 0, error);
}

/* Reports the first event of Xen that is recorded without its number. */
static void report_replaced(const struct ring_stream *stream, const struct strata_source *source)
{
	struct strata_guest_numbers *numbers = source->guest_numbers;

	if (!numbers || !numbers->any_replaced || numbers->reported)
		return;
	numbers->reported = true;
	if (numbers->replaced_id & STRATA_HV_ID_GUEST_CLASS)
		principal_complain(
			stream->source->who,
			"%s: domain %u writes events with too many different numbers (HVMOP_xentrace; %u for a domain, %u for all): such events are recorded as trc_guest_other, without their number; to record none of them, leave the class guest out of --xen",
			source->name, numbers->replaced_domain, STRATA_GUEST_NUMBERS_OF_DOMAIN,
			STRATA_GUEST_NUMBERS_MAX);
	else
		principal_complain(
			stream->source->who,
			"%s: more than %u event classes: event %#x and other new ones are recorded as trc_other, without their number",
			source->name, STRATA_SOURCE_EVENTS_MAX, numbers->replaced_id);
}

int drain_check(struct drain *drain, const struct ring_stream *stream, struct piece *piece,
		struct strata_error *error)
{
	struct strata_source *source = stream_source(drain, stream);
	struct strata_packet *packet = &piece->packet;
	int result = -1;

	/* A writer with false turns can lead us back. */
	if (piece->sequence < stream->next_sequence)
		return strata_fail(error, "its sequence number %llu comes after %llu",
				   (unsigned long long)piece->sequence,
				   (unsigned long long)stream->next_sequence - 1);
	/* They may lie there since an earlier recorder, with others. */
	if (piece->contexts != source->contexts)
		return strata_fail(error, "its events have contexts %#x, and the recording has %#x",
				   piece->contexts, source->contexts);
	switch (piece->form) {
	case PIECE_SUBBUF:
		result = check_subbuf(drain, stream, piece, error);
		break;
	case PIECE_PREFIX:
		result = cut_off_part(drain, stream, piece->bytes, piece, error);
		break;
	case PIECE_RECORDS:
		result = strata_packet_check_unfinished(source, drain->copy, piece->bytes, 0,
							packet, &piece->events, error);
		break;
	}
	if (result || check_times(drain, stream, packet, error))
		return -1;
	report_replaced(stream, source);
	packet->sequence = piece->sequence;
	packet->cpu = stream->ring->cpu;
	memcpy(packet->lost, piece->lost, sizeof(packet->lost));
	return 0;
}

void drain_refuse(struct drain *drain, struct ring_stream *stream, const struct strata_error *why)
{
	drain->totals.bad_packets++;
	if (stream_counts(drain, stream)->bad_packets++ < BAD_PACKETS_SHOWN)
		principal_complain(stream->source->who, "%s: ring of CPU %u: packet left out: %s",
				   stream_source(drain, stream)->name, stream->ring->cpu,
				   why->text);
}

void drain_disable(struct drain *drain, struct ring_stream *stream)
{
	stream->ring->broken = true;
	drain->totals.bad_packets++;
	stream_counts(drain, stream)->bad_packets++;
	if (stream->source->broken_said)
		return;
	stream->source->broken_said = true;
	if (stream->ring->pages && stream->ring->pages->failed)
		principal_complain(
			stream->source->who,
			"%s: ring of CPU %u: its memory cannot be read (%s): it is no longer drained; is its control group out of memory?",
			stream_source(drain, stream)->name, stream->ring->cpu,
			strerror(stream->ring->pages->failed));
	else
		principal_complain(
			stream->source->who,
			"%s: ring of CPU %u: its control words are invalid: it is no longer drained; does the program overwrite them?",
			stream_source(drain, stream)->name, stream->ring->cpu);
}

void drain_report_lies(struct drain *drain, struct ring_stream *stream)
{
	static const struct strata_error lies = { "its control words are invalid" };

	if (!stream->lies_said)
		drain_refuse(drain, stream, &lies);
	stream->lies_said = true;
}

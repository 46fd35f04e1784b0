// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c - appends checked packets to their stream file, and counts what is lost: the last step of
 * the drain (drain.h).
 *
 * It builds each header from checked values, and never reads records.
 */
#include <stdio.h>

#include "consumerd/drain/line.h"

/* Cap on the losses of one kind that a ring may claim: the sum over all kinds and streams fits into
 * 63 bits, so that no ring can make it wrap and hide the losses of others. */
#define LOST_MAX (INT64_MAX / STRATA_NR_LOST / STRATA_STREAMS_MAX)

/* Pause before writing to a full disk is tried again. */
#define RETRY_MS 1000u

uint64_t drain_retry_ticks(const struct drain *drain)
{
	return strata_clock() + (uint64_t)drain->recording->tsc_khz * RETRY_MS;
}

/* Builds the header in the space before the records. */
static void build_header(const struct drain *drain, const struct ring_stream *stream,
			 const struct strata_packet *packet)
{
	struct strata_packet_header *header = (struct strata_packet_header *)drain->copy;
	const struct strata_source *source = stream_source(drain, stream);

	strata_packet_header_build(header, packet);
	memcpy(header->uuid, source->uuid, sizeof(header->uuid));
	header->layer_word = (uint32_t)source->pid;
}

/* Counts losses up to a packet: since the recording began, and never fewer than before, whatever
 * the writer says. */
static void count_losses(struct drain *drain, struct ring_stream *stream, uint64_t *lost)
{
	struct strata_stream *counts = stream_counts(drain, stream);
	unsigned int i;

	for (i = 0; i < STRATA_NR_LOST; i++) {
		lost[i] -= stream->ring->lost_before[i];
		if (lost[i] < stream->lost[i] || lost[i] > LOST_MAX)
			lost[i] = stream->lost[i];
		counts->lost += lost[i] - stream->lost[i];
		drain->totals.lost += lost[i] - stream->lost[i];
		stream->lost[i] = lost[i];
	}
}

/* Notes whether the disk has space; prints it if that has changed. */
static void note_room(struct drain *drain, bool room, const struct strata_error *why)
{
	if (!room && !drain->full)
		fprintf(stderr,
			"strata: %s: writing pauses until there is room; make some. "
			"Meanwhile events that do not fit into the buffers are lost "
			"and counted\n",
			why->text);
	else if (room && drain->full)
		fprintf(stderr, "strata: the disk has room again: writing continues\n");
	drain->full = !room;
	drain->totals.was_full |= !room;
	drain->write_again_ticks = drain_retry_ticks(drain);
}

/* Notes in a single-store ring what is taken with this packet, for `strata recover`.  The position
 * first: until the number is stored as well, the note describes no packet. */
static void note_taken(const struct ring *ring, uint64_t sequence)
{
	struct ring_taken *taken = &ring->taken[sequence % 2];

	strata_write_once(&taken->position, ring->single.position);
	strata_store_release(&taken->number, sequence + 1);
}

static enum stream_file_result append(struct drain *drain, struct ring_stream *stream,
				      struct strata_packet *packet, uint64_t events,
				      struct strata_error *error)
{
	struct strata_stream *counts = stream_counts(drain, stream);
	enum stream_file_result result;

	count_losses(drain, stream, packet->lost);
	build_header(drain, stream, packet);
	result = stream_file_append(&stream->file, drain->copy, packet->packet_bytes, error);
	if (result != STREAM_FILE_OK)
		return result;
	write_back_start(&drain->write_back, &stream->file);
	stream->end_ticks = packet->end_ticks;
	stream->next_sequence = packet->sequence + 1;
	counts->packets++;
	counts->events += events;
	drain->totals.events += events;
	drain->totals.bytes += packet->packet_bytes;
	drain_note_written(drain, stream->source->who, packet->packet_bytes);
	return STREAM_FILE_OK;
}

/* Counts the events of a packet that is not written.  An application's ring outlives us, and may
 * be recovered: unless it overwrites, in which case the pages that we read were ours. */
static void lose(struct drain *drain, struct ring_stream *stream, uint64_t events,
		 enum drain_loss loss)
{
	uint64_t *const of_them[] = { [DRAIN_NO_ROOM] = &drain->totals.no_room,
				      [DRAIN_NO_SHARE] = &drain->totals.no_share,
				      [DRAIN_TOO_LARGE] = &drain->totals.too_large };

	stream->stays = stream->ring->is_single || stream->ring->sane;
	stream->loss = loss;
	stream_counts(drain, stream)->lost += events;
	drain->totals.lost += events;
	*of_them[loss] += events;
}

/*
 * The file of one stream may not become larger.  That is no reason to end the recording, which
 * would let one user end it for all. `strata recover` saves all or nothing.
 */
static bool take_limit(struct drain *drain, struct ring_stream *stream,
		       const struct strata_error *why)
{
	if (!drain->is_of_now)
		return false;
	if (!stream->too_large_said)
		principal_complain(stream->source->who,
				   "%s; the later events of this CPU are lost and counted: raise "
				   "the limit of a file's size (ulimit -f), or record to another "
				   "file system",
				   why->text);
	stream->too_large_said = true;
	drain->totals.was_too_large = true;
	return true;
}

int drain_write(struct drain *drain, struct ring_stream *stream, struct piece *piece, bool may_wait,
		struct strata_error *error)
{
	struct strata_packet *packet = &piece->packet;
	enum stream_file_result result;
	enum drain_loss why;
	int placed;

	/* After a missing packet, this one would hide that the missing one is still in the ring. */
	if (stream->stays) {
		lose(drain, stream, piece->events, stream->loss);
		return 0;
	}
	placed = drain_make_place(drain, stream, packet->packet_bytes, &why, error);
	if (placed <= 0) {
		stream->unwritten = placed < 0;
		if (placed < 0 || may_wait)
			return placed < 0 ? -1 : 1;
		lose(drain, stream, piece->events, why);
		return 0;
	}
	if (stream->ring->taken)
		note_taken(stream->ring, packet->sequence);
	if (!drain_may_write(drain, stream->source->who, packet->packet_bytes)) {
		if (may_wait)
			return 1;
		lose(drain, stream, piece->events, DRAIN_NO_SHARE);
		return 0;
	}
	result = append(drain, stream, packet, piece->events, error);
	if (result == STREAM_FILE_TOO_LARGE && take_limit(drain, stream, error)) {
		lose(drain, stream, piece->events, DRAIN_TOO_LARGE);
		return 0;
	}
	stream->unwritten = result == STREAM_FILE_FAILED || result == STREAM_FILE_TOO_LARGE;
	if (stream->unwritten)
		return -1;
	note_room(drain, result == STREAM_FILE_OK, error);
	if (result == STREAM_FILE_OK)
		return 0;
	if (may_wait)
		return 1;
	lose(drain, stream, piece->events, DRAIN_NO_ROOM);
	return 0;
}

/* Whether a stream has its file, or credit to make it: a rotation closes all in one turn. */
static bool may_make_file(const struct ring_stream *stream)
{
	return stream_file_exists(&stream->file) ||
	       principal_has_credit(stream->source->who, PRINCIPAL_DRAINING);
}

/*
 * Writes the losses since the last packet in an empty one of our own.
 * @goes_on: the ring goes on in another recording, which counts them if no file can be made now
 * 0 or -1.
 */
static int append_losses(struct drain *drain, struct ring_stream *stream, bool goes_on,
			 struct strata_error *error)
{
	const struct ring *ring = stream->ring;
	/* Without an earlier packet, the time is when the source appeared. */
	const uint64_t ticks = stream->end_ticks ? stream->end_ticks
						 : stream_source(drain, stream)->since_ticks;
	struct strata_packet packet = {
		.begin_ticks = ticks,
		.end_ticks = ticks,
		.content_bytes = STRATA_PACKET_HEADER_BYTES,
		.packet_bytes = STRATA_PACKET_HEADER_BYTES,
		.sequence = sequence_at(stream, ring->reader.read_count),
		.cpu = ring->cpu,
		.form = stream_source(drain, stream)->form,
	};
	enum drain_loss why;
	bool more = false;
	unsigned int i;
	int placed;

	/* After a missing packet, this one would take its place. */
	if (ring->broken || stream->unwritten)
		return 0;
	for (i = 0; i < STRATA_NR_LOST; i++) {
		const uint64_t lost = ring_lost(ring, i);
		const uint64_t since = lost - ring->lost_before[i];

		packet.lost[i] = lost;
		more |= since > stream->lost[i] && since <= LOST_MAX;
	}
	if (stream->stays) {
		count_losses(drain, stream, packet.lost);
		return 0;
	}
	if (!more || (goes_on && !may_make_file(stream)))
		return 0;
	/* Packets from an open sub-buffer are numbered by the reading position. */
	if (packet.sequence < stream->next_sequence)
		packet.sequence = stream->next_sequence;
	placed = drain_make_place(drain, stream, packet.packet_bytes, &why, error);
	if (placed < 0)
		return -1;
	if (!placed) {
		if (!goes_on)
			count_losses(drain, stream, packet.lost);
		return 0;
	}
	if (ring->taken)
		note_taken(ring, packet.sequence);
	/* The totals also count packets that do not fit on the disk. */
	return append(drain, stream, &packet, 0, error) == STREAM_FILE_FAILED ? -1 : 0;
}

static int finish(struct drain *drain, struct ring_stream *stream, bool goes_on,
		  struct strata_error *error)
{
	struct strata_error closing = { "" };
	int result = append_losses(drain, stream, goes_on, error);

	/* It is removed if it has no packet. */
	if (stream_file_exists(&stream->file) && !stream->file.bytes)
		drain_unmake_place(stream);
	if (stream_file_close(&stream->file, &closing) && !result) {
		*error = closing;
		result = -1;
	}
	return result;
}

int drain_finish(struct drain *drain, struct ring_stream *stream, struct strata_error *error)
{
	return finish(drain, stream, false, error);
}

int drain_cut(struct drain *drain, struct ring_stream *stream, struct strata_error *error)
{
	const uint64_t next_sequence = stream->next_sequence;
	const int result = finish(drain, stream, true, error);
	unsigned int i;

	/* The empty packet with the losses has the sequence number of the ring's next packet, which
	 * begins the new recording. */
	stream->next_sequence = next_sequence;
	for (i = 0; i < STRATA_NR_LOST; i++) {
		stream->ring->lost_before[i] += stream->lost[i];
		stream->lost[i] = 0;
	}
	return result;
}

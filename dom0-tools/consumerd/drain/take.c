// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * take.c - copies a piece of a ring, and releases it when the packet is written: the second step of
 * the drain (drain.h).
 *
 * The ring's memory is hostile and may change while it is copied: each byte is loaded once,
 * decisions use only the copy, and no size leads out of the sub-buffer.
 */
#include "consumerd/drain/line.h"

int drain_skip_old(struct ring_stream *stream, struct strata_error *error)
{
	struct ring *ring = stream->ring;
	strata_count_t turns = strata_nr_subbufs(ring->reader.geo);
	unsigned int i;
	int found = 1;

	/* The writer has overwritten this position since the ring was mapped: begin where the
	 * writer is now. */
	if (ring->reader.shared && strata_reader_poll(&ring->reader, false) == STRATA_POLL_ERROR)
		strata_reader_resume(&ring->reader);
	while (turns-- && (found = ring->get(ring, error)) > 0)
		if (ring->put(ring, error))
			return -1;
	if (found < 0)
		return -1;
	for (i = 0; i < STRATA_NR_LOST; i++)
		ring->lost_before[i] = ring_lost(ring, i);
	return 0;
}

/* Copies the records of the sub-buffer that get found, as delimited by its header, without the
 * rest, which would only fill the file. */
static void copy_subbuf(struct drain *drain, const struct strata_ring_reader *reader,
			struct piece *piece)
{
	const uint32_t closed = (uint32_t)strata_subbuf_bytes(reader->geo);
	const unsigned char *from = strata_reader_subbuf(reader);
	struct strata_packet_header header;
	uint64_t bytes;

	memcpy(drain->copy, from, sizeof(header));
	memcpy(&header, drain->copy, sizeof(header));
	bytes = (header.content_size / 8u + 7u) & ~(uint64_t)7u;
	if (bytes < sizeof(header) || bytes > closed)
		bytes = closed;
	memcpy(drain->copy + sizeof(header), from + sizeof(header), bytes - sizeof(header));
	piece->form = PIECE_SUBBUF;
	piece->bytes = (uint32_t)bytes;
	piece->closed = closed;
	piece->contexts = header.layer_word;
	drain->work_bytes += bytes;
}

/* Copies the next complete sub-buffer.  1, 0: none is ready; -1. */
static int take_subbuf(struct drain *drain, struct ring_stream *stream, struct piece *piece,
		       struct strata_error *error)
{
	struct ring *ring = stream->ring;
	const int found = ring->get(ring, error);

	if (found <= 0)
		return found;
	if (!ring_pages_hold(ring->pages, strata_reader_subbuf(&ring->reader),
			     strata_subbuf_bytes(ring->reader.geo)))
		return 0;
	copy_subbuf(drain, &ring->reader, piece);
	piece->sequence = sequence_at(stream, ring->reader.read_count);
	return 1;
}

static uint32_t contexts_now(const struct ring *ring)
{
	return strata_read_once(&ring->reader.writer->contexts);
}

/* Copies what is committed of an open sub-buffer, unless it was taken before.  1 or 0. */
static int take_prefix(struct drain *drain, const struct ring_stream *stream, enum take what,
		       struct piece *piece)
{
	const struct ring *ring = stream->ring;
	const strata_count_t position = ring->reader.read_count;
	unsigned int i;

	piece->form = PIECE_PREFIX;
	piece->contexts = contexts_now(ring);
	/* Before the records.  Pairs with the writer's wait for its flush: it sets others only
	 * after that. */
	strata_read_barrier();
	piece->bytes = ring->copy_prefix && what == TAKE_REST
			       ? ring->copy_prefix(ring, position, drain->copy)
			       : strata_reader_copy_prefix(&ring->reader, position, drain->copy);
	drain->work_bytes += piece->bytes;
	/* And after them.  Pairs with the release that commits a record: the set was there before.
	 */
	strata_read_barrier();
	if (piece->bytes <= STRATA_PACKET_HEADER_BYTES || piece->bytes <= stream->part_bytes)
		return 0;
	/* Another command changes them: the writer has completed the sub-buffer. */
	if (contexts_now(ring) != piece->contexts)
		return 0;
	piece->sequence = sequence_at(stream, position);
	/* While the writer is in the sub-buffer, losses belong to the packet of its end. */
	for (i = 0; i < STRATA_NR_LOST; i++)
		piece->lost[i] = what == TAKE_REST ? ring_lost(ring, i)
						   : stream->lost[i] + ring->lost_before[i];
	return 1;
}

/* Copies the next records of a single-store ring.  Returns 1, or 0 if no record is left or the ring
 * is broken. */
static int take_records(struct drain *drain, struct ring_stream *stream, bool partly,
			struct piece *piece)
{
	struct strata_single_reader *reader = &stream->ring->single;

	piece->form = PIECE_RECORDS;
	piece->contexts = 0;
	piece->before = reader->position;
	if (strata_single_poll(reader, partly, false) == STRATA_POLL_NOTHING)
		return drain_let_go(stream, piece, NULL);
	/* All of the sub-buffer: its writer may claim another end now. */
	if (!ring_pages_hold(stream->ring->pages,
			     reader->data + (strata_subbuf_start(reader->geo, reader->position) &
					     (strata_buffer_bytes(reader->geo) - 1)),
			     strata_subbuf_bytes(reader->geo)))
		return 0;
	switch (strata_single_take(reader, partly, drain->copy, &piece->bytes, piece->lost)) {
	case STRATA_SINGLE_LIES:
		drain_disable(drain, stream);
		return 0;
	case STRATA_SINGLE_TAKEN:
		drain->work_bytes += piece->bytes;
		stream->taken_ticks = strata_clock();
		/* In overwrite mode sub-buffers that were overwritten leave a gap in the
		 * numbers. */
		piece->sequence = stream->next_sequence;
		if (reader->overwrite && piece->sequence < piece->before >> reader->geo.subbuf_bits)
			piece->sequence = piece->before >> reader->geo.subbuf_bits;
		return 1;
	case STRATA_SINGLE_OVERWRITTEN:
		/* Also a gap where parts of one sub-buffer were separate packets. */
		stream->next_sequence++;
		break;
	case STRATA_SINGLE_NOTHING:
		break;
	}
	return drain_let_go(stream, piece, NULL);
}

/* Whether get may be used. When everything is taken, it must not skip open sub-buffers. */
static bool may_get(const struct drain *drain, const struct ring_stream *stream, enum take what)
{
	enum strata_poll state;

	if (what == TAKE_READY)
		return true;
	state = drain_look(drain, stream, true);
	return state == STRATA_POLL_DATA || state == STRATA_POLL_PRIORITY;
}

static int take(struct drain *drain, struct ring_stream *stream, enum take what,
		struct piece *piece, struct strata_error *error)
{
	struct ring *ring = stream->ring;
	int taken = 0;

	if (ring->is_single)
		return take_records(drain, stream,
				    what == TAKE_REST || drain_is_part_due(drain, stream), piece);
	if (what == TAKE_READY && ring->sane && !ring->sane(ring)) {
		drain_disable(drain, stream);
		return 0;
	}
	if (what != TAKE_OPEN && may_get(drain, stream, what))
		taken = take_subbuf(drain, stream, piece, error);
	/* A writer that is read by hypercalls completes open sub-buffers when it flushes. */
	if (!taken && (what == TAKE_OPEN || (what == TAKE_REST && ring->reader.shared)))
		taken = take_prefix(drain, stream, what, piece);
	return taken;
}

int drain_take(struct drain *drain, struct ring_stream *stream, enum take what, struct piece *piece,
	       struct strata_error *error)
{
	const struct ring_pages *pages = stream->ring->pages;
	const uint64_t waited_ns = pages ? pages->waited_ns : 0;
	int taken;

	if (stream->ring->broken)
		return 0;
	taken = take(drain, stream, what, piece, error);
	if (!pages)
		return taken;
	/* A copied byte takes about as long as a nanosecond of waiting. */
	drain->work_bytes += pages->waited_ns - waited_ns;
	if (!taken && pages->failed && !stream->ring->broken)
		drain_disable(drain, stream);
	return taken;
}

int drain_let_go(struct ring_stream *stream, const struct piece *piece, struct strata_error *error)
{
	struct ring *ring = stream->ring;

	switch (piece->form) {
	case PIECE_PREFIX:
		break;
	case PIECE_RECORDS:
		if (!stream->stays)
			strata_single_put(&ring->single);
		break;
	case PIECE_SUBBUF:
		forget_part(stream);
		if (!stream->stays)
			return ring->put(ring, error);
		ring->reader.read_count += piece->closed;
		break;
	}
	return 0;
}

void drain_put_back(struct ring_stream *stream, const struct piece *piece)
{
	if (piece->form == PIECE_RECORDS)
		stream->ring->single.position = piece->before;
}

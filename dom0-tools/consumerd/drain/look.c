// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * look.c - examines a ring without taking anything: the first step of the drain (drain.h).
 *
 * Looks also determine for followers up to when a stream's file is complete (live_table.h). If a
 * look finds nothing left to take, the file has all records from before the look, however long the
 * writer has slept. If it finds something, the look is remembered with the position after it: once
 * reading has passed that position, the file is complete up to the look.
 */
#include "consumerd/drain/line.h"

bool drain_is_part_due(const struct drain *drain, const struct ring_stream *stream)
{
	return drain->switch_ticks && strata_clock() - stream->taken_ticks >= drain->switch_ticks;
}

enum strata_poll drain_look(const struct drain *drain, const struct ring_stream *stream, bool gone)
{
	const struct ring *ring = stream->ring;

	if (ring->broken)
		return STRATA_POLL_NOTHING;
	if (ring->is_single)
		return strata_single_poll(&ring->single, drain_is_part_due(drain, stream), gone);
	return strata_reader_poll(&ring->reader, gone);
}

static uint64_t taken_to(const struct ring *ring)
{
	return ring->is_single ? ring->single.position : ring->reader.read_count;
}

/* Whether a sub-buffer contains anything not taken yet. */
static bool has_more(const struct ring_stream *stream, strata_count_t position)
{
	const struct strata_ring_reader *reader = &stream->ring->reader;
	strata_count_t commit, start, offset;

	if (stream->ring->has_begun)
		return stream->ring->has_begun(stream->ring, position);
	commit = strata_reader_commit_seq(reader, position);
	start = strata_table_turn_start(reader->geo, strata_subbuf_index(reader->geo, position),
					commit);
	offset = strata_subbuf_offset(reader->geo, commit);
	return start == position &&
	       (strata_subbuf_ready(reader->geo, start, commit) ||
		(offset > STRATA_PACKET_HEADER_BYTES &&
		 (offset > stream->part_bytes || position != reader->read_count)));
}

/* The position that reading must reach to take all that is in the ring now; where reading stands,
 * if that is nothing.  Hostile, like every word of the writer's. */
static uint64_t written_to(const struct ring_stream *stream)
{
	const struct strata_ring_reader *reader = &stream->ring->reader;
	strata_count_t position = reader->read_count;
	unsigned int i;

	/* Acquire: as in strata_single_take(). */
	if (stream->ring->is_single)
		return strata_load_acquire(&stream->ring->single.area->position);
	for (i = 0; i < strata_nr_subbufs(reader->geo) && has_more(stream, position); i++)
		position += strata_subbuf_bytes(reader->geo);
	return position;
}

/* Positions wrap. */
static bool has_reached(const struct ring *ring, uint64_t position, uint64_t wanted)
{
	if (ring->is_single)
		return (int64_t)(position - wanted) >= 0;
	return ((strata_count_t)position - (strata_count_t)wanted) >> (STRATA_COUNT_BITS - 1) == 0;
}

/* Notes since when the writer has been idle. */
static void note_quiet(struct ring_stream *stream, uint64_t now)
{
	const struct strata_ring_reader *reader = &stream->ring->reader;
	strata_count_t commit;

	if (stream->ring->is_single)
		return;
	commit = strata_reader_commit_seq(reader, reader->read_count);
	if (commit != stream->seen_commit)
		stream->quiet_ticks = now;
	stream->seen_commit = commit;
}

void drain_note_complete(struct ring_stream *stream)
{
	const struct ring *ring = stream->ring;
	const uint64_t now = strata_clock();
	uint64_t end;

	if (ring->broken) {
		stream->complete_ticks = now;
		return;
	}
	if (stream->seen_ticks && has_reached(ring, taken_to(ring), stream->seen_end)) {
		stream->complete_ticks = stream->seen_ticks;
		stream->seen_ticks = 0;
	}
	note_quiet(stream, now);
	end = written_to(stream);
	if (has_reached(ring, taken_to(ring), end)) {
		stream->complete_ticks = now;
		stream->seen_ticks = 0;
	} else if (!stream->seen_ticks) {
		stream->seen_ticks = now;
		stream->seen_end = end;
	}
}

bool drain_is_asleep(const struct drain *drain, const struct ring_stream *stream)
{
	const struct ring *ring = stream->ring;

	/* An application's packets are numbered by its sub-buffers, for `strata recover`. */
	return drain->switch_ticks && stream->seen_ticks && !ring->is_single &&
	       !ring->copy_prefix && !ring->broken &&
	       strata_clock() - stream->quiet_ticks > 2 * drain->switch_ticks;
}

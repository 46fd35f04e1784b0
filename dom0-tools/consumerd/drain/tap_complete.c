// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tap_complete.c - up to when what is in a stream's file is complete, by looks at its
 * ring; see live_table.h.
 *
 * Where a look finds nothing in the ring that was not taken, all that was recorded
 * before it is in the file: also where the writer sleeps, for however long.  Where it
 * finds something, it is remembered, with the position behind what it found; when
 * reading has passed that, the file is complete up to that look.  The looks also tell who sleeps.
 */
#include "consumerd/drain/tap.h"

static uint64_t taken_to(const struct ring *ring)
{
	return ring->is_single ? ring->single.position : ring->reader.read_count;
}

/* Whether there is anything in a sub-buffer that was not taken. */
static bool has_more(const struct tap *tap, strata_count_t position)
{
	const struct strata_ring_reader *reader = &tap->ring->reader;
	strata_count_t commit, start, offset;

	if (tap->ring->has_begun)
		return tap->ring->has_begun(tap->ring, position);
	commit = strata_reader_commit_seq(reader, position);
	start = strata_table_turn_start(reader->geo, strata_subbuf_index(reader->geo, position),
					commit);
	offset = strata_subbuf_offset(reader->geo, commit);
	return start == position &&
	       (strata_subbuf_ready(reader->geo, start, commit) ||
		(offset > STRATA_PACKET_HEADER_BYTES &&
		 (offset > tap->partly_bytes || position != reader->read_count)));
}

/* The position that reading must reach until all is taken that is in the ring now; what was
 * reached already if there is nothing.  Hostile, as all that a writer says. */
static uint64_t written_to(const struct tap *tap)
{
	const struct strata_ring_reader *reader = &tap->ring->reader;
	strata_count_t position = reader->read_count;
	unsigned int i;

	/* Acquire: as in strata_single_take(). */
	if (tap->ring->is_single)
		return strata_load_acquire(&tap->ring->single.area->position);
	for (i = 0; i < strata_nr_subbufs(reader->geo) && has_more(tap, position); i++)
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

/* Since when its writer has written nothing. */
static void note_quiet(struct tap *tap, uint64_t now)
{
	const struct strata_ring_reader *reader = &tap->ring->reader;
	strata_count_t commit;

	if (tap->ring->is_single)
		return;
	commit = strata_reader_commit_seq(reader, reader->read_count);
	if (commit != tap->seen_commit)
		tap->quiet_ticks = now;
	tap->seen_commit = commit;
}

void tap_note_complete(struct tap *tap)
{
	const struct ring *ring = tap->ring;
	const uint64_t now = strata_clock();
	uint64_t end;

	if (ring->broken) {
		tap->complete_ticks = now;
		return;
	}
	if (tap->seen_ticks && has_reached(ring, taken_to(ring), tap->seen_end)) {
		tap->complete_ticks = tap->seen_ticks;
		tap->seen_ticks = 0;
	}
	note_quiet(tap, now);
	end = written_to(tap);
	if (has_reached(ring, taken_to(ring), end)) {
		tap->complete_ticks = now;
		tap->seen_ticks = 0;
	} else if (!tap->seen_ticks) {
		tap->seen_ticks = now;
		tap->seen_end = end;
	}
}

bool tap_is_asleep(const struct recorder *recorder, const struct tap *tap)
{
	const struct ring *ring = tap->ring;

	/* An application's packets are numbered by its sub-buffers, for `strata recover`. */
	return recorder->switch_ticks && tap->seen_ticks && !ring->is_single &&
	       !ring->copy_prefix && !ring->broken &&
	       strata_clock() - tap->quiet_ticks > 2 * recorder->switch_ticks;
}

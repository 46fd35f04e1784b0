// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * step.c - drains one piece of a ring: take, check, write, release (drain.h).
 *
 * A step is bounded by a sub-buffer.  There are three kinds, by what may be taken: what is ready,
 * an open sub-buffer of a writer that sleeps, and the rest of a ring that is read for the last
 * time.
 */
#include "consumerd/drain/line.h"

/* Processes one piece. 1: it is written, lost, or refused; 0: the ring has none; 2: it waits for
 * disk space; -1. */
enum passed { FAILED = -1, NOTHING, PASSED, WAITS };

static enum passed pass_piece(struct drain *drain, struct ring_stream *stream, enum take what,
			      struct strata_error *error)
{
	struct strata_error why = { "" };
	struct piece piece;
	const int taken = drain_take(drain, stream, what, &piece, error);
	int result;

	if (taken <= 0)
		return taken ? FAILED : NOTHING;
	if (drain->drops)
		return drain_let_go(stream, &piece, error) ? FAILED : PASSED;
	if (drain_check(drain, stream, &piece, &why)) {
		/* An open sub-buffer is reported once it is complete. */
		if (what == TAKE_OPEN)
			return NOTHING;
		drain_refuse(drain, stream, &why);
	} else {
		result = drain_write(drain, stream, &piece, what != TAKE_REST, error);
		if (result) {
			drain_put_back(stream, &piece);
			return result < 0 ? FAILED : WAITS;
		}
		if (what == TAKE_OPEN) {
			stream->part_bytes = piece.bytes;
			stream->part_ticks = piece.packet.end_ticks;
			stream->nr_parts++;
		}
	}
	return drain_let_go(stream, &piece, error) ? FAILED : PASSED;
}

static int result_of(enum passed passed)
{
	return passed == FAILED ? -1 : passed == WAITS;
}

int drain_step(struct drain *drain, struct ring_stream *stream, uint64_t *nr_packets,
	       struct strata_error *error)
{
	const enum passed passed = pass_piece(drain, stream, TAKE_READY, error);

	*nr_packets += passed == PASSED;
	return result_of(passed);
}

int drain_open_step(struct drain *drain, struct ring_stream *stream, struct strata_error *error)
{
	return result_of(pass_piece(drain, stream, TAKE_OPEN, error));
}

/* Begins to take the rest.  False: the ring's control words are invalid. */
static bool begin_rest(struct drain *drain, struct ring_stream *stream)
{
	if (stream->resting)
		return true;
	/* Only here: after an open sub-buffer, even a valid ring's words may look invalid. */
	if (stream->ring->sane && !stream->ring->sane(stream->ring)) {
		drain_disable(drain, stream);
		return false;
	}
	stream->resting = true;
	stream->rest_end = stream->ring->reader.read_count;
	stream->turns = strata_nr_subbufs(stream->ring->reader.geo);
	return true;
}

/* Takes the next sub-buffer of the rest, if anything is committed of it.  @done: OUT, it was
 * the last one.  0 or -1. */
static int rest_of_subbufs(struct drain *drain, struct ring_stream *stream, bool *done,
			   struct strata_error *error)
{
	struct strata_ring_reader *reader = &stream->ring->reader;
	const strata_count_t position = reader->read_count;
	const uint64_t before = stream->next_sequence;
	const enum passed passed = pass_piece(drain, stream, TAKE_REST, error);
	strata_count_t ahead;

	if (!reader->shared || reader->read_count != position || passed == FAILED) {
		*done = passed != PASSED;
		stream->rest_end = reader->read_count;
		return result_of(passed);
	}
	if (stream->next_sequence != before)
		stream->rest_end = reader->read_count;
	/* The ring continues: its next records must not lie behind our position. Where only its
	 * writers' marks delimit the records, all of it is examined. */
	ahead = strata_reader_newest(reader) - reader->read_count;
	*done = !stream->ring->copy_prefix && (ahead == 0 || ahead >> (STRATA_COUNT_BITS - 1));
	if (*done) {
		stream->rest_end = reader->read_count;
		return 0;
	}
	reader->read_count += strata_subbuf_bytes(reader->geo);
	forget_part(stream);
	return 0;
}

int drain_rest_step(struct drain *drain, struct ring_stream *stream, bool *done,
		    struct strata_error *error)
{
	const uint64_t before = stream->ring->single.position;
	int result = 0;

	*done = true;
	if (stream->ring->broken)
		return 0;
	if (stream->ring->is_single) {
		result = result_of(pass_piece(drain, stream, TAKE_REST, error));
		*done = result || stream->ring->broken || stream->ring->single.position == before ||
			stream->turns-- == 0;
		return result;
	}
	if (!begin_rest(drain, stream))
		return 0;
	*done = !stream->turns--;
	if (!*done)
		result = rest_of_subbufs(drain, stream, done, error);
	if (*done || result) {
		stream->ring->reader.read_count = stream->rest_end;
		stream->resting = false;
	}
	return result;
}

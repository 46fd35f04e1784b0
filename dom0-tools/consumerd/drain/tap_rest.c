// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tap_rest.c - takes all that is left in a ring that is read for the last time, complete or not,
 * at once or in steps.
 *
 * recorder.c calls it when a recording ends, recorder_drain.c and recorder_sources.c when a source
 * leaves.  It never waits for room on the disk: the ring goes away.
 */
#include "consumerd/drain/tap.h"

#include "consumerd/drain/tap_packet.h"

/* Begins to take what is left, complete or not.  False: its control words are invalid. */
static bool begin_rest(struct recorder *recorder, struct tap *tap)
{
	/* Behind what is unfinished there is no more that they must be. */
	if (tap->ring->sane && !tap->ring->sane(tap->ring)) {
		tap_disable(recorder, tap);
		return false;
	}
	if (tap->resting)
		return true;
	tap->resting = true;
	tap->rest_end = tap->ring->reader.read_count;
	tap->turns = strata_nr_subbufs(tap->ring->reader.geo);
	return true;
}

/* Takes the next sub-buffer of the rest, if anything is committed of it.  @done: OUT, it was
 * the last one.  0 or -1. */
static int rest_step(struct recorder *recorder, struct tap *tap, bool *done,
		     struct strata_error *error)
{
	struct strata_ring_reader *reader = &tap->ring->reader;
	uint64_t before = tap->next_sequence;
	strata_count_t ahead;
	int result, found = 0;

	switch (tap_poll(recorder, tap, true)) {
	case STRATA_POLL_DATA:
	case STRATA_POLL_PRIORITY:
		found = tap->ring->get(tap->ring, error);
		break;
	default:
		break;
	}
	if (found < 0)
		return -1;
	if (found) {
		result = tap_take_found(recorder, tap, NO_ROOM_LOSE, error);
		tap->rest_end = reader->read_count;
		return result;
	}
	/* A home that is asked by hypercall completes what is open when it flushes. */
	*done = !reader->shared;
	if (*done)
		return 0;
	result = tap_take_unfinished(recorder, tap, reader->read_count, error);
	if (tap->next_sequence != before)
		tap->rest_end = reader->read_count;
	/* The ring goes on: what is written next must not lie behind us then.  Where only its
	 * writers' marks say how far it goes, all of it is looked at. */
	ahead = strata_reader_newest(reader) - reader->read_count;
	*done = !tap->ring->copy_prefix && (ahead == 0 || ahead >> (STRATA_COUNT_BITS - 1));
	if (*done) {
		tap->rest_end = reader->read_count;
		return result;
	}
	reader->read_count += strata_subbuf_bytes(reader->geo);
	tap_forget_part(tap);
	return result;
}

/* The rest is taken, or cannot be. */
static void end_rest(struct tap *tap)
{
	tap->ring->reader.read_count = tap->rest_end;
	tap->resting = false;
}

int tap_take_rest(struct recorder *recorder, struct tap *tap, struct strata_error *error)
{
	strata_count_t turns = strata_nr_subbufs(tap->ring->reader.geo);
	uint64_t nr_packets = 0;
	bool done = false;
	int result = 0;

	if (tap->ring->broken)
		return 0;
	if (tap->ring->is_single)
		return tap_take_singles(recorder, tap, turns, true, NO_ROOM_LOSE, &nr_packets,
					error);
	if (!begin_rest(recorder, tap))
		return 0;
	while (!result && !done && tap->turns--)
		result = rest_step(recorder, tap, &done, error);
	end_rest(tap);
	return result;
}

/* Takes a complete sub-buffer of a ring with get and put.  1: took one; 0: no sub-buffer is
 * complete, or the control words are invalid; -1. */
static int take_complete(struct recorder *recorder, struct tap *tap, struct strata_error *error)
{
	enum strata_poll state = tap_poll(recorder, tap, true);
	int found;

	if (tap->ring->sane && !tap->ring->sane(tap->ring)) {
		tap_disable(recorder, tap);
		return 0;
	}
	if (state != STRATA_POLL_DATA && state != STRATA_POLL_PRIORITY)
		return 0;
	found = tap->ring->get(tap->ring, error);
	if (found <= 0)
		return found;
	return tap_take_found(recorder, tap, NO_ROOM_LOSE, error) ? -1 : 1;
}

int tap_leave_step(struct recorder *recorder, struct tap *tap, bool *done,
		   struct strata_error *error)
{
	uint64_t nr_packets = 0, before = tap->ring->single.position;
	int result;

	*done = true;
	if (tap->ring->broken)
		return 0;
	if (tap->ring->is_single) {
		result = tap_take_singles(recorder, tap, 0, true, NO_ROOM_LOSE, &nr_packets, error);
		*done = result || tap->ring->broken || tap->ring->single.position == before ||
			tap->turns-- == 0;
		return result;
	}
	/* Complete ones first; behind the first one that is not, there may be others. */
	result = tap->turns && !tap->resting ? take_complete(recorder, tap, error) : 0;
	if (result < 0)
		return -1;
	if (result) {
		tap->turns--;
		*done = false;
		return 0;
	}
	if (!begin_rest(recorder, tap))
		return 0;
	*done = !tap->turns--;
	if (!*done)
		result = rest_step(recorder, tap, done, error);
	if (*done || result)
		end_rest(tap);
	return result;
}

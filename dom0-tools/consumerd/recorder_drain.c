// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder_drain.c - divides the recorder's time: deficit round robin by bytes over principals
 * (Shreedhar and Varghese), and round robin over the rings of each.
 *
 * A turn gives each principal that has credit its share, in steps of a sub-buffer.  The last step
 * may cost more than is left; that is paid in later turns (principal.h).  However many rings a
 * principal has, and however fast it fills them, the others wait for one share of it.
 */
#include <stdlib.h>

#include "base/array.h"
#include "consumerd/recorder_state.h"

/* Rings of a principal that are polled in a turn: polling costs time, too. */
#define LOOKS_PER_TURN 512u

struct recorder_queue *recorder_queue_of(struct recorder *recorder, struct principal *who)
{
	struct recorder_queue *queues;
	size_t i;

	if (!who)
		return NULL;
	for (i = 0; i < recorder->nr_queues; i++)
		if (recorder->queues[i].who == who)
			return &recorder->queues[i];
	queues = reallocarray(recorder->queues, recorder->nr_queues + 1, sizeof(*queues));
	if (!queues)
		return NULL;
	recorder->queues = queues;
	queues[recorder->nr_queues] = (struct recorder_queue){ .who = who };
	return &queues[recorder->nr_queues++];
}

int recorder_queue_add(struct recorder_queue *queue, struct ring_stream *stream,
		       struct strata_error *error)
{
	if (!STRATA_GROW(queue->streams, queue->nr, queue->capacity))
		return strata_fail(error, "out of memory");
	queue->streams[queue->nr++] = stream;
	return 0;
}

void recorder_queue_remove(struct recorder_queue *queue, const struct ring_stream *stream)
{
	size_t i, kept = 0;

	for (i = 0; i < queue->nr; i++)
		if (queue->streams[i] != stream)
			queue->streams[kept++] = queue->streams[i];
	queue->nr = kept;
}

static struct ring_stream *stream_at(const struct recorder_queue *queue, size_t look)
{
	return queue->streams[(queue->next + look) % queue->nr];
}

static bool has_data(const struct ring_stream *stream)
{
	return stream->state == STRATA_POLL_PRIORITY || stream->state == STRATA_POLL_DATA;
}

/* Looks at a ring again. */
static void look(struct recorder *recorder, struct ring_stream *stream)
{
	if (drain_waits_for_file(stream)) {
		stream->state = STRATA_POLL_NOTHING;
		return;
	}
	stream->state = drain_look(&recorder->drain, stream, false);
	if (stream->state != STRATA_POLL_ERROR)
		return;
	/* The next take finds out whether an application's ring is still valid. */
	if (stream->ring->is_single || stream->ring->sane)
		stream->state = STRATA_POLL_DATA;
	else
		drain_report_lies(&recorder->drain, stream);
}

/* Looks at the rings that come next in this turn. */
static void look_at_rings(struct recorder *recorder, struct recorder_queue *queue,
			  enum recorder_drain extent)
{
	size_t i;

	queue->looks = extent == RECORDER_DRAIN_ALL || queue->nr < LOOKS_PER_TURN ? queue->nr
										  : LOOKS_PER_TURN;
	if (!queue->unseen)
		queue->unseen = queue->nr;
	queue->unseen -= queue->looks < queue->unseen ? queue->looks : queue->unseen;
	for (i = 0; i < queue->looks; i++) {
		struct ring_stream *stream = stream_at(queue, i);

		if (stream->leaving)
			continue;
		look(recorder, stream);
		stream->turns = strata_nr_subbufs(stream->ring->reader.geo);
	}
}

/* Charges a step with what it copied. */
static void charge(struct recorder *recorder, struct recorder_queue *queue, uint64_t before)
{
	uint64_t bytes = recorder->drain.work_bytes - before;

	principal_charge(queue->who, PRINCIPAL_DRAINING,
			 bytes < PRINCIPAL_STEP_BYTES ? PRINCIPAL_STEP_BYTES : bytes);
}

/* Takes a sub-buffer of a ring.  0, 1 if the rest waits for room on the disk, or -1. */
static int step(struct recorder *recorder, struct recorder_queue *queue, struct ring_stream *stream,
		uint64_t *nr_packets, struct strata_error *error)
{
	uint64_t before = recorder->drain.work_bytes, packets_before = *nr_packets;
	int result = drain_step(&recorder->drain, stream, nr_packets, error);

	charge(recorder, queue, before);
	/* A ring that turns out to be empty is not polled again in this turn. */
	stream->turns = *nr_packets == packets_before ? 0 : stream->turns - 1;
	/* It waits for a file; the others may have theirs. */
	if (result > 0 && !stream_file_exists(&stream->file))
		result = 0;
	if (!result)
		look(recorder, stream);
	return result;
}

static bool may_go_on(const struct recorder_queue *queue, enum recorder_drain extent)
{
	return extent == RECORDER_DRAIN_ALL || principal_has_credit(queue->who, PRINCIPAL_DRAINING);
}

/* Drains rings in turns, nearly full ones or all, until they are empty or the credit is used up.
 * Returns as step(). */
static int drain_rings(struct recorder *recorder, struct recorder_queue *queue, bool only_priority,
		       enum recorder_drain extent, uint64_t *nr_packets, struct strata_error *error)
{
	bool more = true;
	size_t i;

	while (more && may_go_on(queue, extent)) {
		more = false;
		for (i = 0; i < queue->looks && may_go_on(queue, extent); i++) {
			struct ring_stream *stream = stream_at(queue, i);
			int result;

			if (stream->leaving || !stream->turns || !has_data(stream) ||
			    (only_priority && stream->state != STRATA_POLL_PRIORITY))
				continue;
			result = step(recorder, queue, stream, nr_packets, error);
			if (result)
				return result;
			more = true;
		}
		if (!may_go_on(queue, extent)) {
			/* The first ring without a turn comes first next time. */
			queue->resume = queue->next + i;
			break;
		}
	}
	return 0;
}

/* Drains rings whose source is leaving, and forgets empty ones. This continues without a pause,
 * also for a guest: it is no more than the rings contained, and their memory is needed. 0 or -1. */
static int drain_leaving(struct recorder *recorder, struct recorder_queue *queue,
			 struct strata_error *error)
{
	size_t i = 0;

	while (i < queue->nr && principal_has_credit(queue->who, PRINCIPAL_DRAINING)) {
		struct ring_stream *stream = queue->streams[i];
		uint64_t before = recorder->drain.work_bytes;
		struct strata_error later;
		bool done = false;
		int result;

		if (!stream->leaving) {
			i++;
			continue;
		}
		result = drain_rest_step(&recorder->drain, stream, &done, error);
		charge(recorder, queue, before);
		if (!result && !done)
			continue;
		principal_charge(queue->who, PRINCIPAL_DRAINING, PRINCIPAL_FILE_BYTES);
		if (drain_finish(&recorder->drain, stream, result ? &later : error))
			result = -1;
		if (result)
			recorder_source_of(recorder, stream->source->index)->presence =
				RECORDER_SOURCE_FAILED;
		recorder_forget_stream(recorder, stream);
		if (result)
			return -1;
	}
	for (; i < queue->nr; i++)
		recorder->behind |= queue->streams[i]->leaving;
	return 0;
}

/* Notes how far each stream is complete, and takes open sub-buffers of writers that sleep.  0, 1 if
 * the disk has no room, or -1. */
static int drain_sleepers(struct recorder *recorder, struct recorder_queue *queue,
			  struct strata_error *error)
{
	size_t i;

	for (i = 0; i < queue->looks; i++) {
		struct ring_stream *stream = stream_at(queue, i);
		uint64_t before = recorder->drain.work_bytes;
		int result = 0;

		if (stream->leaving)
			continue;
		drain_note_complete(stream);
		if (drain_waits_for_file(stream))
			continue;
		if (drain_is_asleep(&recorder->drain, stream) &&
		    principal_has_credit(queue->who, PRINCIPAL_DRAINING)) {
			result = drain_open_step(&recorder->drain, stream, error);
			charge(recorder, queue, before);
			if (result > 0 && !stream_file_exists(&stream->file))
				result = 0;
		}
		if (result)
			return result;
	}
	return 0;
}

/* Notes whether more is ready. Guests do not count: they must not make the recorder run without a
 * pause, on dom0's CPU. */
static void note_rest(struct recorder *recorder, const struct recorder_queue *queue)
{
	size_t i;

	for (i = 0; i < queue->looks; i++) {
		const struct ring_stream *stream = stream_at(queue, i);

		recorder->urgent |= !stream->leaving && stream->state == STRATA_POLL_PRIORITY;
		recorder->behind |= !stream->leaving && has_data(stream) &&
				    queue->who->kind != PRINCIPAL_DOMAIN;
	}
	recorder->looking |= queue->unseen && queue->who->kind != PRINCIPAL_DOMAIN;
}

/* Whether the largest packet of a principal's rings may be written.  Prints it once if not. */
static bool has_room(struct recorder *recorder, struct recorder_queue *queue)
{
	const bool waited = queue->waits;

	queue->waits = !drain_may_write(&recorder->drain, queue->who, queue->subbuf_bytes);
	if (queue->waits && !waited)
		principal_complain(queue->who,
				   "%s has written as much as is left on the disk; the rest is "
				   "reserved for others. Until there is more room, events that do "
				   "not fit into its buffers are lost and counted",
				   queue->who->name);
	return !queue->waits;
}

/* One principal's turn.  0, 1 if the disk has no room, or -1. */
static int drain_queue(struct recorder *recorder, struct recorder_queue *queue,
		       enum recorder_drain extent, uint64_t *nr_packets, struct strata_error *error)
{
	int result = 0;

	if (extent != RECORDER_DRAIN_NONE && queue->nr && has_room(recorder, queue)) {
		look_at_rings(recorder, queue, extent);
		queue->resume = queue->next + (queue->looks < queue->nr ? queue->looks : 0);
		result = drain_rings(recorder, queue, true, extent, nr_packets, error);
		if (!result)
			result = drain_rings(recorder, queue, false, extent, nr_packets, error);
		if (!result)
			result = drain_sleepers(recorder, queue, error);
		/* If the disk is not full, only this principal has no more space. */
		if (result > 0 && !recorder->drain.full)
			result = 0;
		else
			note_rest(recorder, queue);
		queue->next = queue->resume % queue->nr;
	}
	if (!result && drain_leaving(recorder, queue, error))
		result = -1;
	return result;
}

/* Whether the rest of a ring is taken now.  Sources that leave are not cleared: their records are
 * written. */
static bool is_taken(const struct recorder *recorder, const struct ring_stream *stream)
{
	return !recorder->drain.drops || !stream->leaving;
}

/* A principal's turn of recorder_drain_rest().  @more: IN/OUT, set if rings are left.  0, or -1
 * with the first error: other rings do not suffer from it. */
static int rest_of_queue(struct recorder *recorder, size_t index, bool *more,
			 struct strata_error *error)
{
	struct recorder_queue *queue = &recorder->queues[index];
	struct strata_error later;
	int result = 0;

	while (queue->next < queue->looks && principal_has_credit(queue->who, PRINCIPAL_DRAINING)) {
		struct ring_stream *stream = queue->streams[queue->next];
		const uint64_t before = recorder->drain.work_bytes;
		bool done = !is_taken(recorder, stream);

		if (!done &&
		    drain_rest_step(&recorder->drain, stream, &done, result ? &later : error)) {
			result = -1;
			done = true;
		}
		charge(recorder, queue, before);
		queue->next += done;
		if (recorder->meanwhile)
			recorder->meanwhile(recorder->meanwhile_data);
		/* Rings that came have moved it. */
		queue = &recorder->queues[index];
	}
	*more |= queue->next < queue->looks;
	return result;
}

static void begin_rest(const struct recorder *recorder, struct recorder_queue *queue)
{
	size_t i;

	queue->next = 0;
	/* Rings that come meanwhile are not read for the last time. */
	queue->looks = queue->nr;
	for (i = 0; i < queue->nr; i++) {
		struct ring_stream *stream = queue->streams[i];

		if (!stream->resting && is_taken(recorder, stream))
			stream->turns = strata_nr_subbufs(stream->ring->reader.geo);
	}
}

int recorder_drain_rest(struct recorder *recorder, struct strata_error *error)
{
	struct strata_error later;
	bool more = true;
	int result = 0;
	size_t i;

	for (i = 0; i < recorder->nr_queues; i++)
		begin_rest(recorder, &recorder->queues[i]);
	while (more) {
		more = false;
		principals_begin_turn(recorder->principals);
		for (i = 0; i < recorder->nr_queues; i++)
			if (rest_of_queue(recorder, i, &more, result ? &later : error))
				result = -1;
	}
	for (i = 0; i < recorder->nr_queues; i++)
		recorder->queues[i].next = 0;
	return result;
}

int recorder_clear(struct recorder *recorder, struct strata_error *error)
{
	int result;

	recorder->drain.drops = true;
	result = recorder_drain_rest(recorder, error);
	recorder->drain.drops = false;
	return result;
}

/* Publishes the ends of streams for followers; keeps those that they could not read yet. */
static void publish_ends(struct recorder *recorder)
{
	size_t i, kept = 0;

	for (i = 0; i < recorder->nr_ended; i++) {
		const struct recorder_ended *ended = &recorder->ended[i];

		if (!recorder_is_listed(recorder, ended->source)) {
			recorder->ended[kept++] = *ended;
			continue;
		}
		live_publisher_end(recorder->live, ended->live_slot, ended->bytes);
		principal_give_back(ended->who, PRINCIPAL_LIVE_SLOTS, 1);
	}
	recorder->nr_ended = kept;
}

/* Publishes the progress for followers.  They could not read streams that no table on the disk
 * describes yet; those of other sources do not wait for it. */
static void publish(struct recorder *recorder)
{
	size_t i, j;

	if (!recorder->live)
		return;
	for (i = 0; i < recorder->nr_queues; i++) {
		for (j = 0; j < recorder->queues[i].nr; j++) {
			const struct ring_stream *stream = recorder->queues[i].streams[j];

			if (recorder_is_listed(recorder, stream->source->index))
				live_publisher_set(recorder->live, stream->live_slot,
						   stream->file.bytes, stream->complete_ticks);
		}
	}
	publish_ends(recorder);
}

int recorder_drain(struct recorder *recorder, enum recorder_drain extent, uint64_t *nr_packets,
		   struct strata_error *error)
{
	int result = 0;
	size_t i;

	*nr_packets = 0;
	recorder->behind = recorder->looking = false;
	recorder->urgent = false;
	if (recorder->drain.full && extent == RECORDER_DRAIN_SOME &&
	    strata_clock() < recorder->drain.write_again_ticks)
		return 0;
	principals_begin_turn(recorder->principals);
	for (i = 0; i < recorder->nr_queues && !result; i++)
		result = drain_queue(
			recorder,
			&recorder->queues[(recorder->next_queue + i) % recorder->nr_queues], extent,
			nr_packets, error);
	recorder->next_queue++;
	if (result)
		return result < 0 ? -1 : 0;
	recorder->unsaved |= recorder->drain.tables_changed;
	recorder->drain.tables_changed = false;
	recorder_save_what_is_new(recorder);
	publish(recorder);
	return 0;
}

bool recorder_is_behind(const struct recorder *recorder)
{
	return recorder->behind;
}

bool recorder_is_looking(const struct recorder *recorder)
{
	return recorder->looking;
}

bool recorder_is_urgent(const struct recorder *recorder)
{
	return recorder->urgent;
}

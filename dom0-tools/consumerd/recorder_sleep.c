// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder_sleep.c - lets the recorder sleep while nobody writes: single-store rings wake it
 * (strata/ring_single.h).
 *
 * Programs can change all that is read and written here.  One that does not wake us delays its own
 * events only, until the next look.
 */
#include "consumerd/recorder_state.h"

/* Whether something waits in a ring, also in its open sub-buffer if that is taken in time. */
static bool has_more(const struct recorder *recorder, const struct ring_stream *stream)
{
	return strata_single_poll(&stream->ring->single, recorder->drain.switch_ticks != 0,
				  false) != STRATA_POLL_NOTHING;
}

/* Calls @work for each ring until one returns false.  Whether all returned true. */
static bool for_all(struct recorder *recorder,
		    bool (*work)(const struct recorder *recorder, struct ring_stream *stream,
				 uint64_t sleep),
		    uint64_t sleep)
{
	size_t i, j;

	for (i = 0; i < recorder->nr_queues; i++)
		for (j = 0; j < recorder->queues[i].nr; j++)
			if (!work(recorder, recorder->queues[i].streams[j], sleep))
				return false;
	return true;
}

static bool may_sleep(const struct recorder *recorder, struct ring_stream *stream, uint64_t sleep)
{
	(void)sleep;
	return !stream->leaving && stream->ring->is_single &&
	       (stream->ring->broken || !has_more(recorder, stream));
}

/* Has its program wake us.  False: it has written meanwhile. */
static bool ask(const struct recorder *recorder, struct ring_stream *stream, uint64_t sleep)
{
	if (stream->ring->broken)
		return true;
	strata_single_sleep(&stream->ring->single, sleep);
	return !has_more(recorder, stream);
}

static bool take_back(const struct recorder *recorder, struct ring_stream *stream, uint64_t sleep)
{
	(void)recorder;
	(void)sleep;
	if (stream->ring->is_single && !stream->ring->broken)
		strata_single_awake(&stream->ring->single);
	return true;
}

bool recorder_sleep(struct recorder *recorder, enum recorder_drain extent)
{
	if (recorder->asleep)
		return true;
	if (recorder->behind || recorder->drain.full || !recorder_is_saved(recorder))
		return false;
	recorder->asleep = true;
	if (extent == RECORDER_DRAIN_NONE)
		return true;
	/* No two sleeps, of any recorders, have the same number. */
	if (!for_all(recorder, may_sleep, 0) || !for_all(recorder, ask, strata_clock() | 1))
		recorder_awake(recorder);
	return recorder->asleep;
}

void recorder_awake(struct recorder *recorder)
{
	if (recorder->asleep)
		for_all(recorder, take_back, 0);
	recorder->asleep = false;
}

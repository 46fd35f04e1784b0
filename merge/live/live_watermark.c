// SPDX-License-Identifier: GPL-2.0-or-later
/* live_watermark.c - see live_watermark.h. */
#include "live/live_watermark.h"

#include <stdio.h>

/* Streams whose lag is reported; more would fill the screen. */
#define NAMED_MAX 16u

/* Events with larger bounds do not delay the view. */
#define BOUND_MAX_NS 1000000000u

static uint64_t subtract_held(uint64_t a, uint64_t b)
{
	return a < b ? 0 : a - b;
}

/* Host ticks as a number of ns. */
static uint64_t ns_of(const struct live_streams *streams, uint64_t ticks)
{
	return ticks == UINT64_MAX ? UINT64_MAX
				   : strata_realtime_ns(&streams->host.timebase, ticks);
}

static void complain(const struct live_streams *streams, const char *message)
{
	if (streams->complain)
		streams->complain(streams->complain_data, message);
}

/* Reports once that a stream is no longer waited for. */
static void name_left_behind(struct live_watermark *watermark, const struct live_streams *streams,
			     struct live_stream *stream, uint64_t waited_ns)
{
	const bool has_name = stream->source < streams->host.recording.nr_sources &&
			      !streams->host.recording.sources[stream->source].vacant;
	char message[256];

	if (stream->was_named || !has_name)
		return;
	stream->was_named = true;
	if (watermark->nr_named == NAMED_MAX)
		complain(streams, "more streams are no longer waited for; they are not named");
	if (watermark->nr_named++ >= NAMED_MAX)
		return;
	snprintf(
		message, sizeof(message),
		"%s/cpu_%u: no data for %.1f s: no longer waited for; its events are shown as late ones",
		streams->host.recording.sources[stream->source].name, stream->cpu,
		(double)waited_ns / 1e9);
	complain(streams, message);
}

/*
 * The time before which a stream has no events that were not late when it came; in host ticks.
 * 0: unknown, because it was there at the first look.
 */
static uint64_t begin_ticks(const struct live_watermark *watermark,
			    const struct live_streams *streams, const struct live_stream *stream)
{
	uint64_t ticks = 0;

	if (stream->source < streams->host.recording.nr_sources)
		ticks = streams->host.recording.sources[stream->source].since_ticks;
	/* Nothing of it is in its file: all of it is later than the time of that look. */
	if (stream->nr_said && stream->said[0].bytes == 0 &&
	    stream->said[0].complete_ticks != UINT64_MAX && stream->said[0].complete_ticks > ticks)
		ticks = stream->said[0].complete_ticks;
	if (!ticks && stream->met_ticks > watermark->first_ticks)
		ticks = stream->met_ticks;
	return ticks;
}

/*
 * The time up to which the newest look found a stream complete, as far as the clocks are known; in
 * host ticks.  That look becomes usable only at the next one.  So a follower whose looks are far
 * apart, because each takes long, does not count its own delay as the stream's.
 */
static uint64_t newest_ticks(const struct live_streams *streams, const struct live_stream *stream)
{
	uint64_t ticks = stream->complete_ticks;

	if (stream->nr_said)
		ticks = stream->said[stream->nr_said - 1].complete_ticks;
	if (ticks > streams->clocks_ticks)
		ticks = streams->clocks_ticks;
	return ticks > stream->complete_ticks ? ticks : stream->complete_ticks;
}

/* The time up to which all streams that are waited for are complete. */
static uint64_t complete_ns(struct live_watermark *watermark, struct live_streams *streams,
			    uint64_t now)
{
	const uint64_t now_ns = ns_of(streams, now);
	const uint64_t patient_ns = subtract_held(now_ns, watermark->patience_ns);
	uint64_t least = now_ns;
	size_t i;

	for (i = 0; i < streams->nr; i++) {
		struct live_stream *stream = streams->streams[i];
		uint64_t ns, since_ns;

		if (!stream->met_ticks)
			stream->met_ticks = now;
		/* No look can be used yet: the recorder has not polled it, we looked too early, or
		 * the clocks are not known up to its beginning. This passes, unless its writer has
		 * stopped in its first sub-buffer. */
		if (stream->complete_ticks) {
			ns = ns_of(streams, stream->complete_ticks);
			since_ns = ns_of(streams, newest_ticks(streams, stream));
		} else {
			ns = ns_of(streams, begin_ticks(watermark, streams, stream));
			since_ns = ns_of(streams, stream->met_ticks);
		}
		if (since_ns < patient_ns)
			name_left_behind(watermark, streams, stream, now_ns - since_ns);
		else if (ns < least)
			least = ns;
	}
	return least;
}

uint64_t live_watermark_next(struct live_watermark *watermark, struct live_streams *streams,
			     uint64_t now)
{
	uint64_t ns;

	if (!watermark->first_ticks)
		watermark->first_ticks = now;
	ns = subtract_held(complete_ns(watermark, streams, now), watermark->delay_ns);
	return subtract_held(ns, watermark->bound_ns < BOUND_MAX_NS ? watermark->bound_ns
								    : BOUND_MAX_NS);
}

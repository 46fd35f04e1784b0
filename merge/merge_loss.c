// SPDX-License-Identifier: GPL-2.0-or-later
/* merge_loss.c - what a recording's streams lost, and between which times: for merger.c. */
#include <string.h>

#include "merge_state.h"

/* The host ticks of a packet's time, while the stream's clock stays where it is. */
static uint64_t head_ticks(const struct merge_stream *stream, uint64_t ticks)
{
	struct strata_stream_clock clock = stream->clock;

	if (stream->seen.source->layer != STRATA_LAYER_XEN)
		ticks = strata_stream_clock_convert(&clock, ticks).ticks;
	return shifted_ticks(ticks, stream->shift_ticks);
}

void merge_note_loss(const struct strata_merge *merge, struct merge_stream *stream)
{
	const struct strata_loss *more = &stream->reader.loss;
	const struct strata_packet *packet = &stream->reader.packet;
	struct strata_loss *loss = &stream->loss;
	unsigned int i;

	if (!more->discarded && !more->missing_packets)
		return;
	if (!stream->has_loss) {
		const uint64_t from = stream->seen.events ? stream->ticks
							  : head_ticks(stream, packet->begin_ticks);

		memset(loss, 0, sizeof(*loss));
		loss->has_kinds = true;
		loss->from_ns = strata_realtime_ns(&merge->timebase, from);
		stream->has_loss = true;
	}
	for (i = 0; i < STRATA_NR_LOST; i++)
		loss->kinds[i] += more->kinds[i];
	loss->discarded += more->discarded;
	loss->missing_packets += more->missing_packets;
	loss->to_ns = strata_realtime_ns(&merge->timebase, head_ticks(stream, packet->end_ticks));
	if (loss->to_ns < loss->from_ns)
		loss->to_ns = loss->from_ns;
}

void merge_note_end_loss(const struct strata_merge *merge, struct merge_stream *stream)
{
	const struct strata_source *source = stream->seen.source;
	struct strata_loss *loss = &stream->loss;
	size_t i;

	for (i = 0; i < source->nr_streams; i++) {
		if (source->streams[i].cpu != stream->seen.cpu ||
		    source->streams[i].lost <= stream->seen.lost)
			continue;
		if (!stream->has_loss) {
			memset(loss, 0, sizeof(*loss));
			loss->from_ns = strata_realtime_ns(&merge->timebase, stream->ticks);
		}
		loss->discarded += source->streams[i].lost - stream->seen.lost;
		loss->has_kinds = false;
		loss->to_ns = merge->result.last_ns > loss->from_ns ? merge->result.last_ns
								    : loss->from_ns;
		stream->has_loss = true;
	}
}

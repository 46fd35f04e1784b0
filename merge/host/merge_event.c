// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge_event.c - describes each event of a recording by the recording's table, and hands it to the
 * order check and to all consumers, as trace_set's merge gives it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/merge_state.h"

/* How often consumers are asked whether they still take events. */
#define FAILED_EVENTS 65536u

/* The description of an event of the metadata.  NULL: the table has none, or there is no memory. */
static const struct strata_event_class *find_class(struct strata_merge *merge,
						   const struct merge_stream *stream, uint32_t id)
{
	struct strata_source *source = &merge->host->recording.sources[stream->seen.source_index];
	const struct strata_event_shape *shape = strata_source_record_shape(source, id);

	if (!shape && !source->by_number && strata_source_event(source, id))
		shape = strata_source_shape(source, id);
	return shape ? strata_event_class_get(&merge->classes[stream->seen.source_index], source,
					      strata_shape_event(source, shape), &merge->nr_classes)
		     : NULL;
}

static const struct strata_event_class *class_of(struct strata_merge *merge,
						 struct merge_stream *stream,
						 const struct strata_ctf_reader *reader,
						 uint32_t index)
{
	if (stream->kind != reader->kind) {
		free(stream->classes);
		stream->classes = calloc(reader->kind->class->nr_events + 1,
					 sizeof(struct strata_event_class *));
		stream->kind = stream->classes ? reader->kind : NULL;
		if (!stream->classes)
			return NULL;
	}
	if (!stream->classes[index])
		stream->classes[index] =
			find_class(merge, stream, (uint32_t)reader->kind->classes[index].id);
	return stream->classes[index];
}

/* Finds context and payload, as the table describes them.  False: the event is shorter. */
static bool find_fields(const struct merge_stream *stream, const struct strata_ctf_reader *reader,
			const struct strata_lane_event *at, struct strata_timeline_event *event)
{
	const struct strata_source *source = stream->seen.source;
	const uint32_t bytes = (at->end - at->body) / 8;
	const struct strata_event_shape *shape;
	int64_t length;

	if (at->body % 8 || bytes < stream->context_bytes)
		return false;
	event->context = reader->base + at->body / 8;
	event->payload = event->context + stream->context_bytes;
	length = event->class->fixed_bytes;
	if (event->class->is_variable) {
		shape = strata_source_shape(source, event->class->desc.id);
		length = shape ? strata_payload_length(source, shape, event->payload,
						       bytes - stream->context_bytes)
			       : -1;
	}
	event->payload_bytes = (uint32_t)length;
	return length >= 0 && length <= bytes - stream->context_bytes;
}

/* The reading of the counter that the event's own CPU saw. */
static uint64_t read_counter(struct merge_stream *stream, const struct strata_ctf_reader *reader,
			     const struct strata_lane_event *at)
{
	struct strata_ctf_cursor cursor = {
		.bytes = reader->base,
		.at = at->head,
		.end = at->end,
		.slots = (uint64_t *)reader->slots,
	};
	uint64_t clock = stream->reading, id;

	if (!stream->in_packet || stream->packet_offset != reader->packet.offset) {
		stream->in_packet = true;
		stream->packet_offset = reader->packet.offset;
		if (reader->packet.has_begin)
			clock = reader->packet.begin;
	}
	if (strata_ctf_header_read(&reader->kind->header, &cursor, &clock, &id) &&
	    clock <= reader->clock_limit)
		stream->reading = clock;
	return stream->reading;
}

static void note_bound(struct strata_merge_stream *seen, const struct strata_lane_event *at,
		       uint64_t bound_ticks)
{
	if (bound_ticks == UINT64_MAX) {
		seen->unsure++;
		return;
	}
	if (bound_ticks > seen->bound_ticks)
		seen->bound_ticks = bound_ticks;
	if (at->is_doubtful)
		seen->doubtful++;
	else if (bound_ticks > seen->firm_bound_ticks)
		seen->firm_bound_ticks = bound_ticks;
}

static void note_time(struct strata_merge *merge, const struct strata_timeline_event *event)
{
	struct strata_merge_result *result = &merge->result;

	if (result->events++ == 0)
		result->first_ns = event->ns;
	result->last_ns = event->ns;
	/*
	 * How long it took the hypervisor's records say, if there are any: a guest could give any
	 * time for its own, and make a recording of seconds look like one of years.
	 */
	if (merge->host->scan.any && event->class->layer != STRATA_LAYER_XEN)
		return;
	if (merge->began_ns == 0)
		merge->began_ns = event->ns;
	result->duration_ns = event->ns - merge->began_ns;
}

static void name_unknown(struct strata_merge *merge, struct merge_stream *stream)
{
	char message[256];

	merge->result.tally.bad_packets += !stream->was_named;
	if (stream->was_named)
		return;
	stream->was_named = true;
	snprintf(message, sizeof(message),
		 "%s/cpu_%u: recording.json does not describe some events as its metadata does; "
		 "they are left out",
		 stream->seen.source->name, stream->seen.cpu);
	merge_complain(merge, message);
}

static void take_event(struct strata_merge *merge, size_t set_stream,
		       struct strata_ctf_reader *reader, const struct strata_lane_event *at)
{
	struct merge_stream *stream = merge->of_set[set_stream];
	struct strata_timeline_event event = { .stream = &stream->seen,
					       .ns = at->ns,
					       .set_stream = set_stream,
					       .reader = reader,
					       .lane_event = at };
	size_t i;

	event.reading = read_counter(stream, reader, at);
	event.class = class_of(merge, stream, reader, at->class);
	if (!event.class || !find_fields(stream, reader, at, &event)) {
		name_unknown(merge, stream);
		return;
	}
	event.ticks = strata_realtime_to_ticks(&merge->host->timebase, at->ns, at->tick);
	event.bound_ticks = strata_ctf_add_clamped(at->bound, stream->early_ticks);
	note_bound(&stream->seen, at, event.bound_ticks);
	stream->seen.events++;
	merge_check_event(merge, stream, &event);
	for (i = 0; i < merge->nr_sinks; i++)
		merge->sinks[i]->event(merge->sinks[i], &event);
	note_time(merge, &event);
}

static bool any_failed(const struct strata_merge *merge)
{
	size_t i;

	for (i = 0; i < merge->nr_sinks; i++) {
		if (merge->sinks[i]->failed && merge->sinks[i]->failed(merge->sinks[i]))
			return true;
	}
	return false;
}

int merge_take(struct strata_slice_sink *slice, size_t at, struct strata_ctf_reader *reader,
	       const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct strata_merge *merge = (struct strata_merge *)slice;
	struct merge_stream *stream = merge->of_set[at];
	const uint64_t before = merge->result.events;
	size_t i;

	(void)error;
	if (!stream)
		return 0;
	stream->seen.lost = reader->tally.discarded;
	stream->seen.missing_packets = reader->tally.missing_packets;
	for (i = 0; i < nr; i++)
		take_event(merge, at, reader, &events[i]);
	return before / FAILED_EVENTS != merge->result.events / FAILED_EVENTS && any_failed(merge);
}

/* What is missing of the hypervisor's was lost between the event before and the packet's end. */
int merge_lose(struct strata_slice_sink *slice, size_t at, struct strata_ctf_reader *reader,
	       const struct strata_loss *loss, struct strata_error *error)
{
	struct strata_merge *merge = (struct strata_merge *)slice;
	struct merge_stream *stream = merge->of_set[at];
	size_t i;

	(void)error;
	if (!stream)
		return 0;
	stream->seen.lost = reader->tally.discarded;
	stream->seen.missing_packets = reader->tally.missing_packets;
	if (stream->seen.source->layer == STRATA_LAYER_XEN) {
		stream->seen.gap_until =
			strata_realtime_to_ticks(&merge->host->timebase, loss->to_ns + 1, 0);
		strata_order_check_uncertain(merge->check, stream->seen.gap_until);
	}
	for (i = 0; strata_loss_is_counted(loss) && i < merge->nr_sinks; i++) {
		if (merge->sinks[i]->loss)
			merge->sinks[i]->loss(merge->sinks[i], &stream->seen, loss);
	}
	return 0;
}

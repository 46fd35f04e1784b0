// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merger.c - the merge itself: takes the stream with the least next event, hands
 * that event on, moves the stream forward, until all streams are at their end.
 * merge_open.c prepares it, `strata merge` calls it.
 *
 * Streams wait in a binary heap.  Records of one CPU come in bursts, so the
 * stream that was least is mostly least again: then two comparisons are all
 * that an event costs.  Memory is one packet for each stream.
 */
#include <stdio.h>
#include <string.h>

#include "merge_state.h"
#include "presence.h"

#define PROGRESS_EVENTS 65536u

static bool before(const struct merge_stream *a, const struct merge_stream *b)
{
	if (a->ticks != b->ticks)
		return a->ticks < b->ticks;
	return a->seen.index < b->seen.index;
}

/* Puts the stream at @at where it belongs among those below it. */
static void sift_down(struct strata_merge *merge, size_t at)
{
	struct merge_stream *stream = merge->heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= merge->nr_heap)
			break;
		if (child + 1 < merge->nr_heap &&
		    before(merge->heap[child + 1], merge->heap[child]))
			child++;
		if (!before(merge->heap[child], stream))
			break;
		merge->heap[at] = merge->heap[child];
		at = child;
	}
	merge->heap[at] = stream;
}

static uint64_t sum_lost(const struct strata_packet *packet)
{
	return packet->lost[STRATA_LOST_FULL] + packet->lost[STRATA_LOST_NESTED] +
	       packet->lost[STRATA_LOST_BIG];
}

static void tell_loss(struct merge_stream *stream, struct strata_sink *const *sinks,
		      size_t nr_sinks)
{
	size_t i;

	for (i = 0; i < nr_sinks; i++) {
		if (sinks[i]->loss)
			sinks[i]->loss(sinks[i], &stream->seen, &stream->loss);
	}
	stream->has_loss = false;
}

/* Whether a packet can be of the times that it says.  Where its clock is not known, they do not
 * move anything.  0 or -1. */
static int check_times(const struct strata_merge *merge, const struct merge_stream *stream,
		       struct strata_error *error)
{
	const struct strata_packet *packet = &stream->reader.packet;
	const struct strata_source *source = stream->seen.source;
	const struct strata_presence presence =
		strata_presence_of(&merge->recording, source, merge->recording.ended_ticks);
	struct strata_stream_clock clock = stream->clock;
	struct strata_host_time begin, end;

	if (source->layer == STRATA_LAYER_XEN)
		return 0;
	begin = strata_stream_clock_convert(&clock, packet->begin_ticks);
	end = strata_stream_clock_convert(&clock, packet->end_ticks);
	if (!begin.sure || !end.sure)
		return 0;
	return strata_presence_check(&presence, begin.ticks, end.ticks,
				     begin.bound > end.bound ? begin.bound : end.bound, error);
}

/* Begins the next good packet of a stream.  False: there is none. */
static bool next_packet(struct strata_merge *merge, struct merge_stream *stream)
{
	struct strata_error why;

	do {
		if (!strata_packet_reader_next(&stream->reader))
			return false;
	} while (check_times(merge, stream, &why) &&
		 (strata_packet_reader_refuse(&stream->reader, &why), true));
	stream->offset = STRATA_PACKET_HEADER_BYTES;
	stream->seen.lost = sum_lost(&stream->reader.packet);
	stream->seen.missing_packets = stream->reader.missing_packets;
	merge_note_loss(merge, stream);
	/* What is missing was lost somewhere between the event before and this packet's end. */
	if (stream->seen.source->layer == STRATA_LAYER_XEN && stream->reader.gap) {
		stream->seen.gap_until =
			shifted_ticks(stream->reader.packet.end_ticks, stream->shift_ticks);
		strata_order_check_uncertain(merge->check, stream->seen.gap_until);
	}
	return true;
}

/*
 * An event by a single store reads the counter without a fence: the processor may do
 * so while loads ahead of it are still under way, so its time may be early by as long
 * as these take.  On its own CPU, and towards a kernel, order is kept; a CPU that sees
 * by plain loads what another wrote may seem to have done so before.  Nobody states a
 * limit for that; 1.3 us were seen.
 */
#define APP_EARLY_US 5u

uint64_t strata_source_early_ticks(const struct strata_source *source, uint32_t tsc_khz)
{
	if (source->layer != STRATA_LAYER_APP || source->migrates)
		return 0;
	return (uint64_t)tsc_khz * APP_EARLY_US / 1000;
}

static uint64_t add_held(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Sets the host time of the stream's record, never before that of the record before. */
static void set_host_time(struct strata_merge *merge, struct merge_stream *stream)
{
	struct strata_host_time host = { .ticks = stream->record.ticks, .sure = true };

	if (stream->seen.source->layer != STRATA_LAYER_XEN)
		host = strata_stream_clock_convert(&stream->clock, host.ticks);
	host.ticks = shifted_ticks(host.ticks, stream->shift_ticks);
	if (host.ticks < stream->ticks) {
		uint64_t back = stream->ticks - host.ticks;

		/* Within its bound it may as well be as late as the event before.  Beyond that the
		 * event before may have been put too late: what is known of this one still holds.
		 */
		merge->result.clamped += back > host.bound;
		host.bound = add_held(host.bound, back);
		host.ticks = stream->ticks;
	}
	host.bound = add_held(host.bound, strata_source_early_ticks(stream->seen.source,
								    merge->timebase.tsc_khz));
	stream->ticks = host.ticks;
	stream->bound = host.bound;
	stream->sure = host.sure;
	if (!host.sure) {
		stream->seen.unsure++;
		return;
	}
	if (host.bound > stream->seen.bound_ticks)
		stream->seen.bound_ticks = host.bound;
	if (host.doubtful)
		stream->seen.doubtful++;
	else if (host.bound > stream->seen.firm_bound_ticks)
		stream->seen.firm_bound_ticks = host.bound;
}

/* Moves a stream to its next event.  1, 0: it is at its end, -1: out of memory. */
static int advance(struct strata_merge *merge, struct merge_stream *stream,
		   struct strata_error *error)
{
	struct strata_packet_reader *reader = &stream->reader;

	if (reader->packets == 0 && !next_packet(merge, stream))
		return 0;
	while (!strata_packet_next(reader->source, reader->bytes, &reader->packet, &stream->offset,
				   &stream->record)) {
		if (!next_packet(merge, stream))
			return 0;
	}
	set_host_time(merge, stream);
	stream->class = strata_event_class_get(&merge->classes[stream->seen.source_index],
					       stream->seen.source, stream->record.event,
					       &merge->nr_classes);
	if (!stream->class)
		return strata_fail(error, "out of memory");
	stream->seen.events++;
	return 1;
}

/* Reads a payload that begins with u16 vcpu, u16 domain. */
static void check_runstate(struct strata_merge *merge, const struct merge_stream *stream)
{
	uint16_t vcpu_domain[2];

	memcpy(vcpu_domain, stream->record.payload, sizeof(vcpu_domain));
	strata_order_check_runstate(merge->check, stream->ticks, (uint16_t)stream->seen.cpu,
				    vcpu_domain[1], vcpu_domain[0], &stream->class->change);
}

static void check_xen_event(struct strata_merge *merge, const struct merge_stream *stream)
{
	struct strata_hv_context context;
	struct strata_hv_vcpu_state state;
	struct strata_hv_budget budget;
	struct strata_hv_selection selection;

	switch (stream->class->role) {
	case STRATA_ROLE_RUNSTATE:
		check_runstate(merge, stream);
		break;
	case STRATA_ROLE_VCPU_STATE:
		memcpy(&state, stream->record.payload, sizeof(state));
		strata_order_check_state(merge->check, stream->ticks, &state);
		break;
	case STRATA_ROLE_GUEST_ENTRY:
	case STRATA_ROLE_GUEST_EXIT:
		memcpy(&context, stream->record.context, sizeof(context));
		strata_order_check_guest_mode(merge->check, stream->ticks, context.domain,
					      context.vcpu,
					      stream->class->role == STRATA_ROLE_GUEST_ENTRY);
		break;
	case STRATA_ROLE_BUDGET:
		memcpy(&budget, stream->record.payload, sizeof(budget));
		strata_order_check_incomplete(merge->check, budget.domain);
		break;
	case STRATA_ROLE_SELECTION:
		memcpy(&selection, stream->record.payload, sizeof(selection));
		strata_order_check_selection(merge->check, selection.changed != 0);
		break;
	case STRATA_ROLE_OTHER:
		break;
	}
}

/* Tells the order check of the stream's event, and fills in where it happened. */
static void describe(struct strata_merge *merge, const struct merge_stream *stream,
		     struct strata_timeline_event *event)
{
	struct strata_hv_context context;

	event->class = stream->class;
	event->stream = &stream->seen;
	event->ticks = stream->ticks;
	event->bound_ticks = stream->bound;
	event->reading = stream->record.ticks;
	event->ns = strata_realtime_ns(&merge->timebase, stream->ticks);
	event->context = stream->record.context;
	event->payload = stream->record.payload;
	event->payload_bytes = stream->record.payload_bytes;

	if (stream->class->layer == STRATA_LAYER_XEN) {
		memcpy(&context, event->context, sizeof(context));
		event->domain = context.domain;
		event->vcpu = context.vcpu;
		event->pcpu = (uint16_t)stream->seen.cpu;
		check_xen_event(merge, stream);
		return;
	}
	event->domain = (uint16_t)stream->seen.source->domain;
	event->vcpu = (uint16_t)stream->seen.cpu;
	event->pcpu = strata_vcpu_pcpu(stream->vcpu);
	if (stream->class->layer == STRATA_LAYER_APP) {
		if (!stream->sure || stream->seen.source->migrates)
			strata_order_check_skip_app(merge->check);
		else
			strata_order_check_app_event(merge->check, stream->vcpu, stream->ticks,
						     stream->bound, stream->class->desc.name);
		return;
	}
	if (!stream->sure)
		strata_order_check_skip(merge->check, stream->vcpu);
	else
		strata_order_check_event(merge->check, stream->vcpu, stream->ticks, stream->bound,
					 stream->class->desc.name);
}

static void report_progress(struct strata_merge *merge)
{
	uint64_t bytes = 0;
	size_t i;

	if (!merge->options.progress)
		return;
	for (i = 0; i < merge->nr_streams; i++)
		bytes += merge->streams[i].reader.offset;
	merge->options.progress(merge->options.data, merge->result.events, bytes,
				merge->bytes_total);
}

static bool any_failed(struct strata_sink *const *sinks, size_t nr_sinks)
{
	size_t i;

	for (i = 0; i < nr_sinks; i++) {
		if (sinks[i]->failed && sinks[i]->failed(sinks[i]))
			return true;
	}
	return false;
}

static int fill_heap(struct strata_merge *merge, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < merge->nr_streams; i++) {
		int got = advance(merge, &merge->streams[i], error);

		if (got < 0)
			return -1;
		if (got > 0)
			merge->heap[merge->nr_heap++] = &merge->streams[i];
	}
	for (i = merge->nr_heap; i-- > 0;)
		sift_down(merge, i);
	return 0;
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
	if (merge->scan.any && event->class->layer != STRATA_LAYER_XEN)
		return;
	if (merge->began_ns == 0)
		merge->began_ns = event->ns;
	result->duration_ns = event->ns - merge->began_ns;
}

static int merge_events(struct strata_merge *merge, struct strata_sink *const *sinks,
			size_t nr_sinks, struct strata_error *error)
{
	struct strata_timeline_event event;
	size_t i;

	while (merge->nr_heap > 0) {
		struct merge_stream *stream = merge->heap[0];
		int got;

		/* That of before the stream's first event comes with it. */
		if (stream->has_loss)
			tell_loss(stream, sinks, nr_sinks);
		describe(merge, stream, &event);
		for (i = 0; i < nr_sinks; i++)
			sinks[i]->event(sinks[i], &event);
		note_time(merge, &event);
		if (merge->result.events % PROGRESS_EVENTS == 0) {
			report_progress(merge);
			if (any_failed(sinks, nr_sinks))
				break;
		}

		got = advance(merge, stream, error);
		if (got < 0)
			return -1;
		if (stream->has_loss)
			tell_loss(stream, sinks, nr_sinks);
		if (got == 0)
			merge->heap[0] = merge->heap[--merge->nr_heap];
		if (merge->nr_heap > 0)
			sift_down(merge, 0);
	}
	for (i = 0; i < merge->nr_streams; i++) {
		if (merge->streams[i].seen.events)
			merge_note_end_loss(merge, &merge->streams[i]);
		if (merge->streams[i].has_loss)
			tell_loss(&merge->streams[i], sinks, nr_sinks);
	}
	return 0;
}

/* The largest error of a time, and of the distance between times on two physical CPUs. */
static void sum_up_bounds(struct strata_merge *merge)
{
	struct strata_merge_result *result = &merge->result;
	uint32_t tsc_khz = merge->timebase.tsc_khz;
	uint64_t largest = 0, largest_early = 0;
	size_t i;

	for (i = 0; i < merge->nr_streams; i++) {
		const struct merge_stream *stream = &merge->streams[i];
		uint64_t *those = strata_source_early_ticks(stream->seen.source, tsc_khz)
					  ? &largest_early
					  : &largest;

		if (stream->seen.bound_ticks > *those)
			*those = stream->seen.bound_ticks;
	}
	result->skew_ticks = strata_skew_bound_ticks(&merge->scan.skew);
	result->pcpus = merge->scan.skew.nr_pcpus;
	result->unmeasured_pcpus = merge->scan.skew.nr_unmeasured;
	/* The reading of a counter is as coarse as a tick. */
	result->bound_ticks = add_held(add_held(largest, 1), result->skew_ticks);
	result->bound_ns = strata_ticks_to_ns_up(tsc_khz, result->bound_ticks);
	if (largest_early)
		result->app_bound_ns = strata_ticks_to_ns_up(
			tsc_khz, add_held(add_held(largest_early, 1), result->skew_ticks));
}

static void sum_up(struct strata_merge *merge)
{
	struct strata_merge_result *result = &merge->result;
	size_t i;

	for (i = 0; i < merge->nr_streams; i++) {
		struct merge_stream *stream = &merge->streams[i];
		const struct strata_source *source = stream->seen.source;
		size_t j;

		/* The recorder also knows of what was lost after the last packet. */
		for (j = 0; j < source->nr_streams; j++) {
			if (source->streams[j].cpu != stream->seen.cpu)
				continue;
			if (source->streams[j].lost > stream->seen.lost)
				stream->seen.lost = source->streams[j].lost;
			result->bad_packets += source->streams[j].bad_packets;
		}
		result->lost += stream->seen.lost;
		result->bad_packets += stream->reader.bad_packets;
		result->missing_packets += stream->reader.missing_packets;
	}
	sum_up_bounds(merge);
	result->order = *strata_order_check_finish(merge->check);
}

int strata_merge_run(struct strata_merge *merge, struct strata_sink *const *sinks, size_t nr_sinks,
		     struct strata_error *error)
{
	struct strata_error sink_error;
	int status = 0;
	size_t i;

	if (fill_heap(merge, error) || merge_events(merge, sinks, nr_sinks, error))
		status = -1;
	report_progress(merge);
	sum_up(merge);
	for (i = 0; i < nr_sinks; i++) {
		if (sinks[i]->finish(sinks[i], merge, &sink_error) && status == 0) {
			*error = sink_error;
			status = -1;
		}
	}
	return status;
}

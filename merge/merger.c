// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merger.c - see merger.h: reads the sources of one recording through the merge of all traces
 * (trace_set.h), and hands each event, described by the recording's table, to the order check and
 * to the consumers, in the order of host ticks.
 */
#include "merger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/host_converter.h"
#include "inputs/recording_traces.h"
#include "progress.h"
#include "trace_set.h"

/* How often consumers are asked whether they still take events. */
#define FAILED_EVENTS 65536u

struct merge_stream {
	struct strata_merge_stream seen; /* what consumers see */
	struct strata_vcpu *vcpu;        /* of a kernel or an application */
	uint64_t early_ticks;            /* its times may be early by as much */
	uint32_t context_bytes;
	/* Where its last event was: the reading of its own counter is read against that. */
	bool in_packet;
	uint64_t packet_offset;
	uint64_t reading;
	/* Classes by the metadata's index of an event; NULL: not asked for yet. */
	const struct strata_event_class **classes;
	const struct strata_ctf_kind_of_stream *kind; /* that these are of */
	bool was_named; /* as one with events that the table does not describe */
};

struct strata_merge {
	struct strata_slice_sink slice;
	struct strata_merge_options options;
	struct strata_recording_traces *traces;
	struct strata_recorded_host *host; /* of these */
	struct strata_trace_set set;
	struct strata_progress progress;
	struct strata_order_check *check;
	struct strata_event_classes *classes; /* of each source */
	uint32_t nr_classes;

	struct merge_stream *streams; /* as the host's */
	size_t nr_streams;
	struct merge_stream **of_set; /* by index in the set */
	struct strata_sink *const *sinks;
	size_t nr_sinks;

	uint64_t began_ns; /* the first event that counts for the duration; 0: none yet */
	struct strata_merge_result result;
};

static void complain(const struct strata_merge *merge, const char *message)
{
	if (merge->options.complain)
		merge->options.complain(merge->options.data, message);
}

/* Order check ------------------------------------------------------------------------------- */

/* Reads a payload that begins with u16 vcpu, u16 domain. */
static void check_runstate(struct strata_merge *merge, const struct strata_timeline_event *event)
{
	uint16_t vcpu_domain[2];

	memcpy(vcpu_domain, event->payload, sizeof(vcpu_domain));
	strata_order_check_runstate(merge->check, event->ticks, (uint16_t)event->stream->cpu,
				    vcpu_domain[1], vcpu_domain[0], &event->class->change);
}

static void check_xen_event(struct strata_merge *merge, const struct strata_timeline_event *event)
{
	struct strata_hv_context context;
	struct strata_hv_vcpu_state state;
	struct strata_hv_budget budget;
	struct strata_hv_selection selection;

	switch (event->class->role) {
	case STRATA_ROLE_RUNSTATE:
		check_runstate(merge, event);
		break;
	case STRATA_ROLE_VCPU_STATE:
		memcpy(&state, event->payload, sizeof(state));
		strata_order_check_state(merge->check, event->ticks, &state);
		break;
	case STRATA_ROLE_GUEST_ENTRY:
	case STRATA_ROLE_GUEST_EXIT:
		memcpy(&context, event->context, sizeof(context));
		strata_order_check_guest_mode(merge->check, event->ticks, context.domain,
					      context.vcpu,
					      event->class->role == STRATA_ROLE_GUEST_ENTRY);
		break;
	case STRATA_ROLE_BUDGET:
		memcpy(&budget, event->payload, sizeof(budget));
		strata_order_check_incomplete(merge->check, budget.domain);
		break;
	case STRATA_ROLE_SELECTION:
		memcpy(&selection, event->payload, sizeof(selection));
		strata_order_check_selection(merge->check, selection.changed != 0);
		break;
	case STRATA_ROLE_OTHER:
		break;
	}
}

/* Asks the check whether the event can have happened there, and where that was. */
static void check_event(struct strata_merge *merge, const struct merge_stream *stream,
			struct strata_timeline_event *event)
{
	const bool is_sure = event->bound_ticks != UINT64_MAX;
	struct strata_hv_context context;

	if (event->class->layer == STRATA_LAYER_XEN) {
		memcpy(&context, event->context, sizeof(context));
		event->domain = context.domain;
		event->vcpu = context.vcpu;
		event->pcpu = (uint16_t)stream->seen.cpu;
		check_xen_event(merge, event);
		return;
	}
	event->domain = (uint16_t)stream->seen.source->domain;
	event->vcpu = (uint16_t)stream->seen.cpu;
	event->pcpu = strata_vcpu_pcpu(stream->vcpu);
	if (event->class->layer == STRATA_LAYER_APP) {
		if (!is_sure || stream->seen.source->migrates)
			strata_order_check_skip_app(merge->check);
		else
			strata_order_check_app_event(merge->check, stream->vcpu, event->ticks,
						     event->bound_ticks, event->class->desc.name);
		return;
	}
	if (!is_sure)
		strata_order_check_skip(merge->check, stream->vcpu);
	else
		strata_order_check_event(merge->check, stream->vcpu, event->ticks,
					 event->bound_ticks, event->class->desc.name);
}

/* Events ------------------------------------------------------------------------------------ */

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
static bool find_fields(struct strata_merge *merge, const struct merge_stream *stream,
			const struct strata_ctf_reader *reader, const struct strata_lane_event *at,
			struct strata_timeline_event *event)
{
	const struct strata_source *source = stream->seen.source;
	const uint32_t bytes = (at->end - at->body) / 8;
	const struct strata_event_shape *shape;
	int64_t length;

	(void)merge;
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

	merge->result.bad_packets += !stream->was_named;
	if (stream->was_named)
		return;
	stream->was_named = true;
	snprintf(message, sizeof(message),
		 "%s/cpu_%u: recording.json does not describe some events as its metadata does; "
		 "they are left out",
		 stream->seen.source->name, stream->seen.cpu);
	complain(merge, message);
}

static void take_event(struct strata_merge *merge, struct merge_stream *stream,
		       const struct strata_ctf_reader *reader, const struct strata_lane_event *at)
{
	struct strata_timeline_event event = { .stream = &stream->seen, .ns = at->ns };
	size_t i;

	event.reading = read_counter(stream, reader, at);
	event.class = class_of(merge, stream, reader, at->class);
	if (!event.class || !find_fields(merge, stream, reader, at, &event)) {
		name_unknown(merge, stream);
		return;
	}
	event.ticks = strata_realtime_to_ticks(&merge->host->timebase, at->ns, at->tick);
	event.bound_ticks = strata_ctf_add_clamped(at->bound, stream->early_ticks);
	note_bound(&stream->seen, at, event.bound_ticks);
	stream->seen.events++;
	check_event(merge, stream, &event);
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

static int take(struct strata_slice_sink *slice, size_t at, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct strata_merge *merge = (struct strata_merge *)slice;
	struct merge_stream *stream = merge->of_set[at];
	const uint64_t before = merge->result.events;
	size_t i;

	(void)error;
	stream->seen.lost = reader->tally.discarded;
	stream->seen.missing_packets = reader->tally.missing_packets;
	for (i = 0; i < nr; i++)
		take_event(merge, stream, reader, &events[i]);
	return before / FAILED_EVENTS != merge->result.events / FAILED_EVENTS && any_failed(merge);
}

/* What is missing of the hypervisor's was lost between the event before and the packet's end. */
static int lose(struct strata_slice_sink *slice, size_t at, struct strata_ctf_reader *reader,
		const struct strata_loss *loss, struct strata_error *error)
{
	struct strata_merge *merge = (struct strata_merge *)slice;
	struct merge_stream *stream = merge->of_set[at];
	size_t i;

	(void)error;
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

/* Run --------------------------------------------------------------------------------------- */

/* The stream that a file is of; NULL: it is empty, and has not been asked whose it is. */
static struct merge_stream *stream_of(const struct strata_merge *merge, size_t source,
				      const struct strata_ctf_stream *file)
{
	const struct strata_recorded_stream *recorded =
		file->is_recorded
			? strata_recorded_host_stream(merge->host, source, (uint32_t)file->cpu)
			: NULL;

	return recorded ? &merge->streams[recorded - merge->host->streams] : NULL;
}

/* Opens one source.  0, also if it cannot be read, which is said; -1: out of memory. */
static int open_source(struct strata_merge *merge, size_t index, struct strata_error *error)
{
	struct strata_ctf_trace *trace = strata_recording_traces_trace(merge->traces, index, error);
	const size_t first = merge->set.nr_streams;
	struct merge_stream **of_set;
	size_t i;

	if (!trace) {
		complain(merge, error->text);
		merge->result.left_out_sources++;
		return 0;
	}
	if (strata_trace_set_add(&merge->set, trace, error))
		return -1;
	of_set = reallocarray(merge->of_set, merge->set.nr_streams + 1, sizeof(*of_set));
	if (!of_set)
		return strata_fail(error, "out of memory");
	merge->of_set = of_set;
	for (i = first; i < merge->set.nr_streams; i++)
		of_set[i] = stream_of(merge, index, merge->set.streams[i].stream);
	return 0;
}

static int open_sources(struct strata_merge *merge, bool of_xen, struct strata_error *error)
{
	const struct strata_recording *recording = &merge->host->recording;
	size_t i;

	for (i = 0; i < recording->nr_sources; i++) {
		const struct strata_source *source = &recording->sources[i];

		if ((source->layer == STRATA_LAYER_XEN) != of_xen || source->nr_streams == 0 ||
		    !strata_recorded_host_stream(merge->host, i, source->streams[0].cpu))
			continue;
		if (open_source(merge, i, error))
			return -1;
	}
	return 0;
}

static int merge_events(struct strata_merge *merge, struct strata_error *error)
{
	struct strata_ctf_tally *tallies;
	struct strata_error why;
	size_t i;
	int status;

	if (open_sources(merge, true, error) || open_sources(merge, false, error))
		return -1;
	merge->progress.tell = merge->options.progress;
	merge->progress.data = merge->options.data;
	merge->progress.bytes_total = merge->set.bytes;
	merge->set.progress = merge->options.progress ? &merge->progress : NULL;
	tallies = calloc(merge->set.nr_streams + 1, sizeof(*tallies));
	if (!tallies)
		return strata_fail(error, "out of memory");
	status = strata_trace_set_merge(&merge->set, 0, UINT64_MAX, &merge->slice, tallies, &why);
	for (i = 0; i < merge->set.nr_streams; i++)
		strata_ctf_tally_add(&merge->set.streams[i].tally, &tallies[i]);
	free(tallies);
	if (!status)
		merge->result.bad_packets += strata_trace_set_name_cut(&merge->set);
	merge->result.bad_packets += strata_recording_traces_missing(merge->traces);
	if (status < 0)
		*error = why;
	/* 1: a consumer takes no more, and says why when it finishes. */
	return status < 0 ? -1 : 0;
}

/* The largest error of a time, and of the distance between times on two physical CPUs. */
static void sum_up_bounds(struct strata_merge *merge)
{
	struct strata_merge_result *result = &merge->result;
	uint32_t tsc_khz = merge->host->timebase.tsc_khz;
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
	result->skew_ticks = strata_skew_bound_ticks(&merge->host->scan.skew);
	result->pcpus = merge->host->scan.skew.nr_pcpus;
	result->unmeasured_pcpus = merge->host->scan.skew.nr_unmeasured;
	/* The reading of a counter is as coarse as a tick. */
	result->bound_ticks =
		strata_ctf_add_clamped(strata_ctf_add_clamped(largest, 1), result->skew_ticks);
	result->bound_ns = strata_ticks_to_ns_up(tsc_khz, result->bound_ticks);
	if (largest_early)
		result->app_bound_ns = strata_ticks_to_ns_up(
			tsc_khz, strata_ctf_add_clamped(strata_ctf_add_clamped(largest_early, 1),
							result->skew_ticks));
}

static void sum_up(struct strata_merge *merge)
{
	struct strata_merge_result *result = &merge->result;
	size_t i;

	for (i = 0; i < merge->set.nr_streams; i++) {
		const struct strata_ctf_tally *tally = &merge->set.streams[i].tally;

		if (merge->of_set[i])
			merge->of_set[i]->seen.lost = tally->discarded;
		result->bad_packets += tally->bad_packets;
		result->forged_packets += tally->forged_packets;
		result->missing_packets += tally->missing_packets;
		result->clamped += tally->held_times;
	}
	for (i = 0; i < merge->nr_streams; i++) {
		result->lost += merge->streams[i].seen.lost;
		result->bad_packets += merge->host->streams[i].recorded->bad_packets;
	}
	sum_up_bounds(merge);
	result->order = *strata_order_check_finish(merge->check);
}

int strata_merge_run(struct strata_merge *merge, struct strata_sink *const *sinks, size_t nr_sinks,
		     struct strata_error *error)
{
	struct strata_error sink_error;
	int status;
	size_t i;

	merge->sinks = sinks;
	merge->nr_sinks = nr_sinks;
	status = merge_events(merge, error);
	sum_up(merge);
	for (i = 0; i < nr_sinks; i++) {
		if (sinks[i]->finish(sinks[i], merge, &sink_error) && status == 0) {
			*error = sink_error;
			status = -1;
		}
	}
	return status;
}

/* Open and close ---------------------------------------------------------------------------- */

static uint32_t padded_context_bytes(enum strata_layer layer)
{
	return (strata_event_payload_bytes(strata_layer_context(layer)) + 3u) & ~3u;
}

static void set_up_stream(struct strata_merge *merge, size_t at)
{
	const struct strata_recorded_stream *recorded = &merge->host->streams[at];
	struct merge_stream *stream = &merge->streams[at];

	stream->seen.source = recorded->source;
	stream->seen.source_index = recorded->source_index;
	stream->seen.index = at;
	stream->seen.cpu = recorded->cpu;
	stream->seen.clock = recorded->kind;
	stream->seen.clock_changes = recorded->clock_changes;
	stream->early_ticks =
		strata_source_early_ticks(recorded->source, merge->host->timebase.tsc_khz);
	stream->context_bytes = padded_context_bytes(recorded->source->layer);
	if (recorded->source->layer == STRATA_LAYER_XEN)
		return;
	stream->vcpu = strata_order_check_vcpu(merge->check, (uint16_t)recorded->source->domain,
					       (uint16_t)recorded->cpu);
	if (recorded->kind == STRATA_CLOCK_EMULATED)
		strata_order_check_read_by_xen(stream->vcpu);
}

static int set_up(struct strata_merge *merge, const char *raw, struct strata_error *error)
{
	const struct strata_xen_scan *scan;
	size_t i;

	merge->traces = strata_recording_traces_open(raw, merge->options.complain,
						     merge->options.data, error);
	if (!merge->traces)
		return -1;
	merge->host = strata_recording_traces_host(merge->traces);
	scan = &merge->host->scan;
	merge->nr_streams = merge->host->nr_streams;
	merge->check = strata_order_check_new(scan->covered_from, scan->covered_until);
	merge->classes = calloc(merge->host->recording.nr_sources + 1, sizeof(*merge->classes));
	merge->streams = calloc(merge->nr_streams + 1, sizeof(*merge->streams));
	if (!merge->check || !merge->classes || !merge->streams)
		return strata_fail(error, "out of memory for %zu streams", merge->nr_streams);
	for (i = 0; i < merge->nr_streams; i++)
		set_up_stream(merge, i);
	merge->result.left_out_sources = merge->host->left_out_sources;
	merge->result.assumed_clocks = merge->host->assumed_clocks;
	return 0;
}

struct strata_merge *strata_merge_open(const char *raw, const struct strata_merge_options *options,
				       struct strata_error *error)
{
	struct strata_merge *merge = calloc(1, sizeof(*merge));

	if (!merge) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	merge->slice.take = take;
	merge->slice.lose = lose;
	if (options)
		merge->options = *options;
	if (set_up(merge, raw, error)) {
		strata_merge_close(merge);
		return NULL;
	}
	return merge;
}

static bool is_of_xen(const struct strata_merge *merge, const char *source)
{
	size_t i;

	for (i = 0; i < merge->nr_streams; i++) {
		if (strcmp(merge->streams[i].seen.source->name, source) == 0)
			return merge->streams[i].seen.source->layer == STRATA_LAYER_XEN;
	}
	return false;
}

int strata_merge_shift(struct strata_merge *merge, const char *source, int64_t ticks,
		       struct strata_error *error)
{
	const struct strata_xen_scan *scan = &merge->host->scan;

	if (strata_recorded_host_shift(merge->host, source, ticks, error))
		return -1;
	/* The time that the hypervisor's streams cover moves with them. */
	if (is_of_xen(merge, source))
		strata_order_check_cover(merge->check,
					 strata_shifted_ticks(scan->covered_from, ticks),
					 strata_shifted_ticks(scan->covered_until, ticks));
	return 0;
}

void strata_merge_close(struct strata_merge *merge)
{
	size_t i;

	if (!merge)
		return;
	strata_trace_set_clear(&merge->set);
	for (i = 0; merge->classes && i < merge->host->recording.nr_sources; i++)
		strata_event_classes_clear(&merge->classes[i]);
	for (i = 0; merge->streams && i < merge->nr_streams; i++)
		free(merge->streams[i].classes);
	free(merge->streams);
	free(merge->of_set);
	free(merge->classes);
	strata_order_check_free(merge->check);
	strata_recording_traces_close(merge->traces);
	free(merge);
}

bool strata_merge_stream_clock(const struct strata_merge *merge, size_t source_index, uint32_t cpu,
			       struct strata_stream_clock *clock)
{
	const struct strata_recorded_stream *recorded =
		strata_recorded_host_stream(merge->host, source_index, cpu);

	if (recorded)
		*clock = recorded->clock;
	return recorded;
}

bool strata_merge_has_guest_mode(const struct strata_merge *merge, uint16_t domain)
{
	return (merge->host->scan.guest_mode[domain / 8] >> domain % 8 & 1u) != 0;
}

bool strata_merge_has_hypercall_returns(const struct strata_merge *merge)
{
	return merge->host->scan.hypercall_returns;
}

uint64_t strata_merge_skew_ticks(const struct strata_merge *merge)
{
	return strata_skew_bound_ticks(&merge->host->scan.skew);
}

const struct strata_recording *strata_merge_recording(const struct strata_merge *merge)
{
	return &merge->host->recording;
}

const struct strata_merge_result *strata_merge_result(const struct strata_merge *merge)
{
	return &merge->result;
}

const struct strata_timebase *strata_merge_timebase(const struct strata_merge *merge)
{
	return &merge->host->timebase;
}

size_t strata_merge_nr_streams(const struct strata_merge *merge)
{
	return merge->nr_streams;
}

const struct strata_merge_stream *strata_merge_stream(const struct strata_merge *merge,
						      size_t index)
{
	return &merge->streams[index].seen;
}

const struct strata_event_class *strata_merge_class(const struct strata_merge *merge,
						    size_t source_index, uint32_t number)
{
	const struct strata_event_classes *classes = &merge->classes[source_index];

	return number < classes->nr ? classes->by_number[number] : NULL;
}

const char *strata_merge_domain_name(const struct strata_merge *merge, uint16_t domain)
{
	return merge->host->domain_names[domain];
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* merger.c - see merger.h.  merge_event.c takes the events, merge_order.c checks their order. */
#include "host/merger.h"

#include <stdlib.h>
#include <string.h>

#include "host/host_converter.h"
#include "host/merge_state.h"
#include "timeline/slices.h"

void merge_complain(const struct strata_merge *merge, const char *message)
{
	if (merge->options.complain)
		merge->options.complain(merge->options.data, message);
}

int strata_merge_watch(struct strata_merge *merge, const struct strata_trace_set *set,
		       struct strata_sink *const *sinks, size_t nr_sinks,
		       struct strata_error *error)
{
	const struct strata_recording *recording = &merge->host->recording;
	size_t i;

	merge->set = set;
	merge->sinks = sinks;
	merge->nr_sinks = nr_sinks;
	merge->of_set = calloc(set->nr_streams + 1, sizeof(struct merge_stream *));
	if (!merge->of_set)
		return strata_fail(error, "out of memory");
	for (i = 0; i < set->nr_streams; i++) {
		const struct strata_recorded_stream *recorded =
			strata_recording_traces_stream(set->streams[i].stream);

		if (recorded && recorded->host == merge->host)
			merge->of_set[i] = &merge->streams[recorded - merge->host->streams];
	}
	for (i = 0; i < recording->nr_sources; i++)
		merge->result.left_out_sources += strata_recorded_host_can_order(merge->host, i);
	for (i = 0; i < set->nr_traces; i++)
		merge->result.left_out_sources -= set->traces[i]->recording == merge->traces;
	return 0;
}

struct strata_slice_sink *strata_merge_observer(struct strata_merge *merge)
{
	return &merge->slice;
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

	for (i = 0; i < merge->set->nr_streams; i++) {
		const struct strata_set_stream *stream = &merge->set->streams[i];

		if (stream->stream->trace->recording != merge->traces)
			continue;
		if (merge->of_set[i])
			merge->of_set[i]->seen.lost = stream->tally.discarded;
		if (merge->of_set[i])
			merge->of_set[i]->seen.missing_packets = stream->tally.missing_packets;
		strata_ctf_tally_add(&result->tally, &stream->tally);
		result->tally.bad_packets += strata_set_stream_is_cut(stream);
	}
	result->tally.bad_packets += strata_recording_traces_missing(merge->traces);
	for (i = 0; i < merge->nr_streams; i++)
		result->tally.bad_packets += merge->host->streams[i].recorded->bad_packets;
	sum_up_bounds(merge);
	result->order = *strata_order_check_finish(merge->check);
}

int strata_merge_finish(struct strata_merge *merge, struct strata_error *error)
{
	struct strata_error sink_error;
	int status = 0;
	size_t i;

	sum_up(merge);
	for (i = 0; i < merge->nr_sinks; i++) {
		struct strata_sink *sink = merge->sinks[i];

		if (sink->finish && sink->finish(sink, merge, &sink_error) && !status) {
			*error = sink_error;
			status = -1;
		}
	}
	return status;
}

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

/* The time that the hypervisor's streams cover moves with them. */
static void set_cover(struct strata_merge *merge)
{
	const struct strata_xen_scan *scan = &merge->host->scan;
	int64_t shift = 0;
	size_t i;

	for (i = 0; i < merge->nr_streams; i++) {
		if (merge->streams[i].seen.source->layer == STRATA_LAYER_XEN)
			shift = merge->host->streams[i].shift_ticks;
	}
	strata_order_check_cover(merge->check, strata_shifted_ticks(scan->covered_from, shift),
				 strata_shifted_ticks(scan->covered_until, shift));
}

static int set_up(struct strata_merge *merge, struct strata_error *error)
{
	const struct strata_xen_scan *scan;
	size_t i;

	merge->slice.take = merge_take;
	merge->slice.lose = merge_lose;
	merge->host = strata_recording_traces_host(merge->traces);
	scan = &merge->host->scan;
	merge->nr_streams = merge->host->nr_streams;
	merge->check = strata_order_check_new(scan->covered_from, scan->covered_until);
	merge->classes = calloc(merge->host->recording.nr_sources + 1, sizeof(*merge->classes));
	merge->streams = calloc(merge->nr_streams + 1, sizeof(*merge->streams));
	if (!merge->check || !merge->classes || !merge->streams)
		return strata_fail(error, "out of memory for %zu streams", merge->nr_streams);
	strata_recording_traces_describe(merge->traces);
	for (i = 0; i < merge->nr_streams; i++)
		set_up_stream(merge, i);
	set_cover(merge);
	merge->result.left_out_sources = merge->host->left_out_sources;
	merge->result.assumed_clocks = merge->host->assumed_clocks;
	return 0;
}

struct strata_merge *strata_merge_of(struct strata_recording_traces *traces,
				     const struct strata_merge_options *options,
				     struct strata_error *error)
{
	struct strata_merge *merge = calloc(1, sizeof(*merge));

	if (!merge) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	merge->traces = traces;
	if (options)
		merge->options = *options;
	if (set_up(merge, error)) {
		strata_merge_close(merge);
		return NULL;
	}
	return merge;
}

void strata_merge_close(struct strata_merge *merge)
{
	size_t i;

	if (!merge)
		return;
	for (i = 0; merge->classes && i < merge->host->recording.nr_sources; i++)
		strata_event_classes_clear(&merge->classes[i]);
	for (i = 0; merge->streams && i < merge->nr_streams; i++)
		free(merge->streams[i].classes);
	free(merge->streams);
	free(merge->of_set);
	free(merge->classes);
	strata_order_check_free(merge->check);
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

const char *strata_merge_domain_name(const struct strata_merge *merge, uint16_t domain)
{
	return merge->host->domain_names[domain];
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merger.c - see merger.h: opens the sources of one recording, runs the merge of all traces
 * (trace_set.h) over them, and sums up.  merge_event.c takes the events.
 */
#include "host/merger.h"

#include <stdlib.h>
#include <string.h>

#include "host/host_converter.h"
#include "host/merge_state.h"

void merge_complain(const struct strata_merge *merge, const char *message)
{
	if (merge->options.complain)
		merge->options.complain(merge->options.data, message);
}

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
		merge_complain(merge, error->text);
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
	merge->slice.take = merge_take;
	merge->slice.lose = merge_lose;
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

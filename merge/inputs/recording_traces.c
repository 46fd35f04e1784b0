// SPDX-License-Identifier: GPL-2.0-or-later
/* recording_traces.c - see recording_traces.h. */
#include "inputs/recording_traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/host_converter.h"

struct converter_node {
	struct strata_host_converter converter;
	struct converter_node *next;
};

struct strata_recording_traces {
	struct strata_merge *merge;
	char *raw;
	strata_complain_fn *complain;
	void *complain_data;
	struct converter_node *converters;
};

struct strata_recording_traces *strata_recording_traces_open(const char *raw,
							     strata_complain_fn *complain,
							     void *data, struct strata_error *error)
{
	const struct strata_merge_options options = { .complain = complain, .data = data };
	struct strata_recording_traces *traces = calloc(1, sizeof(*traces));

	if (!traces || !(traces->raw = strdup(raw))) {
		strata_fail(error, "%s: out of memory", raw);
		free(traces);
		return NULL;
	}
	traces->complain = complain;
	traces->complain_data = data;
	traces->merge = strata_merge_open(raw, &options, error);
	if (traces->merge)
		return traces;
	strata_recording_traces_close(traces);
	return NULL;
}

void strata_recording_traces_close(struct strata_recording_traces *traces)
{
	if (!traces)
		return;
	while (traces->converters) {
		struct converter_node *node = traces->converters;

		traces->converters = node->next;
		free(node);
	}
	strata_merge_close(traces->merge);
	free(traces->raw);
	free(traces);
}

const struct strata_recording *
strata_recording_traces_table(const struct strata_recording_traces *traces)
{
	return strata_merge_recording(traces->merge);
}

/* Gives a stream its clock. 0; -1: its clock cannot be ordered, or there is no memory. */
static int set_clock(struct strata_recording_traces *traces, size_t source_index,
		     struct strata_ctf_stream *stream)
{
	struct converter_node *node = calloc(1, sizeof(*node));
	struct strata_stream_clock clock;

	if (!node || !strata_merge_stream_clock(traces->merge, source_index, (uint32_t)stream->cpu,
						&clock)) {
		free(node);
		return -1;
	}
	strata_host_converter_init(&node->converter,
				   &strata_merge_recording(traces->merge)->sources[source_index],
				   &clock, strata_merge_timebase(traces->merge),
				   strata_merge_skew_ticks(traces->merge));
	strata_host_converter_set_presence(
		stream, strata_merge_recording(traces->merge),
		&strata_merge_recording(traces->merge)->sources[source_index],
		strata_merge_recording(traces->merge)->ended_ticks,
		strata_merge_timebase(traces->merge));
	node->next = traces->converters;
	traces->converters = node;
	stream->converter = &node->converter.converter;
	return 0;
}

/* Events that were lost behind a stream's last packet are in the recording's table alone. */
static void set_discarded(const struct strata_source *source, struct strata_ctf_stream *stream)
{
	size_t i;

	for (i = 0; i < source->nr_streams; i++) {
		if (stream->has_cpu && source->streams[i].cpu == stream->cpu)
			stream->discarded = source->streams[i].lost;
	}
}

struct strata_ctf_trace *strata_recording_traces_trace(struct strata_recording_traces *traces,
						       size_t source_index,
						       struct strata_error *error)
{
	const struct strata_source *source =
		&strata_merge_recording(traces->merge)->sources[source_index];
	struct strata_ctf_trace *trace;
	char path[4096];
	size_t i;

	if (snprintf(path, sizeof(path), "%s/%s", traces->raw, source->name) >= (int)sizeof(path)) {
		strata_fail(error, "%.100s...: the path is too long", traces->raw);
		return NULL;
	}
	trace = strata_ctf_trace_open(path, traces->complain, traces->complain_data, error);
	if (trace)
		trace->recording = traces;
	for (i = 0; trace && i < trace->nr_streams; i++) {
		set_discarded(source, &trace->streams[i]);
		if (trace->streams[i].bytes == 0 ||
		    !set_clock(traces, source_index, &trace->streams[i]))
			continue;
		strata_fail(error,
			    "%s/%s: its clock cannot be ordered with the others'; the "
			    "source is left out",
			    path, trace->streams[i].name);
		strata_ctf_trace_close(trace);
		return NULL;
	}
	return trace;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* recording_traces.c - see recording_traces.h. */
#include "inputs/recording_traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream_clock.h"

/* A stream's way from its counter to ns. */
struct stream_converter {
	struct strata_ctf_converter converter;
	struct strata_stream_clock clock; /* as it is before the first event */
	const struct strata_timebase *timebase;
	uint64_t known_ticks; /* no time is known better: by a tick, the skew, and what may be early
			       */
	bool is_host;         /* the counter is the host's */
	struct stream_converter *next;
};

struct conversion {
	const struct stream_converter *of;
	struct strata_stream_clock clock;
};

struct strata_recording_traces {
	struct strata_merge *merge;
	char *raw;
	strata_complain_fn *complain;
	void *complain_data;
	struct stream_converter *converters;
};

static void *begin(const struct strata_ctf_converter *converter)
{
	const struct stream_converter *of = (const struct stream_converter *)converter;
	struct conversion *conversion = malloc(sizeof(*conversion));

	if (!conversion)
		return NULL;
	conversion->of = of;
	conversion->clock = of->clock;
	return conversion;
}

static uint64_t to_ns(void *state, uint64_t cycles, uint64_t *bound_ns)
{
	struct conversion *conversion = state;
	const struct stream_converter *of = conversion->of;
	struct strata_host_time host = { .ticks = cycles, .sure = true };

	if (!of->is_host)
		host = strata_stream_clock_convert(&conversion->clock, cycles);
	*bound_ns = host.sure ? strata_ticks_to_ns_up(of->timebase->tsc_khz,
						      host.bound + of->known_ticks)
			      : UINT64_MAX;
	return strata_realtime_ns(of->timebase, host.ticks);
}

static void end(void *state)
{
	free(state);
}

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
		struct stream_converter *converter = traces->converters;

		traces->converters = converter->next;
		free(converter);
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
	const struct strata_source *source =
		&strata_merge_recording(traces->merge)->sources[source_index];
	struct stream_converter *converter = calloc(1, sizeof(*converter));

	if (!converter || !strata_merge_stream_clock(traces->merge, source_index,
						     (uint32_t)stream->cpu, &converter->clock)) {
		free(converter);
		return -1;
	}
	converter->converter.begin = begin;
	converter->converter.ns = to_ns;
	converter->converter.end = end;
	converter->converter.from_start = strata_stream_clock_steps_back(&converter->clock) > 0;
	converter->timebase = strata_merge_timebase(traces->merge);
	/* A tick, because no reading is finer. */
	converter->known_ticks = 1 + strata_merge_skew_ticks(traces->merge) +
				 strata_source_early_ticks(source, converter->timebase->tsc_khz);
	converter->is_host = source->layer == STRATA_LAYER_XEN;
	converter->next = traces->converters;
	traces->converters = converter;
	stream->converter = &converter->converter;
	return 0;
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

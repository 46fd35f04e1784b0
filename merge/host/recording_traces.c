// SPDX-License-Identifier: GPL-2.0-or-later
/* recording_traces.c - see recording_traces.h. */
#include "host/recording_traces.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/types/ctf_arena.h"
#include "host/host_converter.h"
#include "clocks/xen_class.h"

struct converter_node {
	struct strata_host_converter converter;
	struct converter_node *next;
};

struct strata_recording_traces {
	struct strata_recorded_host host;
	char *raw;
	strata_complain_fn *complain;
	strata_complain_fn *remark;
	void *complain_data;
	struct converter_node *converters;
	size_t nr_missing;
};

struct strata_recording_traces *strata_recording_traces_open(const char *raw,
							     strata_complain_fn *complain,
							     strata_complain_fn *remark, void *data,
							     struct strata_error *error)
{
	struct strata_recording_traces *traces = calloc(1, sizeof(*traces));

	if (!traces || !(traces->raw = strdup(raw))) {
		strata_fail(error, "%s: out of memory", raw);
		free(traces);
		return NULL;
	}
	traces->complain = complain;
	traces->remark = remark;
	traces->complain_data = data;
	if (!strata_recorded_host_load(&traces->host, raw, complain, remark, data, error))
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
	strata_recorded_host_clear(&traces->host);
	free(traces->raw);
	free(traces);
}

struct strata_recorded_host *strata_recording_traces_host(struct strata_recording_traces *traces)
{
	return &traces->host;
}

const struct strata_timebase *
strata_recording_traces_base(const struct strata_recording_traces *traces)
{
	return &traces->host.timebase;
}

const struct strata_recording *
strata_recording_traces_table(const struct strata_recording_traces *traces)
{
	return &traces->host.recording;
}

const struct strata_recorded_stream *
strata_recording_traces_stream(const struct strata_ctf_stream *stream)
{
	const struct strata_host_converter *converter =
		(const struct strata_host_converter *)stream->converter;

	return stream->trace->recording && converter ? converter->recorded : NULL;
}

const struct strata_recorded_stream *
strata_recorded_stream_of(const struct strata_recorded_host *host,
			  const struct strata_ctf_stream *stream)
{
	const struct strata_recorded_stream *recorded = strata_recording_traces_stream(stream);

	return recorded && recorded->host == host ? recorded : NULL;
}

struct strata_ctf_tally strata_recording_tally(const struct strata_set_stream *stream)
{
	const struct strata_recorded_stream *recorded =
		strata_recording_traces_stream(stream->stream);
	struct strata_ctf_tally tally = stream->tally;

	tally.bad_packets += strata_set_stream_is_cut(stream);
	if (recorded && recorded->recorded)
		tally.bad_packets += recorded->recorded->bad_packets;
	return tally;
}

size_t strata_recording_traces_missing(const struct strata_recording_traces *traces)
{
	return traces->nr_missing;
}

/* Gives a stream its clock and its data from the table. 0; -1: its clock cannot be ordered, or out
 * of memory. */
static int set_up(struct strata_recording_traces *traces, size_t source_index,
		  struct strata_ctf_stream *stream)
{
	const struct strata_recorded_host *host = &traces->host;
	struct strata_recorded_stream *recorded;
	struct converter_node *node;
	uint32_t cpu;

	if (!strata_cpu_of_stream(stream->name, &cpu))
		return -1;
	recorded = strata_recorded_host_stream(host, source_index, cpu);
	node = recorded ? calloc(1, sizeof(*node)) : NULL;
	if (!node)
		return -1;
	recorded->classes = host->xen_classes[source_index];
	node->next = traces->converters;
	traces->converters = node;
	strata_host_converter_attach(&node->converter, recorded, stream);
	return 0;
}

static bool has_stream(const struct strata_ctf_trace *trace, uint32_t cpu)
{
	char name[32];
	size_t i;

	snprintf(name, sizeof(name), "cpu_%" PRIu32, cpu);
	for (i = 0; i < trace->nr_streams; i++) {
		if (strcmp(trace->streams[i].name, name) == 0)
			return true;
	}
	return false;
}

/* Reports missing streams that have packets by the table, and the losses of those without a packet
 * that could tell them. */
static void name_missing(struct strata_recording_traces *traces, const struct strata_source *source,
			 const struct strata_ctf_trace *trace)
{
	char message[512];
	size_t i;

	for (i = 0; i < source->nr_streams; i++) {
		const struct strata_stream *stream = &source->streams[i];
		strata_complain_fn *tell = stream->packets ? traces->complain : traces->remark;

		if ((!stream->packets && !stream->lost) || has_stream(trace, stream->cpu))
			continue;
		traces->nr_missing += stream->packets != 0;
		if (stream->packets)
			snprintf(message, sizeof(message),
				 "%.300s/cpu_%" PRIu32
				 ": cannot be read, but the recording says %" PRIu64 " packets",
				 trace->path, stream->cpu, stream->packets);
		else
			snprintf(message, sizeof(message),
				 "%.300s/cpu_%" PRIu32 ": its %" PRIu64
				 " events are lost: the recorder had no room for them",
				 trace->path, stream->cpu, stream->lost);
		if (tell)
			tell(traces->complain_data, message);
	}
}

/* Finds out what the hypervisor's event classes say. 0, or -1: out of memory. */
static int bind_classes(struct strata_recording_traces *traces, size_t source_index,
			const struct strata_ctf_trace *trace, struct strata_error *error)
{
	struct strata_recorded_host *host = &traces->host;
	const struct strata_source *source = &host->recording.sources[source_index];

	if (source->layer != STRATA_LAYER_XEN)
		return 0;
	free(host->xen_classes[source_index]);
	host->xen_classes[source_index] = strata_xen_classes_new(source, &trace->metadata);
	return host->xen_classes[source_index] ? 0 : strata_fail(error, "out of memory");
}

int strata_recording_name_domains(const struct strata_recording *recording,
				  struct strata_ctf_trace *trace, struct strata_error *error)
{
	struct strata_ctf_metadata *metadata = &trace->metadata;
	struct strata_ctf_env *env = strata_ctf_arena_get(
		metadata->arena, metadata->nr_env + recording->nr_sources, sizeof(*env));
	uint8_t named[(UINT16_MAX + 1) / 8] = { 0 };
	size_t i, nr = metadata->nr_env;

	for (i = 0; env && i < recording->nr_sources; i++) {
		const struct strata_source *source = &recording->sources[i];
		const size_t bytes = sizeof(STRATA_CTF_DOMAIN_NAME "65535");
		char *name, *text;

		if (source->vacant || source->layer != STRATA_LAYER_KERNEL || source->domain == 0 ||
		    source->domain > UINT16_MAX ||
		    (named[source->domain / 8] >> source->domain % 8 & 1))
			continue;
		named[source->domain / 8] |= (uint8_t)(1u << source->domain % 8);
		name = strata_ctf_arena_get(metadata->arena, bytes, 1);
		text = strata_ctf_arena_get(metadata->arena, sizeof(source->name), 1);
		if (!name || !text)
			return strata_fail(error, "out of memory");
		snprintf(name, bytes, STRATA_CTF_DOMAIN_NAME "%" PRIu32, source->domain);
		snprintf(text, sizeof(source->name), "%s", source->name);
		env[nr++] = (struct strata_ctf_env){ .name = name, .text = text };
	}
	if (!env)
		return strata_fail(error, "out of memory");
	if (metadata->nr_env)
		memcpy(env, metadata->env, metadata->nr_env * sizeof(*env));
	metadata->env = env;
	metadata->nr_env = nr;
	return 0;
}

struct strata_ctf_trace *strata_recording_traces_trace(struct strata_recording_traces *traces,
						       size_t source_index,
						       struct strata_error *error)
{
	const struct strata_source *source = &traces->host.recording.sources[source_index];
	struct strata_ctf_trace *trace = strata_recorded_source_open(
		source, traces->raw, traces->complain, traces->complain_data, error);
	size_t i;

	if (!trace)
		return NULL;
	trace->recording = traces;
	if (bind_classes(traces, source_index, trace, error) ||
	    (source->layer == STRATA_LAYER_XEN &&
	     strata_recording_name_domains(&traces->host.recording, trace, error))) {
		strata_ctf_trace_close(trace);
		return NULL;
	}
	name_missing(traces, source, trace);
	for (i = 0; i < trace->nr_streams; i++) {
		if (!set_up(traces, source_index, &trace->streams[i]) ||
		    trace->streams[i].bytes == 0)
			continue;
		strata_fail(error,
			    "%s/%s: its clock cannot be ordered with the others'; the "
			    "source is left out",
			    trace->path, trace->streams[i].name);
		strata_ctf_trace_close(trace);
		return NULL;
	}
	if (!traces->host.domains)
		traces->host.domains = &trace->domains;
	return trace;
}

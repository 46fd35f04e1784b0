// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf.c - the timeline as one CTF 1.8 trace: a stream class for each source, a
 * stream file for each of its CPUs, and one clock that counts nanoseconds since
 * 1970.
 *
 * A payload is copied as it is: in both traces it begins on a multiple of 4 and
 * no integer is aligned to more.  Two events of different streams within one
 * nanosecond have the same timestamp here: a reader may show them in either order,
 * where the text has the order of their ticks.
 * ctf_layout.c writes the metadata.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/ctf/ctf_layout.h"
#include "outputs/output_directory.h"
#include "outputs/outputs.h"

struct ctf_output {
	struct strata_sink sink;
	struct strata_dir dir;
	struct strata_ctf_files files;
	struct strata_ctf_packets *streams; /* by index in the merge */
	size_t nr_streams;
};

static void ctf_event(struct strata_sink *sink, const struct strata_timeline_event *event)
{
	struct ctf_output *output = (struct ctf_output *)sink;
	uint32_t context_bytes = strata_ctf_context_bytes(event->class->layer);
	const int32_t pid = event->stream->source->pid;
	const uint32_t pid_bytes = event->class->layer == STRATA_LAYER_APP ? sizeof(pid) : 0;
	struct ctf_event_head head = {
		.header = { .id = event->class->number, .ns = event->ns },
		.domain = event->domain,
		.vcpu = event->vcpu,
		.pcpu = event->pcpu == STRATA_PCPU_UNKNOWN ? -1 : event->pcpu,
	};
	uint8_t *to;

	if (!output->files.first_ns)
		output->files.first_ns = event->ns;
	to = strata_ctf_packets_room(&output->streams[event->stream->index],
				     (uint32_t)sizeof(head) + pid_bytes + context_bytes +
					     event->payload_bytes,
				     event->ns, event->stream->lost);
	memcpy(to, &head, sizeof(head));
	to += sizeof(head);
	memcpy(to, &pid, pid_bytes);
	to += pid_bytes;
	memcpy(to, event->context, context_bytes);
	memcpy(to + context_bytes, event->payload, event->payload_bytes);
}

static bool ctf_failed(const struct strata_sink *sink)
{
	return ((const struct ctf_output *)sink)->files.error != 0;
}

static int ctf_finish(struct strata_sink *sink, const struct strata_merge *merge,
		      struct strata_error *error)
{
	struct ctf_output *output = (struct ctf_output *)sink;
	size_t i;

	for (i = 0; i < output->nr_streams; i++)
		strata_ctf_packets_finish(&output->streams[i], strata_merge_result(merge)->last_ns,
					  strata_merge_stream(merge, i)->lost);
	if (strata_ctf_files_result(&output->files, error))
		return -1;
	if (strata_ctf_layout_save(merge, &output->dir, output->files.uuid, error))
		return -1;
	strata_output_end(&output->dir);
	return 0;
}

static void ctf_free(struct strata_sink *sink)
{
	struct ctf_output *output = (struct ctf_output *)sink;
	size_t i;

	for (i = 0; i < output->nr_streams; i++)
		strata_ctf_packets_close(&output->streams[i]);
	strata_dir_close(&output->dir);
	free(output->streams);
	free(output);
}

static int open_stream(struct ctf_output *output, const struct strata_merge_stream *merged,
		       struct strata_error *error)
{
	char name[128];

	snprintf(name, sizeof(name), "%s_%u", merged->source->name, merged->cpu);
	if (strata_ctf_packets_open(&output->streams[output->nr_streams], &output->files,
				    &output->dir, name, (uint32_t)merged->source_index, merged->cpu,
				    error))
		return -1;
	output->nr_streams++;
	return 0;
}

struct strata_sink *strata_ctf_output_new(const struct strata_merge *merge, const char *dir,
					  bool force, struct strata_error *error)
{
	size_t i, nr_streams = strata_merge_nr_streams(merge);
	struct ctf_output *output = calloc(1, sizeof(*output));

	if (output)
		output->streams = calloc(nr_streams + 1, sizeof(*output->streams));
	if (!output || !output->streams) {
		free(output);
		strata_fail(error, "%s: out of memory", dir);
		return NULL;
	}
	output->dir.fd = -1;
	output->sink.event = ctf_event;
	output->sink.failed = ctf_failed;
	output->sink.finish = ctf_finish;
	output->sink.free = ctf_free;
	strata_recording_merged_uuid(strata_merge_recording(merge), output->files.uuid);
	if (strata_output_directory(&output->dir, dir, force, error) ||
	    strata_output_begin(&output->dir, error))
		goto fail;
	for (i = 0; i < nr_streams; i++) {
		if (open_stream(output, strata_merge_stream(merge, i), error))
			goto fail;
	}
	return &output->sink;
fail:
	ctf_free(&output->sink);
	return NULL;
}

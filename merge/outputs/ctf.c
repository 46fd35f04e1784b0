// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf.c - the timeline as one CTF 1.8 trace: a stream class for each source, a
 * stream file for each of its CPUs, and one clock that counts nanoseconds since
 * 1970.
 *
 * A payload is copied as it is: in both traces it begins on a multiple of 4 and
 * no integer is aligned to more.  Timestamps never decrease within a file and
 * packets do not overlap; babeltrace2 gives up otherwise.  Two events of
 * different streams within one nanosecond have the same timestamp here: a reader
 * may show them in either order, where the text has the order of their ticks.
 * ctf_layout.c writes the metadata.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out_file.h"
#include "outputs/ctf_layout.h"
#include "outputs/outputs.h"

#define PACKET_BYTES 65536u

struct ctf_stream {
	const struct strata_merge_stream *stream;
	int fd;
	uint8_t *packet;
	uint32_t used; /* of packet, header included; 0: no packet is open */
	struct ctf_packet_header header;
};

struct ctf_output {
	struct strata_sink sink;
	char dir[4096];
	uint8_t uuid[16];
	struct ctf_stream *streams; /* by index in the merge */
	size_t nr_streams;
	uint64_t first_ns; /* of the timeline */
	int error;         /* errno of the first write that failed */
	const char *error_source;
};

static void open_packet(struct ctf_output *output, struct ctf_stream *stream, uint64_t ns)
{
	struct ctf_packet_header *header = &stream->header;

	header->magic = STRATA_CTF_MAGIC;
	memcpy(header->uuid, output->uuid, sizeof(header->uuid));
	header->stream_id = (uint32_t)stream->stream->source_index;
	header->timestamp_begin = ns;
	header->timestamp_end = ns;
	header->cpu_id = stream->stream->cpu;
	stream->used = sizeof(*header);
}

/* Writes the open packet.  @discarded: the stream's losses up to its end */
static void close_packet(struct ctf_output *output, struct ctf_stream *stream, uint64_t discarded)
{
	struct ctf_packet_header *header = &stream->header;

	header->content_size = (uint64_t)stream->used * 8;
	header->packet_size = header->content_size;
	header->events_discarded = discarded;
	memcpy(stream->packet, header, sizeof(*header));
	if (!output->error) {
		output->error = strata_write_all(stream->fd, stream->packet, stream->used);
		output->error_source = stream->stream->source->name;
	}
	header->packet_seq_num++;
	stream->used = 0;
}

/* Where an event of @bytes goes, in a packet that has room for it. */
static uint8_t *event_room(struct ctf_output *output, struct ctf_stream *stream, uint32_t bytes,
			   uint64_t ns, uint64_t lost)
{
	uint32_t at = (stream->used + 3u) & ~3u;

	/* A loss belongs between two packets: so the one before it ends here. */
	if (stream->used && (at + bytes > PACKET_BYTES || lost != stream->header.events_discarded))
		close_packet(output, stream, stream->header.events_discarded);
	if (!stream->used) {
		/* A reader counts losses from the first packet on: give it one from before them. */
		if (stream->header.packet_seq_num == 0 && lost > 0) {
			open_packet(output, stream, output->first_ns);
			close_packet(output, stream, 0);
		}
		open_packet(output, stream, ns);
		at = (stream->used + 3u) & ~3u;
	}
	stream->header.events_discarded = lost;
	memset(stream->packet + stream->used, 0, at - stream->used);
	stream->used = at + bytes;
	return stream->packet + at;
}

static void ctf_event(struct strata_sink *sink, const struct strata_timeline_event *event)
{
	struct ctf_output *output = (struct ctf_output *)sink;
	struct ctf_stream *stream = &output->streams[event->stream->index];
	uint32_t context_bytes = strata_ctf_context_bytes(event->class->layer);
	struct ctf_event_head head = {
		.id = event->class->number,
		.ns = event->ns,
		.domain = event->domain,
		.vcpu = event->vcpu,
		.pcpu = event->pcpu == STRATA_PCPU_UNKNOWN ? -1 : event->pcpu,
	};
	uint8_t *to;

	if (!output->first_ns)
		output->first_ns = event->ns;
	to = event_room(output, stream,
			(uint32_t)sizeof(head) + context_bytes + event->payload_bytes, event->ns,
			event->stream->lost);
	stream->header.timestamp_end = event->ns;
	memcpy(to, &head, sizeof(head));
	memcpy(to + sizeof(head), event->context, context_bytes);
	memcpy(to + sizeof(head) + context_bytes, event->payload, event->payload_bytes);
}

static bool ctf_failed(const struct strata_sink *sink)
{
	return ((const struct ctf_output *)sink)->error != 0;
}

/* Closes the stream's last packet; what was lost after its last event ends with the timeline. */
static void finish_stream(struct ctf_output *output, struct ctf_stream *stream,
			  const struct strata_merge_result *result)
{
	if (stream->used)
		close_packet(output, stream, stream->header.events_discarded);
	if (stream->stream->lost > stream->header.events_discarded) {
		if (stream->header.packet_seq_num == 0) {
			open_packet(output, stream, result->first_ns);
			close_packet(output, stream, 0);
		}
		open_packet(output, stream, result->last_ns);
		close_packet(output, stream, stream->stream->lost);
	}
}

static int ctf_finish(struct strata_sink *sink, const struct strata_merge *merge,
		      struct strata_error *error)
{
	struct ctf_output *output = (struct ctf_output *)sink;
	size_t i;

	for (i = 0; i < output->nr_streams; i++) {
		struct ctf_stream *stream = &output->streams[i];

		finish_stream(output, stream, strata_merge_result(merge));
		if (close(stream->fd) && !output->error) {
			output->error = errno;
			output->error_source = stream->stream->source->name;
		}
		stream->fd = -1;
	}
	if (output->error) {
		char path[4200];

		snprintf(path, sizeof(path), "%s/%s", output->dir, output->error_source);
		return strata_fail_write(path, output->error, error);
	}
	return strata_ctf_layout_save(merge, output->dir, output->uuid, error);
}

static void ctf_free(struct strata_sink *sink)
{
	struct ctf_output *output = (struct ctf_output *)sink;
	size_t i;

	for (i = 0; i < output->nr_streams; i++) {
		if (output->streams[i].fd >= 0)
			close(output->streams[i].fd);
		free(output->streams[i].packet);
	}
	free(output->streams);
	free(output);
}

static int open_stream(struct ctf_output *output, const struct strata_merge_stream *merged,
		       struct strata_error *error)
{
	struct ctf_stream *stream = &output->streams[output->nr_streams];
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s_%u", output->dir, merged->source->name, merged->cpu);
	stream->stream = merged;
	stream->packet = malloc(PACKET_BYTES);
	if (!stream->packet)
		return strata_fail(error, "%s: out of memory", path);
	stream->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (stream->fd < 0) {
		free(stream->packet);
		return strata_fail(error, "%s: %s", path, strerror(errno));
	}
	output->nr_streams++;
	return 0;
}

/* A UUID of this merge: the sources' together, so that the same input gives the same output. */
static void make_uuid(const struct strata_merge *merge, uint8_t uuid[16])
{
	const struct strata_recording *recording = strata_merge_recording(merge);
	size_t i;
	unsigned int j;

	for (i = 0; i < recording->nr_sources; i++) {
		for (j = 0; j < 16; j++)
			uuid[j] = (uint8_t)((uuid[j] << 1 | uuid[j] >> 7) ^
					    recording->sources[i].uuid[j]);
	}
	uuid[0] ^= 0x5a;
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40);
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

struct strata_sink *strata_ctf_output_new(const struct strata_merge *merge, const char *dir,
					  struct strata_error *error)
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
	output->sink.event = ctf_event;
	output->sink.failed = ctf_failed;
	output->sink.finish = ctf_finish;
	output->sink.free = ctf_free;
	make_uuid(merge, output->uuid);
	if (snprintf(output->dir, sizeof(output->dir), "%s", dir) >= (int)sizeof(output->dir)) {
		strata_fail(error, "%.100s...: the path is too long", dir);
		goto fail;
	}
	if (strata_ctf_layout_prepare(dir, error))
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

// SPDX-License-Identifier: GPL-2.0-or-later
/* takeover.c - copies the whole packets of an earlier recorder's stream file to the beginning of a
 * stream; see recorder_take_over(). */
#include <stdio.h>
#include <string.h>

#include "consumerd/packets/packet_reader.h"
#include "consumerd/recorder_state.h"

static void complain(void *data, const char *message)
{
	(void)data;
	fprintf(stderr, "strata: %s\n", message);
}

/* The last ones first: the caller that takes over a ring's stream has just added the ring. */
static struct ring_stream *find_stream(struct recorder *recorder, size_t source_index, uint32_t cpu)
{
	size_t i, j;

	for (i = recorder->nr_queues; i-- > 0;) {
		const struct recorder_queue *queue = &recorder->queues[i];

		for (j = queue->nr; j-- > 0;)
			if (queue->streams[j]->source->index == source_index &&
			    queue->streams[j]->ring->cpu == cpu)
				return queue->streams[j];
	}
	return NULL;
}

/* Writes @reader's current packet. 0 or -1. */
static int append(const struct strata_packet_reader *reader, struct stream_file *file,
		  struct strata_stream *stream, struct strata_error *error)
{
	const struct strata_packet *packet = &reader->packet;
	unsigned int i;

	if (stream_file_append(file, reader->bytes, packet->packet_bytes, error) != STREAM_FILE_OK)
		return strata_fail_in(error, "the recorded packets cannot be copied; make room, or "
					     "name another disk with --output");
	stream->packets++;
	stream->events += reader->nr_events;
	stream->lost = 0;
	for (i = 0; i < STRATA_NR_LOST; i++)
		stream->lost += packet->lost[i];
	return 0;
}

static int copy_packets(struct strata_packet_reader *reader, struct stream_file *file,
			struct strata_stream *stream, struct recorder_taken *taken,
			struct strata_error *error)
{
	while (strata_packet_reader_next(reader)) {
		if (append(reader, file, stream, error))
			return -1;
		taken->next_sequence = reader->packet.sequence + 1;
	}
	taken->packets = stream->packets;
	taken->events = stream->events;
	taken->missing = reader->missing_packets;
	taken->bad = reader->bad_packets;
	return 0;
}

/* The ring's records continue where the file ends. */
static void go_on(struct ring_stream *stream, const struct strata_packet_reader *reader,
		  const struct recorder_taken *taken)
{
	if (!taken->packets)
		return;
	memcpy(stream->lost, reader->packet.lost, sizeof(stream->lost));
	stream->end_ticks = reader->packet.end_ticks;
	stream->next_sequence = taken->next_sequence;
}

int recorder_take_over(struct recorder *recorder, size_t source_index, uint32_t cpu,
		       const char *dir, struct recorder_taken *taken, struct strata_error *error)
{
	struct strata_source *source = &recorder->recording.sources[source_index];
	struct ring_stream *drained = NULL;
	struct stream_file own = { .fd = -1 };
	struct strata_packet_reader reader;
	struct strata_stream *stream;
	int result;

	memset(taken, 0, sizeof(*taken));
	stream = strata_source_stream(source, cpu);
	if (stream)
		drained = find_stream(recorder, source_index, cpu);
	else
		stream = strata_source_add_stream(source, cpu);
	if (!stream)
		return strata_fail(error, "out of memory");
	if (!drained)
		stream_file_name(&own, &recorder->out.dir, source->name, cpu);
	result = strata_packet_reader_open(&reader, dir, source, stream, complain, NULL, error);
	if (!result) {
		result = copy_packets(&reader, drained ? &drained->file : &own, stream, taken,
				      error);
		if (!result && drained)
			go_on(drained, &reader, taken);
		strata_packet_reader_close(&reader);
	}
	if (stream_file_close(&own, error))
		result = -1;
	return result;
}

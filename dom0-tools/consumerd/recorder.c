// SPDX-License-Identifier: GPL-2.0-or-later
/* recorder.c - see recorder.h. */
#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctf_metadata.h"
#include "output_dir.h"
#include "packet_check.h"
#include "stream_file.h"

/* A ring that says to have lost more, of one kind, is not believed: the sum of all kinds has to
 * fit where recordings and CTF keep it. */
#define LOST_MAX (INT64_MAX / STRATA_NR_LOST)

/* What one pass takes of a ring that is being written: one of the largest sub-buffers, or more. */
#define SHARE_BYTES (4ul << 20)

/* And of all rings of one kernel together, but of each a sub-buffer at least: however many rings a
 * guest has, and however fast it says to fill them, the others wait no longer than this. */
#define KERNEL_SHARE_BYTES (16ul << 20)

/* Complaints about one ring's packets that are printed; all are counted. */
#define BAD_PACKETS_SHOWN 5

struct tap {
	struct ring *ring;
	size_t source;
	size_t stream;
	struct stream_file file;
	uint64_t lost_before[STRATA_NR_LOST]; /* of earlier recordings */
	uint64_t lost[STRATA_NR_LOST];        /* of this one, up to the last packet */
	uint64_t end_ticks;                   /* of the last packet */
};

struct recorder {
	char dir[400];
	struct strata_recording recording;
	struct tap *taps;
	size_t nr_taps;
	unsigned char *copy; /* one sub-buffer */
	size_t copy_bytes;
	size_t nr_events_saved; /* in all tables, when they were last written */
	struct recorder_totals totals;
};

struct recorder *recorder_open(const char *dir, struct strata_error *error)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));

	if (!recorder) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	if (snprintf(recorder->dir, sizeof(recorder->dir), "%s", dir) >=
	    (int)sizeof(recorder->dir)) {
		strata_fail(error, "the name of the output directory is too long");
		free(recorder);
		return NULL;
	}
	if (output_dir_open(dir, error)) {
		free(recorder);
		return NULL;
	}
	return recorder;
}

struct strata_recording *recorder_recording(struct recorder *recorder)
{
	return &recorder->recording;
}

static struct strata_source *source_of(struct recorder *recorder, const struct tap *tap)
{
	return &recorder->recording.sources[tap->source];
}

static struct strata_stream *stream_of(struct recorder *recorder, const struct tap *tap)
{
	return &source_of(recorder, tap)->streams[tap->stream];
}

/* Lets go what an earlier recorder left, and remembers where the losses stood. */
static int skip_old(struct tap *tap, struct strata_error *error)
{
	strata_count_t turns = strata_nr_subbufs(tap->ring->reader.geo);
	unsigned int i;

	while (turns-- && strata_reader_ready(&tap->ring->reader))
		if (tap->ring->put(tap->ring, error))
			return -1;
	for (i = 0; i < STRATA_NR_LOST; i++)
		tap->lost_before[i] = strata_reader_lost(&tap->ring->reader, i);
	return 0;
}

int recorder_add_ring(struct recorder *recorder, size_t source_index, struct ring *ring,
		      struct strata_error *error)
{
	struct strata_source *source = &recorder->recording.sources[source_index];
	size_t bytes = strata_subbuf_bytes(ring->reader.geo);
	struct tap *taps, *tap;
	size_t i;

	if (bytes > recorder->copy_bytes) {
		unsigned char *copy = realloc(recorder->copy, bytes);

		if (!copy)
			return strata_fail(error, "out of memory");
		recorder->copy = copy;
		recorder->copy_bytes = bytes;
	}
	taps = realloc(recorder->taps, (recorder->nr_taps + 1) * sizeof(*taps));
	if (!taps)
		return strata_fail(error, "out of memory");
	recorder->taps = taps;
	tap = &taps[recorder->nr_taps];
	memset(tap, 0, sizeof(*tap));
	tap->ring = ring;
	tap->source = source_index;
	if (skip_old(tap, error) || output_dir_add(recorder->dir, source->name, error))
		return -1;
	if (!strata_source_add_stream(source, ring->cpu))
		return strata_fail(error, "out of memory");
	if (stream_file_open(&tap->file, recorder->dir, source->name, ring->cpu, error))
		return -1;
	recorder->nr_taps++;
	/* Streams are kept in order of their CPUs: places may have moved. */
	for (tap = taps; tap < taps + recorder->nr_taps; tap++)
		for (i = 0; tap->source == source_index && i < source->nr_streams; i++)
			if (source->streams[i].cpu == tap->ring->cpu)
				tap->stream = i;
	return 0;
}

static size_t nr_events(const struct recorder *recorder)
{
	size_t nr = 0, i;

	for (i = 0; i < recorder->recording.nr_sources; i++)
		nr += recorder->recording.sources[i].nr_events;
	return nr;
}

int recorder_save(struct recorder *recorder, struct strata_error *error)
{
	struct strata_recording *recording = &recorder->recording;
	size_t i;

	for (i = 0; i < recording->nr_sources; i++) {
		if (output_dir_add(recorder->dir, recording->sources[i].name, error) ||
		    strata_ctf_metadata_save(recording, &recording->sources[i], recorder->dir,
					     error))
			return -1;
	}
	if (strata_recording_save(recording, recorder->dir, error))
		return -1;
	recorder->nr_events_saved = nr_events(recorder);
	return 0;
}

/* Builds the header of a packet that goes to the file, from values that were checked. */
static void build_header(struct recorder *recorder, const struct tap *tap, void *bytes,
			 const struct strata_packet *packet)
{
	struct strata_packet_header *header = bytes;

	strata_packet_header_build(header, packet);
	memcpy(header->uuid, source_of(recorder, tap)->uuid, sizeof(header->uuid));
}

/* Losses may only grow from packet to packet, whatever the writer says. */
static void take_losses(struct recorder *recorder, struct tap *tap, uint64_t *lost)
{
	struct strata_stream *stream = stream_of(recorder, tap);
	unsigned int i;

	for (i = 0; i < STRATA_NR_LOST; i++) {
		lost[i] -= tap->lost_before[i];
		if (lost[i] < tap->lost[i] || lost[i] > LOST_MAX)
			lost[i] = tap->lost[i];
		stream->lost += lost[i] - tap->lost[i];
		recorder->totals.lost += lost[i] - tap->lost[i];
		tap->lost[i] = lost[i];
	}
}

static int append(struct recorder *recorder, struct tap *tap, struct strata_packet *packet,
		  uint64_t events, struct strata_error *error)
{
	struct strata_stream *stream = stream_of(recorder, tap);

	take_losses(recorder, tap, packet->lost);
	build_header(recorder, tap, recorder->copy, packet);
	if (stream_file_append(&tap->file, recorder->copy, packet->packet_bytes, error))
		return -1;
	tap->end_ticks = packet->end_ticks;
	stream->packets++;
	stream->events += events;
	recorder->totals.events += events;
	recorder->totals.bytes += packet->packet_bytes;
	return 0;
}

static void complain(struct recorder *recorder, struct tap *tap, const struct strata_error *why)
{
	struct strata_stream *stream = stream_of(recorder, tap);

	recorder->totals.bad_packets++;
	if (stream->bad_packets++ < BAD_PACKETS_SHOWN)
		fprintf(stderr, "strata: %s: ring of CPU %u: packet left out: %s\n",
			source_of(recorder, tap)->name, tap->ring->cpu, why->text);
}

/* Takes the sub-buffer that is ready: copy first, then check, then use. */
static int take(struct recorder *recorder, struct tap *tap, struct strata_error *error)
{
	size_t bytes = strata_subbuf_bytes(tap->ring->reader.geo);
	uint64_t sequence = tap->ring->reader.read_count >> tap->ring->reader.geo.subbuf_bits;
	struct strata_packet packet;
	struct strata_error why = { "" };
	uint64_t events;

	memcpy(recorder->copy, strata_reader_subbuf(&tap->ring->reader), bytes);
	if (strata_packet_check(source_of(recorder, tap), recorder->copy, bytes, &packet, &events,
				&why)) {
		complain(recorder, tap, &why);
		return tap->ring->put(tap->ring, error);
	}
	/* Of the header, place and CPU are what we know and not what it says. */
	packet.sequence = sequence;
	packet.cpu = tap->ring->cpu;
	packet.packet_bytes = (uint32_t)bytes;
	if (append(recorder, tap, &packet, events, error))
		return -1;
	return tap->ring->put(tap->ring, error);
}

/* How many sub-buffers of a ring one pass may take. */
static strata_count_t share(struct recorder *recorder, const struct tap *tap,
			    enum recorder_drain extent)
{
	const struct strata_source *source = source_of(recorder, tap);
	struct strata_ring_geometry geo = tap->ring->reader.geo;
	size_t bytes = SHARE_BYTES;

	if (extent == RECORDER_DRAIN_ALL)
		return strata_nr_subbufs(geo);
	if (source->layer == STRATA_LAYER_KERNEL && bytes > KERNEL_SHARE_BYTES / source->nr_streams)
		bytes = KERNEL_SHARE_BYTES / source->nr_streams;
	bytes >>= geo.subbuf_bits;
	if (bytes > strata_nr_subbufs(geo))
		return strata_nr_subbufs(geo);
	return bytes ? bytes : 1;
}

int recorder_drain(struct recorder *recorder, enum recorder_drain extent, uint64_t *nr_packets,
		   struct strata_error *error)
{
	size_t i;

	*nr_packets = 0;
	for (i = 0; i < recorder->nr_taps; i++) {
		struct tap *tap = &recorder->taps[i];
		strata_count_t turns = share(recorder, tap, extent);

		while (turns-- && strata_reader_ready(&tap->ring->reader)) {
			if (take(recorder, tap, error))
				return -1;
			(*nr_packets)++;
		}
	}
	if (nr_events(recorder) != recorder->nr_events_saved)
		return recorder_save(recorder, error);
	return 0;
}

/* What was lost behind the last packet goes into an empty one of our own. */
static int append_losses(struct recorder *recorder, struct tap *tap, struct strata_error *error)
{
	struct strata_packet packet = {
		.begin_ticks = tap->end_ticks,
		.end_ticks = tap->end_ticks,
		.content_bytes = STRATA_PACKET_HEADER_BYTES,
		.packet_bytes = STRATA_PACKET_HEADER_BYTES,
		.sequence = tap->ring->reader.read_count >> tap->ring->reader.geo.subbuf_bits,
		.cpu = tap->ring->cpu,
	};
	bool more = false;
	unsigned int i;

	for (i = 0; i < STRATA_NR_LOST; i++) {
		uint64_t lost = strata_reader_lost(&tap->ring->reader, i);

		packet.lost[i] = lost;
		lost -= tap->lost_before[i];
		more |= lost > tap->lost[i] && lost <= LOST_MAX;
	}
	return more ? append(recorder, tap, &packet, 0, error) : 0;
}

/* The last packet and the end of one ring's file.  0 or -1. */
static int finish(struct recorder *recorder, struct tap *tap, struct strata_error *error)
{
	struct strata_error closing = { "" };
	int result = append_losses(recorder, tap, error);

	if (stream_file_close(&tap->file, &closing) && !result) {
		*error = closing;
		result = -1;
	}
	return result;
}

struct recorder_totals recorder_totals(const struct recorder *recorder)
{
	return recorder->totals;
}

int recorder_close(struct recorder *recorder, struct recorder_totals *totals,
		   struct strata_error *error)
{
	struct strata_error later;
	int result = 0;
	size_t i;

	output_dir_free_reserve(recorder->dir);
	for (i = 0; i < recorder->nr_taps; i++)
		if (finish(recorder, &recorder->taps[i], result ? &later : error))
			result = -1;
	if (recorder_save(recorder, result ? &later : error))
		result = -1;
	*totals = recorder->totals;
	strata_recording_clear(&recorder->recording);
	free(recorder->taps);
	free(recorder->copy);
	free(recorder);
	return result;
}

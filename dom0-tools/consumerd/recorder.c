// SPDX-License-Identifier: GPL-2.0-or-later
/* recorder.c - see recorder.h. */
#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* How long a full disk is left alone. */
#define RETRY_MS 1000u

struct tap {
	struct ring *ring;
	size_t source;
	size_t stream;
	struct stream_file file;
	uint64_t lost[STRATA_NR_LOST]; /* of this one, up to the last packet */
	uint64_t end_ticks;            /* of the last packet */
	uint64_t next_sequence;        /* the least that the next packet may have */
};

struct recorder {
	char dir[400];
	int held; /* the directory, as output_dir_open() gave it */
	struct strata_recording recording;
	struct tap *taps;
	size_t nr_taps;
	unsigned char *copy; /* one sub-buffer */
	size_t copy_bytes;
	size_t nr_events_saved; /* in all tables, when they were last written */
	bool unsaved;           /* a source changed since then */
	bool save_failed;
	uint64_t save_again_ticks; /* if it did, when to try again */
	bool full;                 /* the disk was, at the last attempt */
	uint64_t write_again_ticks;
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
	recorder->held = output_dir_open(dir, error);
	if (recorder->held < 0) {
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
	int found = 1;

	while (turns-- && (found = tap->ring->get(tap->ring, error)) > 0)
		if (tap->ring->put(tap->ring, error))
			return -1;
	if (found < 0)
		return -1;
	for (i = 0; i < STRATA_NR_LOST; i++)
		tap->ring->lost_before[i] = strata_reader_lost(&tap->ring->reader, i);
	return 0;
}

int recorder_add_ring(struct recorder *recorder, size_t source_index, struct ring *ring,
		      enum recorder_begin begin, struct strata_error *error)
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
	if ((begin == RECORDER_FROM_NOW && skip_old(tap, error)) ||
	    output_dir_add(recorder->dir, source->name, error))
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
	recorder->unsaved = false;
	recorder->save_failed = false;
	return 0;
}

static uint64_t later_ticks(const struct recorder *recorder)
{
	return strata_clock() + (uint64_t)recorder->recording.tsc_khz * RETRY_MS;
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
		lost[i] -= tap->ring->lost_before[i];
		if (lost[i] < tap->lost[i] || lost[i] > LOST_MAX)
			lost[i] = tap->lost[i];
		stream->lost += lost[i] - tap->lost[i];
		recorder->totals.lost += lost[i] - tap->lost[i];
		tap->lost[i] = lost[i];
	}
}

/* The disk took a packet, or has no room for one: says so when that is news. */
static void note_room(struct recorder *recorder, bool room, const struct strata_error *why)
{
	if (!room && !recorder->full)
		fprintf(stderr,
			"strata: %s: nothing is written until there is room again; make some. "
			"Until then what does not fit into the buffers is lost, and counted\n",
			why->text);
	else if (room && recorder->full)
		fprintf(stderr, "strata: there is room on the disk again: writing goes on\n");
	recorder->full = !room;
	recorder->totals.was_full |= !room;
	recorder->write_again_ticks = later_ticks(recorder);
}

static enum stream_file_result append(struct recorder *recorder, struct tap *tap,
				      struct strata_packet *packet, uint64_t events,
				      struct strata_error *error)
{
	struct strata_stream *stream = stream_of(recorder, tap);
	enum stream_file_result result;

	take_losses(recorder, tap, packet->lost);
	build_header(recorder, tap, recorder->copy, packet);
	result = stream_file_append(&tap->file, recorder->copy, packet->packet_bytes, error);
	if (result != STREAM_FILE_OK)
		return result;
	tap->end_ticks = packet->end_ticks;
	tap->next_sequence = packet->sequence + 1;
	stream->packets++;
	stream->events += events;
	recorder->totals.events += events;
	recorder->totals.bytes += packet->packet_bytes;
	return STREAM_FILE_OK;
}

static void complain(struct recorder *recorder, struct tap *tap, const struct strata_error *why)
{
	struct strata_stream *stream = stream_of(recorder, tap);

	recorder->totals.bad_packets++;
	if (stream->bad_packets++ < BAD_PACKETS_SHOWN)
		fprintf(stderr, "strata: %s: ring of CPU %u: packet left out: %s\n",
			source_of(recorder, tap)->name, tap->ring->cpu, why->text);
}

/* A writer that lies about its turns can lead us back; a file's packets only go forward. */
static int check_sequence(const struct tap *tap, uint64_t sequence, struct strata_error *error)
{
	if (sequence < tap->next_sequence)
		return strata_fail(error, "its sequence number %llu comes after %llu",
				   (unsigned long long)sequence,
				   (unsigned long long)tap->next_sequence - 1);
	return 0;
}

/* What to do with a packet that the disk has no room for. */
enum no_room {
	NO_ROOM_WAIT, /* it stays in its ring */
	NO_ROOM_LOSE, /* its ring goes away: its events are lost, and counted */
};

static int lose(struct recorder *recorder, struct tap *tap, uint64_t events,
		struct strata_error *error)
{
	stream_of(recorder, tap)->lost += events;
	recorder->totals.lost += events;
	recorder->totals.no_room += events;
	return tap->ring->put(tap->ring, error);
}

/*
 * Takes the sub-buffer that is ready: copy first, then check, then use.
 * 0, 1 if it waits for room on the disk, or -1.
 */
static int take(struct recorder *recorder, struct tap *tap, enum no_room no_room,
		struct strata_error *error)
{
	size_t bytes = strata_subbuf_bytes(tap->ring->reader.geo);
	uint64_t sequence = tap->ring->reader.read_count >> tap->ring->reader.geo.subbuf_bits;
	enum stream_file_result result;
	struct strata_packet packet;
	struct strata_error why = { "" };
	uint64_t events;

	memcpy(recorder->copy, strata_reader_subbuf(&tap->ring->reader), bytes);
	if (check_sequence(tap, sequence, &why) ||
	    strata_packet_check(source_of(recorder, tap), recorder->copy, bytes, &packet, &events,
				&why)) {
		complain(recorder, tap, &why);
		return tap->ring->put(tap->ring, error);
	}
	/* Of the header, place and CPU are what we know and not what it says. */
	packet.sequence = sequence;
	packet.cpu = tap->ring->cpu;
	packet.packet_bytes = (uint32_t)bytes;
	result = append(recorder, tap, &packet, events, error);
	if (result == STREAM_FILE_FAILED)
		return -1;
	note_room(recorder, result == STREAM_FILE_OK, error);
	if (result == STREAM_FILE_NO_ROOM)
		return no_room == NO_ROOM_LOSE ? lose(recorder, tap, events, error) : 1;
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

/* Tables that cannot be written now are written later, at the end at the latest. */
static void save_what_is_new(struct recorder *recorder)
{
	struct strata_error error = { "" };

	if (!recorder->unsaved && nr_events(recorder) == recorder->nr_events_saved)
		return;
	if (recorder->save_failed && strata_clock() < recorder->save_again_ticks)
		return;
	if (!recorder_save(recorder, &error))
		return;
	if (!recorder->save_failed && !recorder->full)
		fprintf(stderr, "strata: %s; it is tried again every second\n", error.text);
	recorder->save_failed = true;
	recorder->save_again_ticks = later_ticks(recorder);
}

int recorder_drain(struct recorder *recorder, enum recorder_drain extent, uint64_t *nr_packets,
		   struct strata_error *error)
{
	size_t i;

	*nr_packets = 0;
	if (recorder->full && extent == RECORDER_DRAIN_SOME &&
	    strata_clock() < recorder->write_again_ticks)
		return 0;
	for (i = 0; extent != RECORDER_DRAIN_NONE && i < recorder->nr_taps; i++) {
		struct tap *tap = &recorder->taps[i];
		strata_count_t turns = share(recorder, tap, extent);
		int found = 1;

		while (turns-- && (found = tap->ring->get(tap->ring, error)) > 0) {
			int result = take(recorder, tap, NO_ROOM_WAIT, error);

			if (result)
				return result < 0 ? -1 : 0;
			(*nr_packets)++;
		}
		if (found < 0)
			return -1;
	}
	save_what_is_new(recorder);
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

	/* What was taken of an unfinished sub-buffer has the number of where reading stands. */
	if (packet.sequence < tap->next_sequence)
		packet.sequence = tap->next_sequence;
	for (i = 0; i < STRATA_NR_LOST; i++) {
		uint64_t lost = strata_reader_lost(&tap->ring->reader, i);

		packet.lost[i] = lost;
		lost -= tap->ring->lost_before[i];
		more |= lost > tap->lost[i] && lost <= LOST_MAX;
	}
	/* What the disk has no room for is in the totals all the same. */
	return more && append(recorder, tap, &packet, 0, error) == STREAM_FILE_FAILED ? -1 : 0;
}

/*
 * Takes what is committed of a sub-buffer that its writer has not completed: it
 * stopped in the middle, or does not answer.  0, also when there is nothing; or -1.
 */
static int take_unfinished(struct recorder *recorder, struct tap *tap, strata_count_t position,
			   struct strata_error *error)
{
	uint32_t bytes = strata_reader_copy_prefix(&tap->ring->reader, position, recorder->copy);
	uint64_t sequence = position >> tap->ring->reader.geo.subbuf_bits;
	struct strata_error why = { "" };
	struct strata_packet packet;
	uint64_t events;
	unsigned int i;

	if (bytes <= STRATA_PACKET_HEADER_BYTES)
		return 0;
	if (check_sequence(tap, sequence, &why) ||
	    strata_packet_check_unfinished(source_of(recorder, tap), recorder->copy, bytes, &packet,
					   &events, &why)) {
		complain(recorder, tap, &why);
		return 0;
	}
	packet.sequence = sequence;
	packet.cpu = tap->ring->cpu;
	for (i = 0; i < STRATA_NR_LOST; i++)
		packet.lost[i] = strata_reader_lost(&tap->ring->reader, i);
	recorder->totals.unfinished++;
	return append(recorder, tap, &packet, events, error) == STREAM_FILE_FAILED ? -1 : 0;
}

/*
 * Takes what is left in a ring: complete sub-buffers, and what is committed of
 * the others.  There may be several, and complete ones between them: writers that
 * nested in one another when their CPU stopped.  What the disk has no room for
 * is lost.  0 or -1.
 */
static int take_rest(struct recorder *recorder, struct tap *tap, struct strata_error *error)
{
	strata_count_t turns = share(recorder, tap, RECORDER_DRAIN_ALL), ahead;
	struct strata_ring_reader *reader = &tap->ring->reader;
	int result = 0, found = 1;

	while (!result && turns--) {
		found = tap->ring->get(tap->ring, error);
		if (found < 0)
			return -1;
		if (found) {
			result = take(recorder, tap, NO_ROOM_LOSE, error);
			continue;
		}
		/* A home that is asked by hypercall completes what is open when it flushes. */
		if (!reader->shared)
			break;
		result = take_unfinished(recorder, tap, reader->read_count, error);
		/* The ring goes on: what is written next must not lie behind us then. */
		ahead = strata_reader_newest(reader) - reader->read_count;
		if (ahead == 0 || ahead >> (STRATA_COUNT_BITS - 1))
			break;
		reader->read_count += strata_subbuf_bytes(reader->geo);
	}
	return result;
}

/* The last losses and the end of one ring's file.  0 or -1. */
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

/* Finishes the rings of one source and forgets them. */
static int finish_taps(struct recorder *recorder, size_t source_index, struct strata_error *error)
{
	struct strata_error later;
	size_t kept = 0, i;
	int result = 0;

	for (i = 0; i < recorder->nr_taps; i++) {
		struct tap *tap = &recorder->taps[i];

		if (tap->source != source_index) {
			recorder->taps[kept++] = *tap;
			continue;
		}
		if (take_rest(recorder, tap, result ? &later : error))
			result = -1;
		if (finish(recorder, tap, result ? &later : error))
			result = -1;
	}
	recorder->nr_taps = kept;
	return result;
}

int recorder_finish_source(struct recorder *recorder, size_t source_index,
			   enum strata_source_end reason, struct strata_error *error)
{
	struct strata_source *source = &recorder->recording.sources[source_index];
	int result = finish_taps(recorder, source_index, error);

	source->ended = reason;
	source->went_ticks = reason == STRATA_SOURCE_STAYED ? 0 : strata_clock();
	recorder->unsaved = true; /* the next drain saves it */
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

	for (i = 0; i < recorder->nr_taps; i++)
		if (take_rest(recorder, &recorder->taps[i], result ? &later : error))
			result = -1;
	/* Not earlier: packets would take the room that is held back for what comes now. */
	output_dir_free_reserve(recorder->dir);
	for (i = 0; i < recorder->nr_taps; i++)
		if (finish(recorder, &recorder->taps[i], result ? &later : error))
			result = -1;
	if (recorder_save(recorder, result ? &later : error))
		result = -1;
	*totals = recorder->totals;
	strata_recording_clear(&recorder->recording);
	close(recorder->held);
	free(recorder->taps);
	free(recorder->copy);
	free(recorder);
	return result;
}

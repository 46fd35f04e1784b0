// SPDX-License-Identifier: GPL-2.0-or-later
/* recorder.c - see recorder.h. */
#include "consumerd/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumerd/output_dir.h"
#include "recording/recording_remove.h"
#include "consumerd/rings/ring_peek.h"
#include "consumerd/recorder_state.h"

struct recorder *recorder_open(const char *dir, enum output_place place, struct strata_error *error)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));

	if (!recorder) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	recorder->principals = principals_new();
	if (!recorder->principals) {
		strata_fail(error, "out of memory");
		free(recorder);
		return NULL;
	}
	recorder->drain.recording = &recorder->recording;
	recorder->drain.dir = &recorder->out.dir;
	if (!output_dir_open(&recorder->out, dir, place, error)) {
		recorder->out.dir.hurried = true;
		return recorder;
	}
	principals_free(recorder->principals);
	free(recorder);
	return NULL;
}

struct recorder *recorder_open_final(const char *dir, const char *source,
				     struct strata_error *error)
{
	char path[PATH_MAX + 100];
	size_t length = strlen(dir);
	struct recorder *recorder;

	/* Next to the recording, also if its name is given as DIR/. */
	while (length > 1 && dir[length - 1] == '/')
		length--;
	snprintf(path, sizeof(path), "%.*s-died-%s", (int)length, dir, source);
	recorder = recorder_open(path, OUTPUT_NEW, error);
	if (recorder)
		return recorder;
	snprintf(path, sizeof(path), "%.*s/died-%s", (int)length, dir, source);
	return recorder_open(path, OUTPUT_NEW, error);
}

bool recorder_is_copied(const struct principal *one, const struct principal *who,
			enum recorder_copy extent)
{
	return extent == RECORDER_COPY_ALL || one == who || one->kind == PRINCIPAL_HYPERVISOR ||
	       (one->kind == PRINCIPAL_DOMAIN && one->trusted);
}

/* The number of rings in a copy.  @bytes: OUT, of their sub-buffers */
static uint64_t count_rings(const struct recorder *recorder, const struct principal *who,
			    enum recorder_copy extent, uint64_t *bytes)
{
	uint64_t nr = 0;
	size_t i, j;

	*bytes = 0;
	for (i = 0; i < recorder->nr_queues; i++) {
		if (!recorder_is_copied(recorder->queues[i].who, who, extent))
			continue;
		nr += recorder->queues[i].nr;
		for (j = 0; j < recorder->queues[i].nr; j++) {
			const struct strata_ring_geometry geo =
				recorder->queues[i].streams[j]->ring->reader.geo;

			*bytes += (uint64_t)strata_nr_subbufs(geo) * strata_subbuf_bytes(geo);
		}
	}
	return nr;
}

bool recorder_has_room_for_copy(struct recorder *recorder, const struct principal *who,
				enum recorder_copy extent)
{
	uint64_t bytes, nr = count_rings(recorder, who, extent, &bytes);

	return drain_has_bytes(&recorder->drain, who, bytes) &&
	       drain_has_files(&recorder->drain, who, nr);
}

void recorder_note_copy(struct recorder *recorder, struct principal *who, enum recorder_copy extent,
			uint64_t bytes)
{
	uint64_t most, nr = count_rings(recorder, who, extent, &most);

	drain_note_written(&recorder->drain, who, bytes);
	principal_note_files(who, nr);
}

const struct strata_dir *recorder_dir(const struct recorder *recorder)
{
	return &recorder->out.dir;
}

void recorder_began(struct recorder *recorder)
{
	output_dir_began(&recorder->out);
}

struct strata_recording *recorder_recording(struct recorder *recorder)
{
	return &recorder->recording;
}

void recorder_set_of_now(struct recorder *recorder)
{
	recorder->drain.is_of_now = true;
}

void recorder_set_switch(struct recorder *recorder, uint32_t switch_ms)
{
	recorder->drain.switch_ticks = (uint64_t)recorder->recording.tsc_khz * switch_ms;
}

int recorder_publish(struct recorder *recorder, struct strata_error *error)
{
	recorder->live = live_publisher_open(&recorder->out.dir, error);
	return recorder->live ? 0 : -1;
}

/* Allocates space for a copy of the largest sub-buffer. 0 or -1. */
static int make_room(struct recorder *recorder, const struct ring *ring, struct strata_error *error)
{
	size_t bytes = strata_subbuf_bytes(ring->reader.geo);
	unsigned char *copy;

	if (bytes <= recorder->drain.copy_bytes)
		return 0;
	copy = realloc(recorder->drain.copy, bytes);
	if (!copy)
		return strata_fail(error, "out of memory");
	recorder->drain.copy = copy;
	recorder->drain.copy_bytes = bytes;
	return 0;
}

/* The stream, and the name of its file.  0 or -1. */
static int open_stream(struct recorder *recorder, struct ring_stream *stream,
		       struct strata_error *error)
{
	struct strata_source *source = stream_source(&recorder->drain, stream);

	if (!strata_source_add_stream(source, stream->ring->cpu))
		return strata_fail(error, "out of memory");
	stream_file_name(&stream->file, &recorder->out.dir, source->name, stream->ring->cpu);
	return 0;
}

uint32_t recorder_live_slot(struct recorder *recorder, struct ring_stream *stream)
{
	struct principal *who = stream->source->who;
	struct strata_error why = { "" };
	uint32_t slot;

	if (!recorder->live)
		return LIVE_NO_SLOT;
	if (principal_claim(who, PRINCIPAL_LIVE_SLOTS, 1, &why)) {
		principal_complain(who, "%s: the ring of CPU %u cannot be followed live: %s",
				   stream_source(&recorder->drain, stream)->name, stream->ring->cpu,
				   why.text);
		return LIVE_NO_SLOT;
	}
	slot = live_publisher_add(recorder->live, (uint32_t)stream->source->index,
				  stream->ring->cpu, stream->complete_ticks);
	if (slot == LIVE_NO_SLOT)
		principal_give_back(who, PRINCIPAL_LIVE_SLOTS, 1);
	return slot;
}

/* A ring, owned by the recorder, that reads @ring without taking anything. NULL: out of memory. */
static struct ring *make_peek(struct recorder *recorder, const struct ring *ring)
{
	struct ring **peeks = reallocarray(recorder->peeks, recorder->nr_peeks + 1, sizeof(*peeks));
	struct ring *peek;

	if (!peeks)
		return NULL;
	recorder->peeks = peeks;
	peek = ring_peek_make(ring);
	if (peek)
		peeks[recorder->nr_peeks++] = peek;
	return peek;
}

int recorder_add_ring(struct recorder *recorder, size_t source_index, struct ring *ring,
		      enum recorder_begin begin, struct strata_error *error)
{
	struct recorder_source *state = recorder_source_of(recorder, source_index);
	struct principal *who = state ? state->drain.who : NULL;
	struct recorder_queue *queue = recorder_queue_of(recorder, who);
	struct ring_stream *stream = calloc(1, sizeof(*stream));

	if (!state || !queue || !stream) {
		free(stream);
		return strata_fail(error, "out of memory");
	}
	/* The new ring would not wake it. */
	recorder_awake(recorder);
	principal_charge(who, PRINCIPAL_TALKING, PRINCIPAL_FILE_BYTES);
	stream->ring = begin == RECORDER_PEEK ? make_peek(recorder, ring) : ring;
	if (!stream->ring) {
		free(stream);
		return strata_fail(error, "out of memory");
	}
	stream->source = &state->drain;
	if (make_room(recorder, ring, error) ||
	    (begin == RECORDER_FROM_NOW && drain_skip_old(stream, error)) ||
	    open_stream(recorder, stream, error)) {
		free(stream);
		return -1;
	}
	if (recorder_queue_add(queue, stream, error)) {
		stream_file_close(&stream->file, error);
		free(stream);
		return strata_fail(error, "out of memory");
	}
	if (strata_subbuf_bytes(ring->reader.geo) > queue->subbuf_bytes)
		queue->subbuf_bytes = strata_subbuf_bytes(ring->reader.geo);
	state->nr_streams++;
	recorder->unsaved = true; /* the next drain saves it, for followers */
	/* Followers need not wait for the first poll to know that nothing is older. */
	stream->complete_ticks = begin == RECORDER_FROM_NOW
					 ? strata_clock()
					 : recorder->recording.sources[source_index].since_ticks;
	stream->live_slot = recorder_live_slot(recorder, stream);
	return 0;
}

void recorder_set_meanwhile(struct recorder *recorder, void (*meanwhile)(void *data), void *data)
{
	recorder->meanwhile = meanwhile;
	recorder->meanwhile_data = data;
}

struct recorder_totals recorder_totals(const struct recorder *recorder)
{
	return recorder->drain.totals;
}

static void release(struct recorder *recorder)
{
	size_t i, j;

	strata_recording_save_drop(recorder->save.running);
	live_publisher_close(recorder->live);
	strata_recording_clear(&recorder->recording);
	for (i = 0; i < recorder->nr_queues; i++) {
		for (j = 0; j < recorder->queues[i].nr; j++)
			free(recorder->queues[i].streams[j]);
		free(recorder->queues[i].streams);
	}
	free(recorder->queues);
	while (recorder->nr_sources)
		free(recorder->sources[--recorder->nr_sources]);
	free(recorder->sources);
	principals_free(recorder->principals);
	output_dir_close(&recorder->out);
	while (recorder->nr_peeks)
		ring_peek_free(recorder->peeks[--recorder->nr_peeks]);
	free(recorder->peeks);
	free(recorder->ended);
	free(recorder->drain.copy);
	write_back_close(recorder->drain.write_back);
	free(recorder);
}

void recorder_abandon(struct recorder *recorder)
{
	struct strata_error ignored;
	size_t i, j;

	for (i = 0; i < recorder->nr_queues; i++)
		for (j = 0; j < recorder->queues[i].nr; j++)
			stream_file_close(&recorder->queues[i].streams[j]->file, &ignored);
	for (i = 0; i < recorder->recording.nr_sources; i++)
		if (!recorder->recording.sources[i].vacant)
			strata_recording_remove_source(&recorder->out.dir,
						       recorder->recording.sources[i].name);
	live_publisher_close(recorder->live);
	recorder->live = NULL;
	strata_recording_save_drop(recorder->save.running);
	recorder->save.running = NULL;
	output_dir_give_up(&recorder->out);
	release(recorder);
}

/* Finishes the streams of all rings.  0, or -1 with the first error. */
static int finish_streams(struct recorder *recorder, struct strata_error *error)
{
	struct strata_error later;
	int result = 0;
	size_t i, j;

	for (i = 0; i < recorder->nr_queues; i++)
		for (j = 0; j < recorder->queues[i].nr; j++)
			if (drain_finish(&recorder->drain, recorder->queues[i].streams[j],
					 result ? &later : error))
				result = -1;
	return result;
}

/* Makes the files of a principal's streams, and forgets the rings that its share has no room for. 0
 * or -1. */
static int make_files(struct recorder *recorder, struct recorder_queue *queue,
		      struct strata_error *error)
{
	size_t i = 0;

	while (i < queue->nr) {
		struct ring_stream *stream = queue->streams[i];
		enum drain_loss why;
		const int made = drain_make_place(&recorder->drain, stream, 0, &why, error);

		if (made < 0 || (!made && why == DRAIN_NO_ROOM))
			return -1;
		if (made) {
			i++;
			continue;
		}
		recorder_source_of(recorder, stream->source->index)->nr_streams--;
		recorder_queue_remove(queue, stream);
		free(stream);
	}
	return 0;
}

int recorder_make_files(struct recorder *recorder, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < recorder->nr_queues; i++)
		if (make_files(recorder, &recorder->queues[i], error))
			return -1;
	return 0;
}

int recorder_close(struct recorder *recorder, struct recorder_totals *totals,
		   struct strata_error *error)
{
	struct strata_error later;
	int result = recorder_drain_rest(recorder, error);
	size_t i;

	/* Not earlier: packets would use the space reserved for the tables. */
	output_dir_free_reserve(&recorder->out);
	if (finish_streams(recorder, result ? &later : error))
		result = -1;
	recorder_end_leaving(recorder);
	for (i = 0; i < recorder->recording.nr_sources && i < recorder->nr_sources; i++)
		recorder_name_source(recorder, i);
	if (recorder->drain.is_of_now)
		recorder->recording.ended_ticks = strata_clock();
	/* Another user may keep the disk busy for seconds: whoever has to be served meanwhile does
	 * not wait for it. */
	recorder->out.dir.hurried = recorder->meanwhile != NULL;
	if (recorder_save(recorder, result ? &later : error))
		result = -1;
	if (!result)
		recorder_began(recorder);
	principals_sum_up(recorder->principals);
	*totals = recorder->drain.totals;
	release(recorder);
	return result;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* recorder.c - see recorder.h. */
#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctf_metadata.h"
#include "output_dir.h"
#include "recording_remove.h"
#include "ring_peek.h"
#include "tap.h"

/* What one pass takes of a ring that is being written: one of the largest sub-buffers, or more. */
#define SHARE_BYTES (4ul << 20)

/* And of all rings of one kernel or application together, but of each a sub-buffer at least:
 * however many rings it has, and however fast it says to fill them, the others wait no longer than
 * this. */
#define SOURCE_SHARE_BYTES (16ul << 20)

/* Tables are saved again when this many times as long has passed as saving them took. */
#define SAVE_REST 20u

struct recorder *recorder_open(const char *dir, enum output_place place, struct strata_error *error)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));

	if (!recorder) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	if (!output_dir_open(&recorder->out, dir, place, error)) {
		recorder->out.dir.hurried = true;
		return recorder;
	}
	free(recorder);
	return NULL;
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
	recorder->is_of_now = true;
}

void recorder_set_switch(struct recorder *recorder, uint32_t switch_ms)
{
	recorder->switch_ticks = (uint64_t)recorder->recording.tsc_khz * switch_ms;
}

int recorder_publish(struct recorder *recorder, struct strata_error *error)
{
	recorder->live = live_publisher_open(&recorder->out.dir, error);
	return recorder->live ? 0 : -1;
}

/* A ring that reads @ring and leaves all in its place; the recorder's own.  NULL: out of memory. */
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
	tap->ring = begin == RECORDER_PEEK ? make_peek(recorder, ring) : ring;
	if (!tap->ring)
		return strata_fail(error, "out of memory");
	tap->source = source_index;
	if ((begin == RECORDER_FROM_NOW && tap_skip_old(tap, error)) ||
	    output_dir_add(&recorder->out.dir, source->name, error))
		return -1;
	if (!strata_source_add_stream(source, ring->cpu))
		return strata_fail(error, "out of memory");
	if (stream_file_open(&tap->file, &recorder->out.dir, source->name, ring->cpu, error))
		return -1;
	recorder->nr_taps++;
	tap->complete_ticks = begin == RECORDER_FROM_NOW ? strata_clock() : 0;
	tap->live_slot = live_publisher_add(recorder->live, (uint32_t)source_index, ring->cpu,
					    tap->complete_ticks);
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

/* Of a source whose metadata says all already there is nothing to do.  0 or -1. */
static int save_metadata(struct recorder *recorder, size_t index, struct strata_error *error)
{
	const struct strata_recording *recording = &recorder->recording;
	const struct strata_source *source = &recording->sources[index];
	struct recorder_saved now = { .nr_events = source->nr_events,
				      .tsc_khz = recording->tsc_khz,
				      .any = true };
	struct recorder_saved *saved;

	if (index >= recorder->nr_saved) {
		saved = reallocarray(recorder->saved, recording->nr_sources, sizeof(*saved));
		if (!saved)
			return strata_fail(error, "out of memory");
		memset(&saved[recorder->nr_saved], 0,
		       (recording->nr_sources - recorder->nr_saved) * sizeof(*saved));
		recorder->saved = saved;
		recorder->nr_saved = recording->nr_sources;
	}
	saved = &recorder->saved[index];
	if (saved->any && saved->nr_events == now.nr_events && saved->tsc_khz == now.tsc_khz)
		return 0;
	if (strata_ctf_metadata_save(recording, source, &recorder->out.dir, error))
		return -1;
	*saved = now;
	return 0;
}

int recorder_save(struct recorder *recorder, struct strata_error *error)
{
	struct strata_recording *recording = &recorder->recording;
	size_t i;

	for (i = 0; i < recording->nr_sources; i++)
		if (save_metadata(recorder, i, error))
			return -1;
	if (strata_recording_save(recording, &recorder->out.dir, error))
		return -1;
	recorder->nr_events_saved = nr_events(recorder);
	recorder->unsaved = false;
	recorder->save_failed = false;
	live_publisher_tables(recorder->live);
	return 0;
}

/* How many sub-buffers of a ring one pass may take. */
static strata_count_t share(struct recorder *recorder, const struct tap *tap,
			    enum recorder_drain extent)
{
	const struct strata_source *source = tap_source(recorder, tap);
	struct strata_ring_geometry geo = tap->ring->reader.geo;
	size_t bytes = SHARE_BYTES;

	if (extent == RECORDER_DRAIN_ALL)
		return strata_nr_subbufs(geo);
	if (source->layer != STRATA_LAYER_XEN && bytes > SOURCE_SHARE_BYTES / source->nr_streams)
		bytes = SOURCE_SHARE_BYTES / source->nr_streams;
	bytes >>= geo.subbuf_bits;
	if (bytes > strata_nr_subbufs(geo))
		return strata_nr_subbufs(geo);
	return bytes ? bytes : 1;
}

bool recorder_is_saved(const struct recorder *recorder)
{
	return !recorder->unsaved && nr_events(recorder) == recorder->nr_events_saved;
}

/* Tables that cannot be written now are written later, at the end at the latest. */
static void save_what_is_new(struct recorder *recorder)
{
	struct strata_error error = { "" };
	uint64_t began;

	if (recorder_is_saved(recorder))
		return;
	if (strata_clock() < recorder->save_again_ticks)
		return;
	began = strata_clock();
	if (!recorder_save(recorder, &error)) {
		/* Where many come and go, they shall not wait for each other's tables. */
		recorder->save_again_ticks = strata_clock() + (strata_clock() - began) * SAVE_REST;
		return;
	}
	if (!recorder->save_failed && !recorder->full)
		fprintf(stderr, "strata: %s; it is tried again every second\n", error.text);
	recorder->save_failed = true;
	recorder->save_again_ticks = tap_retry_ticks(recorder);
}

static void look_at_rings(struct recorder *recorder)
{
	size_t i;

	for (i = 0; i < recorder->nr_taps; i++) {
		struct tap *tap = &recorder->taps[i];

		tap->state = tap_poll(recorder, tap, false);
		if (tap->state != STRATA_POLL_ERROR)
			continue;
		/* Taking finds out whether an application's ring is one still. */
		if (tap->ring->is_single || tap->ring->sane)
			tap->state = STRATA_POLL_DATA;
		else
			tap_note_lies(recorder, tap);
	}
}

/* Takes from each ring that was found in that state.  0, 1 if the rest waits for room on the disk,
 * or -1. */
static int drain_those(struct recorder *recorder, enum strata_poll state,
		       enum recorder_drain extent, uint64_t *nr_packets, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < recorder->nr_taps; i++) {
		struct tap *tap = &recorder->taps[i];
		uint64_t before = *nr_packets;
		strata_count_t turns;
		int result;

		if (tap->state != state)
			continue;
		turns = share(recorder, tap, extent);
		result = tap_take(recorder, tap, turns, nr_packets, error);
		if (result)
			return result;
		/* A guest must not have us run without a pause: it would be at dom0's expense. */
		recorder->behind |= *nr_packets - before >= turns &&
				    tap_source(recorder, tap)->layer != STRATA_LAYER_KERNEL;
		recorder->urgent |= tap_poll(recorder, tap, false) == STRATA_POLL_PRIORITY;
	}
	return 0;
}

/* Takes what lies with writers that sleep. 0, 1 if the disk has no room, or -1. */
static int drain_sleepers(struct recorder *recorder, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < recorder->nr_taps; i++) {
		struct tap *tap = &recorder->taps[i];
		int result = 0;

		tap_note_complete(tap);
		if (tap_is_asleep(recorder, tap))
			result = tap_take_partly(recorder, tap, error);
		if (result)
			return result;
	}
	return 0;
}

/* Tells those who follow.  What no table on the disk describes yet they could not read. */
static void publish(struct recorder *recorder)
{
	size_t i;

	if (!recorder->live || !recorder_is_saved(recorder))
		return;
	for (i = 0; i < recorder->nr_taps; i++) {
		struct tap *tap = &recorder->taps[i];

		live_publisher_set(recorder->live, tap->live_slot, tap->file.bytes,
				   tap->complete_ticks);
	}
	for (i = 0; i < recorder->nr_ended; i++)
		live_publisher_end(recorder->live, recorder->ended[i].live_slot,
				   recorder->ended[i].bytes);
	recorder->nr_ended = 0;
}

/* Remembers to tell that a stream has ended; without memory its slot says that it is no further. */
static void note_ended(struct recorder *recorder, const struct tap *tap)
{
	struct recorder_ended *ended;

	if (tap->live_slot == LIVE_NO_SLOT)
		return;
	ended = reallocarray(recorder->ended, recorder->nr_ended + 1, sizeof(*ended));
	if (!ended)
		return;
	recorder->ended = ended;
	ended[recorder->nr_ended++] = (struct recorder_ended){ tap->live_slot, tap->file.bytes };
}

int recorder_drain(struct recorder *recorder, enum recorder_drain extent, uint64_t *nr_packets,
		   struct strata_error *error)
{
	int result = 0;

	*nr_packets = 0;
	recorder->behind = false;
	recorder->urgent = false;
	if (recorder->full && extent == RECORDER_DRAIN_SOME &&
	    strata_clock() < recorder->write_again_ticks)
		return 0;
	if (extent != RECORDER_DRAIN_NONE) {
		look_at_rings(recorder);
		result = drain_those(recorder, STRATA_POLL_PRIORITY, extent, nr_packets, error);
		if (!result)
			result = drain_those(recorder, STRATA_POLL_DATA, extent, nr_packets, error);
		if (!result)
			result = drain_sleepers(recorder, error);
	}
	if (result)
		return result < 0 ? -1 : 0;
	save_what_is_new(recorder);
	publish(recorder);
	return 0;
}

bool recorder_is_behind(const struct recorder *recorder)
{
	return recorder->behind;
}

bool recorder_is_urgent(const struct recorder *recorder)
{
	return recorder->urgent;
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
		if (tap_take_rest(recorder, tap, result ? &later : error))
			result = -1;
		if (tap_finish(recorder, tap, result ? &later : error))
			result = -1;
		note_ended(recorder, tap);
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

static void release(struct recorder *recorder)
{
	live_publisher_close(recorder->live);
	strata_recording_clear(&recorder->recording);
	strata_dir_close(&recorder->out.dir);
	while (recorder->nr_peeks)
		ring_peek_free(recorder->peeks[--recorder->nr_peeks]);
	free(recorder->peeks);
	free(recorder->ended);
	free(recorder->saved);
	free(recorder->taps);
	free(recorder->copy);
	free(recorder);
}

void recorder_abandon(struct recorder *recorder)
{
	struct strata_error ignored;
	size_t i;

	for (i = 0; i < recorder->nr_taps; i++)
		stream_file_close(&recorder->taps[i].file, &ignored);
	for (i = 0; i < recorder->recording.nr_sources; i++)
		strata_recording_remove_source(&recorder->out.dir,
					       recorder->recording.sources[i].name);
	live_publisher_close(recorder->live);
	recorder->live = NULL;
	output_dir_give_up(&recorder->out);
	release(recorder);
}

int recorder_close(struct recorder *recorder, struct recorder_totals *totals,
		   struct strata_error *error)
{
	struct strata_error later;
	int result = 0;
	size_t i;

	for (i = 0; i < recorder->nr_taps; i++)
		if (tap_take_rest(recorder, &recorder->taps[i], result ? &later : error))
			result = -1;
	/* Not earlier: packets would take the room that is held back for what comes now. */
	output_dir_free_reserve(&recorder->out.dir);
	for (i = 0; i < recorder->nr_taps; i++)
		if (tap_finish(recorder, &recorder->taps[i], result ? &later : error))
			result = -1;
	if (recorder->is_of_now)
		recorder->recording.ended_ticks = strata_clock();
	recorder->out.dir.hurried = false;
	if (recorder_save(recorder, result ? &later : error))
		result = -1;
	if (!result)
		recorder_began(recorder);
	*totals = recorder->totals;
	release(recorder);
	return result;
}

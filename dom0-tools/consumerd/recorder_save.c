// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder_save.c - writes the tables of a recording: metadata of each source, and recording.json.
 *
 * While rings are drained it does so in steps, a few sources in a turn.  Changes in between are
 * saved the next time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "recording/ctf_metadata.h"
#include "consumerd/recorder_state.h"

/* After a save the recorder waits this many times as long as the save took, and no longer than
 * that: followers see nothing new meanwhile, and give a stream up after 5 s. On a busy disk the
 * sync of a small table may take a second. */
#define SAVE_REST        20u
#define SAVE_REST_MAX_MS 2000u

/* Bytes of text written in a turn, before the last source of it: a few milliseconds. */
#define STEP_BYTES (1u << 20)

/* How long to wait after a save that took @ticks. */
static uint64_t rest_ticks(const struct recorder *recorder, uint64_t ticks)
{
	const uint64_t most = (uint64_t)recorder->recording.tsc_khz * SAVE_REST_MAX_MS;

	return ticks < most / SAVE_REST ? ticks * SAVE_REST : most;
}

static size_t nr_events(const struct recorder *recorder)
{
	size_t nr = 0, i;

	for (i = 0; i < recorder->recording.nr_sources; i++)
		nr += recorder->recording.sources[i].nr_events;
	return nr;
}

/* Writes the metadata of a source, unless the file has all of it.  @bytes: IN/OUT, the approximate
 * size is added.  0 or -1. */
static int save_metadata(struct recorder *recorder, size_t index, size_t *bytes,
			 struct strata_error *error)
{
	const struct strata_recording *recording = &recorder->recording;
	const struct strata_source *source = &recording->sources[index];
	struct recorder_source *state = recorder_source_of(recorder, index);
	struct recorder_saved now = { .nr_events = source->nr_events,
				      .tsc_khz = recording->tsc_khz,
				      .any = true };

	if (!state)
		return strata_fail(error, "out of memory");
	if (source->vacant || source->unlisted || state->only_named ||
	    (state->saved.any && state->saved.nr_events == now.nr_events &&
	     state->saved.tsc_khz == now.tsc_khz))
		return 0;
	if (strata_ctf_metadata_save(recording, source, &recorder->out.dir, error))
		return -1;
	state->saved = now;
	*bytes += PRINCIPAL_FILE_BYTES +
		  DRAIN_TEXT_OF_DESCRIPTION * (size_t)source->description_bytes;
	return 0;
}

/* Notes what the save in progress has of a source. */
static void note_listing(struct recorder *recorder, size_t index)
{
	const struct strata_source *source = &recorder->recording.sources[index];
	struct recorder_source *state = recorder_source_of(recorder, index);

	if (state)
		state->listing = (struct recorder_listed){
			.nr_streams = source->unlisted ? 0 : source->nr_streams,
			.nr_files = state->drain.nr_files,
			.nr_events = source->nr_events,
		};
}

/* Writes what the tables have of the next source.  If its metadata cannot be written, the tables of
 * others are written all the same. */
static void save_next(struct recorder *recorder, size_t *bytes)
{
	struct recorder_save *save = &recorder->save;
	struct strata_error why;

	if (!save_metadata(recorder, save->next_source, bytes, &why))
		note_listing(recorder, save->next_source);
	else if (!save->first.text[0])
		save->first = why;
}

/* That save has come into its place. */
static void note_listed(struct recorder *recorder)
{
	size_t i;

	for (i = 0; i < recorder->nr_sources; i++)
		recorder->sources[i]->listed = recorder->sources[i]->listing;
}

bool recorder_is_listed(const struct recorder *recorder, size_t index)
{
	const struct strata_source *source = &recorder->recording.sources[index];
	const struct recorder_listed *listed;

	/* These have left nothing to be read. */
	if (source->vacant || source->unlisted)
		return true;
	if (index >= recorder->nr_sources)
		return false;
	listed = &recorder->sources[index]->listed;
	/* Empty streams of a source that ended are dropped. */
	return listed->nr_streams >= source->nr_streams &&
	       listed->nr_files == recorder->sources[index]->drain.nr_files &&
	       listed->nr_events == source->nr_events;
}

/* Begins to write all tables again. Returns 0 or -1. */
static int begin(struct recorder *recorder, struct strata_error *error)
{
	struct recorder_save *save = &recorder->save;

	strata_recording_save_drop(save->running);
	save->running =
		strata_recording_save_begin(&recorder->recording, &recorder->out.dir, error);
	if (!save->running)
		return -1;
	save->next_source = 0;
	save->nr_events = nr_events(recorder);
	save->ticks = 0;
	save->table_bytes = 0;
	save->first.text[0] = '\0';
	recorder->unsaved = false;
	return 0;
}

/* Writes tables until @limit bytes of text are written.  1: more follows; 0: all are in their
 * place; or -1: not all. */
static int go_on(struct recorder *recorder, size_t limit, struct strata_error *error)
{
	struct recorder_save *save = &recorder->save;
	size_t bytes = 0, written;
	int result = 1;

	while (result > 0 && bytes < limit) {
		if (save->next_source < recorder->recording.nr_sources)
			save_next(recorder, &bytes);
		save->next_source++;
		result = strata_recording_save_step(save->running, &written, error);
		bytes += written;
		save->table_bytes += written;
	}
	if (result > 0)
		return 1;
	save->running = NULL;
	if (result < 0) {
		recorder->unsaved = true;
		return -1;
	}
	save->nr_events_saved = save->nr_events;
	note_listed(recorder);
	output_dir_reserve(&recorder->out, save->table_bytes);
	live_publisher_tables(recorder->live);
	if (save->first.text[0]) {
		*error = save->first;
		recorder->unsaved = true;
		return -1;
	}
	save->failed = false;
	return 0;
}

int recorder_save(struct recorder *recorder, struct strata_error *error)
{
	return begin(recorder, error) ? -1 : go_on(recorder, SIZE_MAX, error);
}

bool recorder_is_saved(const struct recorder *recorder)
{
	return !recorder->save.running && !recorder->unsaved &&
	       nr_events(recorder) == recorder->save.nr_events_saved;
}

void recorder_save_what_is_new(struct recorder *recorder)
{
	struct recorder_save *save = &recorder->save;
	const uint64_t began = strata_clock();
	struct strata_error error = { "" };
	uint64_t rested;
	int result = 0;

	if (!save->running && (recorder_is_saved(recorder) || began < save->again_ticks))
		return;
	if (!save->running)
		result = begin(recorder, &error);
	if (!result)
		result = go_on(recorder, STEP_BYTES, &error);
	save->ticks += strata_clock() - began;
	/* The rest follows without a pause. */
	recorder->behind |= result > 0;
	if (result > 0)
		return;
	/* If many sources come and go, they do not wait for each other's tables. */
	rested = strata_clock() + rest_ticks(recorder, save->ticks);
	save->again_ticks = rested;
	if (!result)
		return;
	if (!save->failed && !recorder->drain.full) {
		fprintf(stderr, "strata: %s; the recorder tries again every second\n", error.text);
		save->failed = true;
	}
	/* All of it may have been written, but for one source's metadata: then it rests, too. */
	if (rested < drain_retry_ticks(&recorder->drain))
		save->again_ticks = drain_retry_ticks(&recorder->drain);
}

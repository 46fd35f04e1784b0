// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder_rotate.c - ends a recording and continues in another directory, while writers fill the
 * rings.
 *
 * First it creates the new directory, which can fail.  Then it cuts each stream between two
 * packets, so every event is in exactly one of the two recordings.  The files of the new recording
 * are made when their first packets come (drain/place.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "consumerd/recorder_state.h"

/* Ends a stream in the present recording: writes its losses, and closes its file.  0 or -1. */
static int cut(struct recorder *recorder, struct ring_stream *stream, struct strata_error *error)
{
	const uint64_t before = recorder->drain.work_bytes;
	int result;

	if (stream->live_slot != LIVE_NO_SLOT)
		principal_give_back(stream->source->who, PRINCIPAL_LIVE_SLOTS, 1);
	result = drain_cut(&recorder->drain, stream, error);
	principal_charge(stream->source->who, PRINCIPAL_DRAINING,
			 recorder->drain.work_bytes - before);
	return result;
}

/* The slots of streams that have ended go with the table. */
static void forget_ends(struct recorder *recorder)
{
	size_t i;

	for (i = 0; i < recorder->nr_ended; i++)
		principal_give_back(recorder->ended[i].who, PRINCIPAL_LIVE_SLOTS, 1);
	recorder->nr_ended = 0;
}

/* Ends the present recording.  0, or -1: it is incomplete. */
static int finish(struct recorder *recorder, struct strata_error *error)
{
	struct strata_error later;
	int result = 0;
	size_t i, j;

	output_dir_free_reserve(&recorder->out);
	for (i = 0; i < recorder->nr_queues; i++)
		for (j = 0; j < recorder->queues[i].nr; j++)
			if (cut(recorder, recorder->queues[i].streams[j], result ? &later : error))
				result = -1;
	recorder->recording.ended_ticks = strata_clock();
	if (recorder_save(recorder, result ? &later : error))
		result = -1;
	recorder->recording.ended_ticks = 0;
	live_publisher_close(recorder->live);
	forget_ends(recorder);
	return result;
}

/* Notes each principal's share of the ended recording. */
static void note_shares(struct recorder *recorder, struct recorder_finished *finished)
{
	size_t i;

	finished->shares = calloc(recorder->nr_queues + 1, sizeof(*finished->shares));
	for (i = 0; i < recorder->nr_queues; i++) {
		struct recorder_queue *queue = &recorder->queues[i];
		const struct recorder_share share = {
			.who = queue->who,
			.bytes = queue->who->written - queue->written_before,
			.files = queue->who->files - queue->files_before,
		};

		/* Without memory for it, the share stays charged. */
		if (finished->shares)
			finished->shares[finished->nr_shares++] = share;
		queue->written_before = queue->who->written;
		queue->files_before = queue->who->files;
	}
}

/* The streams of a source begin anew.  What was counted of one that no table lists yet stays, to be
 * listed with it. */
static void begin_streams(struct strata_source *source)
{
	size_t i;

	for (i = 0; i < source->nr_streams && !source->unlisted; i++)
		source->streams[i] = (struct strata_stream){ .cpu = source->streams[i].cpu };
}

/* Makes the tables of the new recording: the present sources, with empty streams.  Those whose
 * principals' shares have no room are listed when they have. */
static void begin_tables(struct recorder *recorder)
{
	size_t i;

	for (i = 0; i < recorder->recording.nr_sources; i++) {
		struct strata_source *source = &recorder->recording.sources[i];
		struct recorder_source *state = recorder_source_of(recorder, i);
		struct strata_error ignored;

		if (source->vacant || !state)
			continue;
		state->drain.table_bytes = 0;
		state->drain.nr_files = 0;
		recorder_forget_tables(state);
		if (source->went_ticks) {
			recorder_forget_ended(recorder, i);
			continue;
		}
		/* The source is present from the beginning of the new recording. */
		source->came_ticks = 0;
		begin_streams(source);
		source->unlisted = drain_may_list(&recorder->drain, state->drain.who,
						  source->nr_streams, source->description_bytes,
						  &ignored) != 0;
		if (!source->unlisted)
			drain_list(&recorder->drain, &state->drain, source->nr_streams);
	}
}

/* The streams' files in the new recording. */
static void go_on(struct recorder *recorder)
{
	size_t i, j;

	for (i = 0; i < recorder->nr_queues; i++)
		for (j = 0; j < recorder->queues[i].nr; j++) {
			struct ring_stream *stream = recorder->queues[i].streams[j];

			stream_file_name(&stream->file, &recorder->out.dir,
					 stream_source(&recorder->drain, stream)->name,
					 stream->ring->cpu);
			stream->live_slot = recorder_live_slot(recorder, stream);
		}
}

int recorder_rotate(struct recorder *recorder, const char *path, struct recorder_finished *finished,
		    struct strata_error *error)
{
	const bool followed = recorder->live != NULL;
	struct output_dir next;
	struct strata_error why;
	struct stat status;

	*finished = (struct recorder_finished){ .shares = NULL };
	if (output_dir_open(&next, path, OUTPUT_NEW, error))
		return -1;
	next.dir.hurried = true;
	/* The new tables will be about as long as the last ones: their space first, as packets
	 * would take it. */
	output_dir_reserve(&next, recorder->save.table_bytes);
	finished->partial = finish(recorder, &why);
	output_dir_reserve(&next, recorder->save.table_bytes);
	if (finished->partial)
		fprintf(stderr, "strata: %s: %s\n", recorder->out.dir.path, why.text);
	snprintf(finished->path, sizeof(finished->path), "%s", recorder->out.dir.path);
	if (!fstat(recorder->out.dir.fd, &status)) {
		finished->device = status.st_dev;
		finished->inode = status.st_ino;
	}
	note_shares(recorder, finished);
	output_dir_close(&recorder->out);
	recorder->out = next;
	recorder->live = NULL;
	if (followed && recorder_publish(recorder, &why))
		fprintf(stderr, "strata: `strata view --live` cannot follow %s: %s\n",
			recorder->out.dir.path, why.text);
	begin_tables(recorder);
	go_on(recorder);
	/* The next turns write the tables in steps, so that rings do not fill up meanwhile. */
	recorder->unsaved = true;
	recorder->save.again_ticks = 0;
	return 0;
}

void recorder_note_removed(struct recorder_finished *finished)
{
	size_t i;

	for (i = 0; i < finished->nr_shares; i++)
		principal_note_removed(finished->shares[i].who, finished->shares[i].bytes,
				       finished->shares[i].files);
	free(finished->shares);
	*finished = (struct recorder_finished){ .shares = NULL };
}

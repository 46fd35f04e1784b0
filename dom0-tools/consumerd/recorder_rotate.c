// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder_rotate.c - ends a recording and continues in another directory, while writers fill the
 * rings.
 *
 * First it creates the new directory and its stream files, which can fail.  Then it switches each
 * stream between two packets, so every event is in exactly one of the two recordings.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "recording/recording_remove.h"
#include "consumerd/recorder_state.h"

/* The stream files of the new recording, in the order of the queues' rings. */
struct rotation_files {
	struct stream_file *files;
	size_t nr;
};

static size_t count_streams(const struct recorder *recorder)
{
	size_t nr = 0, i;

	for (i = 0; i < recorder->nr_queues; i++)
		nr += recorder->queues[i].nr;
	return nr;
}

/* Removes the new recording. */
static void give_up(struct recorder *recorder, struct output_dir *next, struct rotation_files *made)
{
	struct strata_error ignored;
	size_t i;

	while (made->nr)
		stream_file_close(&made->files[--made->nr], &ignored);
	free(made->files);
	for (i = 0; i < recorder->recording.nr_sources; i++)
		if (!recorder->recording.sources[i].vacant)
			strata_recording_remove_source(&next->dir,
						       recorder->recording.sources[i].name);
	output_dir_give_up(next);
}

/* Creates the directory and all stream files of the new recording.  0 or -1. */
static int prepare(struct recorder *recorder, const char *path, struct output_dir *next,
		   struct rotation_files *made, struct strata_error *error)
{
	size_t i, j;

	if (output_dir_open(next, path, OUTPUT_NEW, error))
		return -1;
	next->dir.hurried = true;
	*made = (struct rotation_files){
		.files = calloc(count_streams(recorder) + 1, sizeof(*made->files)),
	};
	if (!made->files) {
		give_up(recorder, next, made);
		return strata_fail(error, "out of memory");
	}
	for (i = 0; i < recorder->nr_queues; i++)
		for (j = 0; j < recorder->queues[i].nr; j++) {
			const struct ring_stream *stream = recorder->queues[i].streams[j];

			if (stream_file_open(&made->files[made->nr], &next->dir,
					     stream_source(&recorder->drain, stream)->name,
					     stream->ring->cpu, error)) {
				give_up(recorder, next, made);
				return -1;
			}
			made->nr++;
		}
	return 0;
}

/* Ends a stream in the present recording: writes its losses, and closes its file.  0 or -1. */
static int cut(struct recorder *recorder, struct ring_stream *stream, struct strata_error *error)
{
	const uint64_t next_sequence = stream->next_sequence;
	int result = drain_finish(&recorder->drain, stream, error);
	unsigned int i;

	/* The empty packet with the losses has the sequence number of the ring's next packet, which
	 * begins the new recording. */
	stream->next_sequence = next_sequence;
	for (i = 0; i < STRATA_NR_LOST; i++) {
		stream->ring->lost_before[i] += stream->lost[i];
		stream->lost[i] = 0;
	}
	if (stream->live_slot != LIVE_NO_SLOT)
		principal_give_back(stream->source->who, PRINCIPAL_LIVE_SLOTS, 1);
	return result;
}

/* Ends the present recording.  0, or -1: it is incomplete. */
static int finish(struct recorder *recorder, struct strata_error *error)
{
	struct strata_error later;
	int result = 0;
	size_t i, j;

	output_dir_free_reserve(&recorder->out.dir);
	for (i = 0; i < recorder->nr_queues; i++)
		for (j = 0; j < recorder->queues[i].nr; j++)
			if (cut(recorder, recorder->queues[i].streams[j], result ? &later : error))
				result = -1;
	recorder->recording.ended_ticks = strata_clock();
	if (recorder_save(recorder, result ? &later : error))
		result = -1;
	recorder->recording.ended_ticks = 0;
	live_publisher_close(recorder->live);
	recorder->nr_ended = 0;
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
			.files = principal_files(queue->who),
		};

		principal_note_kept(queue->who, share.files);
		/* Without memory for it, the share stays charged. */
		if (finished->shares)
			finished->shares[finished->nr_shares++] = share;
		queue->written_before = queue->who->written;
	}
}

/* Makes the tables of the new recording: the present sources, with empty streams. */
static void begin_tables(struct recorder *recorder)
{
	size_t i, j;

	for (i = 0; i < recorder->recording.nr_sources; i++) {
		struct strata_source *source = &recorder->recording.sources[i];

		if (source->vacant)
			continue;
		if (source->went_ticks) {
			recorder_forget_ended(recorder, i);
			continue;
		}
		/* The source is present from the beginning of the new recording. */
		source->came_ticks = 0;
		for (j = 0; j < source->nr_streams; j++)
			source->streams[j] =
				(struct strata_stream){ .cpu = source->streams[j].cpu };
		if (i < recorder->nr_sources)
			recorder->sources[i]->saved = (struct recorder_saved){ .any = false };
	}
}

/* Switches each stream to its new file. */
static void go_on(struct recorder *recorder, struct rotation_files *made)
{
	size_t i, j, nr = 0;

	for (i = 0; i < recorder->nr_queues; i++)
		for (j = 0; j < recorder->queues[i].nr; j++) {
			struct ring_stream *stream = recorder->queues[i].streams[j];

			stream->file = made->files[nr++];
			stream->file.dir = &recorder->out.dir;
			stream->live_slot = recorder_live_slot(recorder, stream);
		}
	free(made->files);
}

int recorder_rotate(struct recorder *recorder, const char *path, struct recorder_finished *finished,
		    struct strata_error *error)
{
	const bool followed = recorder->live != NULL;
	struct rotation_files made;
	struct output_dir next;
	struct strata_error why;
	struct stat status;

	*finished = (struct recorder_finished){ .shares = NULL };
	if (prepare(recorder, path, &next, &made, error))
		return -1;
	finished->partial = finish(recorder, &why);
	if (finished->partial)
		fprintf(stderr, "strata: %s: %s\n", recorder->out.dir.path, why.text);
	snprintf(finished->path, sizeof(finished->path), "%s", recorder->out.dir.path);
	if (!fstat(recorder->out.dir.fd, &status)) {
		finished->device = status.st_dev;
		finished->inode = status.st_ino;
	}
	note_shares(recorder, finished);
	strata_dir_close(&recorder->out.dir);
	recorder->out = next;
	recorder->live = NULL;
	if (followed && recorder_publish(recorder, &why))
		fprintf(stderr, "strata: `strata view --live` cannot follow %s: %s\n",
			recorder->out.dir.path, why.text);
	begin_tables(recorder);
	go_on(recorder, &made);
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

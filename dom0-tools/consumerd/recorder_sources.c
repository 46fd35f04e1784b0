// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder_sources.c - adds and removes sources of a recording, and charges their principals'
 * shares; see recorder.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/recording_remove.h"
#include "consumerd/recorder_state.h"

struct principals *recorder_principals(struct recorder *recorder)
{
	return recorder->principals;
}

const struct principal *recorder_owner(const struct recorder *recorder, size_t index)
{
	return index < recorder->nr_sources ? recorder->sources[index]->drain.who : NULL;
}

struct recorder_source *recorder_source_of(struct recorder *recorder, size_t index)
{
	struct recorder_source **sources, *source;

	while (index >= recorder->nr_sources) {
		sources = reallocarray(recorder->sources, recorder->nr_sources + 1,
				       sizeof(struct recorder_source *));
		if (!sources)
			return NULL;
		recorder->sources = sources;
		source = calloc(1, sizeof(*source));
		if (!source)
			return NULL;
		source->drain.index = recorder->nr_sources;
		source->drain.who = principals_hypervisor(recorder->principals);
		if (!source->drain.who) {
			free(source);
			return NULL;
		}
		sources[recorder->nr_sources++] = source;
	}
	return recorder->sources[index];
}

/* An empty source: the first vacant one whose previous owner knows that it is vacant, or a new one.
 * NULL: out of memory. */
static struct strata_source *make_source(struct recorder *recorder, const char *name, size_t *index)
{
	struct strata_recording *recording = &recorder->recording;
	struct strata_source *source;

	for (*index = 0; *index < recording->nr_sources; ++*index) {
		source = &recording->sources[*index];
		if (!source->vacant || !recorder_source_of(recorder, *index)->owner_knows)
			continue;
		memset(source, 0, sizeof(*source));
		snprintf(source->name, sizeof(source->name), "%s", name);
		return source;
	}
	return strata_recording_add_source(recording, name);
}

int recorder_begin_source(struct recorder *recorder, struct principal *who, const char *name,
			  size_t nr_rings, uint32_t description_bytes, size_t *index,
			  struct strata_error *error)
{
	struct recorder_source *state;

	if (drain_may_list(&recorder->drain, who, nr_rings, description_bytes, error) ||
	    principal_claim(who, PRINCIPAL_SOURCES, 1, error))
		return -1;
	if (principal_claim(who, PRINCIPAL_STREAMS, nr_rings, error))
		goto no_streams;
	if (principal_claim(who, PRINCIPAL_RINGS, nr_rings, error))
		goto no_rings;
	/* The state first: an added source cannot be removed. */
	state = recorder_source_of(recorder, recorder->recording.nr_sources);
	if (!state || !make_source(recorder, name, index)) {
		strata_fail(error, "out of memory");
		goto no_source;
	}
	state = recorder_source_of(recorder, *index);
	*state = (struct recorder_source){
		.drain = { .index = *index, .who = who },
		.begun = true,
		.nr_claimed = nr_rings,
		.announced = description_bytes,
	};
	drain_list(&recorder->drain, &state->drain, nr_rings);
	return 0;
no_source:
	principal_give_back(who, PRINCIPAL_RINGS, nr_rings);
no_rings:
	principal_give_back(who, PRINCIPAL_STREAMS, nr_rings);
no_streams:
	principal_give_back(who, PRINCIPAL_SOURCES, 1);
	return -1;
}

int recorder_add_event(struct recorder *recorder, size_t source_index,
		       const struct strata_event_desc *event, struct strata_error *error)
{
	const uint32_t bytes = strata_event_packed_bytes(event);
	struct recorder_source *state = recorder_source_of(recorder, source_index);
	struct principal *who;

	if (!state)
		return strata_fail(error, "out of memory");
	who = state->drain.who;
	if ((bytes > state->announced &&
	     drain_may_describe(&recorder->drain, &state->drain, bytes, error)) ||
	    principal_claim(who, PRINCIPAL_DESCRIPTION_BYTES, bytes, error))
		return -1;
	state->announced -= bytes < state->announced ? bytes : state->announced;
	if (!strata_source_add_event(&recorder->recording.sources[source_index], event, error)) {
		drain_describe(&recorder->drain, &state->drain, bytes);
		return 0;
	}
	principal_give_back(who, PRINCIPAL_DESCRIPTION_BYTES, bytes);
	return -1;
}

/* Removes a source from the tables. */
static void vacate(struct recorder *recorder, size_t index)
{
	struct strata_source *source = &recorder->recording.sources[index];

	strata_source_clear(source);
	memset(source, 0, sizeof(*source));
	source->vacant = true;
	/* Not 0, which is the hypervisor's layer. */
	source->layer = STRATA_LAYER_APP;
}

void recorder_forget_tables(struct recorder_source *state)
{
	state->saved = (struct recorder_saved){ .any = false };
	state->listing = state->listed = (struct recorder_listed){ .nr_streams = 0 };
}

void recorder_forget_ended(struct recorder *recorder, size_t index)
{
	struct strata_source *source = &recorder->recording.sources[index];
	struct recorder_source *state = recorder_source_of(recorder, index);
	const bool failed = state->presence == RECORDER_SOURCE_FAILED;

	if (state->begun) {
		principal_give_back(state->drain.who, PRINCIPAL_STREAMS,
				    failed ? state->nr_claimed : source->nr_streams);
		principal_give_back(state->drain.who, PRINCIPAL_SOURCES, 1);
		principal_give_back(state->drain.who, PRINCIPAL_DESCRIPTION_BYTES,
				    source->description_bytes);
	}
	vacate(recorder, index);
	recorder_forget_tables(state);
}

void recorder_name_source(struct recorder *recorder, size_t index)
{
	struct strata_source *source = &recorder->recording.sources[index];
	bool any = false;
	size_t i;

	for (i = 0; i < source->nr_streams; i++)
		any |= source->streams[i].lost || source->streams[i].bad_packets;
	if (!source->unlisted || !any)
		return;
	source->unlisted = false;
	recorder_source_of(recorder, index)->only_named = true;
}

/* Marks the source as ended, and returns its shares. */
static void end_source(struct recorder *recorder, size_t index)
{
	struct strata_source *source = &recorder->recording.sources[index];
	struct recorder_source *state = recorder_source_of(recorder, index);
	const bool failed = state->presence == RECORDER_SOURCE_FAILED;
	struct principal *who = state->drain.who;
	uint32_t description_bytes = source->description_bytes;

	source->ended = state->reason;
	source->went_ticks = strata_clock();
	recorder->unsaved = true; /* the next drain saves it */
	if (!failed)
		state->presence = RECORDER_SOURCE_IS_GONE;
	recorder_name_source(recorder, index);
	if (!state->begun)
		return;
	principal_give_back(who, PRINCIPAL_RINGS, state->nr_claimed);
	if (failed)
		return;
	strata_source_drop_empty_streams(source);
	principal_give_back(who, PRINCIPAL_STREAMS,
			    state->nr_claimed > source->nr_streams
				    ? state->nr_claimed - source->nr_streams
				    : 0);
	if (source->nr_streams)
		return;
	principal_give_back(who, PRINCIPAL_SOURCES, 1);
	principal_give_back(who, PRINCIPAL_DESCRIPTION_BYTES, description_bytes);
	drain_unlist(&recorder->drain, &state->drain);
	strata_recording_remove_source(&recorder->out.dir, source->name);
	vacate(recorder, index);
	/* The next source at this index has tables of its own. */
	recorder_forget_tables(state);
	state->presence = RECORDER_SOURCE_LEFT_NOTHING;
}

/* Remembers to publish that a stream has ended; without memory its slot just stops growing, and
 * stays with its principal. */
static void note_ended(struct recorder *recorder, const struct ring_stream *stream)
{
	struct recorder_ended *ended;

	if (stream->live_slot == LIVE_NO_SLOT)
		return;
	ended = reallocarray(recorder->ended, recorder->nr_ended + 1, sizeof(*ended));
	if (!ended)
		return;
	recorder->ended = ended;
	ended[recorder->nr_ended++] = (struct recorder_ended){ .who = stream->source->who,
							       .source = stream->source->index,
							       .live_slot = stream->live_slot,
							       .bytes = stream->file.bytes };
}

void recorder_forget_stream(struct recorder *recorder, struct ring_stream *stream)
{
	struct recorder_source *state = recorder_source_of(recorder, stream->source->index);

	note_ended(recorder, stream);
	recorder_queue_remove(recorder_queue_of(recorder, state->drain.who), stream);
	free(stream);
	if (--state->nr_streams == 0)
		end_source(recorder, state->drain.index);
}

void recorder_end_leaving(struct recorder *recorder)
{
	size_t i;

	for (i = 0; i < recorder->nr_sources && i < recorder->recording.nr_sources; i++)
		if (recorder->sources[i]->presence == RECORDER_SOURCE_LEAVES)
			end_source(recorder, i);
}

/* The rings of a source leave from now on. */
static void begin_to_leave(struct recorder *recorder, size_t index, enum strata_source_end reason)
{
	struct recorder_source *state = recorder_source_of(recorder, index);
	struct recorder_queue *queue = recorder_queue_of(recorder, state->drain.who);
	size_t i;

	state->presence = RECORDER_SOURCE_LEAVES;
	state->reason = reason;
	for (i = 0; i < queue->nr; i++) {
		struct ring_stream *stream = queue->streams[i];

		if (stream->source != &state->drain)
			continue;
		stream->leaving = true;
		stream->turns = strata_nr_subbufs(stream->ring->reader.geo);
	}
}

void recorder_leave_source(struct recorder *recorder, size_t source_index,
			   enum strata_source_end reason)
{
	begin_to_leave(recorder, source_index, reason);
	if (!recorder_source_of(recorder, source_index)->nr_streams)
		end_source(recorder, source_index);
}

enum recorder_presence recorder_presence(struct recorder *recorder, size_t source_index)
{
	struct recorder_source *state = recorder_source_of(recorder, source_index);

	state->owner_knows |= state->presence == RECORDER_SOURCE_IS_GONE ||
			      state->presence == RECORDER_SOURCE_LEFT_NOTHING ||
			      state->presence == RECORDER_SOURCE_FAILED;
	return state->presence;
}

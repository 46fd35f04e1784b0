// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_status.c - describes a recording in progress to `strata status`: what it has recorded,
 * its sources, and which of its rules wait for something; see session.h.
 */
#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "stratad/session.h"

/* The shortest one. */
#define FORM (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

/* An answer is one line of bounded length: what does not fit is counted. */
struct room {
	size_t left;
	uint64_t left_out;
};

/* Adds a piece if the answer has room for it; frees it otherwise.  False: it had none. */
static bool add_if_fits(struct json_object *array, struct json_object *piece, struct room *room)
{
	size_t length = 0;

	json_object_to_json_string_length(piece, FORM, &length);
	if (length + 1 > room->left) {
		room->left_out++;
		json_object_put(piece);
		return false;
	}
	room->left -= length + 1;
	json_object_array_add(array, piece);
	return true;
}

/* As a string of JSON, which is valid UTF-8 and no longer than the text. */
static struct json_object *text_of(const char *hostile)
{
	const size_t bytes = strlen(hostile) + 1;
	char *text = malloc(bytes);
	struct json_object *string = NULL;

	if (text) {
		strata_valid_utf8_copy(text, bytes, hostile);
		string = json_object_new_string(text);
	}
	free(text);
	return string;
}

/* Adds the whole path of the recording's directory, because commands open it. It takes room from
 * the sources; one for which there is no room is left out, as if it were unknown. */
static void add_recording(struct json_object *answer, const char *path, struct room *room)
{
	struct json_object *text = text_of(path);
	size_t length = 0;

	json_object_to_json_string_length(text, FORM, &length);
	if (length >= room->left) {
		json_object_put(text);
		text = json_object_new_string("");
		room->left_out++;
	} else {
		room->left -= length;
	}
	json_object_object_add(answer, "recording", text);
}

static struct json_object *describe_source(const struct strata_source *source)
{
	struct json_object *object = json_object_new_object();
	uint64_t events = 0, lost = 0;
	size_t i;

	for (i = 0; i < source->nr_streams; i++) {
		events += source->streams[i].events;
		lost += source->streams[i].lost;
	}
	json_object_object_add(object, "name", text_of(source->name));
	json_object_object_add(object, "layer",
			       json_object_new_string(strata_layer_name(source->layer)));
	json_object_object_add(object, "events", json_object_new_uint64(events));
	json_object_object_add(object, "lost", json_object_new_uint64(lost));
	json_object_object_add(object, "ended", json_object_new_boolean(source->went_ticks != 0));
	return object;
}

/* A source, and how many of its owner's are shown before it. */
struct shown {
	size_t source;
	const void *owner; /* NULL: itself */
	size_t turn;
};

static int by_owner(const void *a, const void *b)
{
	const struct shown *one = a, *other = b;

	if (one->owner != other->owner)
		return (uintptr_t)one->owner < (uintptr_t)other->owner ? -1 : 1;
	return one->source > other->source ? -1 : 1;
}

static int by_turn(const void *a, const void *b)
{
	const struct shown *one = a, *other = b;

	if (one->turn != other->turn)
		return one->turn < other->turn ? -1 : 1;
	return one->source > other->source ? -1 : 1;
}

/* Puts sources in an order in which each user's programs have a turn, those that came last first.
 * Of the list, which the caller frees, @nr are set.  NULL: out of memory. */
static struct shown *order_sources(const struct recorder *recorder,
				   const struct strata_recording *recording, size_t *nr)
{
	struct shown *list = calloc(recording->nr_sources + 1, sizeof(*list));
	size_t i;

	*nr = 0;
	for (i = 0; list && i < recording->nr_sources; i++) {
		const struct strata_source *source = &recording->sources[i];

		if (source->vacant)
			continue;
		list[*nr].source = i;
		if (source->layer == STRATA_LAYER_APP)
			list[*nr].owner = recorder_owner(recorder, i);
		++*nr;
	}
	if (!list)
		return NULL;
	qsort(list, *nr, sizeof(*list), by_owner);
	for (i = 1; i < *nr; i++)
		if (list[i].owner && list[i].owner == list[i - 1].owner)
			list[i].turn = list[i - 1].turn + 1;
	qsort(list, *nr, sizeof(*list), by_turn);
	return list;
}

static void add_sources(struct json_object *answer, struct recorder *recorder, struct room *room)
{
	const struct strata_recording *recording = recorder_recording(recorder);
	struct json_object *sources = json_object_new_array();
	struct shown *list;
	bool fits = true;
	size_t nr, i;

	list = order_sources(recorder, recording, &nr);
	/* Rings wait meanwhile: to describe two thousand sources would take some 15 ms. */
	for (i = 0; list && i < nr && fits; i++)
		fits = add_if_fits(sources, describe_source(&recording->sources[list[i].source]),
				   room);
	room->left_out += list ? nr - i : 0;
	free(list);
	json_object_object_add(answer, "sources", sources);
}

static void add_waiting(struct json_object *waiting, struct room *room, const char *target,
			const char *why)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "target", text_of(target));
	json_object_object_add(object, "why", json_object_new_string(why));
	add_if_fits(waiting, object, room);
}

/* Kernels that are selected and do not record yet, and rules that nothing matched. */
static void add_missing(struct json_object *answer, const struct session *session,
			struct room *room)
{
	const struct participants *kernels = &session->kernels;
	const struct apps *apps = &session->apps;
	struct json_object *waiting = json_object_new_array();
	size_t i;

	for (i = 0; i < kernels->nr_selections; i++)
		if (!kernels->selections[i].found && strcmp(kernels->selections[i].domain, "none"))
			add_waiting(waiting, room, kernels->selections[i].domain,
				    "no such domain runs yet");
	for (i = 0; i < kernels->nr; i++) {
		const struct participant *one = &kernels->list[i];

		if (one->step == PARTICIPANT_NONE) {
			if (one->awaited)
				add_waiting(waiting, room, one->name,
					    "strata.ko is not loaded in it");
		} else if (one->step < PARTICIPANT_RECORDING) {
			add_waiting(waiting, room, one->name,
				    "its module is being set up, or does not answer");
		}
	}
	for (i = 0; i < apps->nr_selections; i++)
		if (!apps->selections[i].found && !apps->selections[i].of_command)
			add_waiting(waiting, room, apps->selections[i].program,
				    "no such program is connected yet");
	json_object_object_add(answer, "waiting", waiting);
}

void session_describe_status(const struct session *session, char *text, size_t bytes)
{
	const struct recorder_totals totals = recorder_totals(session->recorder);
	struct json_object *answer = json_object_new_object();
	struct room room = { .left = bytes - bytes / 4 };

	add_recording(answer, session->dir.path, &room);
	json_object_object_add(answer, "recorder", json_object_new_int((int)session->number));
	json_object_object_add(
		answer, "seconds",
		json_object_new_uint64(session_ms_since(session, session->start_ticks) / 1000));
	json_object_object_add(answer, "events", json_object_new_uint64(totals.events));
	json_object_object_add(answer, "bytes", json_object_new_uint64(totals.bytes));
	json_object_object_add(answer, "lost", json_object_new_uint64(totals.lost));
	json_object_object_add(answer, "snapshots", json_object_new_uint64(session->snapshots));
	json_object_object_add(answer, "rotations",
			       json_object_new_uint64(rotation_count(session->rotation)));
	json_object_object_add(answer, "disk_was_full", json_object_new_boolean(totals.was_full));
	add_missing(answer, session, &room);
	add_sources(answer, session->recorder, &room);
	json_object_object_add(answer, "not_shown", json_object_new_uint64(room.left_out));
	snprintf(text, bytes, "%s", json_object_to_json_string_ext(answer, FORM));
	json_object_put(answer);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording_save.c - writes recording.json.  The recorder calls it often, after
 * each new guest; recording_load.c reads it back.
 */
#include "recording.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "recording_format.h"
#include "safe_dir.h"

static const char *const kind_names[] = STRATA_FIELD_KIND_NAMES;

static void add_u64(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static void add_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_object_new_string(text));
}

/* The text as far as it is made. */
struct text {
	char *bytes;
	size_t length;
	size_t capacity;
	bool failed; /* no memory */
};

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Room for one of the longest lines. */
#define LINE_BYTES 512u

static void put_bytes(struct text *text, const char *bytes, size_t length)
{
	if (text->length + length > text->capacity) {
		size_t capacity = 2 * (text->length + length);
		char *more = realloc(text->bytes, capacity);

		text->failed |= !more;
		if (!more)
			return;
		text->bytes = more;
		text->capacity = capacity;
	}
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
}

static void put(struct text *text, const char *format, ...)
{
	char line[LINE_BYTES];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (length < 0 || length >= (int)sizeof(line))
		text->failed = true;
	else
		put_bytes(text, line, (size_t)length);
}

/* A line.  All of its names are C identifiers, which were checked when it was added. */
static void put_event(struct text *text, const struct strata_source *source, size_t at)
{
	const struct strata_event_desc *event = &source->events[at];
	unsigned int i;

	put(text, "{\"id\":%u,", event->id);
	if (source->by_number)
		put(text, "\"number\":%u,", source->shapes[at].number);
	put(text, "\"name\":\"%s\",", event->name);
	if (event->group[0])
		put(text, "\"group\":\"%s\",", event->group);
	put(text, "\"fields\":[");
	for (i = 0; i < event->nr_fields; i++) {
		const struct strata_field_desc *field = &event->fields[i];

		put(text, "%s{\"name\":\"%s\",\"kind\":\"%s\",\"bytes\":%u,\"count\":%u}",
		    i ? "," : "", field->name, kind_names[field->kind], field->bytes, field->count);
	}
	put(text, "]}");
}

static void put_stream(struct text *text, const struct strata_stream *stream)
{
	put(text,
	    "{\"cpu\":%u,\"packets\":%" PRIu64 ",\"events\":%" PRIu64 ",\"lost\":%" PRIu64
	    ",\"bad_packets\":%" PRIu64 "}",
	    stream->cpu, stream->packets, stream->events, stream->lost, stream->bad_packets);
}

/* All but its streams and events. */
static struct json_object *source_to_json(const struct strata_source *source)
{
	struct json_object *object = json_object_new_object();
	char uuid[STRATA_UUID_TEXT_BYTES];
	char domain_name[sizeof(source->domain_name)];

	strata_uuid_text(uuid, source->uuid);
	strata_valid_utf8_copy(domain_name, sizeof(domain_name), source->domain_name);
	add_text(object, "name", source->name);
	add_text(object, "layer", strata_layer_name(source->layer));
	add_u64(object, "domain", source->domain);
	add_text(object, "domain_name", domain_name);
	add_text(object, "uuid", uuid);
	if (source->pid) {
		add_u64(object, "pid", (uint64_t)source->pid);
		add_u64(object, "uid", source->uid);
	}
	if (source->migrates)
		add_u64(object, "migrates", 1);
	if (source->exits != STRATA_EXITS_UNKNOWN)
		add_text(object, "vm_exits", strata_exits_name(source->exits));
	if (source->form != STRATA_HEADER_FULL)
		add_text(object, "event_header", strata_header_form_name(source->form));
	if (source->since_ticks)
		add_u64(object, "since_ticks", source->since_ticks);
	if (source->came_ticks)
		add_u64(object, "came_ticks", source->came_ticks);
	if (source->ended != STRATA_SOURCE_STAYED) {
		add_u64(object, "went_ticks", source->went_ticks);
		add_text(object, "ended", strata_source_end_text(source->ended));
	}
	return object;
}

static void put_events(struct text *text, const struct strata_source *source)
{
	size_t i;

	for (i = 0; i < source->nr_events; i++) {
		put(text, i ? ",\n" : "\n");
		put_event(text, source, i);
	}
}

/* Room for the texts of that many sources.  False: there is no memory, and none is kept. */
static bool grow(struct strata_saved_texts *texts, size_t nr)
{
	struct strata_saved_text *more;

	if (nr <= texts->nr)
		return true;
	more = reallocarray(texts->sources, 2 * nr, sizeof(*more));
	if (!more)
		return false;
	memset(more + texts->nr, 0, (2 * nr - texts->nr) * sizeof(*more));
	texts->sources = more;
	texts->nr = 2 * nr;
	return true;
}

/* The events of a source: as they were written the last time, if they are the same. */
static void put_events_again(struct text *text, const struct strata_source *source,
			     struct strata_saved_text *saved)
{
	const size_t begin = text->length;
	char *bytes;

	if (saved->bytes && saved->nr_events == source->nr_events &&
	    !memcmp(saved->uuid, source->uuid, sizeof(saved->uuid))) {
		put_bytes(text, saved->bytes, saved->length);
		return;
	}
	put_events(text, source);
	bytes = text->failed ? NULL : realloc(saved->bytes, text->length - begin + 1);
	if (!bytes) {
		/* What is there is of earlier events. */
		free(saved->bytes);
		saved->bytes = NULL;
		return;
	}
	memcpy(bytes, text->bytes + begin, text->length - begin);
	saved->bytes = bytes;
	saved->length = text->length - begin;
	saved->nr_events = source->nr_events;
	memcpy(saved->uuid, source->uuid, sizeof(saved->uuid));
}

/* @saved: NULL: nothing is kept */
static void put_source(struct text *text, const struct strata_source *source,
		       struct strata_saved_text *saved)
{
	struct json_object *object = source_to_json(source);
	const char *head = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
	size_t i;

	if (head)
		put_bytes(text, head, strlen(head) - 1);
	else
		text->failed = true;
	json_object_put(object);
	put(text, ",\n\"streams\":[");
	for (i = 0; i < source->nr_streams; i++) {
		put(text, i ? ",\n" : "\n");
		put_stream(text, &source->streams[i]);
	}
	put(text, "],\n\"events\":[");
	if (saved)
		put_events_again(text, source, saved);
	else
		put_events(text, source);
	put(text, "]}");
}

void strata_saved_texts_clear(struct strata_saved_texts *texts)
{
	size_t i;

	for (i = 0; i < texts->nr; i++)
		free(texts->sources[i].bytes);
	free(texts->sources);
	memset(texts, 0, sizeof(*texts));
}

int strata_recording_save(const struct strata_recording *recording, const struct strata_dir *dir,
			  struct strata_error *error)
{
	struct strata_saved_texts none = { NULL, 0 };
	int status = strata_recording_save_again(recording, &none, dir, error);

	strata_saved_texts_clear(&none);
	return status;
}

int strata_recording_save_again(const struct strata_recording *recording,
				struct strata_saved_texts *texts, const struct strata_dir *dir,
				struct strata_error *error)
{
	const bool keeps = grow(texts, recording->nr_sources);
	struct text text = { 0 };
	size_t i;
	int status;

	put(&text,
	    "{\"format\":\"%s\",\"version\":%d,\n\"tsc_khz\":%u,\"anchor_ticks\":%" PRIu64
	    ",\"anchor_realtime_ns\":%" PRIu64 ",\n\"sources\":[",
	    STRATA_RECORDING_FORMAT, STRATA_RECORDING_VERSION, recording->tsc_khz,
	    recording->anchor_ticks, recording->anchor_realtime_ns);
	for (i = 0; i < recording->nr_sources; i++) {
		put(&text, i ? ",\n" : "\n");
		if (recording->sources[i].vacant)
			put(&text, "null");
		else
			put_source(&text, &recording->sources[i],
				   keeps ? &texts->sources[i] : NULL);
	}
	put(&text, "]");
	if (recording->ended_ticks)
		put(&text, ",\n\"ended_ticks\":%" PRIu64, recording->ended_ticks);
	put(&text, "}\n");
	if (text.failed)
		status = strata_fail(error, "%s/%s: out of memory", dir->path,
				     STRATA_RECORDING_FILE);
	else
		status = strata_dir_replace(dir, STRATA_RECORDING_FILE, text.bytes, text.length,
					    error);
	free(text.bytes);
	return status;
}

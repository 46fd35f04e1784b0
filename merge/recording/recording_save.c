// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording_save.c - writes recording.json.  The recorder calls it often, after
 * each new guest; recording_load.c reads it back.
 */
#include "recording/recording.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "recording/recording_format.h"
#include "files/safe_dir.h"

static void add_u64(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static void add_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_object_new_string(text));
}

/* The text so far. */
struct text {
	char *bytes;
	size_t length;
	size_t capacity;
	bool failed; /* out of memory */
};

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Longest line. */
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

/* The information about numbered events that CTF cannot hold, in order of id: the id of each
 * number. */
static void put_numbers(struct text *text, const struct strata_source *source)
{
	size_t i;

	put(text, ",\n\"events\":[");
	for (i = 0; i < source->nr_events; i++)
		put(text, "%s{\"id\":%u,\"number\":%u}", i ? ",\n" : "\n", source->shapes[i].id,
		    source->shapes[i].number);
	put(text, "]");
}

static void put_stream(struct text *text, const struct strata_stream *stream)
{
	put(text,
	    "{\"cpu\":%u,\"packets\":%" PRIu64 ",\"events\":%" PRIu64 ",\"lost\":%" PRIu64
	    ",\"bad_packets\":%" PRIu64 "}",
	    stream->cpu, stream->packets, stream->events, stream->lost, stream->bad_packets);
}

/* Everything except arrays. */
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

static void put_source(struct text *text, const struct strata_source *source)
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
	put(text, "]");
	if (source->by_number)
		put_numbers(text, source);
	put(text, "}");
}

struct strata_recording_save {
	const struct strata_recording *recording;
	size_t next; /* source */
	struct strata_dir_new file;
	struct text text; /* that is not in the file yet */
};

/* Text for one write: a table with thousands of programs has a short text for each. */
#define WRITE_BYTES (64u << 10)

struct strata_recording_save *strata_recording_save_begin(const struct strata_recording *recording,
							  const struct strata_dir *dir,
							  struct strata_error *error)
{
	struct strata_recording_save *save = calloc(1, sizeof(*save));

	if (!save) {
		strata_fail(error, "%s/%s: out of memory", dir->path, STRATA_RECORDING_FILE);
		return NULL;
	}
	save->recording = recording;
	if (!strata_dir_new_begin(&save->file, dir, STRATA_RECORDING_FILE, error))
		return save;
	free(save);
	return NULL;
}

static void put_head(struct text *text, const struct strata_recording *recording)
{
	static const uint8_t unknown[sizeof(recording->boot)];
	char boot[STRATA_UUID_TEXT_BYTES];

	put(text,
	    "{\"format\":\"%s\",\"version\":%d,\n\"tsc_khz\":%u,\"anchor_ticks\":%" PRIu64
	    ",\"anchor_realtime_ns\":%" PRIu64,
	    STRATA_RECORDING_FORMAT, STRATA_RECORDING_VERSION, recording->tsc_khz,
	    recording->anchor_ticks, recording->anchor_realtime_ns);
	if (memcmp(recording->boot, unknown, sizeof(unknown)) != 0) {
		strata_uuid_text(boot, recording->boot);
		put(text, ",\n\"boot\":\"%s\"", boot);
	}
	put(text, ",\n\"sources\":[");
}

static void put_next_source(struct text *text, const struct strata_recording *recording, size_t i)
{
	put(text, i ? ",\n" : "\n");
	if (recording->sources[i].vacant || recording->sources[i].unlisted)
		put(text, "null");
	else
		put_source(text, &recording->sources[i]);
}

static void put_end(struct text *text, const struct strata_recording *recording)
{
	put(text, "]");
	if (recording->ended_ticks)
		put(text, ",\n\"ended_ticks\":%" PRIu64, recording->ended_ticks);
	put(text, "}\n");
}

static void write_text(struct strata_recording_save *save)
{
	strata_dir_new_add(&save->file, save->text.bytes, save->text.length);
	save->text.length = 0;
}

static void save_free(struct strata_recording_save *save)
{
	free(save->text.bytes);
	free(save);
}

int strata_recording_save_step(struct strata_recording_save *save, size_t *bytes,
			       struct strata_error *error)
{
	const struct strata_recording *recording = save->recording;
	struct text *text = &save->text;
	const size_t before = text->length;
	bool more = save->next < recording->nr_sources;
	int result;

	if (save->next == 0)
		put_head(text, recording);
	if (more)
		put_next_source(text, recording, save->next++);
	else
		put_end(text, recording);
	*bytes = text->length - before;
	if (text->failed) {
		strata_fail(error, "%s/%s: out of memory", save->file.dir->path,
			    STRATA_RECORDING_FILE);
		strata_recording_save_drop(save);
		return -1;
	}
	if (!more || text->length >= WRITE_BYTES)
		write_text(save);
	if (more && !save->file.cause)
		return 1;
	result = strata_dir_new_end(&save->file, error);
	save_free(save);
	return result;
}

void strata_recording_save_drop(struct strata_recording_save *save)
{
	if (!save)
		return;
	strata_dir_new_drop(&save->file);
	save_free(save);
}

int strata_recording_save(const struct strata_recording *recording, const struct strata_dir *dir,
			  struct strata_error *error)
{
	struct strata_recording_save *save = strata_recording_save_begin(recording, dir, error);
	int result = save ? 1 : -1;
	size_t bytes;

	while (result > 0)
		result = strata_recording_save_step(save, &bytes, error);
	return result;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording_save.c - writes recording.json.  The recorder calls it often, after
 * each new guest; recording_load.c reads it back.
 */
#include "recording.h"

#include <json-c/json.h>
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

static struct json_object *event_to_json(const struct strata_source *source, size_t at)
{
	const struct strata_event_desc *event = &source->events[at];
	struct json_object *object = json_object_new_object();
	struct json_object *fields = json_object_new_array();
	unsigned int i;

	add_u64(object, "id", event->id);
	if (source->by_number)
		add_u64(object, "number", source->shapes[at].number);
	add_text(object, "name", event->name);
	if (event->group[0])
		add_text(object, "group", event->group);
	for (i = 0; i < event->nr_fields; i++) {
		const struct strata_field_desc *field = &event->fields[i];
		struct json_object *entry = json_object_new_object();

		add_text(entry, "name", field->name);
		add_text(entry, "kind", kind_names[field->kind]);
		add_u64(entry, "bytes", field->bytes);
		add_u64(entry, "count", field->count);
		json_object_array_add(fields, entry);
	}
	json_object_object_add(object, "fields", fields);
	return object;
}

static struct json_object *source_to_json(const struct strata_source *source)
{
	struct json_object *object = json_object_new_object();
	struct json_object *streams = json_object_new_array();
	struct json_object *events = json_object_new_array();
	char uuid[STRATA_UUID_TEXT_BYTES];
	char domain_name[sizeof(source->domain_name)];
	size_t i;

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
	for (i = 0; i < source->nr_streams; i++) {
		const struct strata_stream *stream = &source->streams[i];
		struct json_object *entry = json_object_new_object();

		add_u64(entry, "cpu", stream->cpu);
		add_u64(entry, "packets", stream->packets);
		add_u64(entry, "events", stream->events);
		add_u64(entry, "lost", stream->lost);
		add_u64(entry, "bad_packets", stream->bad_packets);
		json_object_array_add(streams, entry);
	}
	json_object_object_add(object, "streams", streams);
	for (i = 0; i < source->nr_events; i++)
		json_object_array_add(events, event_to_json(source, i));
	json_object_object_add(object, "events", events);
	return object;
}

int strata_recording_save(const struct strata_recording *recording, const struct strata_dir *dir,
			  struct strata_error *error)
{
	struct json_object *root = json_object_new_object();
	struct json_object *sources = json_object_new_array();
	const char *text;
	size_t i;
	int status;

	add_text(root, "format", STRATA_RECORDING_FORMAT);
	add_u64(root, "version", STRATA_RECORDING_VERSION);
	add_u64(root, "tsc_khz", recording->tsc_khz);
	add_u64(root, "anchor_ticks", recording->anchor_ticks);
	add_u64(root, "anchor_realtime_ns", recording->anchor_realtime_ns);
	if (recording->ended_ticks)
		add_u64(root, "ended_ticks", recording->ended_ticks);
	for (i = 0; i < recording->nr_sources; i++)
		json_object_array_add(sources, source_to_json(&recording->sources[i]));
	json_object_object_add(root, "sources", sources);

	text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY);
	if (text)
		status = strata_dir_replace(dir, STRATA_RECORDING_FILE, text, strlen(text), error);
	else
		status = strata_fail(error, "%s/%s: out of memory", dir->path,
				     STRATA_RECORDING_FILE);
	json_object_put(root);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording_load_source.c - makes a source, with its streams and event classes, from its JSON
 * object in recording.json; see recording_load_source.h.
 */
#include "recording/recording_load_source.h"

#include <string.h>

#include "base/escape.h"
#include "recording/recording_format.h"
#include "recording/recording_json.h"

static const char *const kind_names[] = STRATA_FIELD_KIND_NAMES;
#define NR_KINDS (sizeof(kind_names) / sizeof(kind_names[0]))

static int load_field(struct json_object *entry, struct strata_field_desc *field,
		      struct strata_error *error)
{
	uint64_t bytes, count;
	char kind[16];
	size_t i;

	if (recording_json_text(entry, "name", field->name, sizeof(field->name), error) ||
	    recording_json_text(entry, "kind", kind, sizeof(kind), error) ||
	    recording_json_u64(entry, "bytes", UINT8_MAX, &bytes, error) ||
	    recording_json_u64(entry, "count", UINT16_MAX, &count, error))
		return -1;
	for (i = 1; i < NR_KINDS && strcmp(kind, kind_names[i]) != 0; i++)
		;
	if (i == NR_KINDS)
		return strata_fail(error, "\"kind\" is none of unsigned, signed, hex, text, "
					  "string, float");
	field->kind = (uint8_t)i;
	field->bytes = (uint8_t)bytes;
	field->count = (uint16_t)count;
	return 0;
}

static int load_event(struct strata_source *source, struct json_object *entry,
		      struct strata_error *error)
{
	struct strata_event_desc event = { 0 };
	struct json_object *fields;
	const bool has_number = json_object_object_get_ex(entry, "number", NULL);
	uint64_t id, number = 0;
	size_t i;

	if (source->nr_events && has_number != (source->by_number != NULL))
		return strata_fail(error, "some events have a \"number\", others have none");
	if (has_number &&
	    recording_json_u64(entry, "number", STRATA_SOURCE_EVENTS_MAX - 1, &number, error))
		return -1;
	if (recording_json_u64(entry, "id", UINT32_MAX, &id, error) ||
	    recording_json_text(entry, "name", event.name, sizeof(event.name), error) ||
	    recording_json_array(entry, "fields", STRATA_EVENT_FIELDS_MAX, &fields, error))
		return -1;
	if (json_object_object_get_ex(entry, "group", NULL) &&
	    recording_json_text(entry, "group", event.group, sizeof(event.group), error))
		return -1;
	event.id = (uint32_t)id;
	event.nr_fields = (uint8_t)json_object_array_length(fields);
	for (i = 0; i < event.nr_fields; i++) {
		if (load_field(json_object_array_get_idx(fields, i), &event.fields[i], error))
			return strata_fail_in(error, "field %zu", i);
	}
	if (!has_number)
		return strata_source_add_event(source, &event, error);
	if (!source->by_number && strata_source_number_events(source, error))
		return -1;
	return strata_source_add_numbered(source, &event, number, error);
}

static int load_stream(struct strata_source *source, struct json_object *entry,
		       struct strata_error *error)
{
	struct strata_stream loaded = { 0 };
	struct strata_stream *stream;
	uint64_t cpu;

	if (recording_json_u64(entry, "cpu", STRATA_CPU_MAX, &cpu, error) ||
	    recording_json_u64(entry, "packets", INT64_MAX, &loaded.packets, error) ||
	    recording_json_u64(entry, "events", INT64_MAX, &loaded.events, error) ||
	    recording_json_u64(entry, "lost", INT64_MAX, &loaded.lost, error) ||
	    recording_json_u64(entry, "bad_packets", INT64_MAX, &loaded.bad_packets, error))
		return -1;
	loaded.cpu = (uint32_t)cpu;
	if (strata_source_stream(source, loaded.cpu))
		return strata_fail(error, "duplicate stream of CPU %u", loaded.cpu);
	stream = strata_source_add_stream(source, loaded.cpu);
	if (!stream)
		return strata_fail(error, "out of memory");
	*stream = loaded;
	return 0;
}

/* Whether a name is fit for a directory: no path, no characters that need quoting. */
static bool is_source_name(const char *name)
{
	size_t i;

	for (i = 0; name[i]; i++) {
		char c = name[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_' || c == '-' || c == '+' || (c == '.' && i > 0)))
			return false;
	}
	return i > 0;
}

static int load_layer(struct json_object *entry, enum strata_layer *layer,
		      struct strata_error *error)
{
	static const enum strata_layer layers[] = { STRATA_LAYER_XEN, STRATA_LAYER_KERNEL,
						    STRATA_LAYER_APP };
	char name[16];
	size_t i;

	if (recording_json_text(entry, "layer", name, sizeof(name), error))
		return -1;
	for (i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
		if (strcmp(name, strata_layer_name(layers[i])) == 0) {
			*layer = layers[i];
			return 0;
		}
	}
	return strata_fail(error, "\"layer\" is none of xen, kernel, app");
}

/* Absent: full. */
static int load_form(struct strata_source *source, struct json_object *entry,
		     struct strata_error *error)
{
	char name[16];
	unsigned int form;

	if (!recording_json_has(entry, "event_header"))
		return 0;
	if (recording_json_text(entry, "event_header", name, sizeof(name), error))
		return -1;
	for (form = 0; form < STRATA_NR_HEADER_FORMS; form++) {
		if (strcmp(name, strata_header_form_name(form)) == 0) {
			source->form = (enum strata_header_form)form;
			return 0;
		}
	}
	return strata_fail(error, "\"event_header\" is none of full, compact, large");
}

/* Absent: unknown. */
static int load_exits(struct strata_source *source, struct json_object *entry,
		      struct strata_error *error)
{
	char name[16];
	unsigned int exits;

	if (!recording_json_has(entry, "vm_exits"))
		return 0;
	if (recording_json_text(entry, "vm_exits", name, sizeof(name), error))
		return -1;
	for (exits = STRATA_EXITS_VMX; exits < STRATA_NR_EXITS; exits++) {
		if (strcmp(name, strata_exits_name((enum strata_exits)exits)) == 0) {
			source->exits = (enum strata_exits)exits;
			return 0;
		}
	}
	return strata_fail(error, "\"vm_exits\" is none of vmx, svm");
}

/* Process and user; absent: 0. */
static int load_process(struct strata_source *source, struct json_object *entry,
			struct strata_error *error)
{
	uint64_t pid, uid;

	if (!recording_json_has(entry, "pid"))
		return 0;
	if (recording_json_u64(entry, "pid", INT32_MAX, &pid, error) ||
	    recording_json_u64(entry, "uid", UINT32_MAX, &uid, error))
		return -1;
	source->pid = (int32_t)pid;
	source->uid = (uint32_t)uid;
	return 0;
}

/* When a source came and left; each key is optional. */
static int load_life(struct strata_source *source, struct json_object *entry,
		     struct strata_error *error)
{
	char ended[32];
	unsigned int i;

	if (recording_json_has(entry, "since_ticks") &&
	    recording_json_u64(entry, "since_ticks", UINT64_MAX, &source->since_ticks, error))
		return -1;
	if (recording_json_has(entry, "came_ticks") &&
	    recording_json_u64(entry, "came_ticks", UINT64_MAX, &source->came_ticks, error))
		return -1;
	if (!recording_json_has(entry, "went_ticks") && !recording_json_has(entry, "ended"))
		return 0;
	if (recording_json_u64(entry, "went_ticks", UINT64_MAX, &source->went_ticks, error) ||
	    recording_json_text(entry, "ended", ended, sizeof(ended), error))
		return -1;
	if (source->went_ticks < source->came_ticks)
		return strata_fail(error, "\"went_ticks\" is before \"came_ticks\"");
	for (i = STRATA_SOURCE_STAYED + 1; i < STRATA_NR_SOURCE_ENDS; i++) {
		if (strcmp(ended, strata_source_end_text((enum strata_source_end)i)) == 0) {
			source->ended = (enum strata_source_end)i;
			return 0;
		}
	}
	return strata_fail(error, "\"ended\" is not a known reason");
}

static int load_source_head(struct strata_recording *recording, struct strata_source *source,
			    struct json_object *entry, struct strata_error *error)
{
	uint64_t migrates = 0;
	char uuid[STRATA_UUID_TEXT_BYTES];
	uint64_t domain;
	size_t i;

	if (recording_json_text(entry, "name", source->name, sizeof(source->name), error))
		return -1;
	if (!is_source_name(source->name)) {
		memset(source->name, 0, sizeof(source->name));
		return strata_fail(error, "\"name\" is not valid as a directory's name");
	}
	for (i = 0; i + 1 < recording->nr_sources; i++) {
		if (strcmp(recording->sources[i].name, source->name) == 0)
			return strata_fail(error, "another source has that name");
	}
	if (load_layer(entry, &source->layer, error) ||
	    recording_json_u64(entry, "domain", UINT16_MAX, &domain, error) ||
	    recording_json_text(entry, "domain_name", source->domain_name,
				sizeof(source->domain_name), error) ||
	    recording_json_text(entry, "uuid", uuid, sizeof(uuid), error))
		return -1;
	source->domain = (uint32_t)domain;
	if (!strata_uuid_parse(source->uuid, uuid))
		return strata_fail(error, "\"uuid\" is not a UUID");
	if (recording_json_has(entry, "migrates") &&
	    recording_json_u64(entry, "migrates", 1, &migrates, error))
		return -1;
	source->migrates = migrates;
	if (load_process(source, entry, error) || load_form(source, entry, error) ||
	    load_exits(source, entry, error))
		return -1;
	return load_life(source, entry, error);
}

int recording_load_source(struct recording_load *load, struct strata_source *source,
			  struct json_object *entry, struct strata_error *error)
{
	struct json_object *streams, *events;
	size_t most = STRATA_STREAMS_MAX - load->nr_streams, i;

	if (most > STRATA_SOURCE_STREAMS_MAX)
		most = STRATA_SOURCE_STREAMS_MAX;
	if (load_source_head(load->recording, source, entry, error) ||
	    recording_json_array(entry, "streams", most, &streams, error) ||
	    recording_json_array(entry, "events", STRATA_SOURCE_EVENTS_MAX, &events, error))
		return -1;
	for (i = 0; i < json_object_array_length(streams); i++) {
		if (load_stream(source, json_object_array_get_idx(streams, i), error))
			return strata_fail_in(error, "stream %zu", i);
	}
	for (i = 0; i < json_object_array_length(events); i++) {
		if (load_event(source, json_object_array_get_idx(events, i), error))
			return strata_fail_in(error, "event entry %zu", i);
	}
	if (load->description_bytes + source->description_bytes > STRATA_DESCRIPTION_BYTES_MAX)
		return strata_fail(error,
				   "its events take what is left of %u bytes for those of all "
				   "sources",
				   STRATA_DESCRIPTION_BYTES_MAX);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording_load_source.c - makes a source and its streams from its JSON object in recording.json;
 * see recording_load_source.h.
 */
#include "recording/recording_load_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json_members.h"

static int load_stream(struct strata_source *source, struct json_object *entry,
		       struct strata_error *error)
{
	struct strata_stream loaded = { 0 };
	struct strata_stream *stream;
	uint64_t cpu;

	if (strata_json_u64(entry, "cpu", STRATA_CPU_MAX, &cpu, error) ||
	    strata_json_u64(entry, "packets", INT64_MAX, &loaded.packets, error) ||
	    strata_json_u64(entry, "events", INT64_MAX, &loaded.events, error) ||
	    strata_json_u64(entry, "lost", INT64_MAX, &loaded.lost, error) ||
	    strata_json_u64(entry, "bad_packets", INT64_MAX, &loaded.bad_packets, error))
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

	if (strata_json_text(entry, "layer", name, sizeof(name), error))
		return -1;
	for (i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
		if (strcmp(name, strata_layer_name(layers[i])) == 0) {
			*layer = layers[i];
			return 0;
		}
	}
	return strata_fail(error, "\"layer\" is not one of xen, kernel, app");
}

/* The numbers of an imported source's events.  Events without numbers are those of version 1. */
static int load_numbers(struct strata_source *source, struct json_object *entry,
			struct strata_error *error)
{
	struct json_object *events;
	size_t i, nr;

	if (!strata_json_has(entry, "events"))
		return 0;
	if (strata_json_array(entry, "events", STRATA_SOURCE_EVENTS_MAX, &events, error))
		return -1;
	nr = json_object_array_length(events);
	source->numbers = calloc(nr + 1, sizeof(*source->numbers));
	if (!source->numbers)
		return strata_fail(error, "out of memory");
	for (i = 0; i < nr; i++) {
		struct json_object *event = json_object_array_get_idx(events, i);
		uint64_t id, number;

		if (!strata_json_has(event, "number"))
			continue;
		if (strata_json_u64(event, "id", UINT32_MAX, &id, error) ||
		    strata_json_u64(event, "number", STRATA_SOURCE_EVENTS_MAX - 1, &number, error))
			return strata_fail_in(error, "event entry %zu", i);
		source->numbers[source->nr_numbers++] =
			(struct strata_event_number){ (uint32_t)id, (uint32_t)number };
	}
	return 0;
}

/* The numbering of VM exits; absent: unknown. */
static int load_exits(struct strata_source *source, struct json_object *entry,
		      struct strata_error *error)
{
	char name[16];
	unsigned int exits;

	if (!strata_json_has(entry, "vm_exits"))
		return 0;
	if (strata_json_text(entry, "vm_exits", name, sizeof(name), error))
		return -1;
	for (exits = STRATA_EXITS_VMX; exits < STRATA_NR_EXITS; exits++) {
		if (strcmp(name, strata_exits_name((enum strata_exits)exits)) == 0) {
			source->exits = (enum strata_exits)exits;
			return 0;
		}
	}
	return strata_fail(error, "\"vm_exits\" is not one of vmx, svm");
}

/* Process and user; absent: 0. */
static int load_process(struct strata_source *source, struct json_object *entry,
			struct strata_error *error)
{
	uint64_t pid, uid;

	if (!strata_json_has(entry, "pid"))
		return 0;
	if (strata_json_u64(entry, "pid", INT32_MAX, &pid, error) ||
	    strata_json_u64(entry, "uid", UINT32_MAX, &uid, error))
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

	if (strata_json_has(entry, "since_ticks") &&
	    strata_json_u64(entry, "since_ticks", UINT64_MAX, &source->since_ticks, error))
		return -1;
	if (strata_json_has(entry, "came_ticks") &&
	    strata_json_u64(entry, "came_ticks", UINT64_MAX, &source->came_ticks, error))
		return -1;
	if (!strata_json_has(entry, "went_ticks") && !strata_json_has(entry, "ended"))
		return 0;
	if (strata_json_u64(entry, "went_ticks", UINT64_MAX, &source->went_ticks, error) ||
	    strata_json_text(entry, "ended", ended, sizeof(ended), error))
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

	if (strata_json_text(entry, "name", source->name, sizeof(source->name), error))
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
	    strata_json_u64(entry, "domain", UINT16_MAX, &domain, error) ||
	    strata_json_text(entry, "domain_name", source->domain_name, sizeof(source->domain_name),
			     error) ||
	    strata_json_text(entry, "uuid", uuid, sizeof(uuid), error))
		return -1;
	source->domain = (uint32_t)domain;
	if (!strata_uuid_parse(source->uuid, uuid))
		return strata_fail(error, "\"uuid\" is not a UUID");
	if (strata_json_has(entry, "migrates") &&
	    strata_json_u64(entry, "migrates", 1, &migrates, error))
		return -1;
	source->migrates = migrates;
	if (load_process(source, entry, error) || load_exits(source, entry, error) ||
	    load_numbers(source, entry, error))
		return -1;
	return load_life(source, entry, error);
}

int recording_load_source(struct recording_load *load, struct strata_source *source,
			  struct json_object *entry, struct strata_error *error)
{
	struct json_object *streams;
	size_t most = STRATA_STREAMS_MAX - load->nr_streams, i;

	if (most > STRATA_SOURCE_STREAMS_MAX)
		most = STRATA_SOURCE_STREAMS_MAX;
	if (load_source_head(load->recording, source, entry, error) ||
	    strata_json_array(entry, "streams", most, &streams, error))
		return -1;
	for (i = 0; i < json_object_array_length(streams); i++) {
		if (load_stream(source, json_object_array_get_idx(streams, i), error))
			return strata_fail_in(error, "stream %zu", i);
	}
	return 0;
}

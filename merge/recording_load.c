// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording_load.c - reads recording.json for the merger.
 *
 * The file is taken as hostile.  Every number must be a whole number within its
 * bounds, every name fit for its use, and every event table passes the same
 * checks as a guest's does.
 */
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "escape.h"
#include "recording_format.h"
#include "safe_dir.h"

#define FILE_BYTES_MAX (64l << 20)

static const char *const kind_names[] = STRATA_FIELD_KIND_NAMES;
#define NR_KINDS (sizeof(kind_names) / sizeof(kind_names[0]))

static int get_u64(struct json_object *object, const char *key, uint64_t max, uint64_t *value,
		   struct strata_error *error)
{
	struct json_object *member;

	if (!json_object_object_get_ex(object, key, &member) ||
	    !json_object_is_type(member, json_type_int) || json_object_get_int64(member) < 0)
		return strata_fail(error, "\"%s\" is not a whole number from 0", key);
	*value = json_object_get_uint64(member);
	if (*value > max)
		return strata_fail(error, "\"%s\" is over %llu", key, (unsigned long long)max);
	return 0;
}

/* Copies a string member that fits into @bytes with its end, and holds no zero byte. */
static int get_text(struct json_object *object, const char *key, char *text, size_t bytes,
		    struct strata_error *error)
{
	struct json_object *member;
	size_t length;

	if (!json_object_object_get_ex(object, key, &member) ||
	    !json_object_is_type(member, json_type_string))
		return strata_fail(error, "\"%s\" is not a string", key);
	length = (size_t)json_object_get_string_len(member);
	if (length >= bytes || strlen(json_object_get_string(member)) != length)
		return strata_fail(error, "\"%s\" is not a text of at most %zu bytes", key,
				   bytes - 1);
	memset(text, 0, bytes);
	memcpy(text, json_object_get_string(member), length);
	return 0;
}

static int get_array(struct json_object *object, const char *key, size_t max,
		     struct json_object **array, struct strata_error *error)
{
	if (!json_object_object_get_ex(object, key, array) ||
	    !json_object_is_type(*array, json_type_array))
		return strata_fail(error, "\"%s\" is not an array", key);
	if (json_object_array_length(*array) > max)
		return strata_fail(error, "\"%s\" has over %zu entries", key, max);
	return 0;
}

static int load_field(struct json_object *entry, struct strata_field_desc *field,
		      struct strata_error *error)
{
	uint64_t bytes, count;
	char kind[16];
	size_t i;

	if (get_text(entry, "name", field->name, sizeof(field->name), error) ||
	    get_text(entry, "kind", kind, sizeof(kind), error) ||
	    get_u64(entry, "bytes", UINT8_MAX, &bytes, error) ||
	    get_u64(entry, "count", UINT16_MAX, &count, error))
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
	if (has_number && get_u64(entry, "number", STRATA_SOURCE_EVENTS_MAX - 1, &number, error))
		return -1;
	if (get_u64(entry, "id", UINT32_MAX, &id, error) ||
	    get_text(entry, "name", event.name, sizeof(event.name), error) ||
	    get_array(entry, "fields", STRATA_EVENT_FIELDS_MAX, &fields, error))
		return -1;
	if (json_object_object_get_ex(entry, "group", NULL) &&
	    get_text(entry, "group", event.group, sizeof(event.group), error))
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
	size_t i;

	if (get_u64(entry, "cpu", STRATA_CPU_MAX, &cpu, error) ||
	    get_u64(entry, "packets", INT64_MAX, &loaded.packets, error) ||
	    get_u64(entry, "events", INT64_MAX, &loaded.events, error) ||
	    get_u64(entry, "lost", INT64_MAX, &loaded.lost, error) ||
	    get_u64(entry, "bad_packets", INT64_MAX, &loaded.bad_packets, error))
		return -1;
	loaded.cpu = (uint32_t)cpu;
	for (i = 0; i < source->nr_streams; i++) {
		if (source->streams[i].cpu == loaded.cpu)
			return strata_fail(error, "there are two of CPU %u", loaded.cpu);
	}
	stream = strata_source_add_stream(source, loaded.cpu);
	if (!stream)
		return strata_fail(error, "out of memory");
	*stream = loaded;
	return 0;
}

/* A name that may be a directory's: nothing in it leads elsewhere or needs quoting. */
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

	if (get_text(entry, "layer", name, sizeof(name), error))
		return -1;
	for (i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
		if (strcmp(name, strata_layer_name(layers[i])) == 0) {
			*layer = layers[i];
			return 0;
		}
	}
	return strata_fail(error, "\"layer\" is none of xen, kernel, app");
}

static bool has(struct json_object *object, const char *key)
{
	return json_object_object_get_ex(object, key, NULL);
}

/* Full where nothing is said. */
static int load_form(struct strata_source *source, struct json_object *entry,
		     struct strata_error *error)
{
	char name[16];
	unsigned int form;

	if (!has(entry, "event_header"))
		return 0;
	if (get_text(entry, "event_header", name, sizeof(name), error))
		return -1;
	for (form = 0; form < STRATA_NR_HEADER_FORMS; form++) {
		if (strcmp(name, strata_header_form_name(form)) == 0) {
			source->form = (enum strata_header_form)form;
			return 0;
		}
	}
	return strata_fail(error, "\"event_header\" is none of full, compact, large");
}

/* Unknown where nothing is said. */
static int load_exits(struct strata_source *source, struct json_object *entry,
		      struct strata_error *error)
{
	char name[16];
	unsigned int exits;

	if (!has(entry, "vm_exits"))
		return 0;
	if (get_text(entry, "vm_exits", name, sizeof(name), error))
		return -1;
	for (exits = STRATA_EXITS_VMX; exits < STRATA_NR_EXITS; exits++) {
		if (strcmp(name, strata_exits_name((enum strata_exits)exits)) == 0) {
			source->exits = (enum strata_exits)exits;
			return 0;
		}
	}
	return strata_fail(error, "\"vm_exits\" is none of vmx, svm");
}

/* Whose process it is: nobody's where nothing is said. */
static int load_process(struct strata_source *source, struct json_object *entry,
			struct strata_error *error)
{
	uint64_t pid, uid;

	if (!has(entry, "pid"))
		return 0;
	if (get_u64(entry, "pid", INT32_MAX, &pid, error) ||
	    get_u64(entry, "uid", UINT32_MAX, &uid, error))
		return -1;
	source->pid = (int32_t)pid;
	source->uid = (uint32_t)uid;
	return 0;
}

/* When a source came and went: each part may be missing, and then it stayed. */
static int load_life(struct strata_source *source, struct json_object *entry,
		     struct strata_error *error)
{
	char ended[32];
	unsigned int i;

	if (has(entry, "since_ticks") &&
	    get_u64(entry, "since_ticks", UINT64_MAX, &source->since_ticks, error))
		return -1;
	if (has(entry, "came_ticks") &&
	    get_u64(entry, "came_ticks", UINT64_MAX, &source->came_ticks, error))
		return -1;
	if (!has(entry, "went_ticks") && !has(entry, "ended"))
		return 0;
	if (get_u64(entry, "went_ticks", UINT64_MAX, &source->went_ticks, error) ||
	    get_text(entry, "ended", ended, sizeof(ended), error))
		return -1;
	if (source->went_ticks < source->came_ticks)
		return strata_fail(error, "\"went_ticks\" is before \"came_ticks\"");
	for (i = STRATA_SOURCE_STAYED + 1; i < STRATA_NR_SOURCE_ENDS; i++) {
		if (strcmp(ended, strata_source_end_text((enum strata_source_end)i)) == 0) {
			source->ended = (enum strata_source_end)i;
			return 0;
		}
	}
	return strata_fail(error, "\"ended\" is no reason that this program knows");
}

static int load_source_head(struct strata_recording *recording, struct strata_source *source,
			    struct json_object *entry, struct strata_error *error)
{
	uint64_t migrates = 0;
	char uuid[STRATA_UUID_TEXT_BYTES];
	uint64_t domain;
	size_t i;

	if (get_text(entry, "name", source->name, sizeof(source->name), error))
		return -1;
	if (!is_source_name(source->name)) {
		memset(source->name, 0, sizeof(source->name));
		return strata_fail(error, "\"name\" cannot be a directory's name");
	}
	for (i = 0; i + 1 < recording->nr_sources; i++) {
		if (strcmp(recording->sources[i].name, source->name) == 0)
			return strata_fail(error, "there are two of that name");
	}
	if (load_layer(entry, &source->layer, error) ||
	    get_u64(entry, "domain", UINT16_MAX, &domain, error) ||
	    get_text(entry, "domain_name", source->domain_name, sizeof(source->domain_name),
		     error) ||
	    get_text(entry, "uuid", uuid, sizeof(uuid), error))
		return -1;
	source->domain = (uint32_t)domain;
	if (!strata_uuid_parse(source->uuid, uuid))
		return strata_fail(error, "\"uuid\" is not a UUID");
	if (has(entry, "migrates") && get_u64(entry, "migrates", 1, &migrates, error))
		return -1;
	source->migrates = migrates;
	if (load_process(source, entry, error) || load_form(source, entry, error) ||
	    load_exits(source, entry, error))
		return -1;
	return load_life(source, entry, error);
}

static size_t count_streams(const struct strata_recording *recording)
{
	size_t i, nr = 0;

	for (i = 0; i < recording->nr_sources; i++)
		nr += recording->sources[i].nr_streams;
	return nr;
}

static int load_source(struct strata_recording *recording, struct json_object *entry,
		       struct strata_error *error)
{
	struct strata_source *source = strata_recording_add_source(recording, "");
	struct json_object *streams, *events;
	size_t i;

	if (!source)
		return strata_fail(error, "out of memory");
	if (load_source_head(recording, source, entry, error) ||
	    get_array(entry, "streams", STRATA_STREAMS_MAX - count_streams(recording), &streams,
		      error) ||
	    get_array(entry, "events", STRATA_SOURCE_EVENTS_MAX, &events, error))
		return -1;
	for (i = 0; i < json_object_array_length(streams); i++) {
		if (load_stream(source, json_object_array_get_idx(streams, i), error))
			return strata_fail_in(error, "stream %zu", i);
	}
	for (i = 0; i < json_object_array_length(events); i++) {
		if (load_event(source, json_object_array_get_idx(events, i), error))
			return strata_fail_in(error, "event entry %zu", i);
	}
	return 0;
}

static int load_root(struct strata_recording *recording, struct json_object *root,
		     struct strata_error *error)
{
	struct json_object *sources;
	uint64_t version, tsc_khz;
	char format[32];
	size_t i;

	if (get_text(root, "format", format, sizeof(format), error) ||
	    strcmp(format, STRATA_RECORDING_FORMAT) != 0)
		return strata_fail(error, "\"format\" is not \"%s\"", STRATA_RECORDING_FORMAT);
	if (get_u64(root, "version", UINT32_MAX, &version, error))
		return -1;
	if (version != STRATA_RECORDING_VERSION)
		return strata_fail(error, "version %llu; this program reads version %d",
				   (unsigned long long)version, STRATA_RECORDING_VERSION);
	if (get_u64(root, "tsc_khz", 100000000, &tsc_khz, error) ||
	    get_u64(root, "anchor_ticks", UINT64_MAX, &recording->anchor_ticks, error) ||
	    get_u64(root, "anchor_realtime_ns", INT64_MAX, &recording->anchor_realtime_ns, error) ||
	    get_array(root, "sources", STRATA_SOURCES_MAX, &sources, error))
		return -1;
	if (tsc_khz == 0)
		return strata_fail(error, "\"tsc_khz\" is 0");
	if (has(root, "ended_ticks") &&
	    get_u64(root, "ended_ticks", UINT64_MAX, &recording->ended_ticks, error))
		return -1;
	recording->tsc_khz = (uint32_t)tsc_khz;

	for (i = 0; i < json_object_array_length(sources); i++) {
		if (load_source(recording, json_object_array_get_idx(sources, i), error)) {
			const char *name = recording->nr_sources > i ? recording->sources[i].name
								     : "";

			return strata_fail_in(error, "source %zu%s%s", i, *name ? " " : "", name);
		}
	}
	return 0;
}

/* Reads the whole file and closes it; NULL with the reason.  @length: OUT. */
static char *read_file(int fd, const char *path, size_t *length, struct strata_error *error)
{
	struct stat status;
	char *text = NULL;
	ssize_t got;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size > FILE_BYTES_MAX) {
		strata_fail(error, "%s: not a file of at most %ld bytes", path, FILE_BYTES_MAX);
		goto out;
	}
	text = malloc((size_t)status.st_size + 1);
	if (!text) {
		strata_fail(error, "%s: out of memory", path);
		goto out;
	}
	for (*length = 0; *length < (size_t)status.st_size; *length += (size_t)got) {
		got = read(fd, text + *length, (size_t)status.st_size - *length);
		if (got <= 0)
			break;
	}
	text[*length] = '\0';
out:
	close(fd);
	return text;
}

/* @at: the directory; -1: @dir leads to it.  0 or -1. */
static int load(struct strata_recording *recording, int at, const char *dir,
		struct strata_error *error)
{
	struct json_tokener *tokener = NULL;
	struct json_object *root = NULL;
	char path[PATH_MAX];
	char *text;
	size_t length;
	int status = -1, fd;

	memset(recording, 0, sizeof(*recording));
	if (snprintf(path, sizeof(path), "%s/%s", dir, STRATA_RECORDING_FILE) >= (int)sizeof(path))
		return strata_fail(error, "%.100s...: the path is too long", dir);
	fd = openat(at < 0 ? AT_FDCWD : at, at < 0 ? path : STRATA_RECORDING_FILE,
		    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return strata_fail(error, "%s: %s", path,
				   errno == ELOOP ? "a link is no recording's table"
						  : strerror(errno));
	text = read_file(fd, path, &length, error);
	if (!text)
		return -1;

	tokener = json_tokener_new();
	if (!tokener) {
		strata_fail(error, "%s: out of memory", path);
		goto out;
	}
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	root = json_tokener_parse_ex(tokener, text, (int)length);
	if (!json_object_is_type(root, json_type_object)) {
		enum json_tokener_error why = json_tokener_get_error(tokener);

		strata_fail(error, "%s: not a JSON object%s%s", path,
			    why == json_tokener_success ? "" : ": ",
			    why == json_tokener_success ? "" : json_tokener_error_desc(why));
		goto out;
	}
	status = load_root(recording, root, error);
	if (status)
		strata_fail_in(error, "%s", path);
out:
	if (status)
		strata_recording_clear(recording);
	json_object_put(root);
	json_tokener_free(tokener);
	free(text);
	return status;
}

int strata_recording_load(struct strata_recording *recording, const char *dir,
			  struct strata_error *error)
{
	return load(recording, -1, dir, error);
}

int strata_recording_load_in(struct strata_recording *recording, const struct strata_dir *dir,
			     struct strata_error *error)
{
	return load(recording, dir->fd, dir->path, error);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording.c - the tables of a recording in memory: sources, their events and
 * their streams.  The recorder fills them as it finds guests and rings; the
 * loader (recording_load.c) fills them from a file.  Both go through the same
 * checks here.
 */
#include "recording/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/abi/hypervisor.h>
#include <strata/packet.h>

#include "base/partition.h"
#include "recording/kernel_context.h"
#include "xen/xen_events.h"

/* Context of the hypervisor's records: struct strata_hv_context. */
static const struct strata_event_desc xen_context = {
	.name = "context",
	.nr_fields = 2,
	.fields = { { "domain", STRATA_FIELD_UNSIGNED, 2, 1 },
		    { "vcpu", STRATA_FIELD_UNSIGNED, 2, 1 } },
};

/* Context of a kernel's records: struct strata_guest_context. */
static const struct strata_event_desc kernel_context = {
	.name = "context",
	.nr_fields = 1,
	.fields = { { "tid", STRATA_FIELD_SIGNED, 4, 1 } },
};

/* Context of an application's records: struct strata_app_context.  The process's own claim, so the
 * names are those of LTTng for such values. */
static const struct strata_event_desc app_context = {
	.name = "context",
	.nr_fields = 2,
	.fields = { { "vpid", STRATA_FIELD_SIGNED, 4, 1 }, { "vtid", STRATA_FIELD_SIGNED, 4, 1 } },
};

const char *strata_layer_name(enum strata_layer layer)
{
	switch (layer) {
	case STRATA_LAYER_XEN:
		return "xen";
	case STRATA_LAYER_KERNEL:
		return "kernel";
	case STRATA_LAYER_APP:
		return "app";
	}
	return "unknown";
}

const char *strata_source_end_text(enum strata_source_end ended)
{
	static const char *const texts[STRATA_NR_SOURCE_ENDS] = {
		[STRATA_SOURCE_STAYED] = "with the recording",
		[STRATA_SOURCE_DESTROYED] = "domain destroyed",
		[STRATA_SOURCE_SHUT_DOWN] = "domain shut down",
		[STRATA_SOURCE_REBOOTED] = "domain rebooted",
		[STRATA_SOURCE_SUSPENDED] = "domain suspended",
		[STRATA_SOURCE_CRASHED] = "domain crashed",
		[STRATA_SOURCE_UNLOADED] = "module unloaded",
		[STRATA_SOURCE_EXITED] = "process ended",
		[STRATA_SOURCE_LEFT_OUT] = "left out",
	};

	return (unsigned int)ended < STRATA_NR_SOURCE_ENDS ? texts[ended] : NULL;
}

const struct strata_event_desc *strata_layer_context(enum strata_layer layer)
{
	if (layer == STRATA_LAYER_XEN)
		return &xen_context;
	return layer == STRATA_LAYER_KERNEL ? &kernel_context : &app_context;
}

void strata_source_context(const struct strata_source *source, struct strata_event_desc *context)
{
	*context = *strata_layer_context(source->layer);
	strata_kernel_context_describe(context, source->contexts, &source->counters);
}

void strata_source_clear_events(struct strata_source *source)
{
	size_t i;

	for (i = 0; i < source->nr_events; i++)
		free(source->events[i]);
	free(source->events);
	free(source->shapes);
	source->events = NULL;
	source->shapes = NULL;
	free(source->by_number);
	source->by_number = NULL;
	source->nr_events = 0;
	source->description_bytes = 0;
}

void strata_source_clear(struct strata_source *source)
{
	strata_source_clear_events(source);
	free(source->streams);
	free(source->numbers);
	free(source->guest_numbers);
}

void strata_recording_clear(struct strata_recording *recording)
{
	size_t i;

	for (i = 0; i < recording->nr_sources; i++)
		strata_source_clear(&recording->sources[i]);
	free(recording->sources);
	memset(recording, 0, sizeof(*recording));
}

/*
 * Makes room for one more element in an array of @nr.  Capacity is not stored:
 * it is the next power of two, so the array is grown when nr reaches one.
 */
static void *grow(void *array, size_t nr, size_t element_bytes)
{
	size_t capacity = nr ? nr * 2 : 1;

	if ((nr & (nr - 1)) != 0 && nr != 0)
		return array;
	return reallocarray(array, capacity, element_bytes);
}

struct strata_source *strata_recording_add_source(struct strata_recording *recording,
						  const char *name)
{
	struct strata_source *sources =
		grow(recording->sources, recording->nr_sources, sizeof(*sources));
	struct strata_source *source;

	if (!sources)
		return NULL;
	recording->sources = sources;
	source = &sources[recording->nr_sources++];
	memset(source, 0, sizeof(*source));
	snprintf(source->name, sizeof(source->name), "%s", name);
	return source;
}

struct strata_stream *strata_source_add_stream(struct strata_source *source, uint32_t cpu)
{
	struct strata_stream *streams = grow(source->streams, source->nr_streams, sizeof(*streams));
	size_t at = source->nr_streams;

	if (!streams)
		return NULL;
	source->streams = streams;
	while (at > 0 && streams[at - 1].cpu > cpu)
		at--;
	memmove(&streams[at + 1], &streams[at], (source->nr_streams - at) * sizeof(*streams));
	memset(&streams[at], 0, sizeof(*streams));
	streams[at].cpu = cpu;
	source->nr_streams++;
	return &streams[at];
}

struct strata_stream *strata_source_stream(const struct strata_source *source, uint32_t cpu)
{
	const size_t low = STRATA_PARTITION(i, 0, source->nr_streams, source->streams[i].cpu < cpu);

	return low < source->nr_streams && source->streams[low].cpu == cpu ? &source->streams[low]
									   : NULL;
}

bool strata_source_is_only_lost(const struct strata_source *source, struct strata_error *error)
{
	uint64_t lost = 0, bad = 0;
	size_t i;

	for (i = 0; i < source->nr_streams; i++) {
		if (source->streams[i].packets)
			return false;
		lost += source->streams[i].lost;
		bad += source->streams[i].bad_packets;
	}
	if (lost)
		strata_fail(error,
			    "%s: its %" PRIu64
			    " events are lost: the recorder had no room for them",
			    source->name, lost);
	else if (bad)
		strata_fail(error, "%s: the recorder refused all of its %" PRIu64 " packets",
			    source->name, bad);
	return lost || bad;
}

void strata_source_drop_empty_streams(struct strata_source *source)
{
	size_t i, kept = 0;

	for (i = 0; i < source->nr_streams; i++) {
		const struct strata_stream *stream = &source->streams[i];

		if (stream->packets || stream->lost || stream->bad_packets)
			source->streams[kept++] = *stream;
	}
	/* grow() takes the number for the capacity: nothing may be added from now on. */
	source->nr_streams = kept;
}

/* A C identifier that ends within its array. */
static bool is_identifier(const char *name, size_t bytes)
{
	size_t i, length = strnlen(name, bytes);

	if (length == 0 || length == bytes || (name[0] >= '0' && name[0] <= '9'))
		return false;
	for (i = 0; i < length; i++) {
		char c = name[i];

		if (!(c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      (c >= '0' && c <= '9')))
			return false;
	}
	return true;
}

/* The text of an array that may lack a terminator; for messages, where no byte is trusted. */
static const char *shown_name(const char *name, size_t bytes)
{
	return is_identifier(name, bytes) ? name : "(not a C identifier)";
}

/* A field's name, with its length: all pairs of names are compared, which takes long otherwise. */
struct field_name {
	const char *text;
	size_t length;
	bool of_sequence;
};

#define LENGTH_SUFFIX "_length"

static bool equal(const struct field_name *one, size_t skipped, const struct field_name *other)
{
	return one->length == other->length + skipped &&
	       memcmp(one->text + skipped, other->text, other->length) == 0;
}

/* Whether @name, without its first @skipped bytes, is the name of a sequence's length: in metadata
 * that has a name of its own. */
static bool is_length_of(const struct field_name *sequence, const struct field_name *name,
			 size_t skipped)
{
	const size_t suffix = sizeof(LENGTH_SUFFIX) - 1;

	return sequence->of_sequence && name->length == skipped + sequence->length + suffix &&
	       memcmp(name->text + skipped, sequence->text, sequence->length) == 0 &&
	       memcmp(name->text + name->length - suffix, LENGTH_SUFFIX, suffix) == 0;
}

/*
 * Whether metadata with both fields cannot be read: that of one source, and that of a merge with
 * all others in it.  It calls a field "_NAME", and before that the length of a sequence
 * "__NAME_length".  babeltrace2 2.0 drops the first underscore of each name, and then takes a later
 * name for the same if that is written so.
 */
static bool names_collide(const struct field_name *earlier, const struct field_name *later)
{
	const char *one = earlier->text, *other = later->text;

	return is_length_of(earlier, later, 0) ||
	       (other[0] == '_' && is_length_of(earlier, later, 1)) ||
	       (one[0] == '_' && (equal(earlier, 1, later) || is_length_of(later, earlier, 1))) ||
	       (one[0] == '_' && one[1] == '_' && is_length_of(later, earlier, 2));
}

/* @names: of the fields up to this one; IN/OUT: this one's is added */
static int check_field(const struct strata_event_desc *event, unsigned int index,
		       struct field_name *names, struct strata_error *error)
{
	const struct strata_field_desc *field = &event->fields[index];
	const char *name = shown_name(field->name, sizeof(field->name));
	unsigned int i;

	if (!is_identifier(field->name, sizeof(field->name)))
		return strata_fail(error, "field %u: its name is not a C identifier", index);
	if (field->kind < STRATA_FIELD_UNSIGNED || field->kind > STRATA_FIELD_FLOAT)
		return strata_fail(error, "field %s: unknown kind %u", name, field->kind);
	if (field->bytes != 1 && field->bytes != 2 && field->bytes != 4 && field->bytes != 8)
		return strata_fail(error, "field %s: %u bytes (must be 1, 2, 4 or 8)", name,
				   field->bytes);
	if (field->kind == STRATA_FIELD_FLOAT && field->bytes < 4)
		return strata_fail(error, "field %s: %u bytes (a float must have 4 or 8)", name,
				   field->bytes);
	if ((field->kind == STRATA_FIELD_TEXT || field->kind == STRATA_FIELD_STRING) &&
	    field->bytes != 1)
		return strata_fail(error, "field %s: text of %u-byte elements", name, field->bytes);
	if (field->kind == STRATA_FIELD_STRING && field->count != 1)
		return strata_fail(error, "field %s: %u strings (must be 1)", name, field->count);
	names[index] = (struct field_name){ field->name, strlen(field->name), field->count == 0 };
	for (i = 0; i < index; i++) {
		if (equal(&names[i], 0, &names[index]))
			return strata_fail(error, "field %s: another field has that name", name);
		if (names_collide(&names[i], &names[index]))
			return strata_fail(
				error,
				"fields %s and %s: in CTF, one would have the name of the "
				"other or of its length",
				event->fields[i].name, name);
	}
	return 0;
}

/* Its text may be anything: whoever shows it escapes it. */
static int check_format(const struct strata_event_desc *event, struct strata_error *error)
{
	const char *format = strata_event_format(event);

	if (!format)
		return 0;
	if (!strata_event_format_fits(event))
		return strata_fail(error, "a format of %u bytes (at most %u)", event->format_bytes,
				   STRATA_EVENT_FORMAT_BYTES);
	if (strnlen(format, event->format_bytes) != event->format_bytes - 1u)
		return strata_fail(error, "its format does not end with its only zero byte");
	return 0;
}

static int check_event(const struct strata_event_desc *event, struct strata_error *error)
{
	struct field_name names[STRATA_EVENT_FIELDS_MAX];
	unsigned int i;

	if (!is_identifier(event->name, sizeof(event->name)))
		return strata_fail(error, "its name is not a C identifier");
	if (event->group[0] && !is_identifier(event->group, sizeof(event->group)))
		return strata_fail(error, "its group is not a C identifier");
	if (event->nr_fields > STRATA_EVENT_FIELDS_MAX)
		return strata_fail(error, "%u fields (at most %u)", event->nr_fields,
				   STRATA_EVENT_FIELDS_MAX);
	if (event->level >= STRATA_NR_LOG_LEVELS)
		return strata_fail(error, "log level %u (must be below %u)", event->level,
				   STRATA_NR_LOG_LEVELS);
	if (check_format(event, error))
		return -1;
	for (i = 0; i < event->nr_fields; i++) {
		if (check_field(event, i, names, error))
			return -1;
	}
	if (strata_event_payload_bytes(event) > STRATA_PAYLOAD_BYTES_MAX)
		return strata_fail(error, "payload of %u bytes (at most %u)",
				   strata_event_payload_bytes(event), STRATA_PAYLOAD_BYTES_MAX);
	return 0;
}

/* Index of the first event whose id is not below @id. */
static size_t event_position(const struct strata_source *source, uint32_t id)
{
	return STRATA_PARTITION(i, 0, source->nr_events, source->shapes[i].id < id);
}

/* Makes room for one more event in both tables. */
static bool grow_events(struct strata_source *source)
{
	struct strata_event_desc **events =
		grow(source->events, source->nr_events, sizeof(*events));
	struct strata_event_shape *shapes;

	if (!events)
		return false;
	source->events = events;
	shapes = grow(source->shapes, source->nr_events, sizeof(*shapes));
	if (!shapes)
		return false;
	source->shapes = shapes;
	return true;
}

struct strata_event_desc *strata_event_copy(const struct strata_event_desc *event)
{
	const size_t bytes = strata_event_packed_bytes(event);
	struct strata_event_desc *copy = malloc(bytes);

	return copy ? memcpy(copy, event, bytes) : NULL;
}

static int add_event(struct strata_source *source, const struct strata_event_desc *event,
		     uint16_t number, struct strata_error *error)
{
	struct strata_event_desc *kept;
	struct strata_event_shape *shape;
	uint32_t description_bytes;
	size_t at, behind;

	if (check_event(event, error))
		return strata_fail_in(error, "event %u (%s)", event->id,
				      shown_name(event->name, sizeof(event->name)));
	at = event_position(source, event->id);
	if (at < source->nr_events && source->shapes[at].id == event->id)
		return strata_fail(error, "event %u (%s): %s has the same id", event->id,
				   event->name, source->events[at]->name);
	if (source->nr_events == STRATA_SOURCE_EVENTS_MAX)
		return strata_fail(error, "event %u (%s): more than %u events", event->id,
				   event->name, STRATA_SOURCE_EVENTS_MAX);
	description_bytes = source->description_bytes + strata_event_packed_bytes(event);
	if (description_bytes > STRATA_SOURCE_DESCRIPTION_BYTES_MAX)
		return strata_fail(error,
				   "event %u (%s): the descriptions of its source's events take "
				   "more than %u bytes",
				   event->id, event->name, STRATA_SOURCE_DESCRIPTION_BYTES_MAX);
	kept = grow_events(source) ? strata_event_copy(event) : NULL;
	if (!kept)
		return strata_fail(error, "event %u (%s): out of memory", event->id, event->name);

	behind = source->nr_events - at;
	shape = &source->shapes[at];
	memmove(&source->events[at + 1], &source->events[at], behind * sizeof(kept));
	memmove(shape + 1, shape, behind * sizeof(*shape));
	source->events[at] = kept;
	shape->id = event->id;
	shape->number = number;
	shape->fixed_bytes = (uint16_t)strata_event_payload_bytes(event);
	shape->first_variable = (uint8_t)strata_event_first_variable(event);
	shape->variable = shape->first_variable < event->nr_fields;
	source->nr_events++;
	source->description_bytes = description_bytes;
	for (; source->by_number && at < source->nr_events; at++)
		source->by_number[source->shapes[at].number] = (uint16_t)(at + 1);
	return 0;
}

int strata_source_add_event(struct strata_source *source, const struct strata_event_desc *event,
			    struct strata_error *error)
{
	/* A full table was refused before the number is used. */
	return add_event(source, event, (uint16_t)source->nr_events, error);
}

int strata_source_add_numbered(struct strata_source *source, const struct strata_event_desc *event,
			       uint64_t number, struct strata_error *error)
{
	if (!source->by_number || number >= STRATA_SOURCE_EVENTS_MAX || source->by_number[number])
		return strata_fail(error, "event %u (%s): its number %llu is invalid, or taken",
				   event->id, shown_name(event->name, sizeof(event->name)),
				   (unsigned long long)number);
	return add_event(source, event, (uint16_t)number, error);
}

int strata_source_number_events(struct strata_source *source, struct strata_error *error)
{
	source->by_number = calloc(STRATA_SOURCE_EVENTS_MAX, sizeof(*source->by_number));
	return source->by_number ? 0 : strata_fail(error, "out of memory");
}

const struct strata_event_shape *strata_source_record_shape(const struct strata_source *source,
							    uint32_t id_or_number)
{
	uint16_t at;

	if (!source->by_number)
		return strata_source_shape(source, id_or_number);
	at = id_or_number < STRATA_SOURCE_EVENTS_MAX ? source->by_number[id_or_number] : 0;
	return at ? &source->shapes[at - 1] : NULL;
}

const struct strata_event_shape *strata_source_shape(const struct strata_source *source,
						     uint32_t id)
{
	size_t at;

	/* A kernel's ids are indices into its table, so the first guess may be right. */
	if (id < source->nr_events && source->shapes[id].id == id)
		return &source->shapes[id];
	at = event_position(source, id);
	return at < source->nr_events && source->shapes[at].id == id ? &source->shapes[at] : NULL;
}

int64_t strata_payload_length(const struct strata_source *source,
			      const struct strata_event_shape *shape, const uint8_t *payload,
			      uint32_t available)
{
	const struct strata_event_desc *event = strata_shape_event(source, shape);
	struct strata_field_place place;
	uint32_t offset = shape->fixed_bytes;
	unsigned int i;

	if (offset > available)
		return -1;
	for (i = shape->first_variable; i < event->nr_fields; i++) {
		if (!strata_field_find(&event->fields[i], payload, available, &offset, &place))
			return -1;
	}
	return offset;
}

const struct strata_event_desc *strata_source_event(struct strata_source *source, uint32_t id)
{
	const struct strata_event_shape *shape = strata_source_shape(source, id);
	struct strata_event_desc described;
	struct strata_error ignored;

	if (!shape && source->layer == STRATA_LAYER_XEN && strata_xen_event(id, &described) &&
	    strata_source_add_event(source, &described, &ignored) == 0)
		shape = strata_source_shape(source, id);
	return shape ? strata_shape_event(source, shape) : NULL;
}

bool strata_recording_has_layer(const struct strata_recording *recording, enum strata_layer layer)
{
	size_t i;

	for (i = 0; i < recording->nr_sources; i++) {
		if (recording->sources[i].layer == layer)
			return true;
	}
	return false;
}

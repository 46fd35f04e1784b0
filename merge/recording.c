// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording.c - the tables of a recording in memory: sources, their events and
 * their streams.  The recorder fills them as it finds guests and rings; the
 * loader (recording_load.c) fills them from a file.  Both go through the same
 * checks here.
 */
#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/abi/hypervisor.h>
#include <strata/packet.h>

#include "xen_events.h"

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

static const struct strata_event_desc app_context = {
	.name = "context",
	.nr_fields = 2,
	.fields = { { "pid", STRATA_FIELD_SIGNED, 4, 1 }, { "tid", STRATA_FIELD_SIGNED, 4, 1 } },
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

void strata_recording_clear(struct strata_recording *recording)
{
	size_t i;

	for (i = 0; i < recording->nr_sources; i++) {
		free(recording->sources[i].events);
		free(recording->sources[i].streams);
	}
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

/* The text of an array that may lack its end; for messages, where no byte is trusted. */
static const char *shown_name(const char *name, size_t bytes)
{
	return is_identifier(name, bytes) ? name : "(not a C identifier)";
}

static int check_field(const struct strata_event_desc *event, unsigned int index,
		       struct strata_error *error)
{
	const struct strata_field_desc *field = &event->fields[index];
	const char *name = shown_name(field->name, sizeof(field->name));
	unsigned int i;

	if (!is_identifier(field->name, sizeof(field->name)))
		return strata_fail(error, "field %u: its name is not a C identifier", index);
	if (field->kind < STRATA_FIELD_UNSIGNED || field->kind > STRATA_FIELD_TEXT)
		return strata_fail(error, "field %s: unknown kind %u", name, field->kind);
	if (field->bytes != 1 && field->bytes != 2 && field->bytes != 4 && field->bytes != 8)
		return strata_fail(error, "field %s: %u bytes (1, 2, 4 or 8 can be)", name,
				   field->bytes);
	if (field->kind == STRATA_FIELD_TEXT && field->bytes != 1)
		return strata_fail(error, "field %s: text of %u-byte elements", name, field->bytes);
	if (field->count == 0)
		return strata_fail(error, "field %s: no element", name);
	for (i = 0; i < index; i++) {
		if (strcmp(event->fields[i].name, field->name) == 0)
			return strata_fail(error, "field %s: there are two of that name", name);
	}
	return 0;
}

static int check_event(const struct strata_event_desc *event, struct strata_error *error)
{
	unsigned int i;

	if (!is_identifier(event->name, sizeof(event->name)))
		return strata_fail(error, "its name is not a C identifier");
	if (event->nr_fields > STRATA_EVENT_FIELDS_MAX)
		return strata_fail(error, "%u fields (at most %u can be)", event->nr_fields,
				   STRATA_EVENT_FIELDS_MAX);
	for (i = 0; i < event->nr_fields; i++) {
		if (check_field(event, i, error))
			return -1;
	}
	if (strata_event_payload_bytes(event) > STRATA_PAYLOAD_BYTES_MAX)
		return strata_fail(error, "payload of %u bytes (at most %u can be)",
				   strata_event_payload_bytes(event), STRATA_PAYLOAD_BYTES_MAX);
	return 0;
}

/* Index of the first event whose id is not below @id. */
static size_t event_position(const struct strata_source *source, uint32_t id)
{
	size_t low = 0, high = source->nr_events;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (source->events[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int strata_source_add_event(struct strata_source *source, const struct strata_event_desc *event,
			    struct strata_error *error)
{
	struct strata_event_desc *events;
	size_t at;

	if (check_event(event, error))
		return strata_fail_in(error, "event %u (%s)", event->id,
				      shown_name(event->name, sizeof(event->name)));
	at = event_position(source, event->id);
	if (at < source->nr_events && source->events[at].id == event->id)
		return strata_fail(error, "event %u (%s): the id is %s's already", event->id,
				   event->name, source->events[at].name);
	if (source->nr_events == STRATA_SOURCE_EVENTS_MAX)
		return strata_fail(error, "event %u (%s): more than %u events", event->id,
				   event->name, STRATA_SOURCE_EVENTS_MAX);

	events = grow(source->events, source->nr_events, sizeof(*events));
	if (!events)
		return strata_fail(error, "event %u (%s): out of memory", event->id, event->name);
	source->events = events;
	memmove(&events[at + 1], &events[at], (source->nr_events - at) * sizeof(*events));
	events[at] = *event;
	source->nr_events++;
	return 0;
}

const struct strata_event_desc *strata_source_event(struct strata_source *source, uint32_t id)
{
	struct strata_event_desc described;
	struct strata_error ignored;
	size_t at;

	/* A kernel's ids are indices into its table, so the first guess is mostly right. */
	if (id < source->nr_events && source->events[id].id == id)
		return &source->events[id];
	at = event_position(source, id);
	if (at < source->nr_events && source->events[at].id == id)
		return &source->events[at];

	if (source->layer != STRATA_LAYER_XEN || !strata_xen_event(id, &described))
		return NULL;
	if (strata_source_add_event(source, &described, &ignored))
		return NULL;
	return &source->events[event_position(source, id)];
}

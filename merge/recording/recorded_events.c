// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorded_events.c - reads the event classes of a recorded source from its CTF metadata, as
 * ctf_metadata.c wrote them.
 *
 * The metadata is hostile: anything that a recorder would not write is refused, and each class
 * passes the same checks as a guest's.
 */
#include "recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ctf/trace/ctf_metadata_read.h"
#include "recording/kernel_context.h"

/* event.h aligns fields to at most this. */
#define ALIGN_MAX 32u

static uint8_t kind_of(const struct strata_ctf_type *type)
{
	switch (type->kind) {
	case STRATA_CTF_INTEGER:
		if (type->is_text)
			return STRATA_FIELD_TEXT;
		if (type->is_signed)
			return STRATA_FIELD_SIGNED;
		return type->base == 16 ? STRATA_FIELD_HEX : STRATA_FIELD_UNSIGNED;
	case STRATA_CTF_FLOAT:
		return STRATA_FIELD_FLOAT;
	case STRATA_CTF_STRING:
		return STRATA_FIELD_STRING;
	default:
		return 0;
	}
}

/* Whether an element lies in a record as event.h says. */
static bool is_native(const struct strata_ctf_type *type)
{
	return type->kind == STRATA_CTF_STRING ||
	       (type->bits % 8 == 0 &&
		type->align == (type->bits < ALIGN_MAX ? type->bits : ALIGN_MAX) &&
		type->big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
}

static int describe_field(const struct strata_ctf_field *from, struct strata_field_desc *field,
			  struct strata_error *error)
{
	const struct strata_ctf_type *type = from->type;
	const struct strata_ctf_type *element = type->element ? type->element : type;

	if (strlen(from->name) >= sizeof(field->name))
		return strata_fail(error, "the name of a field has over %zu bytes",
				   sizeof(field->name) - 1);
	strcpy(field->name, from->name);
	field->kind = kind_of(element);
	field->bytes = element->kind == STRATA_CTF_STRING ? 1 : element->bits / 8;
	field->count = 1;
	if (type->kind == STRATA_CTF_SEQUENCE)
		field->count = 0;
	else if (type->kind == STRATA_CTF_ARRAY)
		field->count = (uint16_t)type->length;
	if (!field->kind || !is_native(element) ||
	    (type->kind == STRATA_CTF_ARRAY && (!type->length || type->length > UINT16_MAX)))
		return strata_fail(error, "field %s: not of a type that is recorded", field->name);
	return 0;
}

/* Whether field @i is the length of the following sequence. */
static bool is_length(const struct strata_ctf_type *payload, size_t i)
{
	const struct strata_ctf_type *length = payload->fields[i].type, *sequence;

	if (i + 1 == payload->nr_fields)
		return false;
	sequence = payload->fields[i + 1].type;
	return sequence->kind == STRATA_CTF_SEQUENCE && length->kind == STRATA_CTF_INTEGER &&
	       length->slot == sequence->slot && length->bits == 32 && !length->is_signed &&
	       is_native(length);
}

static int describe_fields(const struct strata_ctf_type *payload, struct strata_event_desc *event,
			   struct strata_error *error)
{
	size_t i;

	for (i = 0; i < payload->nr_fields; i++) {
		const bool is_sequence = is_length(payload, i);

		if (event->nr_fields == STRATA_EVENT_FIELDS_MAX)
			return strata_fail(error, "over %u fields", STRATA_EVENT_FIELDS_MAX);
		i += is_sequence;
		if (!is_sequence && payload->fields[i].type->kind == STRATA_CTF_SEQUENCE)
			return strata_fail(error, "a sequence without a preceding length");
		if (describe_field(&payload->fields[i], &event->fields[event->nr_fields++], error))
			return -1;
	}
	return 0;
}

int strata_recorded_event_describe(const struct strata_ctf_event_class *class,
				   struct strata_event_desc *event, struct strata_error *error)
{
	*event = (struct strata_event_desc){ .id = (uint32_t) class->id };
	if (class->id > UINT32_MAX || strlen(class->name) >= sizeof(event->name))
		return strata_fail(error, "event %llu: not a recorded event's id or name",
				   (unsigned long long)class->id);
	strcpy(event->name, class->name);
	if (class->loglevel < -1 || class->loglevel + 1 >= STRATA_NR_LOG_LEVELS)
		return strata_fail(error, "event %u: not a log level", event->id);
	event->level = (uint8_t)(class->loglevel + 1);
	if (class->payload && describe_fields(class->payload, event, error))
		return strata_fail_in(error, "event %u", event->id);
	if (class->format && !strata_event_set_format(event, class->format, strlen(class->format)))
		return strata_fail(error, "event %u: its format is longer than a recorded one",
				   event->id);
	return 0;
}

/* Whether two fields lie in a record alike. */
static bool is_same_field(const struct strata_field_desc *one,
			  const struct strata_field_desc *other)
{
	return !strcmp(one->name, other->name) && one->kind == other->kind &&
	       one->bytes == other->bytes && one->count == other->count;
}

/* Whether a field is the one that a context is known by: its last. */
static bool is_field_of(const struct strata_field_desc *field, unsigned int bit)
{
	struct strata_event_desc one = { .nr_fields = 0 };

	strata_kernel_context_describe(&one, STRATA_CONTEXT_BIT(bit), NULL);
	return is_same_field(field, &one.fields[one.nr_fields - 1]);
}

static bool is_counter(const struct strata_field_desc *field)
{
	return field->kind == STRATA_FIELD_UNSIGNED && field->bytes == STRATA_COUNTER_BYTES &&
	       field->count == 1 &&
	       !strncmp(field->name, STRATA_COUNTER_FIELD, strlen(STRATA_COUNTER_FIELD));
}

/* Returns the set of the counters. */
static uint32_t find_counters(const struct strata_event_desc *found,
			      struct strata_counter_fields *counters)
{
	unsigned int at, nr = 0;
	uint32_t set = 0;

	for (at = 0; at < found->nr_fields && nr < STRATA_COUNTERS_MAX; at++)
		if (is_counter(&found->fields[at])) {
			strcpy(counters->field[nr], found->fields[at].name);
			set |= STRATA_COUNTER_BIT(nr++);
		}
	return set;
}

int strata_recorded_contexts(const struct strata_ctf_type *context, uint32_t *contexts,
			     struct strata_counter_fields *counters, struct strata_error *error)
{
	struct strata_event_desc found = { .id = 0 };
	struct strata_event_desc expected = *strata_layer_context(STRATA_LAYER_KERNEL);
	unsigned int bit, at;

	*contexts = 0;
	if (!context || describe_fields(context, &found, error))
		return strata_fail(error, "the context is not a kernel's");
	for (bit = 0; bit < STRATA_NR_CONTEXTS; bit++)
		for (at = 0; at < found.nr_fields; at++)
			if (is_field_of(&found.fields[at], bit))
				*contexts |= STRATA_CONTEXT_BIT(bit);
	*contexts |= find_counters(&found, counters);
	strata_kernel_context_describe(&expected, *contexts, counters);
	for (at = 0; at < found.nr_fields && at < expected.nr_fields; at++)
		if (!is_same_field(&found.fields[at], &expected.fields[at]))
			return strata_fail(error, "the context has %s where a kernel's has %s",
					   found.fields[at].name, expected.fields[at].name);
	return found.nr_fields == expected.nr_fields
		       ? 0
		       : strata_fail(error, "the context has %u fields, and a kernel's %u",
				     found.nr_fields, expected.nr_fields);
}

static int load_event(struct strata_source *source, const struct strata_ctf_event_class *class,
		      const uint32_t *number_of, struct strata_error *error)
{
	struct strata_event_desc event;

	if (strata_recorded_event_describe(class, &event, error))
		return -1;
	if (!number_of)
		return strata_source_add_event(source, &event, error);
	event.id = *number_of;
	return strata_source_add_numbered(source, &event, class->id, error);
}

/* In order of id, in which they are added in constant time. */
static int load_numbered(struct strata_source *source, const struct strata_ctf_stream_class *stream,
			 struct strata_error *error)
{
	size_t i;

	if (strata_source_number_events(source, error))
		return -1;
	for (i = 0; i < source->nr_numbers; i++) {
		const struct strata_event_number *number = &source->numbers[i];

		if (number->number >= stream->nr_events ||
		    stream->events[number->number].id != number->number)
			return strata_fail(error, "no event class has the number %u",
					   number->number);
		if (load_event(source, &stream->events[number->number], &number->id, error))
			return -1;
	}
	return 0;
}

static int load_events(struct strata_source *source, const struct strata_ctf_metadata *metadata,
		       struct strata_error *error)
{
	const struct strata_ctf_stream_class *stream = metadata->streams;
	size_t i;

	if (memcmp(metadata->uuid, source->uuid, sizeof(source->uuid)) ||
	    metadata->nr_streams != 1 || stream->id >= STRATA_NR_HEADER_FORMS)
		return strata_fail(error, "it describes another recording than recording.json");
	source->form = (enum strata_header_form)stream->id;
	if (source->layer == STRATA_LAYER_KERNEL &&
	    strata_recorded_contexts(stream->event_context, &source->contexts, &source->counters,
				     error))
		return -1;
	if (source->nr_numbers)
		return load_numbered(source, stream, error);
	for (i = 0; i < stream->nr_events; i++) {
		if (load_event(source, &stream->events[i], NULL, error))
			return -1;
	}
	return 0;
}

int strata_source_load_events(struct strata_source *source, const char *raw,
			      struct strata_error *error)
{
	struct strata_ctf_metadata metadata;
	char path[PATH_MAX];
	int folder, result;

	if (source->has_events)
		return 0;
	if (snprintf(path, sizeof(path), "%s/%s", raw, source->name) >= (int)sizeof(path))
		return strata_fail(error, "%.100s...: the path is too long", raw);
	folder = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return strata_fail(error, "%s: %s", path, strerror(errno));
	result = strata_ctf_metadata_load_in(&metadata, folder, path, NULL, NULL, error);
	close(folder);
	if (result)
		return -1;
	source->has_events = true;
	if (load_events(source, &metadata, error)) {
		strata_source_clear_events(source);
		source->has_events = false;
		result = strata_fail_in(error, "%s/metadata", path);
	}
	strata_ctf_metadata_clear(&metadata);
	return result;
}

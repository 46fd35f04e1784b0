// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfetto.c - a trace for Perfetto: a process for each source, a track for each of its
 * CPUs, and on it an instant for each event, with its fields as debug annotations, and one of
 * category "loss" for each loss.
 *
 * All events are instants, even those that begin and end something: on the track of a CPU,
 * alternating activities would appear nested, and a lost end would extend its slice to the end of
 * the trace. Names are not interned: interning needs the order of the file, but several threads
 * write parts of it at the same time.
 */
#include "outputs/perfetto/perfetto.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/partition.h"
#include "outputs/message.h"
#include "outputs/perfetto/perfetto_fields.h"
#include "outputs/perfetto/protobuf.h"

#define SEQUENCE_ID 1u

struct perfetto {
	struct strata_event_writer writer;
	const struct strata_shown_source *sources;
};

/* The fields of one scope being written into a buffer. */
struct fields {
	struct strata_field_visitor visitor;
	struct strata_buffer *buffer;
	const char *scope; /* NULL: its fields are annotations themselves */
	unsigned int depth;
	struct {
		uint32_t child; /* the field number for its members */
		size_t begin;   /* start of its message; 0: it has none */
	} levels[STRATA_CTF_DEPTH_MAX + 2];
};

/* Source tracks are numbered from 1; tracks of CPUs follow from a higher base. */
static uint64_t track_of(size_t source, uint32_t cpu)
{
	const uint64_t track = (uint64_t)source + 1;

	return cpu == STRATA_SHOWN_UNKNOWN ? track : track << 32 | ((uint64_t)cpu + 1);
}

/* Returns the track of a CPU; that of its source if the CPU was not known at the beginning. */
static uint64_t known_track_of(const struct perfetto *perfetto, size_t source_index, uint32_t cpu)
{
	const struct strata_shown_source *source = &perfetto->sources[source_index];
	const size_t at = STRATA_PARTITION(i, 0, source->nr_cpus, source->cpus[i] < cpu);
	const bool is_known = at < source->nr_cpus && source->cpus[at] == cpu;

	return track_of(source_index, is_known ? cpu : STRATA_SHOWN_UNKNOWN);
}

static size_t begin_annotation(struct fields *fields, const char *name)
{
	const uint32_t field = fields->levels[fields->depth].child;
	const size_t begin = strata_protobuf_begin(fields->buffer, field);

	if (name)
		strata_protobuf_text(fields->buffer, ANNOTATION_NAME, name, strlen(name));
	return begin;
}

static void put_value(struct strata_buffer *buffer, const struct strata_ctf_type *type,
		      uint64_t value)
{
	const char *label = NULL;

	if (type->kind == STRATA_CTF_FLOAT) {
		strata_protobuf_double(buffer, ANNOTATION_DOUBLE,
				       strata_float_of_bits(value, type->bits == 32));
		return;
	}
	if (type->is_bool) {
		strata_protobuf_varint(buffer, ANNOTATION_BOOL, value != 0);
		return;
	}
	if (strata_ctf_has_labels(type))
		label = strata_enum_label(type, value);
	if (label)
		strata_protobuf_text(buffer, ANNOTATION_STRING, label, strlen(label));
	else if (type->is_signed)
		strata_protobuf_varint(buffer, ANNOTATION_INT, value);
	else
		strata_protobuf_varint(
			buffer, type->base == 16 ? ANNOTATION_POINTER : ANNOTATION_UINT, value);
}

static void put_string(struct strata_field_visitor *visitor, const char *name, const char *text,
		       uint64_t length)
{
	struct fields *fields = (struct fields *)visitor;
	const size_t begin = begin_annotation(fields, name);

	strata_protobuf_text(fields->buffer, ANNOTATION_STRING, text, length);
	strata_protobuf_end(fields->buffer, begin);
}

static void put_number(struct strata_field_visitor *visitor, const char *name,
		       const struct strata_ctf_type *type, uint64_t value)
{
	struct fields *fields = (struct fields *)visitor;
	const size_t begin = begin_annotation(fields, name);

	put_value(fields->buffer, type, value);
	strata_protobuf_end(fields->buffer, begin);
	/* The number stays a number; its name is a separate annotation. */
	if (visitor->value_name && name) {
		char member[64]; /* fits the names of the rules */

		snprintf(member, sizeof(member), "%s_name", name);
		put_string(visitor, member, visitor->value_name, strlen(visitor->value_name));
	}
}

static void put_begin(struct strata_field_visitor *visitor, const char *name,
		      const struct strata_ctf_type *type, uint64_t length)
{
	struct fields *fields = (struct fields *)visitor;
	const bool is_top = fields->depth == 0;
	size_t begin = 0;

	(void)length;
	if (!is_top || fields->scope)
		begin = begin_annotation(fields, is_top ? fields->scope : name);
	fields->depth++;
	fields->levels[fields->depth].begin = begin;
	if (is_top && !fields->scope)
		fields->levels[fields->depth].child = EVENT_ANNOTATION;
	else
		fields->levels[fields->depth].child =
			type->kind == STRATA_CTF_STRUCT ? ANNOTATION_ENTRY : ANNOTATION_ELEMENT;
}

static void end_level(struct fields *fields)
{
	if (fields->levels[fields->depth].begin)
		strata_protobuf_end(fields->buffer, fields->levels[fields->depth].begin);
	fields->depth--;
}

static void put_end(struct strata_field_visitor *visitor, const struct strata_ctf_type *type)
{
	(void)type;
	end_level((struct fields *)visitor);
}

/* Ends a scope where its fields exceed the event. */
static void end_scope(struct fields *fields)
{
	while (fields->depth > 0)
		end_level(fields);
}

static void put_scopes(struct strata_buffer *buffer, const struct strata_shown_event *event)
{
	static const char *const scopes[STRATA_SHOWN_TYPES] = { "stream_context", "context", NULL };
	struct strata_ctf_cursor cursor = event->cursor;
	struct fields fields;
	bool fits = true;
	size_t i;

	fields.visitor = (struct strata_field_visitor){
		.number = put_number, .text = put_string, .begin = put_begin, .end = put_end
	};
	fields.buffer = buffer;
	fields.depth = 0;
	fields.levels[0].child = EVENT_ANNOTATION;
	if (event->packet.type) {
		fields.scope = "packet";
		strata_shown_packet_visit(&fields.visitor, &event->packet);
		end_scope(&fields);
	}
	for (i = 0; fits && i < STRATA_SHOWN_TYPES; i++) {
		if (!event->types[i])
			continue;
		fields.scope = scopes[i];
		fits = strata_field_visit(&fields.visitor, NULL, event->types[i], &cursor);
		end_scope(&fields);
	}
}

static void put_annotation(struct strata_buffer *buffer, const char *name, uint32_t kind,
			   uint64_t value)
{
	const size_t begin = strata_protobuf_begin(buffer, EVENT_ANNOTATION);

	strata_protobuf_text(buffer, ANNOTATION_NAME, name, strlen(name));
	strata_protobuf_varint(buffer, kind, value);
	strata_protobuf_end(buffer, begin);
}

static void put_message(struct strata_buffer *buffer, const struct strata_shown_event *event)
{
	struct strata_ctf_cursor cursor;
	size_t annotation, text;

	if (!strata_message_find(event, &cursor))
		return;
	annotation = strata_protobuf_begin(buffer, EVENT_ANNOTATION);
	strata_protobuf_text(buffer, ANNOTATION_NAME, "message", 7);
	text = strata_protobuf_begin(buffer, ANNOTATION_STRING);
	strata_message_put(buffer, event->format, event->types[STRATA_SHOWN_TYPES - 1], cursor,
			   strata_message_escape);
	strata_protobuf_end(buffer, text);
	strata_protobuf_end(buffer, annotation);
}

static void perfetto_event(struct strata_event_writer *writer, struct strata_buffer *buffer,
			   const struct strata_shown_event *shown)
{
	const size_t packet = strata_protobuf_begin(buffer, TRACE_PACKET);
	size_t event;

	strata_protobuf_varint(buffer, PACKET_TIMESTAMP, shown->ns);
	strata_protobuf_varint(buffer, PACKET_SEQUENCE, SEQUENCE_ID);
	event = strata_protobuf_begin(buffer, PACKET_TRACK_EVENT);
	strata_protobuf_varint(buffer, EVENT_TYPE, TYPE_INSTANT);
	strata_protobuf_varint(
		buffer, EVENT_TRACK,
		known_track_of((const struct perfetto *)writer, shown->source_index, shown->cpu));
	strata_protobuf_text(buffer, EVENT_NAME, shown->name, strlen(shown->name));
	if (*shown->layer)
		strata_protobuf_text(buffer, EVENT_CATEGORY, shown->layer, strlen(shown->layer));
	put_message(buffer, shown);
	put_scopes(buffer, shown);
	if (shown->bound_ns != UINT64_MAX)
		put_annotation(buffer, "bound_ns", ANNOTATION_UINT, shown->bound_ns);
	if (shown->unordered)
		put_annotation(buffer, "unordered", ANNOTATION_BOOL, 1);
	if (shown->domain != STRATA_SHOWN_UNKNOWN)
		put_annotation(buffer, "domain", ANNOTATION_UINT, shown->domain);
	if (shown->vcpu != STRATA_SHOWN_UNKNOWN)
		put_annotation(buffer, "vcpu", ANNOTATION_UINT, shown->vcpu);
	if (shown->pcpu != STRATA_SHOWN_UNKNOWN)
		put_annotation(buffer, "pcpu", ANNOTATION_UINT, shown->pcpu);
	strata_protobuf_end(buffer, event);
	strata_protobuf_end(buffer, packet);
}

static void perfetto_loss(struct strata_event_writer *writer, struct strata_buffer *buffer,
			  const struct strata_shown_loss *lost)
{
	const struct strata_loss *loss = lost->loss;
	const size_t packet = strata_protobuf_begin(buffer, TRACE_PACKET);
	char name[STRATA_LOSS_TEXT_BYTES];
	unsigned int i;
	size_t event;

	strata_protobuf_varint(buffer, PACKET_TIMESTAMP, loss->from_ns);
	strata_protobuf_varint(buffer, PACKET_SEQUENCE, SEQUENCE_ID);
	event = strata_protobuf_begin(buffer, PACKET_TRACK_EVENT);
	strata_protobuf_varint(buffer, EVENT_TYPE, TYPE_INSTANT);
	strata_protobuf_varint(
		buffer, EVENT_TRACK,
		known_track_of((const struct perfetto *)writer, lost->source_index, lost->cpu));
	strata_protobuf_text(buffer, EVENT_NAME, name,
			     (size_t)(strata_loss_text(name, loss) - name));
	strata_protobuf_text(buffer, EVENT_CATEGORY, "loss", 4);
	put_annotation(buffer, "discarded", ANNOTATION_UINT, loss->discarded);
	for (i = 0; loss->has_kinds && i < STRATA_NR_LOST; i++)
		put_annotation(buffer, strata_loss_json_names[i], ANNOTATION_UINT, loss->kinds[i]);
	put_annotation(buffer, "missing_packets", ANNOTATION_UINT, loss->missing_packets);
	put_annotation(buffer, "to_ns", ANNOTATION_UINT, loss->to_ns);
	strata_protobuf_end(buffer, event);
	strata_protobuf_end(buffer, packet);
}

static void put_source(struct strata_buffer *buffer, const struct strata_shown_source *source,
		       size_t at)
{
	const size_t packet = strata_protobuf_begin(buffer, TRACE_PACKET);
	const size_t track = strata_protobuf_begin(buffer, PACKET_TRACK_DESCRIPTOR);
	size_t process;

	strata_protobuf_varint(buffer, TRACK_UUID, track_of(at, STRATA_SHOWN_UNKNOWN));
	strata_protobuf_text(buffer, TRACK_NAME, source->name, strlen(source->name));
	process = strata_protobuf_begin(buffer, TRACK_PROCESS);
	strata_protobuf_varint(buffer, PROCESS_PID, at + 1);
	strata_protobuf_text(buffer, PROCESS_NAME, source->name, strlen(source->name));
	strata_protobuf_end(buffer, process);
	strata_protobuf_end(buffer, track);
	strata_protobuf_end(buffer, packet);
}

static void put_cpu(struct strata_buffer *buffer, size_t source, uint32_t cpu)
{
	const size_t packet = strata_protobuf_begin(buffer, TRACE_PACKET);
	const size_t track = strata_protobuf_begin(buffer, PACKET_TRACK_DESCRIPTOR);
	char name[4 + STRATA_PUT_BYTES];
	const char *end = strata_put_decimal(strata_put_text(name, "CPU "), cpu);

	strata_protobuf_varint(buffer, TRACK_UUID, track_of(source, cpu));
	strata_protobuf_varint(buffer, TRACK_PARENT, track_of(source, STRATA_SHOWN_UNKNOWN));
	strata_protobuf_text(buffer, TRACK_NAME, name, (size_t)(end - name));
	strata_protobuf_end(buffer, track);
	strata_protobuf_end(buffer, packet);
}

static void perfetto_begin(struct strata_event_writer *writer, struct strata_buffer *buffer,
			   const struct strata_shown_source *sources, size_t nr_sources)
{
	size_t i, j;

	((struct perfetto *)writer)->sources = sources;
	for (i = 0; i < nr_sources; i++) {
		put_source(buffer, &sources[i], i);
		for (j = 0; j < sources[i].nr_cpus; j++)
			put_cpu(buffer, i, sources[i].cpus[j]);
	}
}

static void perfetto_free(struct strata_event_writer *writer)
{
	free(writer);
}

struct strata_event_writer *strata_perfetto_new(void)
{
	struct perfetto *perfetto = calloc(1, sizeof(*perfetto));

	if (!perfetto)
		return NULL;
	perfetto->writer.begin = perfetto_begin;
	perfetto->writer.event = perfetto_event;
	perfetto->writer.loss = perfetto_loss;
	perfetto->writer.free = perfetto_free;
	return &perfetto->writer;
}

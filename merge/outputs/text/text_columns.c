// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text_columns.c - a line for each event in aligned columns, for people:
 *
 *     time  +delta  ~ bound  source  layer  cpu  event  fields
 *
 * "~" marks an event that may have been before the one above it, "<" one that came late, when
 * those above it had been shown already; the bound is what its time
 * may be off by, rounded up, where that is known.  A loss is a line of its own (text_lines.h). What
 * is not known is "-".  Text from events is escaped, so that a terminal obeys none of it.
 */
#include <stdlib.h>

#include "base/escape.h"
#include "outputs/text/text_lines.h"

#define SOURCE_COLUMN_MAX 24u
#define LAYER_COLUMN      6u
#define CPU_COLUMN        4u
#define EVENT_COLUMN      28u
#define BOUND_COLUMN      8u

/* Bytes of all columns but source and event, with their colours. */
#define COLUMNS_BYTES 512u

enum colour { COLOUR_TIME, COLOUR_EVENT, COLOUR_NAME, COLOUR_UNORDERED, COLOUR_NONE };

static const char *const escapes[] = { "\x1b[2m", "\x1b[1m", "\x1b[36m", "\x1b[1;31m", "\x1b[0m" };

/* Sources take turns. */
static const char *const source_escapes[] = { "\x1b[32m", "\x1b[33m", "\x1b[34m", "\x1b[35m",
					      "\x1b[36m" };

struct columns {
	struct strata_event_writer writer;
	struct strata_text_options options;
	const struct strata_shown_source *sources;
	size_t nr_sources;
	unsigned int source_column;
};

/* The fields of one event on their way into a buffer. */
struct fields {
	struct strata_field_visitor visitor;
	struct strata_buffer *buffer;
	bool colours;
	unsigned int depth;
	struct {
		bool is_array;
		bool any;
	} levels[STRATA_CTF_DEPTH_MAX + 2];
};

static inline char *put_colour(char *out, bool colours, enum colour colour)
{
	return colours ? strata_put_text(out, escapes[colour]) : out;
}

/* What comes before a field's value; room for it and @bytes more.  NULL: out of memory. */
static char *put_name(struct fields *fields, const char *name, size_t bytes)
{
	const size_t length = name ? strlen(name) : 0;
	char *out = strata_buffer_room(fields->buffer, length + bytes + 2 * STRATA_PUT_BYTES);
	const unsigned int depth = fields->depth;

	if (!out || depth == 0)
		return out;
	/* Fields of the event itself stand apart from the column before. */
	if (fields->levels[depth].any || depth == 1)
		*out++ = fields->levels[depth].is_array ? ',' : ' ';
	fields->levels[depth].any = true;
	if (!name)
		return out;
	out = put_colour(out, fields->colours, COLOUR_NAME);
	out = strata_put_bytes(out, name, length);
	out = put_colour(out, fields->colours, COLOUR_NONE);
	*out++ = '=';
	return out;
}

static char *put_integer(char *out, const struct strata_ctf_type *type, uint64_t value)
{
	if (type->base == 16)
		return strata_put_hex(out, value & (UINT64_MAX >> (64 - type->bits)));
	return type->is_signed ? strata_put_signed(out, (int64_t)value)
			       : strata_put_decimal(out, value);
}

/* The names of the bits that are set: (a|b). */
static void put_flags(struct strata_buffer *buffer, const struct strata_ctf_type *type,
		      uint64_t value)
{
	const char *flag;
	size_t at = 0;
	bool any = false;

	while ((flag = strata_bit_map_next_flag(type, value, &at))) {
		const size_t length = strlen(flag);
		char *out = strata_buffer_room(buffer, STRATA_ESCAPED_BYTES(length) + 2);

		if (!out)
			return;
		*out++ = any ? '|' : '(';
		any = true;
		strata_buffer_advance(buffer, strata_escape(out, flag, length));
	}
	if (any)
		strata_buffer_put(buffer, ")", 1);
}

static void put_number(struct strata_field_visitor *visitor, const char *name,
		       const struct strata_ctf_type *type, uint64_t value)
{
	struct fields *fields = (struct fields *)visitor;
	const bool narrow = type->bits == 32;
	const char *label = strata_ctf_has_labels(type) ? strata_enum_label(type, value) : NULL;
	const size_t length = label ? strlen(label) : 0;
	char *out = put_name(fields, name,
			     STRATA_ESCAPED_BYTES(length) + STRATA_PUT_BYTES +
				     STRATA_VALUE_NAME_BYTES);

	if (!out)
		return;
	if (type->kind == STRATA_CTF_FLOAT) {
		out = strata_put_float(out, strata_float_of_bits(value, narrow), narrow);
	} else if (label) {
		out = strata_escape(out, label, length);
		*out++ = '(';
		out = put_integer(out, type, value);
		*out++ = ')';
	} else if (type->is_bool) {
		out = strata_put_text(out, value ? "true" : "false");
	} else {
		out = put_integer(out, type, value);
		if (visitor->value_name) {
			*out++ = '(';
			out = strata_put_text(out, visitor->value_name);
			*out++ = ')';
		}
	}
	strata_buffer_advance(fields->buffer, out);
	if (type->is_bit_map)
		put_flags(fields->buffer, type, value);
}

static void put_blob(struct strata_field_visitor *visitor, const char *name, const uint8_t *bytes,
		     uint64_t length)
{
	struct fields *fields = (struct fields *)visitor;
	char *out = put_name(fields, name, 2 * length + 2);
	uint64_t i;

	if (!out)
		return;
	*out++ = '<';
	for (i = 0; i < length; i++)
		out = strata_put_hex_byte(out, bytes[i]);
	*out++ = '>';
	strata_buffer_advance(fields->buffer, out);
}

static void put_none(struct strata_field_visitor *visitor, const char *name)
{
	struct fields *fields = (struct fields *)visitor;
	char *out = put_name(fields, name, STRATA_PUT_BYTES);

	if (out)
		strata_buffer_advance(fields->buffer, strata_put_text(out, "none"));
}

static void put_string(struct strata_field_visitor *visitor, const char *name, const char *text,
		       uint64_t length)
{
	struct fields *fields = (struct fields *)visitor;
	char *out = put_name(fields, name, STRATA_ESCAPED_BYTES(length) + 2);

	if (!out)
		return;
	*out++ = '"';
	out = strata_escape(out, text, length);
	*out++ = '"';
	strata_buffer_advance(fields->buffer, out);
}

static void put_begin(struct strata_field_visitor *visitor, const char *name,
		      const struct strata_ctf_type *type, uint64_t length)
{
	struct fields *fields = (struct fields *)visitor;
	char *out = put_name(fields, name, 1);
	const bool is_array = type->kind != STRATA_CTF_STRUCT;

	(void)length;
	if (out && fields->depth > 0) {
		*out++ = is_array ? '[' : '{';
		strata_buffer_advance(fields->buffer, out);
	}
	fields->depth++;
	fields->levels[fields->depth].is_array = is_array;
	fields->levels[fields->depth].any = false;
}

static void put_end(struct strata_field_visitor *visitor, const struct strata_ctf_type *type)
{
	struct fields *fields = (struct fields *)visitor;

	fields->depth--;
	if (fields->depth > 0)
		strata_buffer_put(fields->buffer, type->kind != STRATA_CTF_STRUCT ? "]" : "}", 1);
}

/* The number of the event's process, as the kernel says, before what the process itself says. */
static void put_process(const struct columns *columns, struct fields *fields,
			const struct strata_shown_event *event)
{
	const struct strata_shown_source *source = &columns->sources[event->source_index];
	char *out;

	if (event->source_index >= columns->nr_sources || !source->has_pid)
		return;
	fields->depth = 1;
	fields->levels[1].is_array = false;
	fields->levels[1].any = false;
	out = put_name(fields, "pid", 0);
	fields->depth = 0;
	if (out)
		strata_buffer_advance(fields->buffer, strata_put_signed(out, source->pid));
}

/* Contexts stand in brackets, because an event may have fields of the same names. */
static void put_fields(const struct columns *columns, struct strata_buffer *buffer,
		       const struct strata_shown_event *event)
{
	struct strata_ctf_cursor cursor = event->cursor;
	struct fields fields;
	bool is_first = true;
	size_t i;

	fields.visitor = (struct strata_field_visitor){
		.number = put_number,
		.text = put_string,
		.blob = put_blob,
		.none = put_none,
		.begin = put_begin,
		.end = put_end,
	};
	fields.buffer = buffer;
	fields.colours = columns->options.colours;
	for (i = 0; i < STRATA_SHOWN_TYPES; i++) {
		const struct strata_ctf_type *type = event->types[i];
		const bool is_context = i + 1 < STRATA_SHOWN_TYPES && type && type->nr_fields > 0;

		if (!type)
			continue;
		fields.depth = 0;
		if (is_context)
			strata_buffer_text(buffer, " [");
		if (is_context && is_first)
			put_process(columns, &fields, event);
		is_first &= !is_context;
		if (!strata_field_visit(&fields.visitor, NULL, type, &cursor))
			return;
		if (is_context)
			strata_buffer_text(buffer, " ]");
	}
}

static char *put_time(char *out, const struct columns *columns, struct strata_put_clock *clock,
		      const struct strata_shown_event *event)
{
	const struct strata_text_options *options = &columns->options;
	const uint64_t second = event->ns / 1000000000u;
	const size_t skip = options->date ? 0 : STRATA_PUT_DATE_BYTES;

	if (!event->has_time)
		return strata_put_text(out, "??:??:??.?????????");
	if (options->seconds || !strata_put_clock_set(clock, second, options->gmt))
		return strata_put_seconds(out, event->ns);
	out = strata_put_bytes(out, clock->text + skip,
			       STRATA_PUT_DATE_BYTES + STRATA_PUT_TIME_BYTES - skip);
	*out++ = '.';
	return strata_put_nine(out, (uint32_t)(event->ns - second * 1000000000u));
}

/* A bound in four digits at most, rounded up. */
static char *put_bound(char *out, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	const char *start = out;
	size_t unit;

	if (ns == UINT64_MAX) {
		*out++ = '-';
		return strata_put_pad(out, start, BOUND_COLUMN);
	}
	for (unit = 0; ns > 9999 && unit < 3; unit++)
		ns = ns / 1000 + (ns % 1000 != 0);
	out = strata_put_decimal(strata_put_text(out, "\xc2\xb1"), ns);
	out = strata_put_text(out, units[unit]);
	/* The sign has two bytes, and takes one column. */
	return strata_put_pad(out, start + 1, BOUND_COLUMN);
}

static char *put_times(char *out, const struct columns *columns, struct strata_put_clock *clock,
		       const struct strata_shown_event *event)
{
	const char mark = event->late ? '<' : event->unordered ? '~' : ' ';
	const bool colours = columns->options.colours;
	char delta[STRATA_PUT_BYTES];
	size_t length, width = 12;

	out = put_colour(out, colours, COLOUR_TIME);
	out = put_time(out, columns, clock, event);
	length = (size_t)(strata_put_seconds(delta, event->ns - event->previous_ns) - delta);
	for (*out++ = ' '; width > length; width--)
		*out++ = ' ';
	*out++ = '+';
	out = strata_put_bytes(out, delta, length);
	out = put_colour(out, colours, COLOUR_NONE);
	*out++ = ' ';
	if (mark != ' ')
		out = put_colour(out, colours, COLOUR_UNORDERED);
	*out++ = mark;
	if (mark != ' ')
		out = put_colour(out, colours, COLOUR_NONE);
	*out++ = ' ';
	return put_bound(out, event->bound_ns);
}

static char *put_cpu(char *out, uint32_t cpu)
{
	if (cpu != STRATA_SHOWN_UNKNOWN)
		return strata_put_right(out, cpu, CPU_COLUMN);
	memset(out, ' ', CPU_COLUMN);
	out[CPU_COLUMN - 1] = '-';
	return out + CPU_COLUMN;
}

static void columns_event(struct strata_event_writer *writer, struct strata_buffer *buffer,
			  const struct strata_shown_event *event)
{
	const struct columns *columns = (const struct columns *)writer;
	const bool colours = columns->options.colours;
	const size_t source_bytes = strlen(event->source), name_bytes = strlen(event->name);
	const size_t nr = sizeof(source_escapes) / sizeof(source_escapes[0]);
	char *start, *out = strata_buffer_room(buffer, COLUMNS_BYTES + source_bytes +
							       STRATA_ESCAPED_BYTES(name_bytes));

	if (!out)
		return;
	out = put_times(out, columns, &buffer->clock, event);
	if (colours)
		out = strata_put_text(out, source_escapes[event->source_index % nr]);
	start = out;
	out = strata_put_pad(strata_put_bytes(out, event->source, source_bytes), start,
			     columns->source_column);
	out = put_colour(out, colours, COLOUR_NONE);
	start = out;
	out = strata_put_pad(strata_put_text(out, *event->layer ? event->layer : "-"), start,
			     LAYER_COLUMN);
	out = put_cpu(out, event->cpu);
	*out++ = ' ';
	out = put_colour(out, colours, COLOUR_EVENT);
	start = out;
	out = strata_escape(out, event->name, name_bytes);
	out = strata_put_pad(out, start, EVENT_COLUMN) - 1;
	out = put_colour(out, colours, COLOUR_NONE);
	strata_buffer_advance(buffer, out);
	put_fields(columns, buffer, event);
	strata_buffer_put(buffer, "\n", 1);
}

static void columns_loss(struct strata_event_writer *writer, struct strata_buffer *buffer,
			 const struct strata_shown_loss *lost)
{
	const struct columns *columns = (const struct columns *)writer;

	if (columns->options.colours)
		strata_buffer_text(buffer, escapes[COLOUR_UNORDERED]);
	strata_text_put_loss(&columns->options, buffer, lost);
	if (columns->options.colours)
		strata_buffer_text(buffer, escapes[COLOUR_NONE]);
}

static void columns_begin(struct strata_event_writer *writer, struct strata_buffer *buffer,
			  const struct strata_shown_source *sources, size_t nr_sources)
{
	struct columns *columns = (struct columns *)writer;
	size_t i;

	(void)buffer;
	columns->sources = sources;
	columns->nr_sources = nr_sources;
	tzset(); /* localtime_r() may not */
	for (i = 0; i < nr_sources; i++) {
		const size_t length = strlen(sources[i].name);

		if (length > columns->source_column)
			columns->source_column = length < SOURCE_COLUMN_MAX ? (unsigned int)length
									    : SOURCE_COLUMN_MAX;
	}
}

static void columns_free(struct strata_event_writer *writer)
{
	free(writer);
}

struct strata_event_writer *strata_text_columns_new(const struct strata_text_options *options)
{
	struct columns *columns = calloc(1, sizeof(*columns));

	if (!columns)
		return NULL;
	columns->writer.begin = columns_begin;
	columns->writer.event = columns_event;
	columns->writer.loss = columns_loss;
	columns->writer.free = columns_free;
	columns->options = *options;
	return &columns->writer;
}

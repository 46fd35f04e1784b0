// SPDX-License-Identifier: GPL-2.0-or-later
/* columns_fields.c - see columns_fields.h. */
#include "outputs/text/columns_fields.h"

#include "base/escape.h"

#define ESCAPE_NAME "\x1b[36m"
#define ESCAPE_NONE "\x1b[0m"

const char *const strata_colour_escapes[] = { "\x1b[2m", "\x1b[1m", ESCAPE_NAME, "\x1b[1;31m",
					      ESCAPE_NONE };

/* The fields of one event being written into a buffer. */
struct fields {
	struct strata_field_visitor visitor;
	struct strata_buffer *buffer;
	bool colours;
	const struct strata_shown_source *source; /* or NULL */
	bool names_process;                       /* the next context will name the process */
	bool is_named;                            /* the next value's name is already written */
	unsigned int depth;
	struct {
		bool is_array;
		bool any;
	} levels[STRATA_CTF_DEPTH_MAX + 2];
};

/* Writes the start of a field; returns room for its value of @bytes. NULL: out of memory. */
static char *put_name(struct fields *fields, const char *name, size_t bytes)
{
	const size_t length = name ? strlen(name) : 0;
	char *out = strata_buffer_room(fields->buffer, length + bytes + 2 * STRATA_PUT_BYTES);
	const unsigned int depth = fields->depth;

	if (fields->is_named) {
		fields->is_named = false;
		return out;
	}
	if (!out || depth == 0)
		return out;
	/* Separates the event's own fields from the preceding column. */
	if (fields->levels[depth].any || depth == 1)
		*out++ = fields->levels[depth].is_array ? ',' : ' ';
	fields->levels[depth].any = true;
	if (!name)
		return out;
	out = strata_put_colour(out, fields->colours, STRATA_COLOUR_NAME);
	out = strata_put_bytes(out, name, length);
	out = strata_put_colour(out, fields->colours, STRATA_COLOUR_NONE);
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

/* Writes the names of the bits that are set: (a|b). */
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

/* Writes the name or label of the preceding number: 23(iret). */
static void put_value_name(struct strata_buffer *buffer, const char *name)
{
	const size_t length = strlen(name);
	char *out = strata_buffer_room(buffer, STRATA_ESCAPED_BYTES(length) + 2);

	if (!out)
		return;
	*out++ = '(';
	out = strata_escape(out, name, length);
	*out++ = ')';
	strata_buffer_advance(buffer, out);
}

static void put_number(struct strata_field_visitor *visitor, const char *name,
		       const struct strata_ctf_type *type, uint64_t value)
{
	struct fields *fields = (struct fields *)visitor;
	const bool narrow = type->bits == 32;
	const char *label = strata_ctf_has_labels(type) ? strata_enum_label(type, value) : NULL;
	char *out = put_name(fields, name, STRATA_PUT_BYTES);

	if (!out)
		return;
	if (type->kind == STRATA_CTF_FLOAT) {
		out = strata_put_float(out, strata_float_of_bits(value, narrow), narrow);
	} else if (type->is_bool) {
		out = strata_put_text(out, value ? "true" : "false");
	} else {
		out = put_integer(out, type, value);
	}
	strata_buffer_advance(fields->buffer, out);
	if (type->is_bit_map)
		put_flags(fields->buffer, type, value);
	if (label)
		put_value_name(fields->buffer, label);
	if (visitor->value_name)
		put_value_name(fields->buffer, visitor->value_name);
}

static void put_blob(struct strata_field_visitor *visitor, const char *name, const uint8_t *bytes,
		     uint64_t length)
{
	struct fields *fields = (struct fields *)visitor;
	char *out = put_name(fields, name, 2 * length + 2);

	if (!out)
		return;
	*out++ = '<';
	out = strata_put_hex_bytes(out, bytes, length);
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

/* Begins a context. The first one starts with name and number of the event's process according to
 * the kernel, before the process's own values. */
static void open_context(struct fields *fields)
{
	const struct strata_shown_source *source = fields->source;
	char *out;

	strata_buffer_text(fields->buffer, " [");
	fields->levels[1].is_array = false;
	fields->levels[1].any = false;
	if (!fields->names_process || !source || !source->has_pid)
		return;
	fields->names_process = false;
	if (source->process)
		put_string(&fields->visitor, "comm", source->process, strlen(source->process));
	out = put_name(fields, "pid", 0);
	if (out)
		strata_buffer_advance(fields->buffer, strata_put_signed(out, source->pid));
}

/* Writes a context without the fields that are columns already. False: it exceeds the event. */
static bool put_context(struct fields *fields, const struct strata_ctf_type *type,
			uint64_t columns_too, struct strata_ctf_cursor *cursor)
{
	bool is_open = false;
	size_t i;

	if (!strata_ctf_align(cursor, type->align))
		return false;
	fields->depth = 1;
	for (i = 0; i < type->nr_fields; i++) {
		const struct strata_ctf_field *field = &type->fields[i];

		if (i < 64 && columns_too >> i & 1) {
			if (!strata_ctf_skip(cursor, field->type))
				return false;
			continue;
		}
		if (!is_open)
			open_context(fields);
		is_open = true;
		if (!strata_field_visit(&fields->visitor, field->name, field->type, cursor))
			return false;
	}
	fields->depth = 0;
	if (is_open)
		strata_buffer_text(fields->buffer, " ]");
	return true;
}

static void init_fields(struct fields *fields, struct strata_buffer *buffer, bool colours,
			const struct strata_shown_source *source)
{
	fields->visitor = (struct strata_field_visitor){
		.number = put_number,
		.text = put_string,
		.blob = put_blob,
		.none = put_none,
		.begin = put_begin,
		.end = put_end,
	};
	fields->buffer = buffer;
	fields->colours = colours;
	fields->source = source;
	fields->names_process = true;
	fields->is_named = false;
	fields->depth = 0;
}

/* Contexts are in brackets, because an event may have fields of the same names. */
bool strata_columns_put_contexts(struct strata_buffer *buffer,
				 const struct strata_text_options *options,
				 const struct strata_shown_source *source, bool shows_places,
				 const struct strata_shown_event *event,
				 struct strata_ctf_cursor *cursor)
{
	struct fields fields;
	size_t i;

	if (!event->types[0] && !event->types[1])
		return true;
	init_fields(&fields, buffer, options->colours, source);
	for (i = 0; i < STRATA_COLUMNS_CONTEXTS; i++) {
		if (event->types[i] &&
		    !put_context(&fields, event->types[i],
				 i == 0 && shows_places ? event->place_fields : 0, cursor))
			return false;
	}
	return true;
}

/* Programs of fields -------------------------------------------------------------------------- */

static enum strata_text_kind integer_kind(const struct strata_ctf_type *type)
{
	if (type->names || type->is_bit_map)
		return STRATA_TEXT_OTHER;
	if (type->base == 16)
		return STRATA_TEXT_HEX;
	return type->is_signed ? STRATA_TEXT_SIGNED : STRATA_TEXT_UNSIGNED;
}

/* Fields of an event are at depth 1. */
static bool visit_field(struct strata_buffer *buffer, bool colours,
			const struct strata_ctf_type *type, struct strata_ctf_cursor *cursor)
{
	struct fields fields;

	init_fields(&fields, buffer, colours, NULL);
	fields.is_named = true;
	fields.depth = 1;
	return strata_field_visit(&fields.visitor, NULL, type, cursor);
}

static bool visit_plain(struct strata_buffer *buffer, const struct strata_ctf_type *type,
			struct strata_ctf_cursor *cursor)
{
	return visit_field(buffer, false, type, cursor);
}

static bool visit_coloured(struct strata_buffer *buffer, const struct strata_ctf_type *type,
			   struct strata_ctf_cursor *cursor)
{
	return visit_field(buffer, true, type, cursor);
}

const struct strata_text_style *strata_columns_style(bool colours)
{
	static const struct strata_text_style plain = {
		.first = " ",
		.next = " ",
		.equals = "=",
		.end = "",
		.empty = "",
		.integer = integer_kind,
		.escape = strata_escape,
		.other = visit_plain,
	};
	static const struct strata_text_style coloured = {
		.first = " " ESCAPE_NAME,
		.next = " " ESCAPE_NAME,
		.equals = ESCAPE_NONE "=",
		.end = "",
		.empty = "",
		.integer = integer_kind,
		.escape = strata_escape,
		.other = visit_coloured,
	};

	return colours ? &coloured : &plain;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* json_text.c - see json_text.h. */
#include "outputs/json/json_text.h"

#include <math.h>
#include <stdio.h>

#include "base/escape.h"
#include "outputs/message.h"

#define EXACT_BITS 53u /* of a double's mantissa */

/* The fields of one scope being written into a buffer. */
struct fields {
	struct strata_field_visitor visitor;
	struct strata_buffer *buffer;
	unsigned int depth;
	struct {
		bool is_array;
		bool any;
		const char *name;       /* of the array; and */
		const char *first_name; /* that of its first element's value; or NULL */
	} levels[STRATA_CTF_DEPTH_MAX + 2];
};

char *strata_json_put_text(char *out, const char *text, size_t length)
{
	size_t i = 0;

	while (i < length) {
		const unsigned char byte = (unsigned char)text[i];
		size_t bytes;
		uint32_t code;

		if (__builtin_expect(byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\',
				     1)) {
			*out++ = (char)byte;
			i++;
			continue;
		}
		bytes = strata_utf8_read(text + i, length - i, &code);
		if (byte == '"' || byte == '\\') {
			*out++ = '\\';
			*out++ = (char)byte;
		} else if (bytes == 0) {
			out = strata_put_bytes(out, "\\ufffd", 6);
			bytes = 1;
		} else if (bytes == 1 || strata_is_unsafe(code)) {
			out = strata_put_unicode(out, code);
		} else {
			out = strata_put_bytes(out, text + i, bytes);
		}
		i += bytes;
	}
	return out;
}

/* Writes a number, or null for NaN. */
static char *put_float(char *out, double number, bool narrow)
{
	char *end;

	if (isnan(number))
		return strata_put_text(out, "null");
	if (isinf(number))
		return strata_put_text(out, number < 0 ? "-1e999" : "1e999");
	end = strata_put_float(out, number, narrow);
	/* Without a point or exponent, some readers would take it for an integer. */
	if (!memchr(out, '.', (size_t)(end - out)) && !memchr(out, 'e', (size_t)(end - out)))
		end = strata_put_bytes(end, ".0", 2);
	return end;
}

void strata_json_member(struct strata_buffer *buffer, const char *name, const char *text)
{
	const size_t name_bytes = strlen(name), length = strlen(text);
	char *out = strata_buffer_room(buffer, name_bytes + STRATA_JSON_BYTES(length) + 6);

	if (!out)
		return;
	out = strata_put_bytes(out, ",\"", 2);
	out = strata_put_bytes(out, name, name_bytes);
	out = strata_put_bytes(out, "\":\"", 3);
	out = strata_json_put_text(out, text, length);
	*out++ = '"';
	strata_buffer_advance(buffer, out);
}

/* Writes the start of a field; returns room for its value of @bytes. NULL: out of memory. A field's
 * name is a C identifier. */
static char *put_name(struct fields *fields, const char *name, size_t bytes)
{
	const size_t length = name ? strlen(name) : 0;
	char *out = strata_buffer_room(fields->buffer, STRATA_JSON_BYTES(length) + bytes + 4);
	const unsigned int depth = fields->depth;

	if (!out)
		return out;
	if (fields->levels[depth].any)
		*out++ = ',';
	fields->levels[depth].any = true;
	if (depth == 0 || fields->levels[depth].is_array)
		return out;
	*out++ = '"';
	out = strata_json_put_text(out, name ? name : "", length);
	return strata_put_bytes(out, "\":", 2);
}

static char *put_integer(char *out, const struct strata_ctf_type *type, uint64_t value)
{
	const bool is_text = type->bits > EXACT_BITS;

	if (is_text)
		*out++ = '"';
	out = type->is_signed ? strata_put_signed(out, (int64_t)value)
			      : strata_put_decimal(out, value);
	if (is_text)
		*out++ = '"';
	return out;
}

static void put_enum(struct fields *fields, const char *name, const struct strata_ctf_type *type,
		     uint64_t value)
{
	const char *label = strata_enum_label(type, value);
	const size_t length = label ? strlen(label) : 0;
	char *out = put_name(fields, name, STRATA_JSON_BYTES(length) + 2 * STRATA_PUT_BYTES);

	if (!out)
		return;
	out = strata_put_text(out, "{\"label\":");
	if (label) {
		*out++ = '"';
		out = strata_json_put_text(out, label, length);
		*out++ = '"';
	} else {
		out = strata_put_text(out, "null");
	}
	out = put_integer(strata_put_text(out, ",\"value\":"), type, value);
	*out++ = '}';
	strata_buffer_advance(fields->buffer, out);
}

/* Writes the names of all bits that are set, and their number. */
static void put_bit_map(struct fields *fields, const char *name, const struct strata_ctf_type *type,
			uint64_t value)
{
	char *out = put_name(fields, name, STRATA_PUT_BYTES);
	const char *flag;
	size_t at = 0;
	bool any = false;

	if (!out)
		return;
	strata_buffer_advance(fields->buffer, strata_put_text(out, "{\"flags\":["));
	while ((flag = strata_bit_map_next_flag(type, value, &at))) {
		const size_t length = strlen(flag);

		out = strata_buffer_room(fields->buffer, STRATA_JSON_BYTES(length) + 4);
		if (!out)
			return;
		if (any)
			*out++ = ',';
		any = true;
		*out++ = '"';
		out = strata_json_put_text(out, flag, length);
		*out++ = '"';
		strata_buffer_advance(fields->buffer, out);
	}
	out = strata_buffer_room(fields->buffer, 2 * STRATA_PUT_BYTES);
	if (!out)
		return;
	out = put_integer(strata_put_text(out, "],\"value\":"), type, value);
	*out++ = '}';
	strata_buffer_advance(fields->buffer, out);
}

/* Writes the number's name as a separate member, so that the number itself stays a number. */
static void put_value_name(struct fields *fields, const char *name, const char *value_name)
{
	char member[64]; /* fits the names of the rules */
	const size_t length = strlen(value_name);
	char *out;

	snprintf(member, sizeof(member), "%s_name", name ? name : "");
	out = put_name(fields, member, STRATA_JSON_BYTES(length) + 2);
	if (!out)
		return;
	*out++ = '"';
	out = strata_json_put_text(out, value_name, length);
	*out++ = '"';
	strata_buffer_advance(fields->buffer, out);
}

static void put_number(struct strata_field_visitor *visitor, const char *name,
		       const struct strata_ctf_type *type, uint64_t value)
{
	struct fields *fields = (struct fields *)visitor;
	const bool narrow = type->bits == 32;
	char *out;

	if (strata_ctf_has_labels(type)) {
		put_enum(fields, name, type, value);
		return;
	}
	if (type->is_bit_map) {
		put_bit_map(fields, name, type, value);
		return;
	}
	out = put_name(fields, name, STRATA_PUT_BYTES);
	if (!out)
		return;
	if (type->is_bool)
		out = strata_put_text(out, value ? "true" : "false");
	else if (type->kind == STRATA_CTF_FLOAT)
		out = put_float(out, strata_float_of_bits(value, narrow), narrow);
	else
		out = put_integer(out, type, value);
	strata_buffer_advance(fields->buffer, out);
	if (visitor->value_name && fields->levels[fields->depth].is_array)
		fields->levels[fields->depth].first_name = visitor->value_name;
	else if (visitor->value_name)
		put_value_name(fields, name, visitor->value_name);
}

static void put_string(struct strata_field_visitor *visitor, const char *name, const char *text,
		       uint64_t length)
{
	struct fields *fields = (struct fields *)visitor;
	char *out = put_name(fields, name, STRATA_JSON_BYTES(length) + 2);

	if (!out)
		return;
	*out++ = '"';
	out = strata_json_put_text(out, text, length);
	*out++ = '"';
	strata_buffer_advance(fields->buffer, out);
}

/* Writes two hexadecimal digits for each byte. */
static void put_blob(struct strata_field_visitor *visitor, const char *name, const uint8_t *bytes,
		     uint64_t length)
{
	struct fields *fields = (struct fields *)visitor;
	char *out = put_name(fields, name, 2 * length + 2);

	if (!out)
		return;
	*out++ = '"';
	out = strata_put_hex_bytes(out, bytes, length);
	*out++ = '"';
	strata_buffer_advance(fields->buffer, out);
}

static void put_none(struct strata_field_visitor *visitor, const char *name)
{
	struct fields *fields = (struct fields *)visitor;
	char *out = put_name(fields, name, STRATA_PUT_BYTES);

	if (out)
		strata_buffer_advance(fields->buffer, strata_put_text(out, "null"));
}

static void put_begin(struct strata_field_visitor *visitor, const char *name,
		      const struct strata_ctf_type *type, uint64_t length)
{
	struct fields *fields = (struct fields *)visitor;
	char *out = put_name(fields, name, 1);

	(void)length;
	fields->depth++;
	fields->levels[fields->depth].is_array = type->kind != STRATA_CTF_STRUCT;
	fields->levels[fields->depth].any = false;
	fields->levels[fields->depth].name = name;
	fields->levels[fields->depth].first_name = NULL;
	if (!out)
		return;
	*out++ = type->kind == STRATA_CTF_STRUCT ? '{' : '[';
	strata_buffer_advance(fields->buffer, out);
}

static void end_level(struct fields *fields)
{
	const char *name = fields->levels[fields->depth].name;
	const char *first_name = fields->levels[fields->depth].first_name;

	strata_buffer_put(fields->buffer, fields->levels[fields->depth].is_array ? "]" : "}", 1);
	fields->depth--;
	if (first_name && !fields->levels[fields->depth].is_array)
		put_value_name(fields, name, first_name);
}

static void put_end(struct strata_field_visitor *visitor, const struct strata_ctf_type *type)
{
	(void)type;
	end_level((struct fields *)visitor);
}

static void begin_scope(struct fields *fields, const char *name)
{
	strata_buffer_text(fields->buffer, name);
	fields->depth = 0;
	fields->levels[0].any = false;
	fields->levels[0].is_array = false;
}

/* Ends a scope where its fields exceed the event. */
static void end_scope(struct fields *fields)
{
	while (fields->depth > 0)
		end_level(fields);
}

static void fields_init(struct fields *fields, struct strata_buffer *buffer)
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
}

bool strata_json_value(struct strata_buffer *buffer, const struct strata_ctf_type *type,
		       struct strata_ctf_cursor cursor)
{
	struct fields fields;

	fields_init(&fields, buffer);
	begin_scope(&fields, "");
	/* Writes it as an array's element: without its own name or that of its value. */
	fields.levels[0].is_array = true;
	return strata_field_visit(&fields.visitor, NULL, type, &cursor);
}

/* Writes the packet's fields. */
static void put_packet(struct strata_buffer *buffer, const struct strata_shown_packet *packet,
		       const char *name)
{
	struct fields fields;

	fields_init(&fields, buffer);
	begin_scope(&fields, name);
	strata_shown_packet_visit(&fields.visitor, packet);
	end_scope(&fields);
}

/* Writes a structure's fields, and skips them. False: they exceed the end. */
static bool put_scope(struct strata_buffer *buffer, const struct strata_ctf_type *type,
		      struct strata_ctf_cursor *cursor, const char *name)
{
	struct fields fields;
	bool fits;

	fields_init(&fields, buffer);
	begin_scope(&fields, name);
	fits = strata_field_visit(&fields.visitor, NULL, type, cursor);
	if (!fits && fields.depth == 0)
		strata_buffer_text(buffer, "{}");
	end_scope(&fields);
	return fits;
}

bool strata_json_scope(struct strata_buffer *buffer, const struct strata_shown_event *event,
		       enum strata_json_scope scope)
{
	const size_t at = (size_t)scope - STRATA_JSON_STREAM_CONTEXT;
	struct strata_ctf_cursor cursor = event->cursor;
	size_t i;

	if (scope == STRATA_JSON_PACKET) {
		if (event->packet.type)
			put_packet(buffer, &event->packet, "");
		return event->packet.type != NULL;
	}
	for (i = 0; i < at; i++) {
		if (event->types[i] && !strata_ctf_skip(&cursor, event->types[i]))
			return false;
	}
	if (event->types[at])
		put_scope(buffer, event->types[at], &cursor, "");
	return event->types[at] != NULL;
}

void strata_json_message(struct strata_buffer *buffer, const struct strata_shown_event *event)
{
	struct strata_ctf_cursor cursor;

	if (!strata_message_find(event, &cursor))
		return;
	strata_buffer_text(buffer, ",\"message\":\"");
	strata_message_put(buffer, event->format, event->types[STRATA_SHOWN_TYPES - 1], cursor,
			   strata_json_put_text);
	strata_buffer_put(buffer, "\"", 1);
}

void strata_json_scopes(struct strata_buffer *buffer, const struct strata_shown_event *event)
{
	static const char *const scopes[STRATA_SHOWN_TYPES] = { ",\"stream_context\":",
								",\"context\":", ",\"fields\":" };
	struct strata_ctf_cursor cursor = event->cursor;
	size_t i;

	if (event->packet.type)
		put_packet(buffer, &event->packet, ",\"packet\":");
	for (i = 0; i < STRATA_SHOWN_TYPES; i++) {
		if (event->types[i] && !put_scope(buffer, event->types[i], &cursor, scopes[i]))
			break;
	}
}

char *strata_json_put_loss(char *out, const struct strata_loss *loss)
{
	unsigned int i;

	out = strata_put_decimal(strata_put_text(out, "\"discarded\":"), loss->discarded);
	if (loss->has_kinds && loss->discarded) {
		out = strata_put_text(out, ",\"reasons\":{");
		for (i = 0; i < STRATA_NR_LOST; i++) {
			out = strata_put_text(out, i ? ",\"" : "\"");
			out = strata_put_text(out, strata_loss_json_names[i]);
			out = strata_put_decimal(strata_put_text(out, "\":"), loss->kinds[i]);
		}
		*out++ = '}';
	}
	out = strata_put_text(out, ",\"missing_packets\":");
	return strata_put_decimal(out, loss->missing_packets);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text_babeltrace.c - a line for each event as babeltrace2 (2.0.4) prints it, byte
 * for byte, so that scripts which read its text can read ours:
 *
 *     [22:13:20.000000113] (+0.000000002) host name: { cpu_id = 3 }, { address = 23 }
 *
 * One thing is different: control characters beyond ASCII (U+0080 to U+009F), and those
 * in names, are shown as \xHH, because a terminal would obey them.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "outputs/text_lines.h"

/* What the longest number in binary takes, with what comes before and after it. */
#define NUMBER_BYTES (64u + STRATA_PUT_BYTES)

struct text {
	struct strata_event_writer writer;
	struct strata_text_options options;
	char **prefixes; /* of the sources: "host:process:(1234) " */
	size_t *prefix_bytes;
	size_t nr_sources;
};

/* The fields of one event on their way into a buffer. */
struct fields {
	struct strata_field_visitor visitor;
	struct strata_buffer *buffer;
	unsigned int depth;
	struct {
		bool is_array;
		uint64_t nr; /* of what it holds, so far */
	} levels[STRATA_CTF_DEPTH_MAX + 2];
};

/* What stands for a byte in a string; 0: itself, 'x': its number. */
static char escape_of(unsigned char byte)
{
	switch (byte) {
	case '\\':
	case '\'':
	case '"':
	case '?':
		return (char)byte;
	case '\a':
		return 'a';
	case '\b':
		return 'b';
	case 0x1b:
		return 'e';
	case '\f':
		return 'f';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	case '\v':
		return 'v';
	default:
		return byte < 0x20 || byte == 0x7f ? 'x' : 0;
	}
}

/* Nothing is to be escaped among printable ASCII but these. */
static inline bool is_plain(unsigned char byte)
{
	return byte >= 0x20 && byte < 0x7f && byte != '\\' && byte != '\'' && byte != '"' &&
	       byte != '?';
}

static char *put_number_of_byte(char *out, unsigned char byte)
{
	static const char digits[] = "0123456789abcdef";

	*out++ = '\\';
	*out++ = 'x';
	*out++ = digits[byte >> 4];
	*out++ = digits[byte & 15];
	return out;
}

/* @out: room for four times @length. @in_quotes: false for names, which show quotes as they are */
static char *put_escaped(char *out, const char *text, size_t length, bool in_quotes)
{
	size_t i;

	for (i = 0; i < length; i++) {
		const unsigned char byte = (unsigned char)text[i];
		char letter;

		if (__builtin_expect(is_plain(byte), 1)) {
			*out++ = (char)byte;
			continue;
		}
		letter = escape_of(byte);
		/* U+0080 to U+009F in UTF-8. */
		if (byte == 0xc2 && i + 1 < length && ((unsigned char)text[i + 1] & 0xe0) == 0x80) {
			out = put_number_of_byte(out, byte);
			out = put_number_of_byte(out, (unsigned char)text[++i]);
		} else if (letter == 0 || (!in_quotes && letter == (char)byte)) {
			*out++ = (char)byte;
		} else if (letter == 'x') {
			out = put_number_of_byte(out, byte);
		} else {
			*out++ = '\\';
			*out++ = letter;
		}
	}
	return out;
}

/* What comes before a field's value; room for it and @bytes more.  NULL: out of memory. */
static inline char *put_name(struct fields *fields, const char *name, size_t bytes)
{
	const size_t length = name ? strlen(name) : 0;
	char *out = strata_buffer_room(fields->buffer, length + bytes + STRATA_PUT_BYTES);
	const unsigned int depth = fields->depth;
	const uint64_t nr = fields->levels[depth].nr++;

	if (!out || depth == 0)
		return out;
	if (nr > 0)
		*out++ = ',';
	*out++ = ' ';
	if (name) {
		out = strata_put_bytes(out, name, length);
		return strata_put_bytes(out, " = ", 3);
	}
	if (fields->levels[depth].is_array) {
		*out++ = '[';
		out = strata_put_decimal(out, nr);
		return strata_put_bytes(out, "] = ", 4);
	}
	return out;
}

static char *put_base(char *out, const struct strata_ctf_type *type, uint64_t value)
{
	unsigned int round, bit;

	switch (type->base) {
	case 2:
		out = strata_put_bytes(out, "0b", 2);
		for (bit = type->bits; bit > 0; bit--)
			*out++ = value >> (bit - 1) & 1 ? '1' : '0';
		return out;
	case 8:
		/* A signed one's sign fills up to three bits. */
		round = (type->bits + 2u) / 3 * 3;
		if (type->is_signed && round < 64)
			value &= (1ull << round) - 1;
		return out + sprintf(out, "0%" PRIo64, value);
	case 16:
		round = (type->bits + 3u) & ~3u;
		if (round < 64)
			value &= (1ull << round) - 1;
		return out + sprintf(out, "0x%" PRIX64, value);
	default:
		return type->is_signed ? strata_put_signed(out, (int64_t)value)
				       : strata_put_decimal(out, value);
	}
}

/* All labels that fit a value, or that none does. */
static void put_labels(struct strata_buffer *buffer, const struct strata_ctf_type *type,
		       uint64_t value)
{
	const char *label = NULL;
	size_t at = 0;
	bool any = false;

	while ((label = strata_enum_next_label(type, value, &at))) {
		const size_t length = strlen(label);
		char *out = strata_buffer_room(buffer, 4 * length + 4);

		if (!out)
			return;
		if (any)
			out = strata_put_bytes(out, ", ", 2);
		any = true;
		*out++ = '"';
		out = put_escaped(out, label, length, true);
		*out++ = '"';
		strata_buffer_advance(buffer, out);
	}
	if (!any)
		strata_buffer_text(buffer, "<unknown>");
}

static void put_enum(struct fields *fields, const char *name, const struct strata_ctf_type *type,
		     uint64_t value)
{
	char *out = put_name(fields, name, 2);

	if (!out)
		return;
	strata_buffer_advance(fields->buffer, strata_put_bytes(out, "( ", 2));
	put_labels(fields->buffer, type, value);
	out = strata_buffer_room(fields->buffer, NUMBER_BYTES);
	if (!out)
		return;
	out = put_base(strata_put_text(out, " : container = "), type, value);
	strata_buffer_advance(fields->buffer, strata_put_bytes(out, " )", 2));
}

static void put_number(struct strata_field_visitor *visitor, const char *name,
		       const struct strata_ctf_type *type, uint64_t value)
{
	struct fields *fields = (struct fields *)visitor;
	char *out;

	if (type->kind == STRATA_CTF_ENUM) {
		put_enum(fields, name, type, value);
		return;
	}
	out = put_name(fields, name, NUMBER_BYTES);
	if (!out)
		return;
	if (type->kind == STRATA_CTF_FLOAT)
		out += snprintf(out, NUMBER_BYTES, "%g",
				strata_float_of_bits(value, type->bits == 32));
	else
		out = put_base(out, type, value);
	strata_buffer_advance(fields->buffer, out);
}

static void put_string(struct strata_field_visitor *visitor, const char *name, const char *text,
		       uint64_t length)
{
	struct fields *fields = (struct fields *)visitor;
	char *out = put_name(fields, name, 4 * length + 2);

	if (!out)
		return;
	*out++ = '"';
	out = put_escaped(out, text, length, true);
	*out++ = '"';
	strata_buffer_advance(fields->buffer, out);
}

static void put_begin(struct strata_field_visitor *visitor, const char *name,
		      const struct strata_ctf_type *type, uint64_t length)
{
	struct fields *fields = (struct fields *)visitor;
	const bool is_array = type->kind == STRATA_CTF_ARRAY || type->kind == STRATA_CTF_SEQUENCE;
	char *out = put_name(fields, name, 1);

	(void)length;
	fields->depth++;
	fields->levels[fields->depth].is_array = is_array;
	fields->levels[fields->depth].nr = 0;
	if (!out)
		return;
	*out++ = is_array ? '[' : '{';
	strata_buffer_advance(fields->buffer, out);
}

static void put_end(struct strata_field_visitor *visitor, const struct strata_ctf_type *type)
{
	struct fields *fields = (struct fields *)visitor;
	char *out = strata_buffer_room(fields->buffer, 2);

	fields->depth--;
	if (!out)
		return;
	*out++ = ' ';
	*out++ = type->kind == STRATA_CTF_ARRAY || type->kind == STRATA_CTF_SEQUENCE ? ']' : '}';
	strata_buffer_advance(fields->buffer, out);
}

static char *put_time(char *out, const struct text *text, struct strata_put_clock *clock,
		      const struct strata_shown_event *event)
{
	const uint64_t second = event->ns / 1000000000u;
	const struct strata_text_options *options = &text->options;

	if (options->seconds || !strata_put_clock_set(clock, second, options->gmt))
		return strata_put_seconds(out, event->ns);
	out = strata_put_bytes(out, clock->text + (options->date ? 0 : STRATA_PUT_DATE_BYTES),
			       STRATA_PUT_TIME_BYTES + (options->date ? STRATA_PUT_DATE_BYTES : 0));
	*out++ = '.';
	return strata_put_nine(out, (uint32_t)(event->ns - second * 1000000000u));
}

/* Time, delta, whose it is, and its name. */
static void put_heading(const struct text *text, struct strata_buffer *buffer,
			const struct strata_shown_event *event)
{
	const size_t prefix_bytes = text->prefix_bytes[event->source_index];
	const size_t name_bytes = strlen(event->name);
	char *out =
		strata_buffer_room(buffer, 4 * STRATA_PUT_BYTES + prefix_bytes + 4 * name_bytes);

	if (!out)
		return;
	if (event->has_time) {
		*out++ = '[';
		out = put_time(out, text, &buffer->clock, event);
		out = strata_put_bytes(out, "] (+", 4);
		if (event->is_first)
			out = strata_put_text(out, "?.?????????");
		else
			out = strata_put_seconds(out, event->ns - event->previous_ns);
		out = strata_put_bytes(out, ") ", 2);
	}
	out = strata_put_bytes(out, text->prefixes[event->source_index], prefix_bytes);
	out = put_escaped(out, event->name, name_bytes, false);
	strata_buffer_advance(buffer, strata_put_bytes(out, ": ", 2));
}

/* The fields of the event's packet are the same for many events. */
static void put_packet(struct fields *fields, const struct strata_shown_packet *packet)
{
	struct strata_buffer *buffer = fields->buffer, *memo = packet->memo;

	if (memo && memo->used == 0) {
		fields->buffer = memo;
		strata_shown_packet_visit(&fields->visitor, packet);
		fields->buffer = buffer;
		fields->depth = 0;
	}
	if (memo && !memo->no_memory)
		strata_buffer_put(buffer, memo->bytes, memo->used);
	else
		strata_shown_packet_visit(&fields->visitor, packet);
}

static void text_event(struct strata_event_writer *writer, struct strata_buffer *buffer,
		       const struct strata_shown_event *event)
{
	struct fields fields;
	struct strata_ctf_cursor cursor = event->cursor;
	bool any = false;
	size_t i;

	fields.visitor = (struct strata_field_visitor){
		.number = put_number,
		.text = put_string,
		.begin = put_begin,
		.end = put_end,
		.shows_variants = true,
	};
	fields.buffer = buffer;
	fields.levels[0].nr = 0;
	put_heading((struct text *)writer, buffer, event);
	if (event->packet.type) {
		fields.depth = 0;
		put_packet(&fields, &event->packet);
		any = true;
	}
	for (i = 0; i < STRATA_SHOWN_TYPES; i++) {
		if (!event->types[i])
			continue;
		if (any)
			strata_buffer_put(buffer, ", ", 2);
		any = true;
		fields.depth = 0;
		if (!strata_field_visit(&fields.visitor, NULL, event->types[i], &cursor))
			break;
	}
	strata_buffer_put(buffer, "\n", 1);
}

/* "host:process:(1234) "; NULL: out of memory. */
static char *make_prefix(const struct strata_shown_source *source)
{
	const size_t host = source->hostname ? strlen(source->hostname) : 0;
	const size_t process = source->procname ? strlen(source->procname) : 0;
	char *prefix = malloc(4 * (host + process) + 2 * STRATA_PUT_BYTES);
	char *out = prefix;

	if (!prefix)
		return NULL;
	if (source->hostname)
		out = put_escaped(out, source->hostname, host, false);
	if (source->procname) {
		if (out != prefix || source->hostname)
			*out++ = ':';
		out = put_escaped(out, source->procname, process, false);
	}
	if (source->has_vpid) {
		if (source->hostname || source->procname)
			*out++ = ':';
		*out++ = '(';
		out = strata_put_signed(out, source->vpid);
		*out++ = ')';
	}
	if (source->hostname || source->procname || source->has_vpid)
		*out++ = ' ';
	*out = '\0';
	return prefix;
}

static void text_begin(struct strata_event_writer *writer, struct strata_buffer *buffer,
		       const struct strata_shown_source *sources, size_t nr_sources)
{
	struct text *text = (struct text *)writer;

	tzset(); /* localtime_r() may not */
	text->prefixes = calloc(nr_sources + 1, sizeof(*text->prefixes));
	text->prefix_bytes = calloc(nr_sources + 1, sizeof(*text->prefix_bytes));
	buffer->no_memory |= !text->prefixes || !text->prefix_bytes;
	for (; !buffer->no_memory && text->nr_sources < nr_sources; text->nr_sources++) {
		char *prefix = make_prefix(&sources[text->nr_sources]);

		if (!prefix) {
			buffer->no_memory = true;
			break;
		}
		text->prefixes[text->nr_sources] = prefix;
		text->prefix_bytes[text->nr_sources] = strlen(prefix);
	}
}

static void text_free(struct strata_event_writer *writer)
{
	struct text *text = (struct text *)writer;
	size_t i;

	for (i = 0; i < text->nr_sources; i++)
		free(text->prefixes[i]);
	free(text->prefixes);
	free(text->prefix_bytes);
	free(text);
}

struct strata_event_writer *strata_text_babeltrace_new(const struct strata_text_options *options)
{
	struct text *text = calloc(1, sizeof(*text));

	if (!text)
		return NULL;
	text->writer.begin = text_begin;
	text->writer.event = text_event;
	text->writer.free = text_free;
	text->options = *options;
	return &text->writer;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* text_fields.c - see text_fields.h. */
#include "outputs/text/text_fields.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"

/* Size of the longest binary number, with its prefix and suffix. */
#define NUMBER_BYTES (64u + STRATA_PUT_BYTES)

/* The escape of a byte in a string; 0: none needed, 'x': by number. */
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

/* Bytes that need no escape: printable ASCII except " ' ? and backslash. */
static const bool is_plain[256] = { [' ' ... '!'] = true,
				    ['#' ... '&'] = true,
				    ['(' ... '>'] = true,
				    ['@' ... '['] = true,
				    [']' ... '~'] = true };

static char *put_number_of_byte(char *out, unsigned char byte)
{
	*out++ = '\\';
	*out++ = 'x';
	return strata_put_hex_byte(out, byte);
}

/* Escapes the character at text[*at], which is not plain, and advances. */
static char *escape_one(char *out, const char *text, size_t length, size_t *at, bool in_quotes)
{
	const unsigned char byte = (unsigned char)text[*at];
	const char letter = escape_of(byte);
	uint32_t code;
	size_t bytes = byte < 0x80 ? 0 : strata_utf8_read(text + *at, length - *at, &code);

	if (bytes && strata_is_unsafe(code)) {
		for (; bytes > 0; bytes--)
			out = put_number_of_byte(out, (unsigned char)text[(*at)++]);
		return out;
	}
	++*at;
	if (letter == 'x')
		return put_number_of_byte(out, byte);
	if (letter == 0 || (!in_quotes && letter == (char)byte)) {
		*out++ = (char)byte;
		return out;
	}
	*out++ = '\\';
	*out++ = letter;
	return out;
}

char *strata_text_escape(char *out, const char *text, size_t length, bool in_quotes)
{
	size_t at = 0;

	while (at < length) {
		if (__builtin_expect(is_plain[(unsigned char)text[at]], 1))
			*out++ = text[at++];
		else
			out = escape_one(out, text, length, &at, in_quotes);
	}
	return out;
}

/* Writes the start of a field; returns room for its value of @bytes. NULL: out of memory. */
static inline char *put_name(struct strata_text_fields *fields, const char *name, size_t bytes)
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
		/* A signed number is sign-extended to a multiple of three bits. */
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

/* Writes all labels that match a value, or that none does. */
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
		out = strata_text_escape(out, label, length, true);
		*out++ = '"';
		strata_buffer_advance(buffer, out);
	}
	if (!any)
		strata_buffer_text(buffer, "<unknown>");
}

static void put_enum(struct strata_text_fields *fields, const char *name,
		     const struct strata_ctf_type *type, uint64_t value)
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

/* Writes the names of all bits that are set, in babeltrace2's order: by bytes. */
static void put_flags(struct strata_buffer *buffer, const struct strata_ctf_type *type,
		      uint64_t value)
{
	const char *last = NULL;

	for (;;) {
		const char *flag, *next = NULL;
		size_t at = 0, length;
		char *out;

		while ((flag = strata_bit_map_next_flag(type, value, &at))) {
			if ((!last || strcmp(flag, last) > 0) && (!next || strcmp(flag, next) < 0))
				next = flag;
		}
		if (!next)
			break;
		length = strlen(next);
		out = strata_buffer_room(buffer, length + 6);
		if (!out)
			return;
		out = strata_put_text(out, last ? ", \"" : " { \"");
		out = strata_put_bytes(out, next, length);
		*out++ = '"';
		strata_buffer_advance(buffer, out);
		last = next;
	}
	if (last)
		strata_buffer_text(buffer, " }");
}

static void put_number(struct strata_field_visitor *visitor, const char *name,
		       const struct strata_ctf_type *type, uint64_t value)
{
	struct strata_text_fields *fields = (struct strata_text_fields *)visitor;
	char *out;

	if (strata_ctf_has_labels(type)) {
		put_enum(fields, name, type, value);
		return;
	}
	out = put_name(fields, name, NUMBER_BYTES);
	if (!out)
		return;
	if (type->is_bit_map) {
		strata_buffer_advance(fields->buffer, put_base(out, type, value));
		put_flags(fields->buffer, type, value);
		return;
	}
	if (type->is_bool)
		out = strata_put_text(out, value ? "true" : "false");
	else if (type->kind == STRATA_CTF_FLOAT)
		out += snprintf(out, NUMBER_BYTES, "%g",
				strata_float_of_bits(value, type->bits == 32));
	else
		out = put_base(out, type, value);
	strata_buffer_advance(fields->buffer, out);
}

static void put_string(struct strata_field_visitor *visitor, const char *name, const char *text,
		       uint64_t length)
{
	struct strata_text_fields *fields = (struct strata_text_fields *)visitor;
	char *out = put_name(fields, name, 4 * length + 2);

	if (!out)
		return;
	*out++ = '"';
	out = strata_text_escape(out, text, length, true);
	*out++ = '"';
	strata_buffer_advance(fields->buffer, out);
}

static void put_blob(struct strata_field_visitor *visitor, const char *name, const uint8_t *bytes,
		     uint64_t length)
{
	struct strata_text_fields *fields = (struct strata_text_fields *)visitor;
	char *out = put_name(fields, name, 3 * length + 3);
	uint64_t i;

	if (!out)
		return;
	out = strata_put_bytes(out, "{ ", 2);
	for (i = 0; i < length; i++) {
		out = strata_put_hex_byte(out, bytes[i]);
		*out++ = ' ';
	}
	*out++ = '}';
	strata_buffer_advance(fields->buffer, out);
}

static void put_none(struct strata_field_visitor *visitor, const char *name)
{
	struct strata_text_fields *fields = (struct strata_text_fields *)visitor;
	char *out = put_name(fields, name, STRATA_PUT_BYTES);

	if (out)
		strata_buffer_advance(fields->buffer, strata_put_text(out, "<none>"));
}

static void put_begin(struct strata_field_visitor *visitor, const char *name,
		      const struct strata_ctf_type *type, uint64_t length)
{
	struct strata_text_fields *fields = (struct strata_text_fields *)visitor;
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
	struct strata_text_fields *fields = (struct strata_text_fields *)visitor;
	char *out = strata_buffer_room(fields->buffer, 2);

	fields->depth--;
	if (!out)
		return;
	*out++ = ' ';
	*out++ = type->kind == STRATA_CTF_ARRAY || type->kind == STRATA_CTF_SEQUENCE ? ']' : '}';
	strata_buffer_advance(fields->buffer, out);
}

void strata_text_fields_init(struct strata_text_fields *fields, struct strata_buffer *buffer)
{
	fields->visitor = (struct strata_field_visitor){
		.number = put_number,
		.text = put_string,
		.blob = put_blob,
		.none = put_none,
		.begin = put_begin,
		.end = put_end,
		.shows_variants = true,
	};
	fields->buffer = buffer;
	fields->depth = 0;
	fields->levels[0].nr = 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* protobuf.c - see protobuf.h. */
#include "outputs/perfetto/protobuf.h"

#include "base/escape.h"

#define VARINT_BYTES 10u
#define LENGTH_BYTES 4u

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

static char *put_varint(char *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*out++ = (char)(value | 0x80);
	*out++ = (char)value;
	return out;
}

static char *put_key(char *out, uint32_t field, enum wire_type type)
{
	return put_varint(out, field << 3 | type);
}

void strata_protobuf_varint(struct strata_buffer *buffer, uint32_t field, uint64_t value)
{
	char *out = strata_buffer_room(buffer, 2 * VARINT_BYTES);

	if (out)
		strata_buffer_advance(buffer, put_varint(put_key(out, field, WIRE_VARINT), value));
}

void strata_protobuf_fixed(struct strata_buffer *buffer, uint32_t field, uint64_t value)
{
	const uint64_t bytes = htole64(value);
	char *out = strata_buffer_room(buffer, VARINT_BYTES + sizeof(bytes));

	if (!out)
		return;
	out = put_key(out, field, WIRE_FIXED64);
	memcpy(out, &bytes, sizeof(bytes));
	strata_buffer_advance(buffer, out + sizeof(bytes));
}

void strata_protobuf_double(struct strata_buffer *buffer, uint32_t field, double value)
{
	char *out = strata_buffer_room(buffer, VARINT_BYTES + sizeof(value));

	if (!out)
		return;
	out = put_key(out, field, WIRE_FIXED64);
	memcpy(out, &value, sizeof(value));
	strata_buffer_advance(buffer, out + sizeof(value));
}

/* Writes text as it may be in a trace, or only counts if @out is NULL. Returns its length. */
static size_t put_text(char *out, const char *text, size_t length)
{
	size_t i, bytes, used = 0;

	for (i = 0; i < length; i += bytes) {
		uint32_t code;
		char unicode[6];
		const char *from = text + i;
		size_t nr;

		nr = bytes = strata_utf8_read(from, length - i, &code);
		if (bytes == 0) {
			from = "?";
			nr = bytes = 1;
		} else if (strata_is_unsafe(code)) {
			nr = (size_t)(strata_put_unicode(unicode, code) - unicode);
			from = unicode;
		}
		if (out)
			memcpy(out + used, from, nr);
		used += nr;
	}
	return used;
}

static bool is_ascii(const char *text, size_t length)
{
	unsigned char all = 0;
	size_t i;

	for (i = 0; i < length; i++)
		all |= (unsigned char)text[i];
	return all < 0x80;
}

void strata_protobuf_text(struct strata_buffer *buffer, uint32_t field, const char *text,
			  size_t length)
{
	const bool as_it_is = is_ascii(text, length);
	const size_t written = as_it_is ? length : put_text(NULL, text, length);
	char *out = strata_buffer_room(buffer, 2 * VARINT_BYTES + written);

	if (!out)
		return;
	out = put_varint(put_key(out, field, WIRE_BYTES), written);
	if (as_it_is)
		memcpy(out, text, length);
	else
		put_text(out, text, length);
	strata_buffer_advance(buffer, out + written);
}

size_t strata_protobuf_begin(struct strata_buffer *buffer, uint32_t field)
{
	char *out = strata_buffer_room(buffer, VARINT_BYTES + LENGTH_BYTES);

	if (!out)
		return 0;
	out = put_key(out, field, WIRE_BYTES);
	strata_buffer_advance(buffer, out + LENGTH_BYTES);
	return buffer->used;
}

void strata_protobuf_end(struct strata_buffer *buffer, size_t begin)
{
	uint64_t length = buffer->used - begin;
	size_t i;

	if (buffer->no_memory)
		return;
	if (length > STRATA_PROTOBUF_MESSAGE_MAX) {
		buffer->used = begin;
		length = 0;
	}
	for (i = 0; i < LENGTH_BYTES; i++) {
		const uint8_t more = i + 1 < LENGTH_BYTES ? 0x80 : 0;

		buffer->bytes[begin - LENGTH_BYTES + i] = (char)((length & 0x7f) | more);
		length >>= 7;
	}
}

void strata_protobuf_message(struct strata_buffer *buffer, uint32_t field,
			     const struct strata_buffer *message)
{
	char *out = strata_buffer_room(buffer, 2 * VARINT_BYTES + message->used);

	buffer->no_memory |= message->no_memory;
	if (!out)
		return;
	out = put_varint(put_key(out, field, WIRE_BYTES), message->used);
	strata_buffer_advance(buffer, strata_put_bytes(out, message->bytes, message->used));
}

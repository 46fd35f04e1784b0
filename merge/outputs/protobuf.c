// SPDX-License-Identifier: GPL-2.0-or-later
/* protobuf.c - see protobuf.h. */
#include "outputs/protobuf.h"

#include "escape.h"

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

void strata_protobuf_double(struct strata_buffer *buffer, uint32_t field, double value)
{
	char *out = strata_buffer_room(buffer, VARINT_BYTES + sizeof(value));

	if (!out)
		return;
	out = put_key(out, field, WIRE_FIXED64);
	memcpy(out, &value, sizeof(value));
	strata_buffer_advance(buffer, out + sizeof(value));
}

void strata_protobuf_text(struct strata_buffer *buffer, uint32_t field, const char *text,
			  size_t length)
{
	char *out = strata_buffer_room(buffer, 2 * VARINT_BYTES + length);
	size_t i, bytes;

	if (!out)
		return;
	out = put_varint(put_key(out, field, WIRE_BYTES), length);
	for (i = 0; i < length; i += bytes) {
		bytes = strata_utf8_bytes(text + i, length - i);
		if (bytes)
			memcpy(out + i, text + i, bytes);
		else
			out[i] = '?';
		bytes += !bytes;
	}
	strata_buffer_advance(buffer, out + length);
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

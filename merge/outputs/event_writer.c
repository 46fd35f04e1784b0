// SPDX-License-Identifier: GPL-2.0-or-later
/* event_writer.c - see event_writer.h: the buffer, and the fields of packets. */
#include "outputs/event_writer.h"

#include <stdlib.h>

#define LEAST_ROOM 256u

char *strata_buffer_grow(struct strata_buffer *buffer, size_t bytes)
{
	size_t room = buffer->room < LEAST_ROOM ? LEAST_ROOM : buffer->room * 2;
	char *grown = NULL;

	if (room - buffer->used < bytes)
		room = bytes > SIZE_MAX / 2 - buffer->used ? 0 : buffer->used + bytes;
	/* After a failure nothing more is appended, so that the output has no hole. */
	if (!buffer->no_memory && room > 0)
		grown = realloc(buffer->bytes, room);
	if (!grown) {
		buffer->no_memory = true;
		return NULL;
	}
	buffer->bytes = grown;
	buffer->room = room;
	return buffer->bytes + buffer->used;
}

void strata_buffer_text(struct strata_buffer *buffer, const char *text)
{
	strata_buffer_put(buffer, text, strlen(text));
}

void strata_buffer_free(struct strata_buffer *buffer)
{
	free(buffer->bytes);
	memset(buffer, 0, sizeof(*buffer));
}

bool strata_shown_packet_visit(struct strata_field_visitor *visitor,
			       const struct strata_shown_packet *packet)
{
	struct strata_ctf_cursor cursor = packet->cursor;
	const struct strata_ctf_type *type = packet->type;
	size_t i;

	if (visitor->begin)
		visitor->begin(visitor, NULL, type, type->nr_fields - packet->first);
	for (i = packet->first; i < type->nr_fields; i++) {
		const struct strata_ctf_field *field = &type->fields[i];

		if (packet->hidden[i]
			    ? !strata_ctf_skip(&cursor, field->type)
			    : !strata_field_visit(visitor, field->name, field->type, &cursor))
			return false;
	}
	if (visitor->end)
		visitor->end(visitor, type);
	return true;
}

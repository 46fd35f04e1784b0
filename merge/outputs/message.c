// SPDX-License-Identifier: GPL-2.0-or-later
/* message.c - see message.h; message_value.c writes the single values. */
#include "outputs/message.h"

#include <strata/event.h>
#include <strata/ring_single.h>

#include "base/escape.h"
#include "outputs/message_value.h"

/* A call of strata_printf() has up to 12 arguments; an unpadded number has up to 64 characters. */
_Static_assert(STRATA_EVENT_FORMAT_BYTES + STRATA_SINGLE_BODY_MAX + STRATA_MESSAGE_PADDING_MAX +
			       12 * 64 <
		       STRATA_MESSAGE_BYTES_MAX,
	       "messages of libstrata are whole");

/* A message that is being written, from one field to the next. */
struct message {
	struct strata_field_visitor visitor;
	struct strata_message_text out;
	size_t start;   /* of the message in the buffer */
	const char *at; /* the rest of the format */
	/* The conversion before it that waits for a field. */
	struct strata_conversion conversion;
	bool waits;
};

static bool is_full(const struct message *message)
{
	return message->out.buffer->used - message->start > STRATA_MESSAGE_BYTES_MAX;
}

static void put_plain(struct message *message, const char *text, size_t length)
{
	if (!is_full(message))
		strata_buffer_put(message->out.buffer, text, length);
}

/* Writes a conversion without a value: a % for %%, any other as it is. */
static void put_conversion(struct message *message)
{
	const struct strata_conversion *conversion = &message->conversion;
	const bool is_percent = conversion->letter == '%' &&
				strata_conversion_is_complete(conversion);

	put_plain(message, conversion->text, is_percent ? 1 : conversion->bytes);
	message->waits = false;
}

/* Writes the text up to the next conversion that takes a field.  False: no conversion is left, or
 * the message is full. */
static bool find_conversion(struct message *message)
{
	while (*message->at && !is_full(message)) {
		const size_t plain = strcspn(message->at, "%");
		const char *end;

		put_plain(message, message->at, plain);
		message->at += plain;
		if (!*message->at)
			break;
		end = strata_conversion_read(message->at, &message->conversion);
		if (!end) {
			put_plain(message, message->at++, 1);
			continue;
		}
		message->at = end;
		if (!strata_conversion_is_complete(&message->conversion)) {
			message->waits = true;
			return true;
		}
		put_conversion(message);
	}
	return false;
}

static void take(struct message *message, const struct strata_message_value *value)
{
	if (!message->waits && !find_conversion(message))
		return;
	if (strata_conversion_take_star(&message->conversion, value)) {
		if (strata_conversion_is_complete(&message->conversion))
			put_conversion(message);
		return;
	}
	if (!is_full(message))
		strata_message_value_put(&message->out, &message->conversion, value);
	message->waits = false;
}

static void take_number(struct strata_field_visitor *visitor, const char *name,
			const struct strata_ctf_type *type, uint64_t number)
{
	const struct strata_message_value value = { .type = type, .number = number };

	(void)name;
	take((struct message *)visitor, &value);
}

static void take_text(struct strata_field_visitor *visitor, const char *name, const char *text,
		      uint64_t length)
{
	const struct strata_message_value value = { .text = text, .length = length };

	(void)name;
	take((struct message *)visitor, &value);
}

/* Cuts a message that is too long, before the character that crosses the limit. */
static void cut(struct message *message)
{
	struct strata_buffer *buffer = message->out.buffer;
	const char *text = buffer->bytes + message->start;
	size_t length = STRATA_MESSAGE_BYTES_MAX;

	while (length > STRATA_MESSAGE_BYTES_MAX - 4 && (text[length] & 0xc0) == 0x80)
		length--;
	buffer->used = message->start + length;
	strata_buffer_put(buffer, "...", 3);
}

/* Writes what is behind the last field. */
static void put_rest(struct message *message)
{
	do {
		if (message->waits)
			put_conversion(message);
	} while (find_conversion(message));
	if (is_full(message))
		cut(message);
}

/* Replaces the text from @start on by its escaped form. */
static void escape_from(struct strata_buffer *buffer, size_t start,
			strata_message_escape_fn *escape)
{
	const size_t length = buffer->used - start;
	char *room = strata_buffer_room(buffer, STRATA_MESSAGE_ESCAPED_MAX * length);
	const char *end;

	if (!room)
		return;
	end = escape(room, room - length, length);
	memmove(room - length, room, (size_t)(end - room));
	strata_buffer_advance(buffer, end - length);
}

bool strata_message_find(const struct strata_shown_event *event, struct strata_ctf_cursor *cursor)
{
	size_t i;

	*cursor = event->cursor;
	for (i = 0; event->format && i + 1 < STRATA_SHOWN_TYPES; i++)
		if (event->types[i] && !strata_ctf_skip(cursor, event->types[i]))
			return false;
	return event->format != NULL;
}

void strata_message_put(struct strata_buffer *buffer, const char *format,
			const struct strata_ctf_type *payload, struct strata_ctf_cursor cursor,
			strata_message_escape_fn *escape)
{
	struct message message = {
		.visitor = { .number = take_number, .text = take_text },
		.out = { buffer, STRATA_MESSAGE_PADDING_MAX },
		.start = buffer->used,
		.at = format,
	};

	/* Of an event that is cut short, the fields that are there appear. */
	if (payload)
		strata_field_visit(&message.visitor, NULL, payload, &cursor);
	put_rest(&message);
	escape_from(buffer, message.start, escape);
}

char *strata_message_escape(char *out, const char *text, size_t length)
{
	while (length) {
		const char *quote = memchr(text, '"', length);
		const size_t plain = quote ? (size_t)(quote - text) : length;

		out = strata_escape(out, text, plain);
		text += plain;
		length -= plain;
		if (!quote)
			break;
		*out++ = '"';
		text++;
		length--;
	}
	return out;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h - writes an event's message: its format, as an application gave it to strata_printf(),
 * with the fields that the event has.
 *
 * The format is hostile, and no printf() sees it. Each conversion takes the next field, whatever
 * the field's type: a number keeps its recorded size, and a value that the conversion cannot show
 * is shown by its own type: so is that of a letter without a meaning here. Width and precision are
 * bounded, and so are the padding of all conversions together and the whole message: records make
 * no text that fills a reader's disk. %n writes nothing. %m takes no field, and appears as it is;
 * so do conversions behind the last field. Fields behind the last conversion do not appear.
 */
#ifndef STRATA_MERGE_OUTPUTS_MESSAGE_H
#define STRATA_MERGE_OUTPUTS_MESSAGE_H

#include "outputs/event_writer.h"

#define STRATA_MESSAGE_WIDTH_MAX 255u /* of one conversion, and its precision's most */
/* Characters of padding in a message: spaces and zeros by width and precision, and what a floating
 * point number has beyond 64 characters. */
#define STRATA_MESSAGE_PADDING_MAX 256u
/* Of a message, before it is escaped; "..." follows a longer one.  No message of libstrata is. */
#define STRATA_MESSAGE_BYTES_MAX (4u << 10)

/* The most that an escape makes of one byte. */
#define STRATA_MESSAGE_ESCAPED_MAX 6u

/* Escapes @length bytes of text; @out has room.  Returns its end. */
typedef char *strata_message_escape_fn(char *out, const char *text, size_t length);

/* Escapes a message for people, as strata_escape() does, but quotes stay as they are. */
strata_message_escape_fn strata_message_escape;

/* Whether an event has a message.  @cursor: OUT, at its payload, behind the contexts' fields */
bool strata_message_find(const struct strata_shown_event *event, struct strata_ctf_cursor *cursor);

/*
 * Appends the message of an event.
 * @payload: the structure of its fields, NULL: it has none; @cursor is at the first
 * @escape:  for all of the message
 */
void strata_message_put(struct strata_buffer *buffer, const char *format,
			const struct strata_ctf_type *payload, struct strata_ctf_cursor cursor,
			strata_message_escape_fn *escape);

#endif /* STRATA_MERGE_OUTPUTS_MESSAGE_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named_field.h - a field of an event class by name: found once, then read from each event.
 *
 * The search order is the payload, the event's context, the stream's event context.
 */
#ifndef STRATA_MERGE_NAMED_FIELD_H
#define STRATA_MERGE_NAMED_FIELD_H

#include "ctf/types/ctf_types.h"
#include "ctf/values/ctf_plain.h"

/* All-zero: no field. */
struct strata_named_field {
	struct strata_ctf_plain plain;
	bool is_found;
	/* Length of a character array that is at a plain place; 0: anything else. */
	uint16_t text_bytes;
	struct strata_ctf_access access;
};

/*
 * Finds a field that has one of the names.
 * @names: separated by '|', the preferred one first; must outlive the field
 * Returns 1; 0: no such field; -1: out of memory.
 */
int strata_named_field_find(struct strata_named_field *field,
			    const struct strata_ctf_stream_class *stream,
			    const struct strata_ctf_event_class *event, const char *names,
			    struct strata_ctf_arena *arena);

/* Does the same as strata_named_field_number(), for any field. */
bool strata_named_field_any_number(const struct strata_named_field *field,
				   const struct strata_ctf_cursor *cursor, uint64_t *value);

/* Reads a number; a negative one as two's complement. @cursor: at the start of the event's
 * contexts. False: this event does not have the field. */
static inline bool strata_named_field_number(const struct strata_named_field *field,
					     const struct strata_ctf_cursor *cursor,
					     uint64_t *value)
{
	return field->plain.width ? strata_ctf_plain_read(&field->plain, cursor, value)
				  : strata_named_field_any_number(field, cursor, value);
}

/* Does the same as strata_named_field_text(), for any field. */
bool strata_named_field_any_text(const struct strata_named_field *field,
				 const struct strata_ctf_cursor *cursor, const char **text,
				 size_t *bytes);

/* Reads text in UTF-8. It points into the event: @bytes of any value, not terminated. */
static inline bool strata_named_field_text(const struct strata_named_field *field,
					   const struct strata_ctf_cursor *cursor,
					   const char **text, size_t *bytes)
{
	const uint64_t at = strata_ctf_plain_at(&field->plain, cursor);

	if (!field->text_bytes)
		return strata_named_field_any_text(field, cursor, text, bytes);
	if (at + 8u * field->text_bytes > cursor->end)
		return false;
	*text = (const char *)cursor->bytes + at / 8;
	*bytes = strnlen(*text, field->text_bytes);
	return true;
}

/* Whether the field is an array of @bytes characters at a plain place, which are these. */
static inline bool strata_named_field_is(const struct strata_named_field *field,
					 const struct strata_ctf_cursor *cursor, const char *text,
					 size_t bytes)
{
	const uint64_t at = strata_ctf_plain_at(&field->plain, cursor);

	return field->text_bytes == bytes && at + 8u * bytes <= cursor->end &&
	       memcmp(cursor->bytes + at / 8, text, bytes) == 0;
}

#endif /* STRATA_MERGE_NAMED_FIELD_H */

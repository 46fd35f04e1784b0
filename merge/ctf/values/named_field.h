/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named_field.h - a field of a class of events by its name: found once, then read from each event.
 *
 * It is looked for in the payload, then in the event's context, then in the context that all events
 * of the stream have.
 */
#ifndef STRATA_MERGE_NAMED_FIELD_H
#define STRATA_MERGE_NAMED_FIELD_H

#include "ctf/types/ctf_types.h"
#include "ctf/values/ctf_plain.h"

/* Zero-initialised: no field. */
struct strata_named_field {
	struct strata_ctf_plain plain;
	bool is_found;
	uint16_t text_bytes; /* of an array of so many at a plain place; 0: it is something else */
	struct strata_ctf_access access;
};

/*
 * Finds a field that has one of some names.
 * @names: with a '|' between them, the preferred one first; stays
 * 1; 0: there is none; -1: out of memory.
 */
int strata_named_field_find(struct strata_named_field *field,
			    const struct strata_ctf_stream_class *stream,
			    const struct strata_ctf_event_class *event, const char *names,
			    struct strata_ctf_arena *arena);

/* The same as strata_named_field_number() for any field. */
bool strata_named_field_any_number(const struct strata_named_field *field,
				   const struct strata_ctf_cursor *cursor, uint64_t *value);

/* Reads a number; a negative one as two's complement.  @cursor: where the event's contexts begin.
 * False: this event has none. */
static inline bool strata_named_field_number(const struct strata_named_field *field,
					     const struct strata_ctf_cursor *cursor,
					     uint64_t *value)
{
	return field->plain.width ? strata_ctf_plain_read(&field->plain, cursor, value)
				  : strata_named_field_any_number(field, cursor, value);
}

/* The same as strata_named_field_text() for any field. */
bool strata_named_field_any_text(const struct strata_named_field *field,
				 const struct strata_ctf_cursor *cursor, const char **text,
				 size_t *bytes);

/* Reads text in UTF-8, which stays in the event: @bytes of any value, ended by nothing. */
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

/* SPDX-License-Identifier: MIT */
/*
 * event.h - the typed description of an event class: the fields of its records.
 *
 * A writer sends tables of these, never text to be parsed. A reader checks each
 * description before use, derives the CTF metadata from it, and computes the length of
 * each record.
 *
 * Fields lie in order, each aligned to its own size but to no more than 4
 * bytes; every payload starts on a multiple of 4.  Two kinds of field have no
 * fixed length: a string ends with its zero byte, and a sequence is a 32-bit
 * number of elements, aligned to 4, before the elements, which are aligned as
 * any field is.  The next field is aligned from the end of these.
 *
 * An event may have a format, as printf() takes it: text in which each conversion stands for the
 * next field.  It lies behind the last field of the description, where the array of fields has
 * room.  It is as hostile as the rest: nobody passes it to printf().
 */
#ifndef STRATA_EVENT_H
#define STRATA_EVENT_H

#include <strata/log_level.h>
#include <strata/platform/platform.h>

#define STRATA_FIELD_NAME_BYTES   32u
#define STRATA_EVENT_NAME_BYTES   64u
#define STRATA_EVENT_GROUP_BYTES  32u
#define STRATA_EVENT_FIELDS_MAX   40u
#define STRATA_EVENT_FORMAT_BYTES 512u /* with its zero byte */

enum strata_field_kind {
	STRATA_FIELD_UNSIGNED = 1, /* shown in base 10 */
	STRATA_FIELD_SIGNED = 2,
	STRATA_FIELD_HEX = 3,    /* unsigned, shown in base 16 */
	STRATA_FIELD_TEXT = 4,   /* UTF-8; ends at the first zero byte if there is one */
	STRATA_FIELD_STRING = 5, /* UTF-8 of any length, and the zero byte that ends it */
	STRATA_FIELD_FLOAT = 6,  /* IEEE 754, of 4 or 8 bytes */
};

struct strata_field_desc {
	char name[STRATA_FIELD_NAME_BYTES]; /* zero-terminated; a C identifier */
	uint8_t kind;                       /* enum strata_field_kind */
	uint8_t bytes;                      /* of one element: 1, 2, 4 or 8 (text, string: 1) */
	uint16_t count; /* elements; 1 is a scalar, more an array, 0 a sequence (string: 1) */
};

struct strata_event_desc {
	uint32_t id;                          /* as in the record header */
	char name[STRATA_EVENT_NAME_BYTES];   /* zero-terminated; a C identifier */
	char group[STRATA_EVENT_GROUP_BYTES]; /* zero-terminated; a C identifier, or empty */
	uint8_t nr_fields;
	uint8_t level; /* enum strata_log_level; of applications' events */
	/* Of the format, with its zero byte; 0: none.  Only applications' events have one. */
	uint16_t format_bytes;
	struct strata_field_desc fields[STRATA_EVENT_FIELDS_MAX];
};

/* Bytes of a description up to the last of @nr_fields fields: its size in a table, if it has no
 * format. */
static inline uint32_t strata_event_desc_bytes(uint32_t nr_fields)
{
	return (uint32_t)(sizeof(struct strata_event_desc) -
			  (STRATA_EVENT_FIELDS_MAX - nr_fields) * sizeof(struct strata_field_desc));
}

/* Size of a description in a table: up to its last field, and the format. */
static inline uint32_t strata_event_packed_bytes(const struct strata_event_desc *event)
{
	return strata_event_desc_bytes(event->nr_fields) + event->format_bytes;
}

/* Whether a description has room for as many bytes of format as it says. */
static inline bool strata_event_format_fits(const struct strata_event_desc *event)
{
	return event->format_bytes <= STRATA_EVENT_FORMAT_BYTES &&
	       event->nr_fields <= STRATA_EVENT_FIELDS_MAX &&
	       strata_event_packed_bytes(event) <= sizeof(*event);
}

/* The format of a checked description; NULL: it has none. */
static inline const char *strata_event_format(const struct strata_event_desc *event)
{
	return event->format_bytes ? (const char *)event + strata_event_desc_bytes(event->nr_fields)
				   : NULL;
}

/*
 * Adds a format to a description that has all of its fields.
 * @format: @length bytes, none of them zero
 * Returns false if there is no room for it.
 */
static inline bool strata_event_set_format(struct strata_event_desc *event, const char *format,
					   size_t length)
{
	char *to = (char *)event + strata_event_desc_bytes(event->nr_fields);

	if (length >= STRATA_EVENT_FORMAT_BYTES ||
	    strata_event_desc_bytes(event->nr_fields) + length >= sizeof(*event))
		return false;
	event->format_bytes = (uint16_t)(length + 1);
	strata_copy(to, format, (uint32_t)length);
	to[length] = '\0';
	return true;
}

/* Offset of a field of @bytes that follows @offset bytes of payload. */
static inline uint32_t strata_field_align(uint32_t offset, uint32_t bytes)
{
	uint32_t align = bytes > 4u ? 4u : bytes;

	return (offset + align - 1u) & ~(align - 1u);
}

static inline bool strata_field_is_variable(const struct strata_field_desc *field)
{
	return field->kind == STRATA_FIELD_STRING || field->count == 0;
}

/* The index of the first field of variable length; nr_fields: the length is fixed. */
static inline unsigned int strata_event_first_variable(const struct strata_event_desc *event)
{
	unsigned int i = 0;

	while (i < event->nr_fields && !strata_field_is_variable(&event->fields[i]))
		i++;
	return i;
}

/* Where the first @nr fields of the payload end; all of them have a fixed length.  @event has been
 * checked. */
static inline uint32_t strata_event_fields_end(const struct strata_event_desc *event,
					       unsigned int nr)
{
	uint32_t offset = 0;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct strata_field_desc *field = &event->fields[i];

		offset = strata_field_align(offset, field->bytes);
		offset += (uint32_t)field->bytes * field->count;
	}
	return offset;
}

/*
 * Bytes of the payload that @event describes, up to its first field of variable
 * length: without such a field, all of it, unpadded.  @event has been checked.
 */
static inline uint32_t strata_event_payload_bytes(const struct strata_event_desc *event)
{
	return strata_event_fields_end(event, strata_event_first_variable(event));
}

/* Where the elements of a field lie in a payload. */
struct strata_field_place {
	uint32_t offset; /* of the first; a string's text */
	uint32_t count;  /* elements; a string's bytes, without the zero byte */
};

/*
 * Finds a field in a payload that may hold anything.
 * @payload: @available readable bytes
 * @offset:  IN/OUT, end of the field before it; then its own end
 * @place:   OUT
 * Returns false if the field runs over the end.
 */
static inline bool strata_field_find(const struct strata_field_desc *field,
				     const unsigned char *payload, uint32_t available,
				     uint32_t *offset, struct strata_field_place *place)
{
	uint64_t at = *offset;

	place->count = field->count;
	if (field->kind == STRATA_FIELD_STRING) {
		place->offset = *offset;
		while (at < available && payload[at])
			at++;
		place->count = (uint32_t)(at - *offset);
		*offset = (uint32_t)at + 1u;
		return at < available;
	}
	if (field->count == 0) {
		at = strata_field_align((uint32_t)at, 4);
		if (at + 4u > available)
			return false;
		strata_copy(&place->count, payload + at, 4);
		at += 4u;
	}
	at = strata_field_align((uint32_t)at, field->bytes);
	place->offset = (uint32_t)at;
	at += (uint64_t)place->count * field->bytes;
	*offset = (uint32_t)at;
	return at <= available;
}

#endif /* STRATA_EVENT_H */

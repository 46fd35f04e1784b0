/* SPDX-License-Identifier: MIT */
/*
 * event.h - the typed description of an event: what its records carry.
 *
 * A writer sends tables of these, never text that somebody would parse; a
 * reader checks each one before use, makes the CTF metadata from them and knows
 * from them how long each record must be.
 *
 * Fields lie in order, each aligned to its own size but to no more than 4
 * bytes; every payload starts on a multiple of 4.
 */
#ifndef STRATA_EVENT_H
#define STRATA_EVENT_H

#include <strata/platform/platform.h>

#define STRATA_FIELD_NAME_BYTES 24u
#define STRATA_EVENT_NAME_BYTES 40u
#define STRATA_EVENT_FIELDS_MAX 12u

enum strata_field_kind {
	STRATA_FIELD_UNSIGNED = 1, /* shown in base 10 */
	STRATA_FIELD_SIGNED = 2,
	STRATA_FIELD_HEX = 3, /* unsigned, shown in base 16 */
	STRATA_FIELD_TEXT =
		4, /* UTF-8, `count` bytes, ends at the first zero byte if there is one */
};

struct strata_field_desc {
	char name[STRATA_FIELD_NAME_BYTES]; /* zero-terminated; a C identifier */
	uint8_t kind;                       /* enum strata_field_kind */
	uint8_t bytes;                      /* of one element: 1, 2, 4 or 8 (text: 1) */
	uint16_t count;                     /* elements; 1 is a scalar, more an array */
};

struct strata_event_desc {
	uint32_t id;                        /* as in the record header */
	char name[STRATA_EVENT_NAME_BYTES]; /* zero-terminated; a C identifier */
	uint8_t nr_fields;
	uint8_t reserved[3];
	struct strata_field_desc fields[STRATA_EVENT_FIELDS_MAX];
};

/* Where a field of @bytes goes that follows @offset bytes of payload. */
static inline uint32_t strata_field_align(uint32_t offset, uint32_t bytes)
{
	uint32_t align = bytes > 4u ? 4u : bytes;

	return (offset + align - 1u) & ~(align - 1u);
}

/* Bytes of the payload that @event describes, unpadded.  @event has been checked. */
static inline uint32_t strata_event_payload_bytes(const struct strata_event_desc *event)
{
	uint32_t offset = 0;
	unsigned int i;

	for (i = 0; i < event->nr_fields; i++) {
		const struct strata_field_desc *field = &event->fields[i];

		offset = strata_field_align(offset, field->bytes);
		offset += (uint32_t)field->bytes * field->count;
	}
	return offset;
}

#endif /* STRATA_EVENT_H */

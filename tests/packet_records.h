/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet_records.h - steps through the records of a packet of a recording: for tests, which compare
 * what is in a file with what was written, without the engine that they test. */
#ifndef STRATA_TESTS_PACKET_RECORDS_H
#define STRATA_TESTS_PACKET_RECORDS_H

#include <strata/packet.h>

#include "recording/recording.h"

/* One record of a packet that has been checked. */
struct strata_record {
	const struct strata_event_desc *event;
	uint64_t ticks;
	const uint8_t *context; /* laid out as strata_layer_context() says */
	const uint8_t *payload; /* laid out as the event says */
	uint32_t payload_bytes; /* without the padding behind it */
};

/*
 * Steps through a packet that has passed the check.
 * @offset: IN/OUT, begins as STRATA_PACKET_HEADER_BYTES
 * @record: IN: the record before, against whose time a short header is read; OUT
 * False: no more records.
 */
static inline bool strata_packet_next(struct strata_source *source, const void *bytes,
				      const struct strata_packet *packet, size_t *offset,
				      struct strata_record *record)
{
	const uint32_t context_bytes =
		(strata_event_payload_bytes(strata_layer_context(source->layer)) + 3u) & ~3u;
	const uint8_t *at = (const uint8_t *)bytes + *offset;
	const struct strata_event_shape *shape;
	uint32_t id, head;
	int64_t length;

	if (*offset >= packet->content_bytes)
		return false;
	if (*offset == STRATA_PACKET_HEADER_BYTES)
		record->ticks = packet->begin_ticks;
	head = strata_header_read(source->form, at, packet->content_bytes - (uint32_t)*offset,
				  record->ticks, &id, &record->ticks);
	/* An id of Xen's own trace points may be added to the table. */
	if (head && !source->by_number)
		strata_source_event(source, id);
	shape = head ? strata_source_record_shape(source, id) : NULL;
	if (!shape)
		return false;
	record->event = strata_shape_event(source, shape);
	record->context = at + head;
	record->payload = record->context + context_bytes;
	length = strata_payload_length(source, shape, record->payload,
				       packet->content_bytes - (uint32_t)*offset - head -
					       context_bytes);
	if (length < 0)
		return false;
	record->payload_bytes = (uint32_t)length;
	*offset = (*offset + head + context_bytes + record->payload_bytes + 3u) & ~(size_t)3u;
	return true;
}

#endif /* STRATA_TESTS_PACKET_RECORDS_H */

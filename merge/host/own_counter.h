/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_counter.h - returns the readings of a stream's own counter, as they were before the reader
 * converted them, by reading the events' headers once more.
 */
#ifndef STRATA_MERGE_OWN_COUNTER_H
#define STRATA_MERGE_OWN_COUNTER_H

#include "ctf/reader/ctf_reader.h"

/* For one stream, all of whose events are read in order.  Zero-initialised is before the first. */
struct strata_own_counter {
	bool in_packet;
	uint64_t packet_offset;
	uint64_t reading;
};

/* Returns the reading of the next event.  @reader: of the stream, as observers receive it */
static inline uint64_t strata_own_counter_read(struct strata_own_counter *counter,
					       struct strata_ctf_reader *reader,
					       const struct strata_lane_event *event)
{
	struct strata_ctf_cursor cursor = {
		.bytes = reader->base,
		.at = event->head,
		.end = event->end,
		.slots = reader->slots,
	};
	uint64_t clock = counter->reading, id;

	if (!counter->in_packet || counter->packet_offset != reader->packet.offset) {
		counter->in_packet = true;
		counter->packet_offset = reader->packet.offset;
		if (reader->packet.has_begin)
			clock = reader->packet.begin;
	}
	if (strata_ctf_header_read(&reader->kind->header, &cursor, &clock, &id) &&
	    clock <= reader->clock_limit)
		counter->reading = clock;
	return counter->reading;
}

#endif /* STRATA_MERGE_OWN_COUNTER_H */

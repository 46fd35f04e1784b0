/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_state.h - what merge_open.c sets up and merger.c runs on; nobody else's. */
#ifndef STRATA_MERGE_MERGE_STATE_H
#define STRATA_MERGE_MERGE_STATE_H

#include "merger.h"
#include "packet_reader.h"
#include "stream_clock.h"
#include "xen_scan.h"

#define STRATA_DOMAINS 65536u

struct merge_stream {
	struct strata_merge_stream seen; /* what outputs see */
	struct strata_packet_reader reader;
	struct strata_stream_clock clock; /* of a kernel or an application */
	struct strata_vcpu *vcpu;         /* likewise */
	int64_t shift_ticks;

	struct strata_loss loss; /* what is missing before that event, and is not told yet */
	bool has_loss;

	/* The event that is next in this stream. */
	size_t offset;
	struct strata_record record;
	const struct strata_event_class *class;
	uint64_t ticks; /* of the host */
	uint64_t bound; /* ticks by which that may be off, */
	bool sure;      /* unless a record that tells is missing */
};

struct strata_merge {
	struct strata_merge_options options;
	struct strata_recording recording;
	struct strata_timebase timebase;
	struct strata_xen_scan scan;
	struct strata_order_check *check;
	struct strata_event_classes *classes; /* of each source */
	uint32_t nr_classes;
	const char **domain_names; /* STRATA_DOMAINS; NULL where there is none */

	struct merge_stream *streams; /* ties are decided by their order */
	size_t nr_streams;
	struct merge_stream **heap; /* the least next event first */
	size_t nr_heap;

	uint64_t bytes_total;
	uint64_t began_ns; /* the first event that counts for the duration; 0: none yet */
	struct strata_merge_result result;
};

/* Notes in the stream what is missing before the current packet's end; several such packets may
 * come without an event. */
void merge_note_loss(const struct strata_merge *merge, struct merge_stream *stream);

/* Notes what the recording's table knows of, and no packet tells: it was lost behind the last one.
 */
void merge_note_end_loss(const struct strata_merge *merge, struct merge_stream *stream);

/* Ticks moved by a signed number, held to what 64 bits can be. */
static inline uint64_t shifted_ticks(uint64_t ticks, int64_t shift)
{
	uint64_t distance = shift < 0 ? -(uint64_t)shift : (uint64_t)shift;

	if (shift < 0)
		return ticks < distance ? 0 : ticks - distance;
	return ticks > UINT64_MAX - distance ? UINT64_MAX : ticks + distance;
}

#endif /* STRATA_MERGE_MERGE_STATE_H */

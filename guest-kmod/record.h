/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.h - how a probe writes one record:
 *
 *	struct strata_open_record record;
 *	struct strata_payload_NAME *payload = strata_record_begin(&record, NAME);
 *
 *	if (!payload)
 *		return;
 *	... fill in every field ...
 *	strata_record_end(&record);
 *
 * In between, the slot is held: no lock, no allocation, no sleep, no fault.
 *
 * The kernel runs probes with preemption off, in any context; so a probe stays
 * on its CPU, and stop waits for it with tracepoint_synchronize_unregister().
 */
#ifndef STRATA_KMOD_RECORD_H
#define STRATA_KMOD_RECORD_H

#include <linux/sched.h>

#include "buffers.h"
#include "events.h"
#include "notify.h"

struct strata_open_record {
	struct strata_ring *ring;
	struct strata_slot slot;
};

/* Reserves a slot and fills in the context.  NULL: the record is lost, and was counted. */
static __always_inline void *strata_record_reserve(struct strata_open_record *record,
						   enum strata_event_id id, u32 payload_bytes)
{
	struct strata_ring *ring = this_cpu_read(strata_cpu_ring);
	struct strata_guest_context *context;

	if (unlikely(!strata_ring_enter(ring)))
		return NULL;
	if (unlikely(!strata_ring_reserve(ring, id, payload_bytes, &record->slot))) {
		strata_ring_exit(ring);
		return NULL;
	}
	record->ring = ring;
	context = (struct strata_guest_context *)record->slot.payload;
	context->tid = current->pid;
	return context;
}

/* The payload of event @name to be filled in, or NULL. */
#define strata_record_begin(record, name)                       \
	((struct strata_payload_##name *)strata_record_reserve( \
		(record), STRATA_EVENT_##name, sizeof(struct strata_payload_##name)))

static __always_inline void strata_record_end(struct strata_open_record *record)
{
	strata_ring_commit(record->ring, &record->slot);
	strata_ring_exit(record->ring);
	strata_notify_if_delivered(record->ring);
}

#endif /* STRATA_KMOD_RECORD_H */

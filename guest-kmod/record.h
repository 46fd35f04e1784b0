/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.h - how a probe writes one record:
 *
 *	struct strata_open_record record __uninitialized;
 *
 *	if (!strata_filter_passes() || !strata_record_begin(&record, event->id, bytes))
 *		return;
 *	... fill in all of record.payload ...
 *	strata_record_end(&record);
 *
 * In between, the slot is held: no lock, no allocation, no sleep, no fault.
 *
 * The kernel runs probes with preemption off, in any context; so a probe stays
 * on its CPU, and stop waits for it with tracepoint_synchronize_unregister().  A
 * probe that is reached from within a probe records too, down to the nesting that
 * strata_ring_enter() allows; deeper ones are counted as lost.
 */
#ifndef STRATA_KMOD_RECORD_H
#define STRATA_KMOD_RECORD_H

#include <linux/sched.h>

#include <strata/abi/guest.h>

#include "buffers.h"
#include "filter.h"
#include "notify.h"

/* Declare it __uninitialized: strata_record_begin() fills it in, and a kernel that zeroes all
 * variables would store zeros to the stack for each event. */
struct strata_open_record {
	struct strata_ring *ring;
	struct strata_slot slot;
	void *payload; /* behind the context */
};

/* Out of line: there are many probes. */
static __maybe_unused noinline bool strata_record_reserve_any(struct strata_ring *ring, u32 id,
							      u32 bytes, struct strata_slot *slot)
{
	return strata_ring_reserve(ring, id, bytes, slot);
}

/*
 * Reserves inline where the length is a constant and the header full: then the compiler computes
 * most of it, and keeps the slot in registers.
 */
static __always_inline bool strata_record_reserve(struct strata_ring *ring, u32 id, u32 bytes,
						  struct strata_slot *slot)
{
	struct strata_slot other __uninitialized;

	if (__builtin_constant_p(bytes) && bytes <= STRATA_PAYLOAD_BYTES_MAX &&
	    likely(ring->form == STRATA_HEADER_FULL) &&
	    likely(strata_ring_try(ring, STRATA_HEADER_FULL, id, strata_padded_bytes(bytes), NULL,
				   slot)))
		return true;
	if (unlikely(!strata_record_reserve_any(ring, id, bytes, &other)))
		return false;
	*slot = other;
	return true;
}

/* Reserves a slot and fills in the context.  The payload has @bytes to be filled in, at a multiple
 * of 4.  False: the record is lost, and was counted. */
static __always_inline bool strata_record_begin(struct strata_open_record *record, u32 id,
						u32 bytes)
{
	struct strata_ring *ring = this_cpu_read(strata_cpu_ring);
	struct strata_guest_context *context;

	if (unlikely(!strata_ring_enter(ring)))
		return false;
	if (unlikely(!strata_record_reserve(ring, id, sizeof(*context) + bytes, &record->slot))) {
		strata_ring_exit(ring);
		return false;
	}
	record->ring = ring;
	context = (struct strata_guest_context *)record->slot.payload;
	context->tid = current->pid;
	record->payload = context + 1;
	return true;
}

static __always_inline void strata_record_end(struct strata_open_record *record)
{
	strata_ring_commit(record->ring, &record->slot);
	strata_ring_exit(record->ring);
	strata_notify_if_delivered(record->ring);
}

/* Counts @nr records that were lost before a probe could see them.  May sleep. */
static inline void strata_record_missed(unsigned long nr)
{
	for (; nr > 0; nr--) {
		preempt_disable();
		strata_ring_count_lost(this_cpu_read(strata_cpu_ring), STRATA_LOST_NESTED);
		preempt_enable();
		cond_resched();
	}
}

#endif /* STRATA_KMOD_RECORD_H */

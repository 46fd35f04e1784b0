/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.h - how a probe writes one record:
 *
 *	struct strata_open_record record __uninitialized;
 *
 *	channels = strata_event_channels(event);
 *	if (!strata_probe_enter(channels))
 *		return;
 *	ticks = strata_clock();
 *	strata_for_each_channel (channel, channels) {
 *		if (!strata_record_begin(&record, channel, event->id, bytes, ticks))
 *			continue;
 *		... fill in all of record.payload ...
 *		strata_record_end(&record);
 *	}
 *	strata_probe_exit();
 *
 * (assembled.h says what is done with channels whose field filter decides, or that have contexts.)
 * In between, the slot is held: no lock, no allocation, no sleep, no fault.
 *
 * Probes run with preemption off, in any context; so a probe stays
 * on its CPU, and stop waits for it with strata_await_probes() (probe_cpu.h).  A
 * probe that is reached from within a probe records too, down to STRATA_RING_NESTING_MAX;
 * deeper ones are counted as lost.
 */
#ifndef STRATA_KMOD_RECORD_H
#define STRATA_KMOD_RECORD_H

#include <linux/sched.h>

#include <strata/abi/guest.h>

#include "aggregate.h"
#include "buffers.h"
#include "events.h"
#include "filter.h"
#include "notify.h"
#include "probe_cpu.h"

/* Counts an event that is lost because probes nest too deep, also where it would have been
 * assembled. */
static __maybe_unused noinline __cold void strata_probe_too_deep(unsigned long channels)
{
	unsigned long channel;

	channels = (channels | channels >> STRATA_ASKED_SHIFT) & (BIT(STRATA_ASKED_SHIFT) - 1);
	strata_for_each_channel (channel, channels) {
		if (strata_aggregates[channel])
			strata_aggregate_missed(channel, 1);
		else
			strata_ring_count_lost(this_cpu_read(strata_cpu_rings.ring[channel]),
					       STRATA_LOST_NESTED);
	}
}

static __always_inline void strata_probe_exit(void)
{
	this_cpu_dec(strata_cpu_rings.nesting);
}

/* Begins to record an event in @channels; strata_probe_exit() ends it.  False: it is lost, and was
 * counted. */
static __always_inline bool strata_probe_enter(unsigned long channels)
{
	this_cpu_inc(strata_cpu_rings.nesting);
	if (likely(this_cpu_read(strata_cpu_rings.nesting) <= STRATA_RING_NESTING_MAX))
		return true;
	strata_probe_too_deep(channels);
	strata_probe_exit();
	return false;
}

/* Declare it __uninitialized: strata_record_begin() fills it in, and a kernel that zeroes all
 * variables would store zeros to the stack for each event. */
struct strata_open_record {
	struct strata_ring *ring;
	struct strata_slot slot;
	void *payload; /* behind the context */
};

/* Out of line: there are many probes. */
static __maybe_unused noinline bool strata_record_reserve_any(struct strata_ring *ring, u32 id,
							      u32 bytes, u64 ticks,
							      struct strata_slot *slot)
{
	if (ring->form == STRATA_HEADER_FULL && bytes <= STRATA_PAYLOAD_BYTES_MAX)
		return strata_ring_reserve_at(ring, id, bytes, ticks, slot);
	return strata_ring_reserve(ring, id, bytes, slot);
}

/*
 * Reserves inline where the length is a constant and the header full: then the compiler computes
 * most of it, and keeps the slot in registers.
 */
static __always_inline bool strata_record_reserve(struct strata_ring *ring, u32 id, u32 bytes,
						  u64 ticks, struct strata_slot *slot)
{
	struct strata_slot other __uninitialized;

	if (__builtin_constant_p(bytes) && bytes <= STRATA_PAYLOAD_BYTES_MAX &&
	    likely(ring->form == STRATA_HEADER_FULL) &&
	    likely(strata_ring_try_at(ring, id, bytes, ticks, slot)))
		return true;
	if (unlikely(!strata_record_reserve_any(ring, id, bytes, ticks, &other)))
		return false;
	*slot = other;
	return true;
}

/* Reserves a slot and fills in the context.  The payload has @bytes to be filled in, at a multiple
 * of 4.  @ticks: the clock, read once for all channels before the first of these calls.  False: the
 * record is lost, and was counted. */
static __always_inline bool strata_record_begin(struct strata_open_record *record,
						unsigned long channel, u32 id, u32 bytes, u64 ticks)
{
	struct strata_ring *ring = this_cpu_read(strata_cpu_rings.ring[channel]);
	struct strata_guest_context *context;

	if (unlikely(!strata_record_reserve(ring, id, sizeof(*context) + bytes, ticks,
					    &record->slot)))
		return false;
	record->ring = ring;
	context = (struct strata_guest_context *)record->slot.payload;
	context->tid = current->pid;
	record->payload = context + 1;
	return true;
}

static __always_inline void strata_record_end(struct strata_open_record *record)
{
	strata_ring_commit(record->ring, &record->slot);
	strata_notify_if_delivered(record->ring);
}

/* Counts @nr records of a channel that were lost before a probe could see them.  May sleep. */
static inline void strata_record_missed(unsigned int channel, unsigned long nr)
{
	if (strata_aggregates[channel]) {
		strata_aggregate_missed(channel, nr);
		return;
	}
	for (; nr > 0; nr--) {
		preempt_disable();
		strata_ring_count_lost(this_cpu_read(strata_cpu_rings.ring[channel]),
				       STRATA_LOST_NESTED);
		preempt_enable();
		cond_resched();
	}
}

#endif /* STRATA_KMOD_RECORD_H */

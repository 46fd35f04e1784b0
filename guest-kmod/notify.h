/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * notify.h - tells domain 0 that a sub-buffer became ready.
 */
#ifndef STRATA_KMOD_NOTIFY_H
#define STRATA_KMOD_NOTIFY_H

#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <xen/interface/event_channel.h>

#include <strata/ring_writer.h>

DECLARE_PER_CPU(struct irq_work, strata_notify_work);

/* Once, before the rest. */
void strata_notify_init(void);

/* Makes an event channel for a new channel, which domain 0 can bind to.  Returns its port or a
 * negative error. */
int strata_notify_open(unsigned int channel);

/*
 * After a suspend: whether the event channel of channel 0 still exists. In a restored domain none
 * does.  Any context.
 */
bool strata_notify_survived(void);

/* Forgets all event channels, which did not survive, and makes another for channel 0; returns as
 * strata_notify_open(). */
int strata_notify_renew(void);

/* Closes it.  The channel has no rings any more.  May sleep. */
void strata_notify_close(unsigned int channel);

/* Whether @ring has completed a sub-buffer since the last call for which a reader waits. No reader
 * waits for a flight recorder, which is read on demand. */
static __always_inline bool strata_notify_due(struct strata_ring *ring)
{
	if (likely(!READ_ONCE(ring->delivered)))
		return false;
	/* Clear first: a probe that delivers in an interrupt after this queues its own event. */
	WRITE_ONCE(ring->delivered, false);
	return !READ_ONCE(ring->overwrite);
}

/*
 * After a commit or a flush of this CPU's ring: if it completed a sub-buffer,
 * has the event sent soon, from an interrupt of this CPU.  Any context, NMI
 * included, with preemption off.
 */
static __always_inline void strata_notify_if_delivered(struct strata_ring *ring)
{
	if (strata_notify_due(ring))
		irq_work_queue(this_cpu_ptr(&strata_notify_work));
}

/*
 * Likewise, but sends it immediately, by a hypercall: for flushes outside of probes,
 * where an interrupt would be one too many.  Any context but NMI.
 */
void strata_notify_now(unsigned int channel, struct strata_ring *ring);

#endif /* STRATA_KMOD_NOTIFY_H */

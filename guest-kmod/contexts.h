/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * contexts.h - the contexts that a channel's records have besides the thread's number
 * (strata/abi/guest_context.h): name and process of the task, its call stacks, performance
 * counters (counters.h), and so on.
 *
 * A channel with contexts has its events assembled (assembled.h); the probes of others do not look
 * at them.
 */
#ifndef STRATA_KMOD_CONTEXTS_H
#define STRATA_KMOD_CONTEXTS_H

#include <linux/types.h>

#include <strata/abi/guest.h>

/* Of each channel, a bit for each context.  Changes only while no probe writes to the channel. */
extern u32 strata_contexts[STRATA_GUEST_CHANNELS_MAX];

/*
 * Writes contexts of the task that runs on this CPU, and of the place that it is at.
 * @channel: whose counters they have
 * @contexts: a set of them
 * @to: STRATA_CONTEXTS_BYTES_MAX bytes, at a multiple of 4
 * @room: of these, how many the record has room for; stacks are cut to fit
 * @nested: the probe was reached from within another one
 * Returns the bytes that it wrote, a multiple of 4; more than @room if the contexts of fixed length
 * alone do not fit.  In a probe, in any context, preemption off: it takes no lock, and does not
 * fault.
 */
u32 strata_contexts_write(unsigned int channel, u32 contexts, void *to, u32 room, bool nested);

#endif /* STRATA_KMOD_CONTEXTS_H */

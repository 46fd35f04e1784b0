/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * events.h - the list of events that this kernel can record.  An event's index is its
 * record id and its bit of the command's MASK.
 *
 * The module enters trace points when it loads (tracepoints.c), then its own events
 * (evtchn.c), and later those that domain 0 asks for (probes.c); no event leaves
 * while the module is loaded.
 */
#ifndef STRATA_KMOD_EVENTS_H
#define STRATA_KMOD_EVENTS_H

#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/barrier.h>

#include <strata/abi/guest.h>

/* An event.  Its maker embeds it, or gives it static storage. */
struct strata_event {
	const char *name;
	const char *group;
	/* As the kernel orders them; in a payload those of variable length come last. */
	const struct strata_field_desc *fields;
	u32 nr_fields;
	/* All are called one at a time and may sleep.  attach(): 0 or a negative error. */
	int (*attach)(struct strata_event *event);
	void (*detach)(struct strata_event *event);
	/* NULL, or: how many events were missed, before a probe could see them, since the last call
	 * or since it was attached. */
	unsigned long (*missed)(struct strata_event *event);
	u32 id;
	unsigned long channels; /* bit n: channel n selects it; it is attached while any does */
	unsigned long only;     /* the same where one channel selects it; else 0 */
};

/* Bit n: channel n records, and has neither a filter nor contexts.  Shifted by
 * STRATA_STARTED_SHIFT: it records. Control sets and clears both by one store. */
extern unsigned long strata_gate;
#define STRATA_STARTED_SHIFT STRATA_GUEST_CHANNELS_MAX

/*
 * The channel that records an event now, if it is the only one that selects it and has neither a
 * filter nor contexts; else none, and strata_event_channels() says more.  Any context; a probe,
 * with preemption off, writes to no others.
 */
static __always_inline unsigned long strata_event_only(const struct strata_event *event)
{
	/* Acquire, and before the gate: pairs with the release in set_channels() of events.c. */
	const unsigned long only = smp_load_acquire(&event->only);

	return only & READ_ONCE(strata_gate);
}

/* Takes each channel out of the set @channels, lowest first. */
#define strata_for_each_channel(channel, channels) \
	for (; (channels) && ((channel) = __ffs(channels), true); (channels) &= (channels)-1)

/* Enters an event: it gets the next id.  0, or -ENOSPC when there are too many. */
int strata_events_add(struct strata_event *event);

u32 strata_events_count(void);

/* The event with that id, which must exist. */
struct strata_event *strata_events_get(u32 id);

/* Has a channel deselect the events that are not in @mask, bit n being record id n.  When it
 * returns, no probe writes one of these to it.  One caller at a time; may sleep. */
void strata_events_keep(unsigned int channel, const unsigned long *mask);

/*
 * Has a channel select all events in @mask, too.  An event is attached for the first channel that
 * selects it, and detached after the last.  0, or a negative error after a message; some are
 * selected then and some are not.  One caller at a time; may sleep.
 */
int strata_events_select(unsigned int channel, const unsigned long *mask);

/* Has a channel that was stopped select no event; when it returns, no probe writes to it.  One
 * caller at a time; may sleep. */
void strata_events_deselect(unsigned int channel);

#endif /* STRATA_KMOD_EVENTS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - selects what a channel records of the events that it selects: by the task that runs,
 * and by their fields (field_filters.h).  Each probe checks it before it reserves, in channels that
 * have a filter.
 */
#ifndef STRATA_KMOD_FILTER_H
#define STRATA_KMOD_FILTER_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/types.h>

#include <strata/abi/guest.h>

#include "events.h"
#include "field_filters.h"

struct strata_filter {
	bool processes; /* the numbers are of processes, not of threads */
	u32 nr;         /* 0: any task */
	u64 maybe;      /* bit n: one of the numbers is n, modulo 64 */
	s32 number[STRATA_GUEST_FILTER_MAX];
	struct strata_field_filters *fields; /* NULL: none */
};

/* Of each channel.  NULL: everything passes. */
extern const struct strata_filter *strata_filters[STRATA_GUEST_CHANNELS_MAX];

/* A set of channels has two parts: those that record an event now, and, shifted by this, those
 * that need it assembled (assembled.h): a field filter decides, or its records have contexts. */
#define STRATA_ASKED_SHIFT STRATA_GUEST_CHANNELS_MAX

static __always_inline bool strata_channels_ask(unsigned long channels)
{
	return channels >> STRATA_ASKED_SHIFT;
}

/* Of the set @channels, those that record an event of the task on this CPU, and those that need it
 * assembled; others that count it do so now.  Once in each probe, in any context, preemption
 * off. */
unsigned long strata_filter_channels(const struct strata_event *event, unsigned long channels);

/* Whether the field filter of a channel lets an event pass. @payload: all of its fields.  In a
 * probe. */
bool strata_filter_passes(const struct strata_event *event, unsigned int channel,
			  const void *payload, u32 bytes);

/* The channels that record an event now, and those that need it assembled; others that count
 * it have done so.  Any context; a probe, with preemption off, calls it once, and writes to no
 * others. */
static __always_inline unsigned long strata_event_channels(const struct strata_event *event)
{
	/*
	 * Acquire, and before the gate: pairs with the release in set_channels() of events.c.
	 * Loaded the other way round, an event that is selected with its channel's first filter
	 * could pass a gate that does not know of the filter yet.
	 */
	const unsigned long selected = smp_load_acquire(&event->channels);
	const unsigned long gate = READ_ONCE(strata_gate);
	const unsigned long channels = selected & gate >> STRATA_STARTED_SHIFT;

	if (unlikely(channels & ~gate))
		return strata_filter_channels(event, channels);
	return channels;
}

/*
 * Makes a filter.
 * @text: the words FILTER of a start command (strata/abi/guest.h), parsed in place; NULL: none
 * Returns what strata_filter_replace() takes, NULL for none, or an ERR_PTR(): -EINVAL or -ENOMEM.
 * May sleep.
 */
const struct strata_filter *strata_filter_make(char *text);

/*
 * Replaces the filter of a channel, which frees it when it is replaced.
 * @filter: NULL: everything passes
 * May sleep: when it returns no probe sees the old filter.  One caller at a time.
 */
void strata_filter_replace(unsigned int channel, const struct strata_filter *filter);

#endif /* STRATA_KMOD_FILTER_H */

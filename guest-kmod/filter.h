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
 * whose field filter decides (assembled.h). */
#define STRATA_ASKED_SHIFT STRATA_GUEST_CHANNELS_MAX

static __always_inline bool strata_channels_ask(unsigned long channels)
{
	return channels >> STRATA_ASKED_SHIFT;
}

/* Of the set @channels, those that record an event of the task on this CPU, and those whose field
 * filter decides; others that count it do so now.  Once in each probe, in any context, preemption
 * off. */
unsigned long strata_filter_channels(const struct strata_event *event, unsigned long channels);

/* Whether the field filter of a channel lets an event pass. @payload: all of its fields.  In a
 * probe. */
bool strata_filter_passes(const struct strata_event *event, unsigned int channel,
			  const void *payload, u32 bytes);

/* The channels that record an event now, and those whose field filter decides; others that count
 * it have done so.  Any context; a probe, with preemption off, calls it once, and writes to no
 * others. */
static __always_inline unsigned long strata_event_channels(const struct strata_event *event)
{
	const unsigned long gate = READ_ONCE(strata_gate);
	const unsigned long channels = READ_ONCE(event->channels) & gate >> STRATA_STARTED_SHIFT;

	if (unlikely(channels & ~gate))
		return strata_filter_channels(event, channels);
	return channels;
}

/*
 * Replaces the filter of a channel.
 * @text: the words FILTER of a start command (strata/abi/guest.h), parsed in place; NULL: pass
 *        everything
 * Returns 0, or -EINVAL or -ENOMEM with nothing changed.  May sleep: when it returns no probe sees
 * the old filter.  One caller at a time.
 */
int strata_filter_set(unsigned int channel, char *text);

#endif /* STRATA_KMOD_FILTER_H */

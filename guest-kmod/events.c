// SPDX-License-Identifier: GPL-2.0-only
/* events.c - see events.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <asm/barrier.h>

#include "events.h"
#include "record.h"

unsigned long strata_gate;

static struct strata_event *events[STRATA_GUEST_EVENTS_MAX];
static u32 nr_events;

int strata_events_add(struct strata_event *event)
{
	if (nr_events == STRATA_GUEST_EVENTS_MAX)
		return -ENOSPC;
	event->id = nr_events;
	event->channels = 0;
	event->only = 0;
	events[nr_events++] = event;
	return 0;
}

u32 strata_events_count(void)
{
	return nr_events;
}

struct strata_event *strata_events_get(u32 id)
{
	return events[id];
}

static int attach(struct strata_event *event)
{
	int err = event->attach(event);

	if (err)
		pr_err("cannot attach a probe to %s/%s (error %d)\n", event->group, event->name,
		       err);
	return err;
}

/* Counts the events that were missed since the last call as lost, in each channel of the set
 * @channels. */
static void count_missed(struct strata_event *event, unsigned long channels)
{
	unsigned long nr = event->missed ? event->missed(event) : 0;
	unsigned long channel;

	strata_for_each_channel (channel, channels)
		strata_record_missed(channel, nr);
}

/*
 * Release: control closes the gate, or marks it as filtered, and sets the filter before it comes
 * here.  Pairs with the acquires in strata_event_only() and strata_event_channels(), which load the
 * gate and the filter afterwards: a probe that sees the channel sees these, too.
 */
static void set_channels(struct strata_event *event, unsigned long channels)
{
	smp_store_release(&event->channels, channels);
	smp_store_release(&event->only, is_power_of_2(channels) ? channels : 0);
}

static int add_channel(struct strata_event *event, unsigned long bit)
{
	int err;

	/* What was missed so far is a loss of the other channels only. */
	if (event->channels) {
		count_missed(event, event->channels);
	} else {
		err = attach(event);
		if (err)
			return err;
	}
	set_channels(event, event->channels | bit);
	return 0;
}

static void remove_channel(struct strata_event *event, unsigned long bit)
{
	unsigned long before = event->channels;

	set_channels(event, before & ~bit);
	if (!event->channels)
		event->detach(event);
	count_missed(event, before);
}

/* Whether there were any. */
static bool remove_others(unsigned int channel, const unsigned long *mask)
{
	unsigned long bit = BIT(channel);
	bool any = false;
	u32 id;

	for (id = 0; id < nr_events; id++) {
		if (!test_bit(id, mask) && events[id]->channels & bit) {
			remove_channel(events[id], bit);
			any = true;
		}
		cond_resched();
	}
	return any;
}

void strata_events_keep(unsigned int channel, const unsigned long *mask)
{
	/* A kprobe's handler runs with preemption off, too: this waits for both. */
	if (remove_others(channel, mask))
		strata_await_probes();
}

int strata_events_select(unsigned int channel, const unsigned long *mask)
{
	unsigned long bit = BIT(channel);
	u32 id;
	int err;

	for (id = 0; id < nr_events; id++) {
		if (test_bit(id, mask) && !(events[id]->channels & bit)) {
			err = add_channel(events[id], bit);
			if (err)
				return err;
		}
		cond_resched();
	}
	return 0;
}

void strata_events_deselect(unsigned int channel)
{
	DECLARE_BITMAP(none, STRATA_GUEST_EVENTS_MAX) = {};

	remove_others(channel, none);
	/* Also for those that found the gate open. */
	strata_await_probes();
}

// SPDX-License-Identifier: GPL-2.0-only
/* events.c - see events.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

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

static void set_channels(struct strata_event *event, unsigned long channels)
{
	WRITE_ONCE(event->channels, channels);
	WRITE_ONCE(event->only, is_power_of_2(channels) ? channels : 0);
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

int strata_events_select(unsigned int channel, const unsigned long *mask)
{
	unsigned long bit = BIT(channel);
	u32 id;
	int err;

	for (id = 0; id < nr_events; id++) {
		bool wanted = test_bit(id, mask);

		if (wanted && !(events[id]->channels & bit)) {
			err = add_channel(events[id], bit);
			if (err)
				return err;
		} else if (!wanted && events[id]->channels & bit) {
			remove_channel(events[id], bit);
		}
		cond_resched();
	}
	return 0;
}

void strata_events_deselect(unsigned int channel)
{
	DECLARE_BITMAP(none, STRATA_GUEST_EVENTS_MAX) = {};

	/* Fails only where it attaches. */
	strata_events_select(channel, none);
	/* A kprobe's handler runs with preemption off, too: this waits for both. */
	strata_await_probes();
}

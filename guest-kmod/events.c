// SPDX-License-Identifier: GPL-2.0-only
/* events.c - see events.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "events.h"

static struct strata_event *events[STRATA_GUEST_EVENTS_MAX];
static u32 nr_events;

int strata_events_add(struct strata_event *event)
{
	if (nr_events == STRATA_GUEST_EVENTS_MAX)
		return -ENOSPC;
	event->id = nr_events;
	event->attached = false;
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

	if (err) {
		pr_err("cannot attach a probe to %s/%s (error %d)\n", event->group, event->name,
		       err);
		return err;
	}
	WRITE_ONCE(event->attached, true);
	return 0;
}

static void detach(struct strata_event *event)
{
	WRITE_ONCE(event->attached, false);
	event->detach(event);
}

int strata_events_attach(const unsigned long *mask)
{
	u32 id;
	int err;

	for (id = 0; id < nr_events; id++) {
		bool wanted = test_bit(id, mask);

		if (wanted && !events[id]->attached) {
			err = attach(events[id]);
			if (err)
				return err;
		} else if (!wanted && events[id]->attached) {
			detach(events[id]);
		}
		cond_resched();
	}
	return 0;
}

void strata_events_detach_all(void)
{
	u32 id;

	for (id = 0; id < nr_events; id++) {
		if (events[id]->attached)
			detach(events[id]);
		cond_resched();
	}
	/* A kprobe's handler runs with preemption off, too: this waits for both. */
	tracepoint_synchronize_unregister();
}

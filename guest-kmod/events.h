/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * events.h - the list of events that this kernel can record.  An event's index is its
 * record id and its bit of the command's MASK.
 *
 * The module enters trace points when it loads (tracepoints.c), then its own events
 * (evtchn.c), and later those that domain 0 asks for (kprobes.c); no event leaves
 * while the module is loaded.
 */
#ifndef STRATA_KMOD_EVENTS_H
#define STRATA_KMOD_EVENTS_H

#include <linux/bitmap.h>
#include <linux/types.h>

#include <strata/abi/guest.h>

/* An event.  Its maker embeds it, or gives it static storage. */
struct strata_event {
	const char *name;
	const char *group;
	/* As the kernel orders them; in a payload those of variable length come last. */
	const struct strata_field_desc *fields;
	u32 nr_fields;
	/* Both are called one at a time and may sleep.  attach(): 0 or a negative error. */
	int (*attach)(struct strata_event *event);
	void (*detach)(struct strata_event *event);
	u32 id;
	bool attached;
};

/* Enters an event: it gets the next id.  0, or -ENOSPC when there are too many. */
int strata_events_add(struct strata_event *event);

u32 strata_events_count(void);

/* The event with that id, which must exist. */
struct strata_event *strata_events_get(u32 id);
/*
 * Attaches exactly the events in @mask, bit n being record id n, and detaches all
 * others.  0, or a negative error after a message; some are attached then and some
 * are not.  Detached probes may still run until strata_events_detach_all().  One
 * caller at a time; may sleep.
 */
int strata_events_attach(const unsigned long *mask);

/* Detaches all; when it returns, no probe runs.  One caller at a time; may sleep. */
void strata_events_detach_all(void);

#endif /* STRATA_KMOD_EVENTS_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trigger.h - watches the counts of an aggregating channel, and takes a snapshot of a session, or
 * rotates its recording, when they meet a condition.
 *
 * One action is for all users and domains whose counts have met the condition since the last one
 * began, unless they are in their pause, or have had their actions (trigger_owners.h).
 */
#ifndef STRATA_STRATAD_TRIGGER_H
#define STRATA_STRATAD_TRIGGER_H

#include <stdbool.h>

#include <strata/control_client.h>

#include "stratad/aggregate_session.h"
#include "stratad/trigger/trigger_action.h"
#include "stratad/trigger/trigger_owners.h"

/* What met the condition. */
struct trigger_seen {
	char text[1024];
	size_t owner; /* in struct trigger_owners */
};

struct trigger_seen_list {
	struct trigger_seen *list;
	size_t nr, capacity;
};

struct trigger {
	const struct strata_trigger *model; /* was checked (session_trigger.h) */
	const char *session;                /* NULL: the current one */
	uint64_t duration_ms;               /* 0: until a signal */
	uint32_t xen_rows;                  /* as of struct aggregate_options */
	bool without_probes;                /* likewise */
	/* Of a session's process: ends with the session, so its last look causes no action. */
	bool of_session;
	/* Makes a handle to ask stratad with.  NULL: it has printed why. */
	struct strata_control *(*open)(void);
	/* Told of each action, once for each user or domain.  @seen: what met the condition, made
	 * fit to be shown; @done: what was done, or why it failed */
	void (*tell)(void *data, const char *seen, const char *done, bool failed);
	/* When it counts.  NULL: does not matter. */
	void (*begun)(void *data);
	void *data;

	/* Its state: 0 at first. */
	const struct aggregate_choice *what;
	unsigned int nr_actions;
	struct trigger_owners owners;
	struct trigger_action action;
	struct trigger_seen_list now, next; /* for the action under way, and for the one after it */
	bool failed;                        /* an action failed, of which was told */
};

/* Whether what a trigger counts makes sense, as far as that can be checked without looking at
 * kernels and applications.  0 or -1. */
int trigger_check(const struct strata_trigger *model, struct strata_error *error);

/* Counts and acts until the end.  Returns an exit status; errors have been printed. */
int trigger_run(struct trigger *trigger);

/* struct aggregate_options: look, for a struct trigger. */
int trigger_look(void *data, const struct aggregate_look *look, struct strata_error *error);

/* Likewise idle: tells of an action that has ended, and begins the next one. */
int trigger_idle(void *data);

/* Tells what the action that has ended did, and begins the pauses of those that it was for. */
void trigger_tell(struct trigger *trigger);

/* The shortest time that meets the condition: above_ns rounded down to a bucket, a power of two of
 * ticks. */
uint64_t trigger_least_ns(const struct strata_trigger *model, uint32_t tsc_khz);

#endif /* STRATA_STRATAD_TRIGGER_H */

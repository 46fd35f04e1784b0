/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trigger.h - watches the counts of an aggregating channel, and takes a snapshot of a session when
 * they meet a condition.
 *
 * One look takes one snapshot, for all users and domains whose counts meet the condition, unless
 * they are in their pause, or have had their actions (trigger_owners.h).
 */
#ifndef STRATA_STRATA_TRIGGER_H
#define STRATA_STRATA_TRIGGER_H

#include <stdbool.h>

#include "strata/trigger_owners.h"
#include "stratad/aggregate_session.h"

struct trigger {
	/* The condition. */
	uint64_t above_ns; /* shortest time that counts; 0: the trigger counts events */
	uint64_t count;    /* least number of new events or times of one row in an interval */
	/* The action. */
	const char *session;    /* NULL: the current one */
	bool rotate;            /* rotate its recording; else: take a snapshot */
	unsigned int max;       /* number of actions after which it ends; 0: no limit */
	uint64_t pause_ms;      /* least time between two actions for an owner */
	unsigned int keep_free; /* percent of the disk that later snapshots leave free */
	bool json;
	const struct aggregate_choice *what;
	/* Its state. */
	unsigned int nr_actions;
	struct trigger_owners owners;
	char written[PATH_MAX]; /* the directory with the snapshots; "" before the first one */
	bool failed;            /* an action failed, which was printed */
};

/* struct aggregate_options: look, for a struct trigger. */
int trigger_look(void *data, const struct aggregate_look *look, struct strata_error *error);

/* The shortest time that meets the condition: @above_ns rounded down to a bucket, a power of two of
 * ticks. */
uint64_t trigger_least_ns(const struct trigger *trigger, uint32_t tsc_khz);

#endif /* STRATA_STRATA_TRIGGER_H */

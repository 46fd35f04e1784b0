/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trigger.h - acts when what is counted says so: takes a snapshot of a session, so that the events
 * that led there are kept.
 */
#ifndef STRATA_STRATA_TRIGGER_H
#define STRATA_STRATA_TRIGGER_H

#include <stdbool.h>

#include "stratad/aggregate_session.h"

struct trigger {
	/* The condition. */
	uint64_t above_ns; /* of times: one of at least that; 0: any */
	uint64_t count;    /* so many new ones in a look, of one row */
	/* The action. */
	const char *session; /* NULL: the current one */
	bool rotate;         /* divide its recording; else: a snapshot */
	unsigned int max;    /* end after so many; 0: never */
	uint64_t pause_ms;   /* no other action for so long */
	bool json;
	const struct aggregate_choice *what;
	/* Its state. */
	unsigned int nr_actions;
	uint64_t quiet_until_ms;
	bool failed; /* an action failed, which was printed */
};

/* struct aggregate_options: look, for a struct trigger. */
int trigger_look(void *data, const struct aggregate_look *look, struct strata_error *error);

/* The least time that meets the condition: a power of two of ticks, as times are counted in such
 * buckets. */
uint64_t trigger_least_ns(const struct trigger *trigger, uint32_t tsc_khz);

#endif /* STRATA_STRATA_TRIGGER_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task_events.h - the two events of a kernel that tell which task it wakes, and which it runs. */
#ifndef STRATA_MERGE_ANALYSES_TASK_EVENTS_H
#define STRATA_MERGE_ANALYSES_TASK_EVENTS_H

#include "timeline/current_task.h"

/* Of one trace; zero-initialised has neither. */
struct strata_task_events {
	const struct strata_ctf_event_class *waking, *switching; /* NULL: it has none */
	struct strata_ctf_access woken_tid;
	struct strata_task_class task; /* what a switch tells */
};

/* Finds them in a kernel's trace.  0, or -1: out of memory. */
int strata_task_events_find(struct strata_task_events *events,
			    const struct strata_ctf_metadata *metadata,
			    struct strata_ctf_arena *arena);

/*
 * The task that is woken by an event of class waking.
 * @cursor: where the event's contexts begin
 * False: the event does not say it.
 */
bool strata_task_events_woken(const struct strata_task_events *events,
			      const struct strata_ctf_cursor *cursor, int32_t *tid);

#endif /* STRATA_MERGE_ANALYSES_TASK_EVENTS_H */

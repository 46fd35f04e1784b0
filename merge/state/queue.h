/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queue.h - counts how many wait for a CPU over time: tasks for one of their kernel, vCPUs for the
 * physical CPUs of their machine.
 *
 * A task or vCPU is counted from its first event on, and a queue from the first one that waits in
 * it.  A loss hides arrivals and departures, so the count begins anew after it.  Once a trace has
 * ended, its queues are unknown.
 */
#ifndef STRATA_MERGE_STATE_QUEUE_H
#define STRATA_MERGE_STATE_QUEUE_H

#include "state/span.h"

struct strata_queue {
	bool is_known; /* some task has waited */
	uint64_t waiting;
	struct strata_moment since; /* when @waiting became that number */
};

/* Tells the length that the queue has had until @now.
 * @told: identifies the queue; the rest is filled in */
static inline void strata_queue_tell(const struct strata_queue *queue,
				     struct strata_queue_span told,
				     const struct strata_spans *spans,
				     const struct strata_moment *now)
{
	told.from_ns = queue->since.ns;
	told.to_ns = now->ns;
	told.waiting = queue->waiting;
	if (queue->is_known && told.from_ns < told.to_ns)
		strata_spans_tell_queue(spans, &told);
}

/* Changes the length.  @told: as above */
static inline void strata_queue_set(struct strata_queue *queue, uint64_t waiting,
				    struct strata_queue_span told, const struct strata_spans *spans,
				    const struct strata_moment *now)
{
	strata_queue_tell(queue, told, spans, now);
	queue->is_known |= waiting != 0;
	queue->waiting = waiting;
	queue->since = *now;
}

#endif /* STRATA_MERGE_STATE_QUEUE_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* work_queue.h - a queue of pieces of work, for worker.c, which guards it by a lock. */
#ifndef STRATA_CONSUMERD_WORK_QUEUE_H
#define STRATA_CONSUMERD_WORK_QUEUE_H

#include "consumerd/host/worker.h"

struct work_queue {
	struct work *first, **end;
};

/* Makes it empty. */
static inline void work_queue_init(struct work_queue *queue)
{
	queue->first = NULL;
	queue->end = &queue->first;
}

/* Appends a piece. */
static inline void work_put(struct work_queue *queue, struct work *work)
{
	work->next = NULL;
	*queue->end = work;
	queue->end = &work->next;
}

/* Removes the oldest piece; NULL if the queue is empty. */
static inline struct work *work_get(struct work_queue *queue)
{
	struct work *work = queue->first;

	if (!work)
		return NULL;
	queue->first = work->next;
	if (!queue->first)
		queue->end = &queue->first;
	return work;
}

#endif /* STRATA_CONSUMERD_WORK_QUEUE_H */

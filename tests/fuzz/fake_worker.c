// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fake_worker.c - worker.h without a thread: each piece of work is run when it is given, and taken
 * back later as the real one's.  The fake host is one thread's, and a seed decides all.
 */
#include "worker.h"

#include <stdlib.h>

struct worker {
	struct work *first, **end; /* done */
};

struct worker *worker_open(struct strata_error *error)
{
	struct worker *worker = calloc(1, sizeof(*worker));

	(void)error;
	if (!worker)
		abort();
	worker->end = &worker->first;
	return worker;
}

void worker_give(struct worker *worker, struct work *work)
{
	work->run(work);
	work->next = NULL;
	*worker->end = work;
	worker->end = &work->next;
}

struct work *worker_take(struct worker *worker)
{
	struct work *work = worker->first;

	if (!work)
		return NULL;
	worker->first = work->next;
	if (!worker->first)
		worker->end = &worker->first;
	return work;
}

void worker_close(struct worker *worker, void (*drop)(struct work *work))
{
	struct work *work;

	while (worker && (work = worker_take(worker)))
		drop(work);
	free(worker);
}

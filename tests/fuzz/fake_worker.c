// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fake_worker.c - worker.h without a thread: each piece of work is run when it is given, and taken
 * back later as the real one's.  The fake host is one thread's, and a seed decides all.  Where
 * xenstored hangs, the pieces wait until it goes on, or are dropped at the end.
 */
#include "worker.h"

#include <stdlib.h>

#include "fake_host.h"

struct queue {
	struct work *first, **end;
};

struct worker {
	struct queue todo, done;
};

static void put(struct queue *queue, struct work *work)
{
	work->next = NULL;
	*queue->end = work;
	queue->end = &work->next;
}

static struct work *get(struct queue *queue)
{
	struct work *work = queue->first;

	if (!work)
		return NULL;
	queue->first = work->next;
	if (!queue->first)
		queue->end = &queue->first;
	return work;
}

static void run(struct worker *worker)
{
	struct work *work;

	while (!fake_host.xenstored_hangs && (work = get(&worker->todo))) {
		fake_host.worker_runs = true;
		work->run(work);
		fake_host.worker_runs = false;
		put(&worker->done, work);
	}
}

struct worker *worker_open(struct strata_error *error)
{
	struct worker *worker = calloc(1, sizeof(*worker));

	(void)error;
	if (!worker)
		abort();
	worker->todo.end = &worker->todo.first;
	worker->done.end = &worker->done.first;
	return worker;
}

void worker_give(struct worker *worker, struct work *work)
{
	put(&worker->todo, work);
	run(worker);
}

struct work *worker_take(struct worker *worker)
{
	run(worker);
	return get(&worker->done);
}

bool worker_close(struct worker *worker, unsigned int wait_ms, void (*drop)(struct work *work))
{
	struct work *work;

	(void)wait_ms;
	if (!worker)
		return true;
	run(worker);
	while ((work = get(&worker->done)) || (work = get(&worker->todo)))
		drop(work);
	free(worker);
	return true;
}

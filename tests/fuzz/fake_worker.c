// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fake_worker.c - worker.h without a thread: each piece of work is run when it is given, and taken
 * back later as the real one's.  The fake host is one thread's, and a seed decides all.  Where
 * xenstored hangs, the pieces wait until it goes on, or are dropped at the end.
 */
#include "consumerd/host/worker.h"

#include <stdlib.h>

#include "fake_host.h"
#include "consumerd/host/work_queue.h"

struct worker {
	struct work_queue todo, done;
};

static void run(struct worker *worker)
{
	struct work *work;

	while (!fake_host.xenstored_hangs && (work = work_get(&worker->todo))) {
		fake_host.worker_runs = true;
		work->run(work);
		fake_host.worker_runs = false;
		work_put(&worker->done, work);
	}
}

struct worker *worker_open(int news, struct strata_error *error)
{
	struct worker *worker = calloc(1, sizeof(*worker));

	(void)news;
	(void)error;
	if (!worker)
		abort();
	work_queue_init(&worker->todo);
	work_queue_init(&worker->done);
	return worker;
}

void worker_give(struct worker *worker, struct work *work)
{
	work_put(&worker->todo, work);
	run(worker);
}

struct work *worker_take(struct worker *worker)
{
	run(worker);
	return work_get(&worker->done);
}

bool worker_close(struct worker *worker, unsigned int wait_ms, void (*drop)(struct work *work))
{
	struct work *work;

	(void)wait_ms;
	if (!worker)
		return true;
	run(worker);
	while ((work = work_get(&worker->done)) || (work = work_get(&worker->todo)))
		drop(work);
	free(worker);
	return true;
}

void worker_leave(struct worker *worker)
{
	free(worker);
}

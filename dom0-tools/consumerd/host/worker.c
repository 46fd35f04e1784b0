// SPDX-License-Identifier: GPL-2.0-or-later
/* worker.c - see worker.h: two queues under one lock, for which the caller never waits. */
#include "consumerd/host/worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#include "consumerd/host/spare_threads.h"
#include "consumerd/host/work_queue.h"

struct worker {
	pthread_t thread;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t given;
	struct work_queue todo, done;
	struct work_queue waiting; /* of the caller alone: given while the lock was held */
	int news;                  /* of no lock, as it does not change; -1: none */
	bool ends;
	bool is_left; /* the thread frees all this */
};

static void release(struct worker *worker)
{
	pthread_mutex_destroy(&worker->lock);
	pthread_cond_destroy(&worker->given);
	free(worker);
}

static void *run(void *data)
{
	struct worker *worker = data;
	struct work *work;
	bool is_left;

	pthread_mutex_lock(&worker->lock);
	for (;;) {
		work = work_get(&worker->todo);
		if (!work && worker->ends)
			break;
		if (!work) {
			pthread_cond_wait(&worker->given, &worker->lock);
			continue;
		}
		pthread_mutex_unlock(&worker->lock);
		work->run(work);
		pthread_mutex_lock(&worker->lock);
		work_put(&worker->done, work);
		/* Before the piece can be taken back: then nobody uses the eventfd any more. */
		if (worker->news >= 0)
			eventfd_write(worker->news, 1);
	}
	is_left = worker->is_left;
	pthread_mutex_unlock(&worker->lock);
	if (is_left)
		release(worker);
	return NULL;
}

struct worker *worker_open(int news, struct strata_error *error)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	int reason;

	if (!worker) {
		strata_fail(error, "out of memory");
		errno = ENOMEM;
		return NULL;
	}
	worker->news = news;
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->given, NULL);
	work_queue_init(&worker->todo);
	work_queue_init(&worker->done);
	work_queue_init(&worker->waiting);
	reason = spare_thread_take(&worker->thread, run, worker);
	if (!reason)
		return worker;
	strata_fail(error, "cannot make a thread: %s", strerror(reason));
	free(worker);
	errno = reason;
	return NULL;
}

/* With the lock: hands over what waits. */
static void hand_over(struct worker *worker)
{
	struct work *work;

	if (!worker->waiting.first)
		return;
	while ((work = work_get(&worker->waiting)))
		work_put(&worker->todo, work);
	pthread_cond_signal(&worker->given);
}

/*
 * Locks, and hands over what waits.  False: the thread has the lock.  It holds it for a moment, but
 * where a user keeps its CPU busy, it may get no CPU in that moment for long.  So we do not wait,
 * and the eventfd has the caller come back.
 */
static bool enter(struct worker *worker)
{
	if (pthread_mutex_trylock(&worker->lock)) {
		if (worker->news >= 0)
			eventfd_write(worker->news, 1);
		return false;
	}
	hand_over(worker);
	return true;
}

void worker_give(struct worker *worker, struct work *work)
{
	work_put(&worker->waiting, work);
	if (enter(worker))
		pthread_mutex_unlock(&worker->lock);
}

struct work *worker_take(struct worker *worker)
{
	struct work *work;

	if (!enter(worker))
		return NULL;
	work = work_get(&worker->done);
	pthread_mutex_unlock(&worker->lock);
	return work;
}

/* Joins the thread if it ends in time; else detaches it and returns false. */
static bool join(pthread_t thread, unsigned int wait_ms)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += wait_ms / 1000;
	end.tv_nsec += (long)(wait_ms % 1000) * 1000000;
	if (end.tv_nsec >= 1000000000) {
		end.tv_nsec -= 1000000000;
		end.tv_sec++;
	}
	if (!pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &end))
		return true;
	pthread_detach(thread);
	return false;
}

bool worker_close(struct worker *worker, unsigned int wait_ms, void (*drop)(struct work *work))
{
	struct work *work;

	if (!worker)
		return true;
	pthread_mutex_lock(&worker->lock);
	hand_over(worker);
	worker->ends = true;
	pthread_cond_signal(&worker->given);
	pthread_mutex_unlock(&worker->lock);
	if (!join(worker->thread, wait_ms))
		return false;
	while ((work = work_get(&worker->done)))
		drop(work);
	release(worker);
	return true;
}

void worker_leave(struct worker *worker)
{
	pthread_detach(worker->thread);
	pthread_mutex_lock(&worker->lock);
	worker->ends = worker->is_left = true;
	pthread_cond_signal(&worker->given);
	pthread_mutex_unlock(&worker->lock);
}

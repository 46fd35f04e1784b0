// SPDX-License-Identifier: GPL-2.0-or-later
/* worker.c - see worker.h: two queues under one lock. */
#include "worker.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct queue {
	struct work *first, **end;
};

struct worker {
	pthread_t thread;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t given;
	struct queue todo, done;
	bool ends;
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

static void *run(void *data)
{
	struct worker *worker = data;
	struct work *work;

	pthread_mutex_lock(&worker->lock);
	while (!worker->ends) {
		work = get(&worker->todo);
		if (!work) {
			pthread_cond_wait(&worker->given, &worker->lock);
			continue;
		}
		pthread_mutex_unlock(&worker->lock);
		work->run(work);
		pthread_mutex_lock(&worker->lock);
		put(&worker->done, work);
	}
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

struct worker *worker_open(struct strata_error *error)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	sigset_t all, before;
	int reason;

	if (!worker) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->given, NULL);
	worker->todo.end = &worker->todo.first;
	worker->done.end = &worker->done.first;
	/* Signals are for the loop, which they wake. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	reason = pthread_create(&worker->thread, NULL, run, worker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!reason)
		return worker;
	strata_fail(error, "no thread can be made: %s", strerror(reason));
	free(worker);
	return NULL;
}

void worker_give(struct worker *worker, struct work *work)
{
	pthread_mutex_lock(&worker->lock);
	put(&worker->todo, work);
	pthread_cond_signal(&worker->given);
	pthread_mutex_unlock(&worker->lock);
}

struct work *worker_take(struct worker *worker)
{
	struct work *work;

	pthread_mutex_lock(&worker->lock);
	work = get(&worker->done);
	pthread_mutex_unlock(&worker->lock);
	return work;
}

void worker_close(struct worker *worker, void (*drop)(struct work *work))
{
	struct work *work;

	if (!worker)
		return;
	pthread_mutex_lock(&worker->lock);
	worker->ends = true;
	pthread_cond_signal(&worker->given);
	pthread_mutex_unlock(&worker->lock);
	pthread_join(worker->thread, NULL);
	while ((work = get(&worker->done)))
		drop(work);
	while ((work = get(&worker->todo)))
		drop(work);
	pthread_mutex_destroy(&worker->lock);
	pthread_cond_destroy(&worker->given);
	free(worker);
}

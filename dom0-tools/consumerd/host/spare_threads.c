// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spare_threads.c - see spare_threads.h; worker.c and hang_up.c call it.
 *
 * The caller that takes a thread takes no lock: users can keep the CPU busy of a thread that has
 * it.
 *
 *              | makes a spare one       | takes it          | runs
 *   -----------+-------------------------+-------------------+---------------------------
 *   ready[i]   | the thread: CAS to self | exchange for NULL |
 *   given      |                         | post              | wait, then run and data
 *   wanted     | the maker: wait         | post              |
 */
#include "consumerd/host/spare_threads.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

/* Pause after a failure: all processes of the machine may be in use. */
#define AGAIN_NS 20000000

/* In the stack of its thread.  It belongs to the thread that takes it out of ready[], and from the
 * post of @given on to its own thread again. */
struct spare {
	pthread_t thread;
	sem_t given;
	void *(*run)(void *data);
	void *data;
};

static _Atomic(struct spare *) ready[SPARE_THREADS];
static sem_t wanted;      /* as many as are missing in ready[] and not under way */
static sem_t came;        /* each thread that is ready, and each failure */
static atomic_int failed; /* why the last one could not be made; 0: it was made */

static pthread_mutex_t beginning = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool has_begun;

static void await(sem_t *semaphore)
{
	while (sem_wait(semaphore) && errno == EINTR)
		;
}

/* There is an empty place: with this one, no more than SPARE_THREADS are ready or under way. Others
 * that come may take the one that was seen. */
static void be_ready(struct spare *self)
{
	unsigned int i;

	for (i = 0;; i = (i + 1) % SPARE_THREADS) {
		struct spare *empty = NULL;

		/* Release: *self is complete; pairs with the exchange in take(). */
		if (atomic_compare_exchange_strong_explicit(
			    &ready[i], &empty, self, memory_order_release, memory_order_relaxed))
			return;
	}
}

static void *be_spare(void *argument)
{
	struct spare self = { .thread = pthread_self() };

	(void)argument;
	sem_init(&self.given, 0, 0);
	be_ready(&self);
	sem_post(&came);
	/* Pairs with the post in spare_thread_take(), before which run and data are set. */
	await(&self.given);
	sem_destroy(&self.given);
	return self.run(self.data);
}

static void *make_for_ever(void *argument)
{
	const struct timespec pause = { .tv_nsec = AGAIN_NS };
	pthread_t thread;
	int reason;

	(void)argument;
	for (;;) {
		await(&wanted);
		while ((reason = pthread_create(&thread, NULL, be_spare, NULL))) {
			/* A number, which orders nothing; spare_thread_take() reads it. */
			atomic_store_explicit(&failed, reason, memory_order_relaxed);
			sem_post(&came);
			nanosleep(&pause, NULL);
		}
		atomic_store_explicit(&failed, 0, memory_order_relaxed);
	}
	return NULL;
}

/* With the lock.  0, or why there is no thread to make others. */
static int begin(void)
{
	sigset_t all, before;
	pthread_t maker;
	unsigned int i;
	int reason;

	sem_init(&wanted, 0, SPARE_THREADS);
	sem_init(&came, 0, 0);
	/* Signals are for the loop, which they wake. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	reason = pthread_create(&maker, NULL, make_for_ever, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (reason)
		return reason;
	pthread_detach(maker);
	for (i = 0; i < SPARE_THREADS && !atomic_load_explicit(&failed, memory_order_relaxed); i++)
		await(&came);
	/* Release: the semaphores are initialised; pairs with the load in has_maker(). */
	atomic_store_explicit(&has_begun, true, memory_order_release);
	return 0;
}

/* Only the first calls take the lock.  If the maker cannot be made, no other thread takes one. */
static int has_maker(void)
{
	int reason = 0;

	/* Pairs with the store in begin(). */
	if (atomic_load_explicit(&has_begun, memory_order_acquire))
		return 0;
	pthread_mutex_lock(&beginning);
	if (!atomic_load_explicit(&has_begun, memory_order_relaxed))
		reason = begin();
	pthread_mutex_unlock(&beginning);
	return reason;
}

static struct spare *take(void)
{
	struct spare *spare;
	unsigned int i;

	for (i = 0; i < SPARE_THREADS; i++) {
		/* Acquire: pairs with the exchange in be_ready(). */
		spare = atomic_exchange_explicit(&ready[i], NULL, memory_order_acquire);
		if (spare)
			return spare;
	}
	return NULL;
}

int spare_thread_take(pthread_t *thread, void *(*run)(void *data), void *data)
{
	int reason = has_maker();
	struct spare *spare;

	if (reason)
		return reason;
	spare = take();
	if (!spare) {
		reason = atomic_load_explicit(&failed, memory_order_relaxed);
		return reason ? reason : EBUSY;
	}
	*thread = spare->thread;
	spare->data = data;
	spare->run = run;
	/* *spare may be gone before this returns, which a post allows. */
	sem_post(&spare->given);
	sem_post(&wanted);
	return 0;
}

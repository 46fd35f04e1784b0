// SPDX-License-Identifier: GPL-2.0-or-later
/* spare_threads.c - see spare_threads.h; worker.c and hang_up.c call it. */
#include "consumerd/host/spare_threads.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

/* Pause after a failure: all processes of the machine may be in use. */
#define AGAIN_NS 20000000

struct spare {
	pthread_t thread;
	pthread_cond_t taken;
	void *(*run)(void *data); /* NULL: it is spare */
	void *data;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER, made = PTHREAD_COND_INITIALIZER;
static struct spare *ready[SPARE_THREADS]; /* each in the stack of its thread */
static unsigned int nr_ready, nr_coming;
static bool has_maker;
static bool is_begun; /* the first ones are made, or one could not be made */
static int failed;    /* why the last one could not be made; 0: it was made */

static void *be_spare(void *argument)
{
	struct spare self = { .taken = PTHREAD_COND_INITIALIZER };
	void *(*run)(void *data);
	void *data;

	(void)argument;
	self.thread = pthread_self();
	pthread_mutex_lock(&lock);
	ready[nr_ready++] = &self;
	nr_coming--;
	is_begun |= nr_ready == SPARE_THREADS;
	pthread_cond_signal(&made);
	while (!self.run)
		pthread_cond_wait(&self.taken, &lock);
	run = self.run;
	data = self.data;
	pthread_mutex_unlock(&lock);
	pthread_cond_destroy(&self.taken);
	return run(data);
}

/* Makes threads until there are enough.  With the lock, except while it makes one. */
static void make_all(void)
{
	pthread_t thread;
	int reason;

	while (nr_ready + nr_coming < SPARE_THREADS) {
		nr_coming++;
		pthread_mutex_unlock(&lock);
		reason = pthread_create(&thread, NULL, be_spare, NULL);
		pthread_mutex_lock(&lock);
		failed = reason;
		if (!reason)
			continue;
		nr_coming--;
		is_begun = true;
		pthread_cond_signal(&made);
		return;
	}
}

static void *make_for_ever(void *argument)
{
	const struct timespec pause = { .tv_nsec = AGAIN_NS };

	(void)argument;
	pthread_mutex_lock(&lock);
	for (;;) {
		make_all();
		if (!failed) {
			pthread_cond_wait(&wanted, &lock);
			continue;
		}
		pthread_mutex_unlock(&lock);
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&lock);
	}
	return NULL;
}

/* With the lock.  0, or why there is no thread to make others. */
static int begin(void)
{
	sigset_t all, before;
	pthread_t maker;
	int reason;

	/* Signals are for the loop, which they wake. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	reason = pthread_create(&maker, NULL, make_for_ever, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (reason)
		return reason;
	has_maker = true;
	pthread_detach(maker);
	while (!is_begun)
		pthread_cond_wait(&made, &lock);
	return 0;
}

int spare_thread_take(pthread_t *thread, void *(*run)(void *data), void *data)
{
	struct spare *spare;
	int reason = 0;

	pthread_mutex_lock(&lock);
	if (!has_maker)
		reason = begin();
	if (!reason && !nr_ready)
		reason = failed ? failed : EBUSY;
	if (!reason) {
		spare = ready[--nr_ready];
		*thread = spare->thread;
		spare->data = data;
		spare->run = run;
		pthread_cond_signal(&spare->taken);
		pthread_cond_signal(&wanted);
	}
	pthread_mutex_unlock(&lock);
	return reason;
}

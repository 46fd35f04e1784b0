// SPDX-License-Identifier: GPL-2.0-or-later
/* test_spare_threads.c - whoever takes a thread does not wait until the kernel makes one. */
#include <dlfcn.h>
#include <errno.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumerd/host/spare_threads.h"

#define WAIT_S 60u /* of the second that it takes, however loaded the machine is */

typedef int create_call(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static pthread_mutex_t kernel = PTHREAD_MUTEX_INITIALIZER; /* makes one thread after the other */
static atomic_int refusal;
static atomic_uint nr_run;
static pthread_t taker;
static atomic_bool held; /* no other thread gets a CPU at the calls below */

static void rest(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	nanosleep(&pause, NULL);
}

static void stop_if_held(void)
{
	while (held && !pthread_equal(pthread_self(), taker))
		rest();
}

/* In place of the library's: a thread can lose its CPU with the lock. */
int pthread_mutex_lock(pthread_mutex_t *lock)
{
	int result = ((int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock"))(lock);

	stop_if_held();
	return result;
}

/* The same: before it has told of itself. */
int sem_post(sem_t *semaphore)
{
	stop_if_held();
	return ((int (*)(sem_t *))dlsym(RTLD_NEXT, "sem_post"))(semaphore);
}

/* In place of the library's. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
		   void *data)
{
	create_call *create = (create_call *)dlsym(RTLD_NEXT, "pthread_create");
	int result = refusal;

	if (result)
		return result;
	pthread_mutex_lock(&kernel);
	result = create(thread, attributes, run, data);
	pthread_mutex_unlock(&kernel);
	return result;
}

static void *count(void *data)
{
	nr_run++;
	return data;
}

static void join(pthread_t thread)
{
	void *result;

	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, &nr_run);
}

static void take(void)
{
	pthread_t thread;
	int result;

	while ((result = spare_thread_take(&thread, count, &nr_run)) == EBUSY)
		rest();
	assert_int_equal(result, 0);
	join(thread);
}

/* Takes all spare ones; returns why there is no further one. */
static int take_all(unsigned int *nr)
{
	pthread_t thread;
	int result;

	for (*nr = 0; !(result = spare_thread_take(&thread, count, &nr_run)); ++*nr)
		join(thread);
	return result;
}

static void each_thread_runs_its_function_and_new_ones_come(void **state)
{
	unsigned int i;

	(void)state;
	nr_run = 0;
	for (i = 0; i < 5 * SPARE_THREADS; i++)
		take();
	assert_int_equal(nr_run, 5 * SPARE_THREADS);
}

static void nobody_waits_for_the_kernel(void **state)
{
	unsigned int nr;

	(void)state;
	take();
	pthread_mutex_lock(&kernel);
	assert_int_equal(take_all(&nr), EBUSY);
	pthread_mutex_unlock(&kernel);
	take();
}

static void nobody_waits_for_a_thread_without_a_cpu(void **state)
{
	pthread_t threads[5 * SPARE_THREADS];
	unsigned int i, nr = 0;

	(void)state;
	take();
	held = true;
	/* We are there at the end: otherwise this ends the test. */
	alarm(WAIT_S);
	for (i = 0; i < 5 * SPARE_THREADS; i++) {
		nr += !spare_thread_take(&threads[nr], count, &nr_run);
		rest();
	}
	alarm(0);
	held = false;
	while (nr)
		join(threads[--nr]);
}

static void a_refusal_is_reported_and_tried_again(void **state)
{
	unsigned int nr;
	int result;

	(void)state;
	refusal = EAGAIN;
	while ((result = take_all(&nr)) == EBUSY)
		rest();
	assert_int_equal(result, EAGAIN);
	refusal = 0;
	while ((result = take_all(&nr)), !nr)
		rest();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_runs_its_function_and_new_ones_come),
		cmocka_unit_test(nobody_waits_for_the_kernel),
		cmocka_unit_test(nobody_waits_for_a_thread_without_a_cpu),
		cmocka_unit_test(a_refusal_is_reported_and_tried_again),
	};

	taker = pthread_self();
	return cmocka_run_group_tests_name("spare threads", tests, NULL, NULL);
}

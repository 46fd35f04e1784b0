// SPDX-License-Identifier: GPL-2.0-or-later
/* test_spare_threads.c - whoever takes a thread does not wait until the kernel makes one. */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "consumerd/host/spare_threads.h"

typedef int create_call(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static pthread_mutex_t kernel = PTHREAD_MUTEX_INITIALIZER; /* makes one thread after the other */
static atomic_int refusal;
static atomic_uint nr_run;

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
	const struct timespec pause = { .tv_nsec = 1000000 };
	pthread_t thread;
	int result;

	while ((result = spare_thread_take(&thread, count, &nr_run)) == EBUSY)
		nanosleep(&pause, NULL);
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

static void a_refusal_is_reported_and_tried_again(void **state)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	unsigned int nr;
	int result;

	(void)state;
	refusal = EAGAIN;
	while ((result = take_all(&nr)) == EBUSY)
		nanosleep(&pause, NULL);
	assert_int_equal(result, EAGAIN);
	refusal = 0;
	while ((result = take_all(&nr)), !nr)
		nanosleep(&pause, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_runs_its_function_and_new_ones_come),
		cmocka_unit_test(nobody_waits_for_the_kernel),
		cmocka_unit_test(a_refusal_is_reported_and_tried_again),
	};

	return cmocka_run_group_tests_name("spare threads", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* test_worker.c - work that waits keeps its giver from nothing, and comes back in order. */
#include <dirent.h>
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumerd/host/spare_threads.h"
#include "consumerd/host/worker.h"

#define PIECES  1000u
#define WAIT_MS 600000u /* however loaded the machine is */

struct piece {
	struct work work;
	unsigned int number;
	int waits_for; /* a byte from there; -1: for nothing */
	unsigned int runs;
};

typedef int write_call(int fd, eventfd_t value);

static unsigned int nr_dropped;
static pthread_t giver;
static atomic_bool held;     /* the worker gets no CPU while it has its lock */
static atomic_bool is_there; /* it is at that point */

/* In place of the library's: the worker calls it with its lock. */
int eventfd_write(int fd, eventfd_t value)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	if (!pthread_equal(pthread_self(), giver)) {
		is_there = true;
		while (held)
			nanosleep(&pause, NULL);
	}
	return ((write_call *)dlsym(RTLD_NEXT, "eventfd_write"))(fd, value);
}

static void run(struct work *work)
{
	struct piece *piece = (struct piece *)work;
	char byte;

	if (piece->waits_for >= 0)
		assert_int_equal(read(piece->waits_for, &byte, 1), 1);
	piece->runs++;
}

static void drop(struct work *work)
{
	(void)work;
	nr_dropped++;
}

static struct worker *open_worker(int news)
{
	struct strata_error error = { "" };
	struct worker *worker = worker_open(news, &error);

	assert_non_null(worker);
	nr_dropped = 0;
	return worker;
}

static struct piece *take(struct worker *worker)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct work *work;

	while (!(work = worker_take(worker)))
		nanosleep(&pause, NULL);
	return (struct piece *)work;
}

static void who_gives_work_that_waits_goes_on_and_gets_all_back_in_order(void **state)
{
	static struct piece pieces[PIECES];
	struct worker *worker = open_worker(-1);
	unsigned int i;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	for (i = 0; i < PIECES; i++) {
		pieces[i] = (struct piece){ .work.run = run, .number = i, .waits_for = -1 };
		if (i == 0)
			pieces[i].waits_for = ends[0];
		worker_give(worker, &pieces[i].work);
	}
	/* We are here, and it waits for us. */
	assert_null(worker_take(worker));
	assert_int_equal(write(ends[1], "", 1), 1);
	for (i = 0; i < PIECES; i++) {
		assert_int_equal(take(worker)->number, i);
		assert_int_equal(pieces[i].runs, 1);
	}
	assert_null(worker_take(worker));
	assert_true(worker_close(worker, WAIT_MS, drop));
	assert_int_equal(nr_dropped, 0);
	close(ends[0]);
	close(ends[1]);
}

static void what_was_not_taken_back_is_run_and_dropped_at_the_end(void **state)
{
	static struct piece pieces[PIECES];
	struct worker *worker = open_worker(-1);
	unsigned int i;

	(void)state;
	for (i = 0; i < PIECES; i++) {
		pieces[i] = (struct piece){ .work.run = run, .number = i, .waits_for = -1 };
		worker_give(worker, &pieces[i].work);
	}
	assert_int_equal(take(worker)->number, 0);
	assert_true(worker_close(worker, WAIT_MS, drop));
	assert_int_equal(nr_dropped, PIECES - 1);
	for (i = 0; i < PIECES; i++)
		assert_int_equal(pieces[i].runs, 1);
}

static void work_that_never_ends_keeps_nobody_from_closing(void **state)
{
	/* They outlive the close, with what they wait for. */
	static struct piece stuck = { .work.run = run },
			    next = { .work.run = run, .waits_for = -1 };
	struct worker *worker = open_worker(-1);
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	stuck.waits_for = ends[0];
	worker_give(worker, &stuck.work);
	worker_give(worker, &next.work);
	assert_false(worker_close(worker, 10, drop));
	assert_int_equal(nr_dropped, 0);
}

/* Returns how many threads this process has. */
static unsigned int nr_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned int nr = 0;

	assert_non_null(tasks);
	while (readdir(tasks))
		nr++;
	closedir(tasks);
	return nr - 2; /* "." and ".." */
}

static void the_giver_is_woken_by_what_is_done_and_need_not_wait_for_the_end(void **state)
{
	static struct piece piece = { .work.run = run };
	struct pollfd news = { .fd = eventfd(0, 0), .events = POLLIN };
	const struct timespec pause = { .tv_nsec = 1000000 };
	/* This one, the one that makes others, and the spare ones. */
	const unsigned int all = 2 + SPARE_THREADS;
	struct worker *worker;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	piece.waits_for = ends[0];
	worker = open_worker(news.fd);
	worker_give(worker, &piece.work);
	assert_int_equal(write(ends[1], "", 1), 1);
	assert_int_equal(poll(&news, 1, (int)WAIT_MS), 1);
	assert_ptr_equal(take(worker), &piece);
	worker_leave(worker);
	while (nr_threads() != all)
		nanosleep(&pause, NULL);
	close(news.fd);
	close(ends[0]);
	close(ends[1]);
}

static void the_giver_does_not_wait_for_a_worker_without_a_cpu(void **state)
{
	static struct piece pieces[] = { { .work.run = run, .number = 0, .waits_for = -1 },
					 { .work.run = run, .number = 1, .waits_for = -1 },
					 { .work.run = run, .number = 2, .waits_for = -1 } };
	struct pollfd news = { .fd = eventfd(0, 0), .events = POLLIN };
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct worker *worker = open_worker(news.fd);
	eventfd_t ignored;
	unsigned int i;

	(void)state;
	is_there = false;
	held = true;
	worker_give(worker, &pieces[0].work);
	while (!is_there)
		nanosleep(&pause, NULL);
	/* We are here, and it waits for us. */
	worker_give(worker, &pieces[1].work);
	worker_give(worker, &pieces[2].work);
	assert_int_equal(eventfd_read(news.fd, &ignored), 0);
	assert_null(worker_take(worker));
	/* So that the giver comes back. */
	assert_int_equal(poll(&news, 1, 0), 1);
	held = false;
	for (i = 0; i < 3; i++)
		assert_int_equal(take(worker)->number, i);
	assert_true(worker_close(worker, WAIT_MS, drop));
	assert_int_equal(nr_dropped, 0);
	close(news.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_gives_work_that_waits_goes_on_and_gets_all_back_in_order),
		cmocka_unit_test(what_was_not_taken_back_is_run_and_dropped_at_the_end),
		cmocka_unit_test(the_giver_does_not_wait_for_a_worker_without_a_cpu),
		/* Before a thread is left behind. */
		cmocka_unit_test(the_giver_is_woken_by_what_is_done_and_need_not_wait_for_the_end),
		cmocka_unit_test(work_that_never_ends_keeps_nobody_from_closing),
	};

	giver = pthread_self();
	return cmocka_run_group_tests_name("worker", tests, NULL, NULL);
}

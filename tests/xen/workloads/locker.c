// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * locker - two threads of a guest that share a spinlock of their kernel (modules/heldlock.c), each
 * on a vCPU of its own.
 *
 * The holder, on the second vCPU, never sleeps: it holds the lock for a while by a write, and then
 * computes for as long.  The taker, on the first one, takes the lock by a read each few
 * milliseconds.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define LOCK     "/proc/heldlock"
#define HOLD_US  "500"
#define HOLD_NS  500000
#define SLEEP_NS 3000000
#define NS_PER_S 1000000000L

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static int open_lock(int flags)
{
	int file = open(LOCK, flags | O_CLOEXEC);

	if (file < 0)
		fail("locker: " LOCK " (insmod heldlock.ko first)");
	return file;
}

/* Names the calling thread, for traces, and keeps it on a vCPU. */
static void settle(const char *name, int vcpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(vcpu, &cpus);
	pthread_setname_np(pthread_self(), name);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		fail("locker: needs two vCPUs");
}

static long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void *hold(void *unused)
{
	int lock = open_lock(O_WRONLY);

	(void)unused;
	settle("holder", 1);
	for (;;) {
		if (write(lock, HOLD_US, sizeof(HOLD_US) - 1) < 0)
			fail("locker: write");
		for (long end = now_ns() + HOLD_NS; now_ns() < end;)
			;
	}
}

int main(void)
{
	const struct timespec pause = { .tv_nsec = SLEEP_NS };
	int lock = open_lock(O_RDONLY);
	pthread_t holder;
	char byte;

	if (pthread_create(&holder, NULL, hold, NULL))
		fail("locker: pthread_create");
	settle("taker", 0);
	for (;;) {
		if (read(lock, &byte, 1) < 0)
			fail("locker: read");
		nanosleep(&pause, NULL);
	}
}

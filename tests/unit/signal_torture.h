/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signal_torture.h - writers nested by signals, as interrupts nest them, with a
 * reader on another CPU.  One thread owns the ring; three timers and raise()
 * between reserve and commit interrupt it, and each other, up to six deep.
 *
 * A header, so that the same torture also runs on a platform that is broken on
 * purpose: there it must find an error.
 */
#ifndef STRATA_TESTS_SIGNAL_TORTURE_H
#define STRATA_TESTS_SIGNAL_TORTURE_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "record_audit.h"
#include "thread_tools.h"

/* The periods are multiples of it.  Where a handler takes longer than they do, as under an emulator
 * on a busy machine, signals would nest until the stack ends. */
#ifndef SIGNAL_NS
#define SIGNAL_NS 10000
#endif

#define TORTURE_DEPTH_MAX 6u
#define TORTURE_RECORDS   (1u << 21)

struct signal_torture {
	struct ring_fixture fixture;
	struct record_audit audit;
	volatile sig_atomic_t depth;
	uint32_t random;
	bool writer_done;
	unsigned long nested[TORTURE_DEPTH_MAX]; /* writes at each depth */
};

static struct signal_torture torture;

static inline uint32_t torture_random(void)
{
	/* Torn by a nested writer it is no less random. */
	torture.random = torture.random * 1664525u + 1013904223u;
	return torture.random >> 8;
}

/* One record of this depth; half-way a signal may be raised, which is then taken at once. */
static inline void torture_write(void)
{
	static const int signals[] = { SIGUSR1, SIGUSR2, SIGALRM };
	uint32_t level = (uint32_t)torture.depth, what = torture_random();
	struct strata_slot slot;

	torture.nested[level]++;
	if (what % 512 == 0)
		strata_ring_flush(torture.fixture.ring);
	if (!audited_reserve(&torture.audit, torture.fixture.ring, level, what % 97, &slot))
		return;
	if (what >> 7 & 1 && level + 1 < TORTURE_DEPTH_MAX && what % 4 == 0)
		raise(signals[what % 3]);
	strata_ring_commit(torture.fixture.ring, &slot);
}

static inline void torture_signal(int number)
{
	(void)number;
	if (torture.depth + 1 >= (int)TORTURE_DEPTH_MAX)
		return;
	torture.depth++;
	torture_write();
	torture_write();
	torture.depth--;
}

static inline void *torture_reader(void *argument)
{
	(void)argument;
	pin_to(1);
	while (!__atomic_load_n(&torture.writer_done, __ATOMIC_ACQUIRE))
		if (!audit_drain(&torture.audit, &torture.fixture.reader))
			sched_yield();
	return NULL;
}

/* Tortures a ring of two sub-buffers of 4 KiB for @ms; the books are in torture.audit after. */
static inline void torture_ring_by_signals(unsigned int ms, bool overwrite)
{
	static const struct strata_ring_geometry two_small = { 12, 1 };
	struct sigaction action = { .sa_handler = torture_signal, .sa_flags = SA_NODEFER };
	struct timespec now, end;
	sigset_t signals, before;
	timer_t timers[3];
	pthread_t reader;
	cpu_set_t cpus;
	unsigned int i;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	memset(&torture, 0, sizeof(torture));
	ring_fixture_open(&torture.fixture, two_small, wraps_after(two_small, 8));
	torture.fixture.ring->overwrite = overwrite;
	torture.fixture.reader.overwrite = overwrite;
	audit_open(&torture.audit, torture.fixture.ring, TORTURE_RECORDS);

	/* The reader inherits the signals blocked. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGALRM);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &signals, &before);
	if (pthread_create(&reader, NULL, torture_reader, NULL))
		abort();
	pin_to(0);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	timers[0] = thread_timer(SIGALRM, SIGNAL_NS * 7);
	timers[1] = thread_timer(SIGUSR1, SIGNAL_NS * 11);
	timers[2] = thread_timer(SIGUSR2, SIGNAL_NS * 17);
	pthread_sigmask(SIG_UNBLOCK, &signals, NULL);

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ms / 1000;
	end.tv_nsec += ms % 1000 * 1000000;
	do {
		for (i = 0; i < 20; i++)
			torture_write();
		/* Three times of four the reader gets a moment, so that not all is lost. */
		i = torture_random() % 4 ? 0 : 20000;
		for (; i < 20000 && strata_reader_ready(&torture.fixture.reader); i++)
			strata_barrier();
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (torture.audit.next[0] + 200 < TORTURE_RECORDS &&
		 (int64_t)(now.tv_sec - end.tv_sec) * 1000000000 + now.tv_nsec - end.tv_nsec < 0);

	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	for (i = 0; i < 3; i++)
		timer_delete(timers[i]);
	__atomic_store_n(&torture.writer_done, true, __ATOMIC_RELEASE);
	pthread_join(reader, NULL);
	/* Signals that are still pending are ignored. */
	signal(SIGALRM, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	audit_balance(&torture.audit, &torture.fixture);
}

static inline void torture_end(void)
{
	audit_close(&torture.audit);
	ring_fixture_close(&torture.fixture);
}

#endif /* STRATA_TESTS_SIGNAL_TORTURE_H */

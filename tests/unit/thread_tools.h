/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thread_tools.h - where a thread runs, and signals that come to it alone. */
#ifndef STRATA_TESTS_THREAD_TOOLS_H
#define STRATA_TESTS_THREAD_TOOLS_H

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

/* The calling thread runs on that CPU from here on, modulo those that there are. */
static inline void pin_to(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu % (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* A signal to the calling thread, again and again. */
static inline timer_t thread_timer(int signal_number, long period_ns)
{
	struct itimerspec period = { { 0, period_ns }, { 0, period_ns } };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal_number };
	timer_t timer;

	/* To this thread, whatever name this libc has for the field. */
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &period, NULL))
		abort();
	return timer;
}

#endif /* STRATA_TESTS_THREAD_TOOLS_H */

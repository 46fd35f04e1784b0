/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app_turns.h - what an event costs an application: bursts that fit into the
 * buffers, so that no event is lost, with pauses in which the consumer writes them
 * down.  For app.c (Strata) and app_lttng.c, which differ in the macro alone.
 *
 * Prints lines of "BENCH VARIANT UNIT VALUE", one a burst.
 */
#ifndef STRATA_BENCH_APP_TURNS_H
#define STRATA_BENCH_APP_TURNS_H

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "app_single.h"

#define BURST    50000u
#define TURNS    15u
#define WARM_UPS 4u /* bursts on each CPU: they touch each page of its buffer */
#define PAUSE_US 60000u

#define THREADS_MAX   8u
#define THREAD_EVENTS 500000u /* a flight recorder's: more than its buffers hold */

typedef void burst_fn(uint64_t events);

/* What app.c and app_lttng.c differ in. */
struct app_events {
	burst_fn *burst_8b;
	burst_fn *burst_4f;
	burst_fn *burst_message;
	event_fn *one_8b;
};

static inline double time_burst(burst_fn *burst)
{
	double begin = now_ns();

	burst(BURST);
	return (now_ns() - begin) / BURST;
}

struct timed_thread {
	pthread_t thread;
	pthread_barrier_t *begin;
	burst_fn *burst;
	uint64_t events;
	double ns; /* of this thread's own time, for an event */
};

static inline void *time_in_thread(void *argument)
{
	struct timed_thread *timed = argument;
	double begin;

	pthread_barrier_wait(timed->begin);
	begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	timed->burst(timed->events);
	timed->ns = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / (double)timed->events;
	return NULL;
}

/* @nr threads at once, each with @events; the mean of what an event cost each. */
static inline double time_threads(burst_fn *burst, uint64_t events, unsigned int nr)
{
	struct timed_thread threads[THREADS_MAX];
	pthread_barrier_t begin;
	double sum = 0;
	unsigned int i;

	pthread_barrier_init(&begin, NULL, nr);
	for (i = 0; i < nr; i++) {
		threads[i].begin = &begin;
		threads[i].burst = burst;
		threads[i].events = events;
		if (pthread_create(&threads[i].thread, NULL, time_in_thread, &threads[i]))
			abort();
	}
	for (i = 0; i < nr; i++) {
		pthread_join(threads[i].thread, NULL);
		sum += threads[i].ns;
	}
	pthread_barrier_destroy(&begin);
	return sum / nr;
}

static inline void rdtsc_burst(uint64_t events)
{
	uint64_t i;

	for (i = 0; i < events; i++) {
		__builtin_ia32_rdtsc();
		__asm__ __volatile__("" : : : "memory");
	}
}

/* A burst's loop, with a number that is counted up as an event would need it. */
static inline void empty_burst(uint64_t events)
{
	uint64_t i;

	for (i = 0; i < events; i++)
		__asm__ __volatile__("" : : "r"(i) : "memory");
}

static inline void warm_up(burst_fn *burst)
{
	long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu;
	cpu_set_t before, one;
	unsigned int turn;

	sched_getaffinity(0, sizeof(before), &before);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		CPU_ZERO(&one);
		CPU_SET((size_t)cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		for (turn = 0; turn < WARM_UPS; turn++) {
			burst(BURST);
			usleep(PAUSE_US);
		}
	}
	sched_setaffinity(0, sizeof(before), &before);
}

/* @baseline: in turns with what is measured; NULL: without */
static inline void take_turns(const char *bench, const char *variant, burst_fn *burst,
			      const char *baseline_name, burst_fn *baseline, unsigned int threads)
{
	unsigned int turn;

	for (turn = 0; turn < TURNS; turn++) {
		double before = baseline ? time_burst(baseline) : 0;
		double ns = threads > 1 ? time_threads(burst, BURST, threads) : time_burst(burst);

		usleep(PAUSE_US);
		if (baseline)
			printf("%s %s ns %.3f\n", bench, baseline_name, before);
		printf("%s %s ns %.3f\n", bench, variant, ns);
	}
	fflush(stdout);
}

/* @nr threads at once, by their own time. */
static inline void take_thread_turns(const char *variant, burst_fn *burst, unsigned int nr)
{
	unsigned int turn;

	if (nr < 1 || nr > THREADS_MAX)
		abort();
	for (turn = 0; turn < TURNS; turn++)
		printf("app_threads_%u %s ns %.3f\n", nr, variant,
		       time_threads(burst, THREAD_EVENTS, nr));
}

/*
 * The benches of one variant: PROGRAM VARIANT WHAT, where WHAT is
 *   on     all that takes time, with a tracer that records
 *   off    where nothing is recorded
 *   1...8  that number of threads, with a flight recorder
 *   step   run by step.c
 */
static inline int run_benches(int argc, char **argv, const struct app_events *events)
{
	const char *variant = argv[1], *what = argv[2];

	if (argc != 3) {
		fprintf(stderr, "bench: call it as: %s VARIANT on|off|step|THREADS\n", argv[0]);
		return 1;
	}
	usleep(200000); /* a tracer that attaches behind main()'s back is there then */
	if (strcmp(what, "step") == 0) {
		be_stepped(events->one_8b);
		return 0;
	}
	if (strcmp(what, "off") == 0) {
		take_turns("app_off", variant, events->burst_8b, "empty_loop", empty_burst, 1);
		return 0;
	}
	warm_up(events->burst_8b);
	if (strcmp(what, "on") != 0) {
		take_thread_turns(variant, events->burst_8b, (unsigned int)atoi(what));
		return 0;
	}
	take_turns("app_event_8b_1t", variant, events->burst_8b, "rdtsc", rdtsc_burst, 1);
	take_turns("app_event_4f_1t", variant, events->burst_4f, "rdtsc", rdtsc_burst, 1);
	take_turns("app_message_1t", variant, events->burst_message, "rdtsc", rdtsc_burst, 1);
	take_turns("app_event_8b_2t", variant, events->burst_8b, NULL, NULL, 2);
	take_cold_turns("app_event_8b_cold", variant, events->one_8b);
	return 0;
}

#endif /* STRATA_BENCH_APP_TURNS_H */

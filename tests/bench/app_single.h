/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app_single.h - one event at a time, for app_turns.h: timed with caches that were
 * trashed since the last one, and marked for step.c, which counts its instructions.
 * Both take away what the same call costs without an event.
 *
 * Trashed: a buffer that is COLD_WALK times as large as L2 is walked through, so that
 * L1 and L2 hold neither data nor, where L2 contains L1, code of the last event.
 */
#ifndef STRATA_BENCH_APP_SINGLE_H
#define STRATA_BENCH_APP_SINGLE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/rseq.h>
#include <time.h>
#include <unistd.h>

#define COLD_EVENTS 201u
#define COLD_TURNS  15u
#define COLD_WALK   8
#define LINE_BYTES  64
#define STEP_EVENTS 100u
#define STEP_WARM   1000u

typedef void event_fn(uint64_t number);

__attribute__((noinline)) static void no_event(uint64_t number)
{
	__asm__ __volatile__("" : : "r"(number) : "memory");
}

static inline double clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline double now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/*
 * Ticks from before the call until all that it loaded is there and all that it stored
 * has left the CPU: else the misses of its stores would cost nobody.
 */
static inline uint64_t event_ticks(event_fn *event, uint64_t number)
{
	uint64_t begin, end;
	unsigned int cpu;

	__asm__ __volatile__("mfence\n\tlfence" : : : "memory");
	begin = __builtin_ia32_rdtsc();
	__asm__ __volatile__("lfence" : : : "memory");
	event(number);
	__asm__ __volatile__("mfence" : : : "memory");
	end = __builtin_ia32_rdtscp(&cpu);
	__asm__ __volatile__("lfence" : : : "memory");
	return end - begin;
}

struct cold {
	volatile unsigned char *walk;
	size_t bytes;
};

static inline struct cold make_cold(void)
{
	long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
	struct cold cold = { .bytes = (size_t)(l2 > 0 ? l2 : 1 << 20) * COLD_WALK };

	cold.walk = malloc(cold.bytes);
	if (!cold.walk)
		abort();
	memset((void *)cold.walk, 1, cold.bytes);
	return cold;
}

static inline void trash_caches(const struct cold *cold)
{
	size_t at;

	for (at = 0; at < cold->bytes; at += LINE_BYTES)
		(void)cold->walk[at];
}

static inline int compare_ticks(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* The median of many, each after the caches were trashed. */
static inline double cold_ticks(const struct cold *cold, event_fn *event)
{
	uint64_t ticks[COLD_EVENTS];
	unsigned int i;

	for (i = 0; i < COLD_EVENTS; i++) {
		trash_caches(cold);
		ticks[i] = event_ticks(event, i);
	}
	qsort(ticks, COLD_EVENTS, sizeof(ticks[0]), compare_ticks);
	return (double)ticks[COLD_EVENTS / 2];
}

/* One line a turn. */
static inline void take_cold_turns(const char *bench, const char *variant, event_fn *event)
{
	struct cold cold = make_cold();
	unsigned int turn;

	for (turn = 0; turn < COLD_TURNS; turn++) {
		uint64_t begin_ticks = __builtin_ia32_rdtsc();
		double begin_ns = now_ns();
		double without = cold_ticks(&cold, no_event), with = cold_ticks(&cold, event);
		double ns_a_tick =
			(now_ns() - begin_ns) / (double)(__builtin_ia32_rdtsc() - begin_ticks);

		printf("%s %s ns %.2f\n", bench, variant, (with - without) * ns_a_tick);
	}
	fflush(stdout);
	free((void *)cold.walk);
}

/* Tells step.c where this thread's area for restartable sequences is (0: it has none), and
 * whether a call follows. */
static inline void step_mark(int more)
{
	unsigned char *thread = __builtin_thread_pointer();

	__asm__ __volatile__("int3"
			     :
			     : "a"(__rseq_size ? thread + __rseq_offset : NULL), "d"(more)
			     : "memory");
}

/* To be run by step.c, which counts between marks: a call without an event, one with it. */
static inline void be_stepped(event_fn *event)
{
	uint64_t i;

	for (i = 0; i < STEP_WARM; i++)
		event(i);
	for (i = 0; i < STEP_EVENTS; i++) {
		step_mark(1);
		no_event(i);
		step_mark(1);
		event(i);
	}
	step_mark(0);
}

#endif /* STRATA_BENCH_APP_SINGLE_H */

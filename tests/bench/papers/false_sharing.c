// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * false_sharing.c - what it costs that threads share a cache line, none of whose words they share
 * (Goulet 2012, section 4.3): eight threads add to words of their own, which lie in one line or in
 * lines of their own.  Prints lines of "false_sharing VARIANT ns VALUE", one a turn: a thread's
 * own time for an addition.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define THREADS    8
#define ADDITIONS  5000000u
#define TURNS      9
#define LINE_BYTES 128 /* two lines: the one beside it is prefetched */
#define LINE_WORDS (LINE_BYTES / sizeof(uint64_t))

static uint64_t words[THREADS * LINE_WORDS] __attribute__((aligned(LINE_BYTES)));
static pthread_barrier_t begin_together;

struct adder {
	pthread_t thread;
	volatile uint64_t *word;
	double ns;
};

static double own_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void *add(void *argument)
{
	struct adder *adder = argument;
	double begin;
	unsigned int i;

	pthread_barrier_wait(&begin_together);
	begin = own_ns();
	for (i = 0; i < ADDITIONS; i++)
		*adder->word += 1;
	adder->ns = (own_ns() - begin) / ADDITIONS;
	return NULL;
}

/* @apart: words from one thread's to the next. */
static double take_turn(size_t apart)
{
	struct adder adders[THREADS];
	double sum = 0;
	size_t i;

	for (i = 0; i < THREADS; i++) {
		adders[i].word = &words[i * apart];
		if (pthread_create(&adders[i].thread, NULL, add, &adders[i]))
			abort();
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(adders[i].thread, NULL);
		sum += adders[i].ns;
	}
	return sum / THREADS;
}

int main(void)
{
	unsigned int turn;

	pthread_barrier_init(&begin_together, NULL, THREADS);
	for (turn = 0; turn < TURNS; turn++) {
		printf("false_sharing one_line ns %.3f\n", take_turn(1));
		printf("false_sharing own_lines ns %.3f\n", take_turn(LINE_WORDS));
	}
	return 0;
}

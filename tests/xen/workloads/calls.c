// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls N - makes exactly N calls of getpriority in each of two threads, once strata.ko in this
 * kernel records; nothing else calls it.
 *
 * A test's script starts it in dom0. It first says "calls: threads A B", the numbers of its two
 * threads, by which a recording can be limited to one of them, and at the end "calls: done".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RECORDING "/sys/module/strata/parameters/recording"

static long calls;
static pid_t other;
static pthread_barrier_t numbers_known, go;

static int is_recording(void)
{
	char state = '0';
	int file = open(RECORDING, O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return 0;
	if (read(file, &state, 1) != 1)
		state = '0';
	close(file);
	return state == '1';
}

static void make_calls(void)
{
	for (long i = 0; i < calls; i++)
		syscall(SYS_getpriority, 0, 0);
}

static void *second(void *unused)
{
	other = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&numbers_known);
	pthread_barrier_wait(&go);
	make_calls();
	return unused;
}

int main(int argc, char **argv)
{
	const struct timespec poll = { .tv_nsec = 50000000 };
	pthread_t thread;

	calls = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	if (calls < 1) {
		fprintf(stderr, "usage: calls N (at least 1)\n");
		return EXIT_FAILURE;
	}
	pthread_barrier_init(&numbers_known, NULL, 2);
	pthread_barrier_init(&go, NULL, 2);
	if (pthread_create(&thread, NULL, second, NULL)) {
		perror("calls: pthread_create");
		return EXIT_FAILURE;
	}
	pthread_barrier_wait(&numbers_known);
	printf("calls: threads %d %d\n", getpid(), other);
	fflush(stdout);
	while (!is_recording())
		nanosleep(&poll, NULL);
	pthread_barrier_wait(&go);
	make_calls();
	pthread_join(thread, NULL);
	printf("calls: done\n");
	return 0;
}

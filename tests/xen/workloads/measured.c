// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * measured SECONDS - measures, while it is recorded, what reports tell of this guest: how long its
 * vCPU was in each runstate (Xen's word, by runstates.ko), how much was stolen (the kernel's word,
 * /proc/stat), and how long a thread takes from being woken until it runs (its own word, as
 * cyclictest does).
 *
 * A case of the gallery starts it. One thread wakes another by a pipe every few milliseconds; the
 * one measures from before its write to after the other's read. Marked calls of getpriority stand
 * around both readings of the counters, so that a test finds them in the trace.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RECORDING   "/sys/module/strata/parameters/recording"
#define RUNSTATES   "/sys/module/runstates/parameters/times"
#define MARK_WHICH  0x5354
#define MARK_WHO    0x52415441
#define PERIOD_NS   5000000
#define WAKEUPS_MAX 4096
#define NS_PER_S    1000000000

static int ends[2];
static int64_t latencies[WAKEUPS_MAX];
static size_t nr_latencies;

static void fail(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void sleep_ns(long ns)
{
	struct timespec time = { .tv_nsec = ns };

	nanosleep(&time, NULL);
}

static void read_text(const char *path, char *text, size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = file < 0 ? -1 : read(file, text, size - 1);

	if (got < 0)
		fail(path);
	text[got] = '\0';
	close(file);
}

static void await_recording(void)
{
	char state[8] = "";

	for (;;) {
		read_text(RECORDING, state, sizeof(state));
		if (state[0] == '1' || state[0] == 'Y')
			return;
		sleep_ns(50000000);
	}
}

static void mark(long phase)
{
	syscall(SYS_getpriority, MARK_WHICH, MARK_WHO, phase);
}

/* Prints the counters, between marked calls of @phase and the next one. */
static void say_counters(long phase)
{
	char times[128], stat[256];

	mark(phase);
	read_text(RUNSTATES, times, sizeof(times));
	read_text("/proc/stat", stat, sizeof(stat));
	mark(phase + 1);
	stat[strcspn(stat, "\n")] = '\0';
	printf("measured: phase %ld runstates %smeasured: phase %ld %s\n", phase, times, phase,
	       stat);
}

/* The thread that is woken. What it reads is when the other one began to wake it. */
static void *take_wakeups(void *unused)
{
	int64_t began;

	while (read(ends[0], &began, sizeof(began)) == sizeof(began)) {
		int64_t now = now_ns();

		if (nr_latencies < WAKEUPS_MAX)
			latencies[nr_latencies++] = now - began;
	}
	return unused;
}

int main(int argc, char **argv)
{
	long seconds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	pthread_t thread;
	size_t i;

	if (seconds < 1) {
		fprintf(stderr, "usage: measured SECONDS (at least 1)\n");
		return EXIT_FAILURE;
	}
	if (pipe(ends) || pthread_create(&thread, NULL, take_wakeups, NULL))
		fail("measured");
	pthread_setname_np(thread, "woken");
	await_recording();
	sleep_ns(300000000);
	say_counters(1);
	for (int64_t end = now_ns() + seconds * NS_PER_S; now_ns() < end;) {
		int64_t now;

		sleep_ns(PERIOD_NS);
		now = now_ns();
		if (write(ends[1], &now, sizeof(now)) != sizeof(now))
			fail("measured: write");
	}
	say_counters(3);
	close(ends[1]);
	pthread_join(thread, NULL);
	printf("measured: latencies");
	for (i = 0; i < nr_latencies; i++)
		printf(" %" PRId64, latencies[i]);
	printf("\nmeasured: done\n");
	return 0;
}

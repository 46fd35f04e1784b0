// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * measured SECONDS - measures, while it is recorded, what reports tell of this guest: how long its
 * vCPU was in each runstate (Xen's word, by runstates.ko), how much was stolen (the kernel's word,
 * /proc/stat), and how long a thread takes from being woken until it runs (its own word, as
 * cyclictest does).
 *
 * A case of the gallery starts it. One thread wakes another by a pipe every few milliseconds, and
 * says when; the other one reads the clock after that. Marked calls of getpriority stand around the
 * readings of the counters, so that a test finds them in the trace.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define RECORDING   "/sys/module/strata/parameters/recording"
#define RUNSTATES   "/sys/module/runstates/parameters/times"
#define MARK_WHICH  0x5354
#define MARK_WHO    0x52415441
#define PERIOD_NS   5000000
#define WAKEUPS_MAX 4096
#define NS_PER_S    1000000000

static int ends[2], taken[2]; /* pipes: a wake-up, and that it was taken */
struct counters {
	char times[128], stat[256];
};

static uint64_t latencies[WAKEUPS_MAX]; /* in ticks of the counter: Xen's time may step */
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

/* Reads both counters, each between marked calls: /proc/stat is read last or first. */
static void read_counters(struct counters *counters, bool stat_first)
{
	if (stat_first) {
		mark(0);
		read_text("/proc/stat", counters->stat, sizeof(counters->stat));
	}
	mark(stat_first ? 1 : 3);
	read_text(RUNSTATES, counters->times, sizeof(counters->times));
	mark(stat_first ? 2 : 4);
	if (!stat_first) {
		read_text("/proc/stat", counters->stat, sizeof(counters->stat));
		mark(5);
	}
	counters->stat[strcspn(counters->stat, "\n")] = '\0';
}

/* The thread that is woken. What it reads is when the other one began to wake it. */
static void *take_wakeups(void *unused)
{
	uint64_t began;

	while (read(ends[0], &began, sizeof(began)) == sizeof(began)) {
		uint64_t now = __rdtsc();

		if (nr_latencies < WAKEUPS_MAX)
			latencies[nr_latencies++] = now - began;
		if (write(taken[1], &now, sizeof(now)) != sizeof(now))
			fail("measured: write");
	}
	return unused;
}

int main(int argc, char **argv)
{
	long seconds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	struct counters counters[2];
	pthread_t thread;
	size_t i;

	if (seconds < 1) {
		fprintf(stderr, "usage: measured SECONDS (at least 1)\n");
		return EXIT_FAILURE;
	}
	if (pipe(ends) || pipe(taken) || pthread_create(&thread, NULL, take_wakeups, NULL))
		fail("measured");
	pthread_setname_np(thread, "woken");
	await_recording();
	sleep_ns(300000000);
	read_counters(&counters[0], true);
	for (int64_t end = now_ns() + seconds * NS_PER_S; now_ns() < end;) {
		uint64_t now;

		sleep_ns(PERIOD_NS);
		now = __rdtsc();
		if (write(ends[1], &now, sizeof(now)) != sizeof(now))
			fail("measured: write");
		if (read(taken[0], &now, sizeof(now)) != sizeof(now))
			fail("measured: read");
	}
	read_counters(&counters[1], false);
	close(ends[1]);
	pthread_join(thread, NULL);
	for (i = 0; i < 2; i++)
		printf("measured: runstates %smeasured: %s\n", counters[i].times, counters[i].stat);
	printf("measured: latencies");
	for (i = 0; i < nr_latencies; i++)
		printf(" %" PRIu64, latencies[i]);
	printf("\nmeasured: done\n");
	return 0;
}

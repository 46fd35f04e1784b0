// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * marked N [PHASE] - makes exactly N system calls that a trace can be searched for, in one burst,
 * while it is being recorded.
 *
 * A guest's init starts it. A test counts the marked calls in the trace: N of them, or the trace
 * names its losses. It waits until strata.ko says that it records, and 300 ms more; after the burst
 * it spins for 3 s without any system call, so that the reader can drain the buffers with nothing
 * new in them; then it sleeps for ever. With a PHASE, a number, it ends right after the burst
 * instead, and that is the third argument of each call. The mark is in the arguments of
 * getpriority, which fails on them and changes nothing: "ST" and "RATA" in ASCII.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define RECORDING  "/sys/module/strata/parameters/recording"
#define MARK_WHICH 0x5354
#define MARK_WHO   0x52415441
#define SETTLE_MS  300
#define POLL_MS    50
#define DRAIN_MS   3000

static void sleep_ms(long ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Says whether the module records now; a module that is not there yet does not. */
static int is_recording(void)
{
	char state = '0';
	int file = open(RECORDING, O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return 0;
	if (read(file, &state, 1) != 1)
		state = '0';
	close(file);
	return state == '1' || state == 'Y';
}

/* Ticks of the TSC per millisecond, measured before the burst: the clock is a system call where the
 * vDSO has no TSC. */
static uint64_t measure_ticks_per_ms(void)
{
	int64_t start_ns = now_ns();
	uint64_t start = __rdtsc();

	sleep_ms(100);

	uint64_t ticks = __rdtsc() - start;

	return ticks * 1000000 / (uint64_t)(now_ns() - start_ns);
}

int main(int argc, char **argv)
{
	long calls = argc == 2 || argc == 3 ? strtol(argv[1], NULL, 10) : 0;
	long phase = argc == 3 ? strtol(argv[2], NULL, 10) : 0;

	if (calls < 1) {
		fprintf(stderr, "usage: marked N [PHASE] (N at least 1)\n");
		return EXIT_FAILURE;
	}
	if (access(RECORDING, R_OK))
		fprintf(stderr, "marked: waiting for %s\n", RECORDING);

	uint64_t ticks_per_ms = measure_ticks_per_ms();

	while (!is_recording())
		sleep_ms(POLL_MS);
	sleep_ms(SETTLE_MS);
	for (long i = 0; i < calls; i++)
		syscall(SYS_getpriority, MARK_WHICH, MARK_WHO, phase);
	if (argc == 3) {
		printf("marked: phase %ld done\n", phase);
		return EXIT_SUCCESS;
	}
	for (uint64_t start = __rdtsc(); __rdtsc() - start < ticks_per_ms * DRAIN_MS;)
		;
	printf("marked: done %ld\n", calls);
	fflush(stdout);
	for (;;)
		pause();
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sleeper PERIOD_MS - sleeps until each multiple of its period, then works for about 50
 * microseconds.
 *
 * A guest's init starts it. It is the task whose wake-ups a trace explains: when it wakes late,
 * somebody else had the CPU. It sleeps until absolute times, so that one late wake-up does not
 * shift the next; those that it missed it skips.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_MS 1000000
#define NS_PER_S  1000000000
#define WORK_NS   50000

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int main(int argc, char **argv)
{
	long period_ms = argc == 2 ? strtol(argv[1], NULL, 10) : 0;

	if (period_ms < 1 || period_ms > 60000) {
		fprintf(stderr, "usage: sleeper PERIOD_MS (1 to 60000)\n");
		return EXIT_FAILURE;
	}

	int64_t period_ns = (int64_t)period_ms * NS_PER_MS;

	for (int64_t wake_ns = now_ns();;) {
		int64_t missed_ns = now_ns() - wake_ns;

		wake_ns += (missed_ns / period_ns + 1) * period_ns;

		struct timespec until = {
			.tv_sec = (time_t)(wake_ns / NS_PER_S),
			.tv_nsec = (long)(wake_ns % NS_PER_S),
		};
		int error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);

		if (error && error != EINTR) {
			fprintf(stderr, "sleeper: clock_nanosleep: %s\n", strerror(error));
			return EXIT_FAILURE;
		}
		for (int64_t end_ns = now_ns() + WORK_NS; now_ns() < end_ns;)
			;
	}
}

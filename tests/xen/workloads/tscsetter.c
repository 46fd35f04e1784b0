// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tscsetter PERIOD_MS STEP_MS - sets the time stamp counter of its first CPU forward by a step, a
 * period later back by the same step, and so on.
 *
 * A guest's init starts it in a PVH guest, where the write exits to Xen and changes the offset of
 * the vCPU's counter. The trace has to stay in order across each step.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <x86intrin.h>

#define MSR_IA32_TSC 0x10

/* Ticks of the counter in a millisecond, roughly: how many pass while we sleep. */
static int64_t ticks_in_a_millisecond(void)
{
	uint64_t begin = __rdtsc();

	usleep(100000);
	return (int64_t)(__rdtsc() - begin) / 100;
}

int main(int argc, char **argv)
{
	long period_ms = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
	long step_ms = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	int fd = open("/dev/cpu/0/msr", O_RDWR);
	cpu_set_t first;
	int64_t step;

	if (period_ms < 1 || step_ms < 1) {
		fprintf(stderr, "usage: tscsetter PERIOD_MS STEP_MS\n");
		return EXIT_FAILURE;
	}
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (fd < 0 || sched_setaffinity(0, sizeof(first), &first)) {
		perror("tscsetter: /dev/cpu/0/msr, which needs the module msr");
		return EXIT_FAILURE;
	}
	step = step_ms * ticks_in_a_millisecond();
	for (;; step = -step) {
		uint64_t ticks;

		usleep((useconds_t)period_ms * 1000);
		ticks = __rdtsc() + (uint64_t)step;
		if (pwrite(fd, &ticks, sizeof(ticks), MSR_IA32_TSC) != sizeof(ticks)) {
			perror("tscsetter: write of the counter");
			return EXIT_FAILURE;
		}
	}
}

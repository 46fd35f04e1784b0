// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tscstorm TIMES - sets the time stamp counter of the first CPU TIMES times, as fast as it can, to a
 * different value each time. An attack: in a PVH guest each write changes the vCPU's clock map.
 *
 * tests/xen/scripts/clocks.sh has a guest start it while a flight recorder runs.
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
#define STEP_TICKS   5000

int main(int argc, char **argv)
{
	long times = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	int fd = open("/dev/cpu/0/msr", O_RDWR);
	int64_t step = STEP_TICKS;
	cpu_set_t first;
	long i;

	if (times < 1) {
		fprintf(stderr, "usage: tscstorm TIMES\n");
		return EXIT_FAILURE;
	}
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (fd < 0 || sched_setaffinity(0, sizeof(first), &first)) {
		perror("tscstorm: /dev/cpu/0/msr, which needs the module msr");
		return EXIT_FAILURE;
	}
	printf("tscstorm: begin\n");
	fflush(stdout);
	for (i = 0; i < times; i++, step = -step) {
		uint64_t ticks = __rdtsc() + (uint64_t)step;

		if (pwrite(fd, &ticks, sizeof(ticks), MSR_IA32_TSC) != sizeof(ticks)) {
			perror("tscstorm: write of the counter");
			return EXIT_FAILURE;
		}
	}
	printf("tscstorm: %ld done\n", times);
	return EXIT_SUCCESS;
}

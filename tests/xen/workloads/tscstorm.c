// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tscstorm TIMES - sets the time stamp counter of the first CPU TIMES times, as fast as it can, to
 * a different offset each time. An attack: in a PVH guest each write changes the vCPU's clock map.
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
/* Writes in one system call: the kernel writes all of the buffer into the one register. */
#define AT_ONCE 256

int main(int argc, char **argv)
{
	long times = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	int fd = open("/dev/cpu/0/msr", O_RDWR);
	uint64_t ticks[AT_ONCE];
	cpu_set_t first;
	long done;
	int i;

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
	for (done = 0; done < times; done += AT_ONCE) {
		for (i = 0; i < AT_ONCE; i++)
			ticks[i] = __rdtsc();
		if (pwrite(fd, ticks, sizeof(ticks), MSR_IA32_TSC) != sizeof(ticks)) {
			perror("tscstorm: write of the counter");
			return EXIT_FAILURE;
		}
	}
	printf("tscstorm: done\n");
	return EXIT_SUCCESS;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counted.c - how many instructions a CPU executes while a command runs: those of the command, of
 * everything that it sets in motion, and of a recorder in the background, but not those of the
 * idle loop.  For a machine with one CPU and instructions.h's time.
 *
 *   counted COMMAND [ARG...]    prints "counted INSTRUCTIONS"; ends with the command's status
 */
#include <inttypes.h>
#include <sys/wait.h>
#include <unistd.h>

#include "instructions.h"

/* The scheduler's own count of the time that tasks other than the idle one ran, interrupts
 * included: a field of the line of the first CPU. */
static uint64_t busy_ns(void)
{
	uint64_t ns;
	FILE *file;

	/* The scheduler adds a task's time when it stops to run. */
	usleep(1);
	file = fopen("/proc/schedstat", "r");
	if (!file)
		die("/proc/schedstat");
	if (fscanf(file, "version %*u timestamp %*u cpu0 %*u %*u %*u %*u %*u %*u %" SCNu64, &ns) !=
	    1)
		die("/proc/schedstat is not as expected");
	fclose(file);
	return ns;
}

/* Nanoseconds of an instruction on the scheduler's clock, by a loop that leaves the CPU to nobody.
 */
static double calibrate_ns(void)
{
	uint64_t ns = busy_ns(), begin = ticks(), end;
	double per_instruction = calibrate();

	ns = busy_ns() - ns;
	end = ticks();
	return (double)ns / (double)(end - begin) * per_instruction;
}

int main(int argc, char **argv)
{
	double ns_per_instruction;
	uint64_t begin;
	pid_t child;
	int status;

	if (argc < 2) {
		fprintf(stderr, "usage: counted COMMAND [ARG...]\n");
		return 2;
	}
	ns_per_instruction = calibrate_ns();
	begin = busy_ns();
	child = fork();
	if (child == 0) {
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		die(argv[1]);
	printf("counted %.0f\n", (double)(busy_ns() - begin) / ns_per_instruction);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

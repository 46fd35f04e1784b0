// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * busy - keeps its vCPU running for ever, so that it competes for the physical CPU with whoever
 * shares it.
 *
 * A guest's init starts it. It spins in user space, makes a cheap system call now and then, and
 * once a second forks a child that executes this program again to exit at once, so that a trace
 * shows process events too. It takes its seconds from the clock of the guest; it never sleeps.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SPINS_PER_CALL 1000000

static void run_child(const char *self)
{
	pid_t child = fork();

	if (child == 0) {
		execl(self, self, "child", (char *)NULL);
		_exit(127);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return 0;

	time_t last_child = 0;

	for (;;) {
		struct timespec now;

		for (volatile unsigned int i = 0; i < SPINS_PER_CALL; i++)
			;
		syscall(SYS_getppid);
		if (clock_gettime(CLOCK_MONOTONIC, &now)) {
			perror("busy: clock_gettime");
			return EXIT_FAILURE;
		}
		if (now.tv_sec != last_child) {
			last_child = now.tv_sec;
			run_child("/proc/self/exe");
		}
	}
}

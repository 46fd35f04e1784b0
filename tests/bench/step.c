// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * step.c - how many instructions an event takes: runs PROGRAM VARIANT step (app.c,
 * app_lttng.c) under ptrace, steps through what lies between its marks, and prints lines of
 * "BENCH VARIANT UNIT VALUE": step BENCH PROGRAM VARIANT.
 *
 * They are the instructions that the processor really ran, the kernel's not included; one
 * that repeats itself (rep movs) counts once.  A performance counter would say the same, but
 * a virtual machine may have none, and valgrind turns restartable sequences off.
 *
 * Each stop of a step would make the kernel abort a restartable sequence: the thread
 * would never come to its end.  So at each stop the pointer to the sequence that runs is
 * taken out of the thread's area, before the kernel looks at it.  The thread runs through the
 * very instructions that it also runs through when nobody looks; what is missing
 * meanwhile is the protection from others on the same CPU.  A thread that was aborted
 * all the same would be counted twice: so minimum and median are of many events.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/rseq.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define INT3 0xcc

static void die(const char *what)
{
	fprintf(stderr, "step: %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct user_regs_struct registers(pid_t child)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, child, NULL, &regs))
		die("the registers cannot be read");
	return regs;
}

/* Whether it stopped for a trap; else it ended, or the signal is its own business. */
static int wait_for_stop(pid_t child, int *status)
{
	if (waitpid(child, status, 0) != child)
		die("the program cannot be waited for");
	if (WIFEXITED(*status) || WIFSIGNALED(*status))
		return 0;
	return 1;
}

/* Lets it run up to its next mark.  0: it ended, or this was the last. */
static int run_to_mark(pid_t child)
{
	int status, signal = 0;

	do {
		if (ptrace(PTRACE_CONT, child, NULL, (void *)(intptr_t)signal))
			die("the program cannot be continued");
		if (!wait_for_stop(child, &status))
			return 0;
		signal = WSTOPSIG(status);
	} while (signal != SIGTRAP);
	if (registers(child).rdx)
		return 1;
	if (ptrace(PTRACE_DETACH, child, NULL, NULL))
		die("the program cannot be let go");
	waitpid(child, &status, 0);
	return 0;
}

/* Instructions up to the next mark, from behind one.  The next mark is not run. */
static unsigned long step_to_mark(pid_t child)
{
	struct user_regs_struct regs = registers(child);
	unsigned char *sequence = (unsigned char *)(uintptr_t)regs.rax;
	unsigned long steps = 0;
	unsigned long long before;
	int status;

	while ((ptrace(PTRACE_PEEKTEXT, child, (void *)(uintptr_t)regs.rip, NULL) & 0xff) != INT3) {
		if (sequence &&
		    ptrace(PTRACE_POKEDATA, child, sequence + offsetof(struct rseq, rseq_cs), NULL))
			die("the thread's area for restartable sequences cannot be written");
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL))
			die("the program cannot be stepped");
		if (!wait_for_stop(child, &status)) {
			fprintf(stderr, "step: the program ended between two marks\n");
			exit(1);
		}
		before = regs.rip;
		regs = registers(child);
		steps += regs.rip != before;
	}
	return steps;
}

int main(int argc, char **argv)
{
	unsigned long without, with;
	int status;
	pid_t child;

	if (argc != 4) {
		fprintf(stderr, "step: call it as: step BENCH PROGRAM VARIANT\n");
		return 1;
	}
	child = fork();
	if (child < 0)
		die("fork");
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			die("ptrace");
		execl(argv[2], argv[2], argv[3], "step", NULL);
		die(argv[2]);
	}
	/* The first stop is exec's. */
	if (!wait_for_stop(child, &status))
		return 1;
	while (run_to_mark(child)) {
		without = step_to_mark(child);
		if (!run_to_mark(child))
			return 1;
		with = step_to_mark(child);
		printf("%s %s instructions %lu\n", argv[1], argv[3], with - without);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * numbered FIRST LAST panic|hang|wait - makes system calls that a trace can be searched for and
 * that carry a number, FIRST to LAST, and right after the last of them brings this guest down.
 *
 * panic: the kernel panics. hang: this process takes the CPU and never gives it back, so that no
 * kernel thread runs any more (on a guest of one vCPU). wait: nothing; somebody else will. A test
 * then finds every number in the trace of the guest's last moments. The mark is in the arguments of
 * getpriority, which fails on them and changes nothing: "ST", "RATA", and the number.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MARK_WHICH 0x5354
#define MARK_WHO   0x52415441

static int write_to(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CLOEXEC);
	int written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);

	if (!written)
		perror(path);
	return written ? file : -1;
}

int main(int argc, char **argv)
{
	long first = argc == 4 ? strtol(argv[1], NULL, 10) : 0;
	long last = argc == 4 ? strtol(argv[2], NULL, 10) : 0;
	const char *end = argc == 4 ? argv[3] : "";
	struct sched_param highest = { .sched_priority = 99 };
	int trigger = -1;

	if (first < 1 || last < first ||
	    (strcmp(end, "panic") && strcmp(end, "hang") && strcmp(end, "wait"))) {
		fprintf(stderr, "usage: numbered FIRST LAST panic|hang|wait\n");
		return EXIT_FAILURE;
	}
	/* Whatever the end needs is made ready first, so that it follows on the last number. */
	if (!strcmp(end, "panic")) {
		trigger = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);
	} else if (!strcmp(end, "hang")) {
		if (mlockall(MCL_CURRENT | MCL_FUTURE) ||
		    sched_setscheduler(0, SCHED_FIFO, &highest) ||
		    write_to("/proc/sys/kernel/sched_rt_runtime_us", "-1") < 0)
			return EXIT_FAILURE;
	}
	printf("numbered: %ld to %ld begin\n", first, last);
	fflush(stdout);
	for (long i = first; i <= last; i++)
		syscall(SYS_getpriority, MARK_WHICH, MARK_WHO, i);
	if (trigger >= 0 && write(trigger, "c", 1) != 1)
		perror("/proc/sysrq-trigger");
	while (!strcmp(end, "hang"))
		;
	printf("numbered: %ld done\n", last);
	return EXIT_SUCCESS;
}

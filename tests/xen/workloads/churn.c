// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * churn - keeps a kernel's memory management, scheduler and files busy, with the kernel's own
 * function tracer on: what a probe could stumble over.
 *
 * A guest's init starts it. Each round it maps memory, touches it page by page, unmaps it, forks a
 * child that does the same, writes a file and sleeps a little; every tenth it says "churn:
 * round N", so that a test can see that the guest lives.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRACEFS    "/sys/kernel/tracing"
#define PAGES      64
#define PAGE_BYTES 4096

static void turn_function_tracer_on(void)
{
	int file;

	if (mount("tracefs", TRACEFS, "tracefs", 0, NULL))
		perror("churn: mount " TRACEFS);
	file = open(TRACEFS "/current_tracer", O_WRONLY | O_CLOEXEC);
	if (file < 0 || write(file, "function", 8) != 8)
		perror("churn: current_tracer");
	else
		printf("churn: function tracer is on\n");
	close(file);
}

static void fault_pages(void)
{
	char *pages = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return;
	for (int i = 0; i < PAGES; i++)
		pages[i * PAGE_BYTES] = (char)i;
	munmap(pages, PAGES * PAGE_BYTES);
}

static void write_file(void)
{
	char text[PAGE_BYTES];
	int file = open("/tmp/churn", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	memset(text, 'x', sizeof(text));
	if (file < 0 || write(file, text, sizeof(text)) != sizeof(text))
		perror("churn: /tmp/churn");
	close(file);
}

int main(void)
{
	const struct timespec pause = { .tv_nsec = 5000000 };

	turn_function_tracer_on();
	for (unsigned long round = 0;; round++) {
		pid_t child = fork();

		fault_pages();
		if (child == 0)
			_exit(0);
		if (child > 0)
			waitpid(child, NULL, 0);
		write_file();
		nanosleep(&pause, NULL);
		if (round % 10 == 0) {
			printf("churn: round %lu\n", round);
			fflush(stdout);
		}
	}
}

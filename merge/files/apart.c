// SPDX-License-Identifier: GPL-2.0-or-later
/* apart.c - see apart.h. */
#include "files/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Enough to make a directory on a busy disk; and half as long as a program that starts waits for a
 * recorder. */
#define WAIT_MS    5000u
#define HURRIED_MS 500u

static unsigned int wait_ms = WAIT_MS;

void strata_apart_hurry(void)
{
	wait_ms = HURRIED_MS;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

/* The child.  If it is blocked for ever, it keeps no file or lock of ours. */
static _Noreturn void run(void (*work)(void *data), void *data, int done)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(done, STDIN_FILENO) < 0 || close_range(STDIN_FILENO + 1, ~0u, 0))
		_exit(1);
	work(data);
	_exit(write(STDIN_FILENO, "", 1) != 1);
}

/* Waits for the child's byte.  0, or -1 with errno. */
static int await(int done)
{
	const uint64_t end_ms = now_ms() + wait_ms;
	struct pollfd news = { .fd = done, .events = POLLIN };
	uint64_t now;
	char byte;

	while ((now = now_ms()) < end_ms) {
		if (poll(&news, 1, (int)(end_ms - now)) <= 0)
			continue;
		if (read(done, &byte, 1) == 1)
			return 0;
		errno = ECHILD;
		return -1;
	}
	errno = ETIMEDOUT;
	return -1;
}

static int run_apart(void (*work)(void *data), void *data)
{
	int ends[2], result, reason;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	child = fork();
	if (child == 0)
		run(work, data, ends[1]);
	reason = errno;
	close(ends[1]);
	result = child < 0 ? -1 : await(ends[0]);
	reason = child < 0 ? reason : errno;
	close(ends[0]);
	if (child > 0 && result)
		kill(child, SIGKILL);
	/* One that is blocked is reaped by init after our end. */
	if (child > 0)
		waitpid(child, NULL, result && reason == ETIMEDOUT ? WNOHANG : 0);
	errno = reason;
	return result;
}

int strata_apart(void (*work)(void *data), void *data, size_t bytes)
{
	void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int result, reason;

	if (shared == MAP_FAILED)
		return -1;
	memcpy(shared, data, bytes);
	result = run_apart(work, shared);
	reason = errno;
	if (!result)
		memcpy(data, shared, bytes);
	munmap(shared, bytes);
	errno = reason;
	return result;
}

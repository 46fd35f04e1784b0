// SPDX-License-Identifier: GPL-2.0-or-later
/* apart.c - see apart.h. */
#include "files/apart.h"

#include <errno.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* Enough to make a directory on a busy disk; and half as long as a program that starts waits for a
 * recorder. */
#define WAIT_MS    5000u
#define HURRIED_MS 500u

/* How often it is looked whether the child still lives. */
#define LOOK_NS 10000000

static unsigned int wait_ms = WAIT_MS;

void strata_apart_hurry(bool hurry)
{
	wait_ms = hurry ? HURRIED_MS : WAIT_MS;
}

/* Shared with the child, before its data. */
struct shared {
	_Alignas(16) uint32_t done; /* a futex */
};

static long futex(uint32_t *word, int operation, uint32_t value, const struct timespec *limit)
{
	return syscall(SYS_futex, word, operation, value, limit, NULL, 0);
}

/*
 * The child.  If it is blocked for ever, it keeps no file or lock of ours.  It shares our table of
 * files until it has an empty one of its own: to close a file may take long (apps/app_relay.h).
 */
static _Noreturn void run(void (*work)(void *data), struct shared *shared)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (close_range(0, ~0u, CLOSE_RANGE_UNSHARE))
		_exit(1);
	work(shared + 1);
	/* Release: the data; pairs with the acquire in await(). */
	__atomic_store_n(&shared->done, 1, __ATOMIC_RELEASE);
	futex(&shared->done, FUTEX_WAKE, 1, NULL);
	_exit(0);
}

/* Waits until the child is done.  0, or -1 with errno. */
static int await(pid_t child, const struct shared *shared)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };
	const uint64_t end_ms = clock_now_ms(CLOCK_MONOTONIC) + wait_ms;

	while (!__atomic_load_n(&shared->done, __ATOMIC_ACQUIRE)) {
		if (waitpid(child, NULL, WNOHANG)) {
			errno = ECHILD;
			/* It may have ended just now. */
			return __atomic_load_n(&shared->done, __ATOMIC_ACQUIRE) ? 0 : -1;
		}
		if (clock_now_ms(CLOCK_MONOTONIC) >= end_ms) {
			errno = ETIMEDOUT;
			return -1;
		}
		futex((uint32_t *)&shared->done, FUTEX_WAIT, 0, &look);
	}
	return 0;
}

static int run_apart(void (*work)(void *data), struct shared *shared)
{
	/* As fork(), but for the files. Nothing in the child allocates memory, so it needs no
	 * handlers of the C library. */
	const pid_t child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, 0);
	int result, reason;

	if (child == 0)
		run(work, shared);
	if (child < 0)
		return -1;
	result = await(child, shared);
	reason = errno;
	/* Else it has been reaped, and its number may be another process's. */
	if (result && reason == ETIMEDOUT)
		kill(child, SIGKILL);
	/* One that is blocked is reaped by init after our end. */
	waitpid(child, NULL, result && reason == ETIMEDOUT ? WNOHANG : 0);
	errno = reason;
	return result;
}

int strata_apart(void (*work)(void *data), void *data, size_t bytes)
{
	const size_t all = sizeof(struct shared) + bytes;
	struct shared *shared =
		mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int result, reason;

	if (shared == MAP_FAILED)
		return -1;
	memcpy(shared + 1, data, bytes);
	result = run_apart(work, shared);
	reason = errno;
	if (!result)
		memcpy(data, shared + 1, bytes);
	munmap(shared, all);
	errno = reason;
	return result;
}

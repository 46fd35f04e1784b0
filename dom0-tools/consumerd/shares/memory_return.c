// SPDX-License-Identifier: GPL-2.0-or-later
/* memory_return.c - see memory_return.h. */
#include "consumerd/shares/memory_return.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <unistd.h>

#include "consumerd/host/kernel_memory.h"
#include "consumerd/host/work_queue.h"

/* A machine frees some gigabytes a second. */
#define CLOSE_MS 10000u

/* Watches are numbered in turn, so they spread evenly. */
#define BUCKETS 1024u

/* How many of the kernel's memories are asked after in a turn: each takes some microseconds. */
#define ASKED_PER_TURN 16u

struct memory_return {
	struct worker *worker;
	int inotify;                       /* -1: no memory can be watched */
	struct returned *watched[BUCKETS]; /* released sealed memory that still exists */
	struct work_queue kept;            /* likewise, memory of the kernel */
};

struct returned {
	struct work work; /* first: they are converted */
	struct memory_to_return what;
	int failed;           /* errno */
	bool unmapped, ended; /* of watched memory: it is freed when both are true */
	struct returned *next;
};

static void run(struct work *work)
{
	struct returned *one = (struct returned *)work;
	const struct memory_to_return *what = &one->what;

	/* Pages can only be freed in writable memory that is not locked. */
	if (what->watch < 0 && !what->kernel_id &&
	    (munlock(what->memory, what->bytes) ||
	     mprotect(what->memory, what->bytes, PROT_READ | PROT_WRITE) ||
	     madvise(what->memory, what->bytes, MADV_REMOVE)))
		one->failed = errno;
	if (what->memory)
		munmap(what->memory, what->bytes);
	if (what->fd >= 0)
		close(what->fd);
}

struct memory_return *memory_return_open(struct strata_error *error)
{
	struct memory_return *returns = calloc(1, sizeof(*returns));

	if (!returns) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	work_queue_init(&returns->kept);
	returns->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	returns->worker = worker_open(-1, error);
	if (returns->worker)
		return returns;
	if (returns->inotify >= 0)
		close(returns->inotify);
	free(returns);
	return NULL;
}

int memory_return_watch(const struct memory_return *returns, int fd)
{
	char path[64];

	if (fd < 0 || returns->inotify < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return inotify_add_watch(returns->inotify, path, IN_DELETE_SELF);
}

void memory_return_unwatch(const struct memory_return *returns, int watch)
{
	inotify_rm_watch(returns->inotify, watch);
}

/* If it failed the share stays used: a process may still have that memory. */
static void settle(const struct returned *one)
{
	struct principal *who = one->what.who;

	if (!who)
		return;
	if (!one->failed)
		principal_give_back(who, PRINCIPAL_MEMORY_BYTES, one->what.claimed);
	else
		principal_complain(who, "ring memory of %s cannot be freed (%s) and still counts",
				   who->name, strerror(one->failed));
}

void memory_return_give(struct memory_return *returns, const struct memory_to_return *memory)
{
	struct returned here = { .work.run = run, .what = *memory };
	struct returned *one = malloc(sizeof(*one));
	const int watch = memory->watch;

	if (one) {
		*one = here;
		if (watch >= 0) {
			one->next = returns->watched[(unsigned int)watch % BUCKETS];
			returns->watched[(unsigned int)watch % BUCKETS] = one;
		}
		worker_give(returns->worker, &one->work);
		return;
	}
	/* Without memory for a note, it is done immediately. */
	run(&here.work);
	if (watch >= 0 || memory->kernel_id)
		here.failed = ENOMEM;
	settle(&here);
}

/* Handles the kernel's report that no process has that memory any longer. */
static void end_watched(struct memory_return *returns, int watch)
{
	struct returned **place = &returns->watched[(unsigned int)watch % BUCKETS], *one;

	while (*place && (*place)->what.watch != watch)
		place = &(*place)->next;
	one = *place;
	if (!one)
		return;
	*place = one->next;
	settle(one);
	one->ended = true;
	if (one->unmapped)
		free(one);
}

/* A bounded number in a turn. If more end than the kernel can queue, shares stay used. */
static void hear_ends(struct memory_return *returns)
{
	struct inotify_event events[256]; /* none has a name */
	ssize_t bytes = returns->inotify < 0 ? 0 : read(returns->inotify, events, sizeof(events));
	ssize_t i;

	for (i = 0; i < bytes / (ssize_t)sizeof(events[0]); i++)
		if (events[i].mask & IN_DELETE_SELF)
			end_watched(returns, events[i].wd);
}

/* Asks after some of the kernel's memories, in turn. */
static void ask_for_ends(struct memory_return *returns)
{
	struct work *first = NULL, *next;
	unsigned int asked;

	for (asked = 0; asked < ASKED_PER_TURN && (next = work_get(&returns->kept)); asked++) {
		struct returned *one = (struct returned *)next;

		if (kernel_memory_exists(one->what.kernel_id)) {
			work_put(&returns->kept, next);
			/* They have all been asked after. */
			if (next == first)
				return;
			first = first ? first : next;
			continue;
		}
		settle(one);
		free(one);
	}
}

void memory_return_tend(struct memory_return *returns)
{
	struct returned *one;

	while ((one = (struct returned *)worker_take(returns->worker))) {
		if (one->what.kernel_id) {
			work_put(&returns->kept, &one->work);
			continue;
		}
		one->unmapped = true;
		if (one->what.watch < 0)
			settle(one);
		if (one->what.watch < 0 || one->ended)
			free(one);
	}
	hear_ends(returns);
	ask_for_ends(returns);
}

/* Those that are watched are freed from their list. */
static void drop(struct work *work)
{
	struct returned *one = (struct returned *)work;

	if (one->what.watch < 0 || one->ended)
		free(one);
}

void memory_return_close(struct memory_return *returns)
{
	struct returned *one;
	struct work *kept;
	unsigned int i;

	if (!returns || !worker_close(returns->worker, CLOSE_MS, drop))
		return;
	for (i = 0; i < BUCKETS; i++)
		while ((one = returns->watched[i])) {
			returns->watched[i] = one->next;
			free(one);
		}
	while ((kept = work_get(&returns->kept)))
		free(kept);
	if (returns->inotify >= 0)
		close(returns->inotify);
	free(returns);
}

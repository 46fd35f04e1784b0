// SPDX-License-Identifier: GPL-2.0-or-later
/* memory_return.c - see memory_return.h. */
#include "consumerd/shares/memory_return.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A machine frees some gigabytes a second. */
#define CLOSE_MS 10000u

struct memory_return {
	struct worker *worker;
};

struct returned {
	struct work work; /* first: they are converted */
	void *memory;
	size_t bytes;
	struct principal *who;
	uint64_t claimed;
	int failed; /* errno */
};

static void run(struct work *work)
{
	struct returned *one = (struct returned *)work;

	/* Pages can be taken only out of writable memory. */
	if (mprotect(one->memory, one->bytes, PROT_READ | PROT_WRITE) ||
	    madvise(one->memory, one->bytes, MADV_REMOVE))
		one->failed = errno;
	munmap(one->memory, one->bytes);
}

struct memory_return *memory_return_open(struct strata_error *error)
{
	struct memory_return *returns = calloc(1, sizeof(*returns));

	if (!returns) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	returns->worker = worker_open(error);
	if (returns->worker)
		return returns;
	free(returns);
	return NULL;
}

/* Where it failed the share stays used: somebody may have that memory still. */
static void settle(const struct returned *one)
{
	if (!one->who)
		return;
	if (!one->failed)
		principal_give_back(one->who, PRINCIPAL_MEMORY_BYTES, one->claimed);
	else
		principal_complain(
			one->who,
			"memory of rings of %s cannot be taken back (%s) and still counts",
			one->who->name, strerror(one->failed));
}

void memory_return_give(struct memory_return *returns, void *memory, size_t bytes,
			struct principal *who, uint64_t claimed)
{
	struct returned *one = malloc(sizeof(*one));
	struct returned here;

	here = (struct returned){
		.work.run = run, .memory = memory, .bytes = bytes, .who = who, .claimed = claimed
	};
	if (one) {
		*one = here;
		worker_give(returns->worker, &one->work);
		return;
	}
	/* Without memory to note it with, it is done at once. */
	run(&here.work);
	settle(&here);
}

void memory_return_tend(struct memory_return *returns)
{
	struct returned *one;

	while ((one = (struct returned *)worker_take(returns->worker))) {
		settle(one);
		free(one);
	}
}

static void drop(struct work *work)
{
	free(work);
}

void memory_return_close(struct memory_return *returns)
{
	if (returns && worker_close(returns->worker, CLOSE_MS, drop))
		free(returns);
}

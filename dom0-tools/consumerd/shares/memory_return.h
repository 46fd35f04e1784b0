/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_return.h - frees the memory of rings in a separate thread: freeing a gigabyte takes longer
 * than the loop that drains rings may be blocked.
 *
 * A program may keep the memory of its rings, or give it to others.  Sealed memory
 * (app_memory_seal()) keeps its pages: it counts in the user's share until its last descriptor and
 * mapping are closed, which the kernel reports (IN_DELETE_SELF).
 *
 * The same holds for the kernel's memory (kernel_memory.h), but the recorder has to ask whether it
 * still exists.
 *
 * The pages of other memory are freed even if other processes have it; a later write allocates new
 * pages, charged to the writer, as in any memory of its own.  A program that writes events at that
 * moment finds zeros, as when it leaves its rings itself (libstrata's rings_detach()): its writer's
 * positions, which it masks, are within the rings then, and each of its loops ends.
 */
#ifndef STRATA_CONSUMERD_MEMORY_RETURN_H
#define STRATA_CONSUMERD_MEMORY_RETURN_H

#include <stddef.h>

#include "consumerd/shares/principal.h"
#include "consumerd/host/worker.h"

struct memory_return;

/* NULL with the reason. */
struct memory_return *memory_return_open(struct strata_error *error);

/* Watches for the end of anonymous memory.  Returns the watch, or -1: not possible, or no @fd. */
int memory_return_watch(const struct memory_return *returns, int fd);
void memory_return_unwatch(const struct memory_return *returns, int watch);

struct memory_to_return {
	void *memory; /* of that many bytes, which is unmapped; NULL: it was not mapped */
	size_t bytes;
	int fd; /* which is closed; -1: none */
	/* Whose share of PRINCIPAL_MEMORY_BYTES it is: it counts until it has been freed.  NULL: it
	 * does not count any more. */
	struct principal *who;
	uint64_t claimed;
	int watch;          /* of memory that is sealed; -1: it is not */
	uint32_t kernel_id; /* of the kernel's memory; 0: it is anonymous */
};

/* Frees memory that is not a file, which is shared. */
void memory_return_give(struct memory_return *returns, const struct memory_to_return *memory);

/* Returns the shares of memory that has been freed. */
void memory_return_tend(struct memory_return *returns);

/* Waits a while for the rest.  Does not touch shares, which are freed with the recorder.  NULL is
 * fine. */
void memory_return_close(struct memory_return *returns);

#endif /* STRATA_CONSUMERD_MEMORY_RETURN_H */

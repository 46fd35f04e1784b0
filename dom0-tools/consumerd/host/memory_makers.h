/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_makers.h - makes the memory of programs' rings (kernel_memory.h) in processes of its own,
 * one for each user, in a control group of that user's (user_group.h).
 *
 * Whoever has such memory can keep its pages after he has unmapped and closed it: in a pipe or an
 * unread socket (vmsplice()), or as a buffer of io_uring.  The kernel tells nobody of that, but
 * charges the group of the process that made the memory, until the pages are free.  If that were
 * the recorder's group, a user whose programs come and go could fill it.  So each user's memory is
 * charged to a group that nothing else is in: what is in use there counts, whoever keeps it, and a
 * user gets no more than his share.
 *
 * A group is entered once: that takes the kernel's lock of all groups, which others can keep busy.
 * Until it is entered, the recorder's own group pays for a user's first programs.  And a maker
 * makes the memory for the next program when it has nothing else to do: that program need not wait
 * for it.
 *
 * A helper, which is small, forks the makers.
 */
#ifndef STRATA_CONSUMERD_MEMORY_MAKERS_H
#define STRATA_CONSUMERD_MEMORY_MAKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "consumerd/host/kernel_memory.h"

struct memory_makers {
	int socket; /* readable when there is an answer, or the helper has ended; -1: not open */
	pid_t helper;
};

/* The recorder's own group is charged. */
#define MEMORY_OF_NO_USER UINT32_MAX

/* An order, and its answer. */
struct memory_order {
	uint64_t number;   /* the caller's */
	uint32_t user;     /* whose program it is for; or MEMORY_OF_NO_USER */
	uint32_t recorder; /* its number */
	size_t bytes;
	/* What the user may have, and all users of this recorder, besides some small change. */
	uint64_t share, all_shares;
	/* Of the recorder's loop.  A CPU that makes memory may do nothing else meanwhile, 0.2 ms
	 * for each MiB: a maker of much stays away from it (other_cpus.h). */
	int loop_cpu;
	/* errno: why there is no memory.  EAGAIN: order it again; EBUSY: as much as the user's
	 * share, or all shares, is in use now. */
	int failed;
	bool uncounted; /* control groups cannot be used: what a user keeps counts nowhere */
	struct kernel_memory memory; /* the caller's from the answer on */
};

/* Starts the helper, which inherits no file.  Call it early: it keeps the memory of its caller.
 * 0 or -1. */
int memory_makers_open(struct memory_makers *makers, struct strata_error *error);

/* Orders memory, without waiting.  False: too much is ordered already; order again. */
bool memory_makers_order(const struct memory_makers *makers, const struct memory_order *order);

/*
 * Takes an answer, without waiting; those of one user come in the order of his orders.
 * @ended: OUT: the helper has ended, and no answer comes any more: close and open
 * False: no answer has arrived.
 */
bool memory_makers_answer(const struct memory_makers *makers, struct memory_order *order,
			  bool *ended);

/* Has the helper and the makers end: they remove the groups that are not in use.  Waits for none of
 * them.  Also if it was never opened. */
void memory_makers_close(struct memory_makers *makers);

#endif /* STRATA_CONSUMERD_MEMORY_MAKERS_H */

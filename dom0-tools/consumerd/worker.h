/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h - a thread that does what would hold up the loop that drains rings: it runs one piece of
 * work after the other, and the loop takes back those that are done when it comes by.
 *
 * A piece of work belongs to the worker from worker_give() on, and to whoever takes it back from
 * worker_take() on; so neither locks anything.  All calls come from one thread.
 */
#ifndef STRATA_CONSUMERD_WORKER_H
#define STRATA_CONSUMERD_WORKER_H

#include <stdbool.h>

#include "error.h"

/* The first member of what the caller hands over. */
struct work {
	void (*run)(struct work *work); /* in the worker's thread */
	struct work *next;              /* of worker.c */
};

struct worker;

/* NULL with the reason. */
struct worker *worker_open(struct strata_error *error);

/* Hands over a piece of work. */
void worker_give(struct worker *worker, struct work *work);

/* The oldest piece that is done and was not taken back; NULL: there is none. */
struct work *worker_take(struct worker *worker);

/*
 * Ends the thread when all that was given has been run, for which it waits @wait_ms at most.
 * @drop: called with each piece that was not taken back
 * True, also of NULL.  False: that takes longer.  Nothing was dropped then, and all that was handed
 * over has to stay, with all that running it needs; the thread ends by itself.
 */
bool worker_close(struct worker *worker, unsigned int wait_ms, void (*drop)(struct work *work));

#endif /* STRATA_CONSUMERD_WORKER_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h - a thread for work that would block the loop that drains rings.  It runs one piece of
 * work after the other, and the loop collects finished pieces.
 *
 * A piece of work belongs to the worker from worker_give() on, and to the caller again from
 * worker_take() on; so neither locks anything.  All calls come from one thread.
 *
 * worker_give() and worker_take() never wait, even for a thread that gets no CPU.
 */
#ifndef STRATA_CONSUMERD_WORKER_H
#define STRATA_CONSUMERD_WORKER_H

#include <stdbool.h>

#include "base/error.h"

/* The first member of a piece of work. */
struct work {
	void (*run)(struct work *work); /* in the worker's thread */
	struct work *next;              /* of worker.c */
};

struct worker;

/*
 * Starts the thread.
 * @news: an eventfd that becomes readable with each finished piece, and where worker_give() or
 * worker_take() came at a moment at which the thread was busy with its queues: take again;
 * -1: none, so the caller takes again and again
 * NULL with the reason, and errno: EBUSY if a thread is being made, so a later call may succeed.
 */
struct worker *worker_open(int news, struct strata_error *error);

/* Hands over a piece of work: now, or by the next call of worker_take(). */
void worker_give(struct worker *worker, struct work *work);

/* The oldest finished piece that was not taken back; NULL: none, or ask again. */
struct work *worker_take(struct worker *worker);

/*
 * Ends the thread after all pieces have been run, and waits at most @wait_ms for that.
 * @drop: called with each piece that was not taken back
 * Returns true, also for NULL.  False: it takes longer.  Nothing was dropped then, and all pieces,
 * with everything they use, must stay; the thread ends by itself.
 */
bool worker_close(struct worker *worker, unsigned int wait_ms, void (*drop)(struct work *work));

/* Ends the thread without waiting for it.  Each piece has been taken back. */
void worker_leave(struct worker *worker);

#endif /* STRATA_CONSUMERD_WORKER_H */

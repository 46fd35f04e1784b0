/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locks.h - waits of tasks for locks of a kernel: where a spinning task's time went, and how long
 * the vCPUs that may hold the lock waited for a physical CPU meanwhile.
 *
 * No event tells which task holds a lock.
 */
#ifndef STRATA_MERGE_STATE_LOCKS_H
#define STRATA_MERGE_STATE_LOCKS_H

#include "state/tasks.h"

/* A task begins to wait for a lock; called again when the way it waits changes (a mutex spins
 * before it sleeps).
 * @flags: Linux's bits LCB_F_* */
void strata_locks_begin(struct strata_tasks *tasks, struct strata_task *task, uint64_t lock,
			uint64_t flags, const struct strata_moment *now);

/* The task stops waiting: it has the lock, or gave up. */
void strata_locks_end(struct strata_tasks *tasks, struct strata_task *task, uint64_t lock,
		      const struct strata_moment *now);

#endif /* STRATA_MERGE_STATE_LOCKS_H */

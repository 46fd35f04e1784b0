/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshots.h - a task's times at one moment, kept outside the task to divide the time from then
 * on.
 *
 * What a task did since its last change is certain only when its next change confirms it.  If that
 * shows that events are missing, the time becomes unknown, in the task and in the snapshots that
 * were taken of it meanwhile; so differences between the task's times and a snapshot stay exact.
 */
#ifndef STRATA_MERGE_STATE_SNAPSHOTS_H
#define STRATA_MERGE_STATE_SNAPSHOTS_H

#include "state/span.h"

struct strata_tasks;

/* Zero-initialised is one that was not taken.  Its task refers to it until it is dropped. */
struct strata_task_snapshot {
	struct strata_task *task; /* NULL: not taken */
	uint64_t taken_ns;
	struct strata_split split;
	struct strata_task_snapshot *earlier, *later; /* of the task */
};

/* Takes a snapshot of a task. @snapshot: not taken */
void strata_snapshot_take(struct strata_task_snapshot *snapshot, struct strata_tasks *tasks,
			  struct strata_task *task, const struct strata_moment *now);

/* Divides the time from a snapshot, which is taken, to @now. */
void strata_snapshot_since(const struct strata_task_snapshot *snapshot, struct strata_tasks *tasks,
			   const struct strata_moment *now, struct strata_split *split);

/* Drops a snapshot; nothing happens if it is not taken. */
void strata_snapshot_drop(struct strata_task_snapshot *snapshot);

/* The state that a task has now is to be unknown since its begin: so it is in snapshots, too. */
void strata_snapshots_forget(struct strata_task *task);

#endif /* STRATA_MERGE_STATE_SNAPSHOTS_H */

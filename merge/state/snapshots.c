// SPDX-License-Identifier: GPL-2.0-or-later
/* snapshots.c - see snapshots.h. */
#include "state/snapshots.h"

#include "state/tasks.h"

void strata_snapshot_take(struct strata_task_snapshot *snapshot, struct strata_tasks *tasks,
			  struct strata_task *task, const struct strata_moment *now)
{
	strata_task_times(tasks, task, now, &snapshot->split);
	snapshot->task = task;
	snapshot->taken_ns = now->ns;
	snapshot->later = NULL;
	snapshot->earlier = task->snapshots;
	if (snapshot->earlier)
		snapshot->earlier->later = snapshot;
	task->snapshots = snapshot;
}

void strata_snapshot_since(const struct strata_task_snapshot *snapshot, struct strata_tasks *tasks,
			   const struct strata_moment *now, struct strata_split *split)
{
	/* This may find a loss, which changes the snapshot. */
	strata_task_times(tasks, snapshot->task, now, split);
	strata_split_since(split, &snapshot->split);
}

void strata_snapshot_drop(struct strata_task_snapshot *snapshot)
{
	if (!snapshot->task)
		return;
	if (snapshot->later)
		snapshot->later->earlier = snapshot->earlier;
	else
		snapshot->task->snapshots = snapshot->earlier;
	if (snapshot->earlier)
		snapshot->earlier->later = snapshot->later;
	snapshot->task = NULL;
}

void strata_snapshots_forget(struct strata_task *task)
{
	const uint64_t *before = task->life->split.ns[task->state];
	struct strata_task_snapshot *snapshot;

	if (task->state == STRATA_TASK_UNKNOWN)
		return;
	/* Each is changed at most once: those before this state are left alone. */
	for (snapshot = task->snapshots; snapshot && snapshot->taken_ns > task->since.ns;
	     snapshot = snapshot->earlier) {
		uint64_t *row = snapshot->split.ns[task->state];

		strata_times_add_between(snapshot->split.ns[STRATA_TASK_UNKNOWN], before, row);
		memcpy(row, before, STRATA_NR_VCPU_STATES * sizeof(*row));
	}
}

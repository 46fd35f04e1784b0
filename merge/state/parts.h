/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.h - where a time went, in the words of reports and pictures: sums of the cells of a split
 * (struct strata_split).
 */
#ifndef STRATA_MERGE_STATE_PARTS_H
#define STRATA_MERGE_STATE_PARTS_H

#include "state/span.h"

enum strata_part {
	STRATA_PART_RUNS,   /* on a CPU that ran in the guest */
	STRATA_PART_QUEUED, /* another task had the CPU */
	STRATA_PART_XEN,    /* Xen worked for the vCPU */
	STRATA_PART_STOLEN, /* the vCPU waited for a physical CPU */
	STRATA_PART_ASLEEP, /* the vCPU had not been woken yet, or was halted */
	STRATA_PART_PAUSED,
	STRATA_PART_BLOCKED, /* the task waited for something else */
	STRATA_PART_UNKNOWN,
	STRATA_NR_PARTS,
};

/* Returns the part that a cell of a split belongs to. */
static inline enum strata_part strata_part_of(size_t task, size_t vcpu)
{
	if (task == STRATA_TASK_BLOCKED)
		return STRATA_PART_BLOCKED;
	if (task == STRATA_TASK_UNKNOWN)
		return STRATA_PART_UNKNOWN;
	switch ((enum strata_vcpu_state)vcpu) {
	case STRATA_VCPU_GUEST:
		return task == STRATA_TASK_RUNNING ? STRATA_PART_RUNS : STRATA_PART_QUEUED;
	case STRATA_VCPU_XEN:
		return STRATA_PART_XEN;
	case STRATA_VCPU_RUNNABLE:
		return STRATA_PART_STOLEN;
	case STRATA_VCPU_BLOCKED:
		return STRATA_PART_ASLEEP;
	case STRATA_VCPU_OFFLINE:
		return STRATA_PART_PAUSED;
	default:
		return STRATA_PART_UNKNOWN;
	}
}

/* Adds the cells of a split to the parts, as strata_part_of() has them. */
static inline void strata_parts_add(uint64_t parts[STRATA_NR_PARTS],
				    const struct strata_split *split)
{
	const uint64_t *runs = split->ns[STRATA_TASK_RUNNING],
		       *waits = split->ns[STRATA_TASK_RUNNABLE];
	size_t i;

	parts[STRATA_PART_RUNS] += runs[STRATA_VCPU_GUEST];
	parts[STRATA_PART_QUEUED] += waits[STRATA_VCPU_GUEST];
	parts[STRATA_PART_XEN] += runs[STRATA_VCPU_XEN] + waits[STRATA_VCPU_XEN];
	parts[STRATA_PART_STOLEN] += runs[STRATA_VCPU_RUNNABLE] + waits[STRATA_VCPU_RUNNABLE];
	parts[STRATA_PART_ASLEEP] += runs[STRATA_VCPU_BLOCKED] + waits[STRATA_VCPU_BLOCKED];
	parts[STRATA_PART_PAUSED] += runs[STRATA_VCPU_OFFLINE] + waits[STRATA_VCPU_OFFLINE];
	parts[STRATA_PART_UNKNOWN] += runs[STRATA_VCPU_UNKNOWN] + waits[STRATA_VCPU_UNKNOWN];
	for (i = 0; i < STRATA_NR_VCPU_STATES; i++) {
		parts[STRATA_PART_BLOCKED] += split->ns[STRATA_TASK_BLOCKED][i];
		parts[STRATA_PART_UNKNOWN] += split->ns[STRATA_TASK_UNKNOWN][i];
	}
}

/* The same for a span without a task, whose split has its first row only. */
static inline void strata_parts_add_vcpu(uint64_t parts[STRATA_NR_PARTS],
					 const struct strata_split *split)
{
	const uint64_t *runs = split->ns[STRATA_TASK_RUNNING];

	parts[STRATA_PART_RUNS] += runs[STRATA_VCPU_GUEST];
	parts[STRATA_PART_XEN] += runs[STRATA_VCPU_XEN];
	parts[STRATA_PART_STOLEN] += runs[STRATA_VCPU_RUNNABLE];
	parts[STRATA_PART_ASLEEP] += runs[STRATA_VCPU_BLOCKED];
	parts[STRATA_PART_PAUSED] += runs[STRATA_VCPU_OFFLINE];
	parts[STRATA_PART_UNKNOWN] += runs[STRATA_VCPU_UNKNOWN];
}

#endif /* STRATA_MERGE_STATE_PARTS_H */

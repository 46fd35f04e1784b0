/* SPDX-License-Identifier: GPL-2.0-or-later */
/* part.h - the parts that a task's time is divided into, by its state and its vCPU's (span.h). */
#ifndef STRATA_MERGE_STATE_PART_H
#define STRATA_MERGE_STATE_PART_H

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

/* @task: enum strata_task_state; @vcpu: enum strata_vcpu_state */
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

#endif /* STRATA_MERGE_STATE_PART_H */

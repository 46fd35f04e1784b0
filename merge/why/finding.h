/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finding.h - finds what is to blame for a time that is divided (tree.h): a kind of blame for each
 * cause, and who is to blame, the largest share first.
 *
 * The last cause of a chain gets the blame: if a task waits for another task, whose vCPU is
 * preempted, the domain that preempts it.  Another domain's part is that domain's, whatever its
 * causes.
 */
#ifndef STRATA_MERGE_WHY_FINDING_H
#define STRATA_MERGE_WHY_FINDING_H

#include "why/names.h"
#include "why/tree.h"

enum strata_why_blame {
	STRATA_BLAME_RUNNING,
	STRATA_BLAME_TASK_PREEMPTED,
	STRATA_BLAME_SWITCHING,
	STRATA_BLAME_INTERRUPTS,
	STRATA_BLAME_SOFTIRQS,
	STRATA_BLAME_VM_EXITS,
	STRATA_BLAME_HYPERCALLS,
	STRATA_BLAME_VCPU_PREEMPTED,
	STRATA_BLAME_VCPU_WAKES_LATE,
	STRATA_BLAME_VCPU_PAUSED,
	STRATA_BLAME_LOCK_HOLDER_PREEMPTED,
	STRATA_BLAME_LOCK,
	STRATA_BLAME_TIMER_LATE,
	STRATA_BLAME_BACKEND_DOMAIN,
	STRATA_BLAME_BLOCKED,
	STRATA_BLAME_UNKNOWN,
	STRATA_NR_BLAMES,
};

struct strata_why_finding {
	enum strata_why_blame blame;
	uint32_t by; /* who is to blame, a number of names; 0: unknown or none */
	uint64_t ns, bound_ns;
};

#define STRATA_WHY_FINDINGS 256u

struct strata_why_findings {
	struct strata_why_finding all[STRATA_WHY_FINDINGS + 1]; /* the longest first */
	size_t nr;
	uint64_t others_ns; /* of what is not in them */
};

/* @names: gets the shorter names of who is to blame */
void strata_why_find(struct strata_why_findings *findings, const struct strata_why_tree *tree,
		     struct strata_why_names *names);

/* "vcpu_preempted", ...: for programs. */
const char *strata_why_blame_key(enum strata_why_blame blame);

#endif /* STRATA_MERGE_WHY_FINDING_H */

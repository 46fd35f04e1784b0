/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finding.h - turns a tree of causes (tree.h) into a list of blames: the kind of blame and the
 * culprit (a task, handler or domain), largest share of the time first.
 *
 * The last cause of a chain gets the blame: if a task waits for another task whose vCPU is
 * preempted, the preempting domain is to blame. Time spent waiting for another domain is blamed on
 * that domain, whatever delayed it there, except for the time that it spent waiting for a third.
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
	uint32_t by; /* the culprit, as a number of names; 0: unknown or none */
	uint64_t ns, bound_ns;
};

#define STRATA_WHY_FINDINGS 256u

struct strata_why_findings {
	struct strata_why_finding all[STRATA_WHY_FINDINGS + 1]; /* longest first */
	size_t nr;
	uint64_t others_ns; /* of the findings that did not fit */
};

/* @names: receives the names of the culprits */
void strata_why_find(struct strata_why_findings *findings, const struct strata_why_tree *tree,
		     struct strata_why_names *names);

/* The blame's key, for programs: "vcpu_preempted", ... */
const char *strata_why_blame_key(enum strata_why_blame blame);

#endif /* STRATA_MERGE_WHY_FINDING_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * critical_path.h - the critical path of a task: who ran or waited, one after the other, so that
 * the task went on.  While the task itself runs or waits for a CPU, it is the task; while it is
 * blocked, it is what the task waits for in the end: the task that wakes it, the interrupt, or the
 * other domain's task that sends through an event channel (explain.h).
 *
 * Segments follow each other without a gap and are the whole time, to the nanosecond.
 */
#ifndef STRATA_MERGE_WHY_CRITICAL_PATH_H
#define STRATA_MERGE_WHY_CRITICAL_PATH_H

#include "analyses/report.h"
#include "why/explain.h"

/* What goes beyond is one segment, the last. */
#define STRATA_WHY_SEGMENTS 100000u

struct strata_why_segment {
	uint64_t from_ns, to_ns;
	uint64_t from_bound_ns, to_bound_ns; /* of the two ends */
	uint32_t who;                        /* the task, handler or vCPU: a number of names */
	struct strata_why_step cause;        /* what became of it */
	uint32_t by;           /* the task or vCPU that it waited behind; 0: unknown or none */
	unsigned int wake_ups; /* from who to the task */
};

/* Zero-initialised is empty. */
struct strata_why_critical_path {
	struct strata_why_segment *segments;
	size_t nr, room;
	struct strata_why_tree sums; /* by who, by cause, by behind whom: a level for each */
	bool no_memory;
};

/* 0, or -1: out of memory.  @path: empty; to be cleared in any case */
int strata_why_find_critical_path(const struct strata_why_recall *recall,
				  const struct strata_why_instance *instance,
				  struct strata_why_critical_path *path);
void strata_why_critical_path_clear(struct strata_why_critical_path *path);

/* What all reports have; strata_critical_path_new() makes one. */
extern const struct strata_report_kind strata_critical_path_kind;

/*
 * Makes the report of a task's critical path.  It needs the spans until the end of the traces.
 * @kernel, @task: patterns (matches.h), which outlive it; NULL: any
 * @from_ns, @to_ns: only the part in between
 * NULL: out of memory.
 */
struct strata_report *strata_critical_path_new(const struct strata_shown *shown, const char *kernel,
					       const char *task, uint64_t from_ns, uint64_t to_ns);

/* After the spans: 0, or -1 with @error if not exactly one task fits, or it has no time. */
int strata_critical_path_check(struct strata_report *report, const struct strata_state_facts *facts,
			       struct strata_error *error);

#endif /* STRATA_MERGE_WHY_CRITICAL_PATH_H */

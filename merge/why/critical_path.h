/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * critical_path.h - the critical path of a task: the sequence of tasks, handlers and vCPUs on whose
 * progress the task depended. While the task runs or waits for a CPU, the path is on the task
 * itself. While it is blocked, the path is on the end of its chain of wakers: the task that wakes
 * it, the interrupt, or the other domain's task that sends through an event channel (explain.h).
 *
 * Segments follow each other without a gap and add up to the whole time, to the nanosecond.
 */
#ifndef STRATA_MERGE_WHY_CRITICAL_PATH_H
#define STRATA_MERGE_WHY_CRITICAL_PATH_H

#include "analyses/report.h"
#include "why/explain.h"

/* The time after the last of these goes into one further segment. */
#define STRATA_WHY_SEGMENTS 100000u

struct strata_why_segment {
	uint64_t from_ns, to_ns;
	uint64_t from_bound_ns, to_bound_ns; /* of the two ends */
	uint32_t who;                        /* the task, handler or vCPU, as a number of names */
	struct strata_why_step cause;        /* why it ran or waited */
	uint32_t by;           /* the task or vCPU that it waited behind; 0: unknown or none */
	unsigned int wake_ups; /* number of wake-ups between `who` and the task */
};

/* An all-zero path is empty. */
struct strata_why_critical_path {
	struct strata_why_segment *segments;
	size_t nr, room;
	struct strata_why_tree sums; /* by who, then by cause, then by `by` */
	bool no_memory;
};

/* Returns 0, or -1: out of memory. @path: empty before; the caller must clear it in either case. */
int strata_why_find_critical_path(const struct strata_why_recall *recall,
				  const struct strata_why_instance *instance,
				  struct strata_why_critical_path *path);
void strata_why_critical_path_clear(struct strata_why_critical_path *path);

/* The interface of all reports; strata_critical_path_new() creates one. */
extern const struct strata_report_kind strata_critical_path_kind;

/*
 * Makes the report of a task's critical path.  It needs the spans until the end of the traces.
 * @kernel, @task: patterns (matches.h), which outlive it; NULL: any
 * @from_ns, @to_ns: limit the report to this part
 * Returns NULL if out of memory.
 */
struct strata_report *strata_critical_path_new(const struct strata_shown *shown, const char *kernel,
					       const char *task, uint64_t from_ns, uint64_t to_ns);

/* To be called after the last span. Returns 0, or -1 with @error if not exactly one task matches or
 * the task has no time in the range. */
int strata_critical_path_check(struct strata_report *report, const struct strata_state_facts *facts,
			       struct strata_error *error);

#endif /* STRATA_MERGE_WHY_CRITICAL_PATH_H */

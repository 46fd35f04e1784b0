/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter_seen.h - the names of tasks and the vCPUs seen in a merge, from which a correction is
 * suggested for a value that matched nothing. */
#ifndef STRATA_MERGE_FILTER_SEEN_H
#define STRATA_MERGE_FILTER_SEEN_H

#include "filter/filter_expression.h"
#include "timeline/current_task.h"

#define STRATA_SEEN_NAMES_MAX 1024u

/* All-zero is empty. */
struct strata_seen {
	struct strata_seen_name {
		size_t bytes; /* 0: the slot is free */
		char name[STRATA_TASK_NAME_BYTES];
	} names[2 * STRATA_SEEN_NAMES_MAX]; /* by hash */
	size_t nr;
	bool is_full; /* there were more */
};

/* Threads share it. All-zero is empty. */
struct strata_seen_vcpus {
	uint64_t bits[(UINT16_MAX + 1) / 64]; /* by number; set by strata_seen_add_vcpu() */
	bool is_needless;                     /* an event matched: nothing will be suggested */
};

/* Adds the name of a known task. */
void strata_seen_add(struct strata_seen *seen, const struct strata_task *task);

/* For each test of a process's name, records whether a seen name matches it, and which is the
 * nearest. */
void strata_seen_tell(const struct strata_seen *seen, struct strata_node *node);

/* Adds the number of a vCPU. */
void strata_seen_add_vcpu(struct strata_seen_vcpus *seen, uint32_t vcpu);

/* For each test of a vCPU's number, records whether it was seen, and which is the nearest. */
void strata_seen_tell_vcpus(const struct strata_seen_vcpus *seen, struct strata_node *node);

#endif /* STRATA_MERGE_FILTER_SEEN_H */

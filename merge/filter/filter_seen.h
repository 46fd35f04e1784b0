/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter_seen.h - the names of tasks seen in one merge, from which a correction is suggested for a
 * name that matched nothing. */
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

/* Adds the name of a known task. */
void strata_seen_add(struct strata_seen *seen, const struct strata_task *task);

/* For each test of a process's name, records whether a seen name matches it, and which is the
 * nearest. */
void strata_seen_tell(const struct strata_seen *seen, struct strata_node *node);

#endif /* STRATA_MERGE_FILTER_SEEN_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter_seen.h - names of tasks that one merge saw: what a name that matched nothing is compared
 * with. */
#ifndef STRATA_MERGE_FILTER_SEEN_H
#define STRATA_MERGE_FILTER_SEEN_H

#include "filter/filter_expression.h"
#include "timeline/current_task.h"

#define STRATA_SEEN_NAMES_MAX 1024u

/* Zero-initialised: none. */
struct strata_seen {
	struct strata_seen_name {
		size_t bytes; /* 0: the place is free */
		char name[STRATA_TASK_NAME_BYTES];
	} names[2 * STRATA_SEEN_NAMES_MAX]; /* by hash */
	size_t nr;
	bool is_full; /* others were seen, too */
};

/* Notes the name of a task that is known. */
void strata_seen_add(struct strata_seen *seen, const struct strata_task *task);

/* Notes at each test for a process's name whether one of these fits, or which is the nearest. */
void strata_seen_tell(const struct strata_seen *seen, struct strata_node *node);

#endif /* STRATA_MERGE_FILTER_SEEN_H */

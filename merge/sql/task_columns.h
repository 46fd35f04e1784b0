/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_columns.h - the columns `process` and `tid`: the program and the thread of an event, as its
 * contexts or its trace say, else the task that runs on its CPU, as filters have it ($process).
 *
 * For the last one, streams are read from their beginnings, unfiltered: a scan that wants these
 * columns follows each stream's task.
 */
#ifndef STRATA_MERGE_SQL_TASK_COLUMNS_H
#define STRATA_MERGE_SQL_TASK_COLUMNS_H

#include "filter/filter_bound.h"
#include "sql/session.h"

/* What is known of a class of events before any is read. */
struct sql_task_class {
	struct bound_operand process, tid;
	struct strata_task_class tells;
};

struct sql_tasks {
	struct strata_ctf_arena *arena;
	struct sql_task_class **classes; /* by trace, and the class's index in it */
};

/* NULL: out of memory. */
struct sql_tasks *sql_tasks_new(const struct strata_sql *sql);
/* Whether events of a table get their task from the events before them. */
bool sql_tasks_are_followed(const struct strata_sql *sql, const struct sql_table *table);
void sql_tasks_free(struct sql_tasks *tasks);

#endif /* STRATA_MERGE_SQL_TASK_COLUMNS_H */

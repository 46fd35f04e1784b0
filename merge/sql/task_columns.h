/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_columns.h - the columns `process` and `tid`: the program and the thread of an event. They
 * come from its contexts or its trace, else from the task running on its CPU, as in filters
 * ($process).
 *
 * To know the running task, a scan with these columns reads streams unfiltered from their
 * beginning.
 */
#ifndef STRATA_MERGE_SQL_TASK_COLUMNS_H
#define STRATA_MERGE_SQL_TASK_COLUMNS_H

#include "filter/filter_bound.h"
#include "sql/session.h"

/* What a class of events says about the task before any event is read. */
struct sql_task_class {
	struct bound_operand process, tid;
	struct strata_task_class tells;
};

struct sql_tasks {
	struct strata_ctf_arena *arena;
	struct sql_task_class **classes; /* by trace, then by index of the class in the trace */
};

/* NULL: out of memory. */
struct sql_tasks *sql_tasks_new(const struct strata_sql *sql);
/* Whether events of a table get their task from earlier events. */
bool sql_tasks_are_followed(const struct strata_sql *sql, const struct sql_table *table);
void sql_tasks_free(struct sql_tasks *tasks);

#endif /* STRATA_MERGE_SQL_TASK_COLUMNS_H */

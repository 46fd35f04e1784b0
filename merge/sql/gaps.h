/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gaps.h - notes while a statement runs what the tables of spans miss because events were not
 * recorded or were lost, and prints it afterwards. */
#ifndef STRATA_MERGE_SQL_GAPS_H
#define STRATA_MERGE_SQL_GAPS_H

#include "sql/session.h"
#include "sql/span_schema.h"
#include "state/host_state.h"

/*
 * Notes the result of a complete scan.
 * @has_rows: whether the table has any
 */
void sql_gaps_note(struct strata_sql *sql, const struct sql_span_table *table, bool has_rows,
		   const struct strata_state_facts *facts);

#endif /* STRATA_MERGE_SQL_GAPS_H */

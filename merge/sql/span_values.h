/* SPDX-License-Identifier: GPL-2.0-or-later */
/* span_values.h - the values of the columns of a span. */
#ifndef STRATA_MERGE_SQL_SPAN_VALUES_H
#define STRATA_MERGE_SQL_SPAN_VALUES_H

#include "sql/session.h"
#include "sql/span_rows.h"
#include "sql/span_schema.h"

/* Sets a column's value; an absent value becomes NULL. */
void sql_span_value(sqlite3_context *context, const struct strata_sql *sql,
		    const struct sql_span_row *row, enum sql_span_column column);

#endif /* STRATA_MERGE_SQL_SPAN_VALUES_H */

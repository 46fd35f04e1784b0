// SPDX-License-Identifier: GPL-2.0-or-later
/* gaps.c - see gaps.h. */
#include "sql/gaps.h"

#include <inttypes.h>
#include <string.h>

#include "analyses/report.h"

void sql_gaps_note(struct strata_sql *sql, const struct sql_span_table *table, bool has_rows,
		   const struct strata_state_facts *facts)
{
	const bool is_there = table->needs == STRATA_NR_MEANINGS ? has_rows
								 : facts->seen[table->needs] > 0;

	if (!is_there && table->report)
		sql->lacking |= 1u << (table - sql_span_tables);
	if (facts->not_followed > sql->not_followed)
		sql->not_followed = facts->not_followed;
	if (facts->requests_not_followed > sql->not_followed)
		sql->not_followed = facts->requests_not_followed;
}

/* The options that record the events of a report; NULL: unknown. */
static const char *how_to_record(const char *report)
{
	size_t i;

	for (i = 0; i < strata_nr_report_kinds; i++) {
		if (strcmp(strata_report_kinds[i].name, report) == 0)
			return strata_report_kinds[i].record;
	}
	return NULL;
}

static void say_lacking(const struct sql_span_table *table, FILE *out)
{
	const char *record = how_to_record(table->report);

	fprintf(out, "strata: sql: %s: the traces lack the events for this table", table->name);
	if (record)
		fprintf(out, "; record them with `strata %s`", record);
	fputc('\n', out);
}

void strata_sql_say_gaps(struct strata_sql *sql, FILE *out)
{
	size_t i;

	for (i = 0; i < sql_nr_span_tables; i++) {
		if (sql->lacking & 1u << i)
			say_lacking(&sql_span_tables[i], out);
	}
	if (sql->not_followed)
		fprintf(out,
			"strata: sql: %" PRIu64 " events were of more tasks, CPUs or requests than "
			"are followed; tables of the state lack them\n",
			sql->not_followed);
	sql->lacking = 0;
	sql->not_followed = 0;
}

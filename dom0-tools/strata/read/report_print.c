// SPDX-License-Identifier: GPL-2.0-or-later
/* report_print.c - see report_print.h. */
#include "strata/read/report_print.h"

#include <inttypes.h>

bool report_has_needed(const struct strata_report_kind *kind,
		       const struct strata_state_facts *facts)
{
	return kind->needs == STRATA_NR_MEANINGS || facts->seen[kind->needs];
}

void report_say_missing(const struct strata_report_kind *kind, FILE *out)
{
	fprintf(out,
		"%s: the traces lack the events for this report; record them with `strata %s`\n",
		kind->name, kind->record);
}

static void clear(struct strata_table *tables, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		strata_table_clear(&tables[i]);
}

/* Prints the tables of one report. */
static int print_one(struct strata_report *report, const struct strata_report_kind *kind,
		     size_t most, bool is_range, FILE *out)
{
	struct strata_table tables[STRATA_REPORT_TABLES];
	size_t nr, i, rows = 0;
	const int status = strata_report_tables(report, tables, &nr);

	for (i = 0; !status && i < nr; i++) {
		/* A blank line between two tables. */
		if (rows && tables[i].nr_rows)
			fprintf(out, "\n");
		rows += tables[i].nr_rows;
		if (tables[i].nr_rows)
			strata_table_print(&tables[i], most, out);
	}
	if (!status && !rows && is_range)
		fprintf(out,
			"%s: nothing in this range of time; it comes from events of `strata %s`\n",
			kind->name, kind->record);
	else if (!status && !rows)
		report_say_missing(kind, out);
	clear(tables, nr);
	return status;
}

/* Whether a requested report needs events of this meaning. */
static bool asks_for(const struct report_options *options, enum strata_meaning_of needs)
{
	size_t i;

	for (i = 0; i < options->nr_kinds; i++) {
		if (options->kinds[i]->needs == needs)
			return true;
	}
	return false;
}

int report_print_text(struct strata_report *const *reports, const struct report_options *options,
		      const struct strata_state_facts *facts, bool is_range, FILE *out)
{
	size_t i;
	int status = 0;

	for (i = 0; !status && i < options->nr_kinds; i++) {
		if (i)
			fprintf(out, "\n");
		if (report_has_needed(options->kinds[i], facts))
			status = print_one(reports[i], options->kinds[i], options->rows, is_range,
					   out);
		else
			report_say_missing(options->kinds[i], out);
	}
	state_print_facts(facts, asks_for(options, STRATA_MEANS_REQUEST), out);
	return status;
}

int report_print_csv(struct strata_report *report, FILE *out)
{
	struct strata_table tables[STRATA_REPORT_TABLES];
	size_t nr, i;
	const int status = strata_report_tables(report, tables, &nr);

	for (i = 0; !status && i < nr; i++) {
		if (i)
			fprintf(out, "\n");
		strata_table_print_csv(&tables[i], out);
	}
	clear(tables, nr);
	return status;
}

int report_add_json(struct strata_report *const *reports, const struct report_options *options,
		    const struct strata_state_facts *facts, struct json_object *root)
{
	struct strata_table tables[STRATA_REPORT_TABLES];
	size_t nr, i, j;
	int status = 0;

	for (i = 0; !status && i < options->nr_kinds; i++) {
		status = strata_report_tables(reports[i], tables, &nr);
		for (j = 0; !status && j < nr; j++)
			json_object_object_add(root, tables[j].key,
					       strata_table_to_json(&tables[j]));
		clear(tables, nr);
	}
	json_object_object_add(root, "facts", state_facts_json(facts));
	return status;
}

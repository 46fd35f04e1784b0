/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - tables of names, counts and times, as text for people, as JSON and as CSV: the same
 * figures in each form.
 *
 * Text shows times with a unit, JSON and CSV as nanoseconds; JSON's and CSV's names of columns are
 * the same. An unknown cell is "-" in text, null in JSON, and empty in CSV.
 */
#ifndef STRATA_MERGE_OUTPUTS_TABLE_H
#define STRATA_MERGE_OUTPUTS_TABLE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum strata_cell_kind {
	STRATA_CELL_TEXT, /* escaped for output */
	STRATA_CELL_COUNT,
	STRATA_CELL_NS,
	STRATA_CELL_BOUND,  /* of a time, in ns */
	STRATA_CELL_FIGURE, /* the text of a number: aligned like a number */
	STRATA_CELL_SHARE,  /* millionths; text and CSV show percent, JSON a fraction */
};

struct strata_table_column {
	const char *key;     /* of JSON and CSV; those of times end in _ns */
	const char *heading; /* of text; NULL: text does not show the column */
	enum strata_cell_kind kind;
};

struct strata_cell {
	bool is_known;
	uint64_t number;
	const char *text; /* owned by the table */
};

struct strata_table {
	const char *key, *title; /* must outlive the table; title NULL: none in text */
	const struct strata_table_column *columns;
	size_t nr_columns;
	struct strata_cell *cells; /* row by row */
	size_t nr_rows;
	size_t room; /* rows */
	bool no_memory;
};

void strata_table_init(struct strata_table *table, const char *key, const char *title,
		       const struct strata_table_column *columns, size_t nr_columns);
void strata_table_clear(struct strata_table *table);

/* Adds a row of unknown cells. NULL: out of memory, which the table remembers. */
struct strata_cell *strata_table_add(struct strata_table *table);

/* Sets a cell; text is copied. */
void strata_table_text(struct strata_table *table, struct strata_cell *cell, const char *text);
static inline void strata_cell_set(struct strata_cell *cell, uint64_t number)
{
	cell->is_known = true;
	cell->number = number;
}

/* Sorts by a numeric column, largest first; the sort is stable. */
void strata_table_sort(struct strata_table *table, size_t column);

/* @most: largest number of rows to show; the number of the others is printed. Columns with no value
 * but 0 are left out. */
void strata_table_print(const struct strata_table *table, size_t most, FILE *out);
void strata_table_print_csv(const struct strata_table *table, FILE *out);
/* Writes a text as a cell of CSV, quoted if necessary. */
void strata_table_put_csv(const char *text, size_t bytes, FILE *out);
/* Returns an array of objects. NULL: out of memory. */
struct json_object *strata_table_to_json(const struct strata_table *table);

/*
 * Writes a time for people, rounded to four digits: "12.39 s", "9.550 ms". A bound is rounded up,
 * so that what is shown is a bound, too. The page of `strata timeline` does the same (format.ts).
 */
#define STRATA_NS_TEXT_BYTES 40u
const char *strata_ns_text(char *text, uint64_t ns);
const char *strata_bound_text(char *text, uint64_t bound_ns);

#endif /* STRATA_MERGE_OUTPUTS_TABLE_H */

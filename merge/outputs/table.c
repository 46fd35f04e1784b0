// SPDX-License-Identifier: GPL-2.0-or-later
/* table.c - see table.h. */
#include "outputs/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/put_text.h"

#define CELL_BYTES 160u

/* Times have four digits: fewer steps than this, the longest of 0.1 s each. */
#define STEPS    10000u
#define COARSEST 8u

void strata_table_init(struct strata_table *table, const char *key, const char *title,
		       const struct strata_table_column *columns, size_t nr_columns)
{
	memset(table, 0, sizeof(*table));
	table->key = key;
	table->title = title;
	table->columns = columns;
	table->nr_columns = nr_columns;
}

void strata_table_clear(struct strata_table *table)
{
	size_t i;

	for (i = 0; i < table->nr_rows * table->nr_columns; i++)
		free((char *)table->cells[i].text);
	free(table->cells);
	memset(table, 0, sizeof(*table));
}

struct strata_cell *strata_table_add(struct strata_table *table)
{
	struct strata_cell *row;

	if (table->nr_rows == table->room) {
		const size_t room = table->room ? 2 * table->room : 16;
		struct strata_cell *larger =
			reallocarray(table->cells, room, table->nr_columns * sizeof(*larger));

		if (!larger) {
			table->no_memory = true;
			return NULL;
		}
		table->cells = larger;
		table->room = room;
	}
	row = &table->cells[table->nr_rows++ * table->nr_columns];
	memset(row, 0, table->nr_columns * sizeof(*row));
	return row;
}

void strata_table_text(struct strata_table *table, struct strata_cell *cell, const char *text)
{
	cell->text = strdup(text);
	cell->is_known = cell->text != NULL;
	table->no_memory |= !cell->text;
}

struct sorted_row {
	const struct strata_cell *cells;
	size_t column;
};

static int larger_first(const void *a, const void *b)
{
	const struct sorted_row *x = a, *y = b;
	const uint64_t of_x = x->cells[x->column].number, of_y = y->cells[y->column].number;

	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	return x->cells < y->cells ? -1 : x->cells > y->cells;
}

void strata_table_sort(struct strata_table *table, size_t column)
{
	const size_t bytes = table->nr_columns * sizeof(*table->cells);
	struct sorted_row *rows = calloc(table->nr_rows + 1, sizeof(*rows));
	struct strata_cell *cells = calloc(table->room + 1, bytes);
	size_t i;

	if (!rows || !cells) {
		table->no_memory = true;
		free(rows);
		free(cells);
		return;
	}
	for (i = 0; i < table->nr_rows; i++)
		rows[i] = (struct sorted_row){ &table->cells[i * table->nr_columns], column };
	qsort(rows, table->nr_rows, sizeof(*rows), larger_first);
	for (i = 0; i < table->nr_rows; i++)
		memcpy(&cells[i * table->nr_columns], rows[i].cells, bytes);
	free(table->cells);
	free(rows);
	table->cells = cells;
}

/* Writes a number of steps of 10^@exponent ns, with four digits. */
static char *put_steps(char *out, uint64_t steps, unsigned int exponent)
{
	static const char *const units[] = { " us", " ms", " s" };
	const unsigned int digits = 3 - exponent % 3;
	const uint64_t one = digits == 3 ? 1000 : digits == 2 ? 100 : 10;

	out = strata_put_decimal(out, steps / one);
	*out++ = '.';
	out = strata_put_digits(out, steps % one, digits);
	return strata_put_text(out, units[exponent / 3]);
}

static const char *put_ns(char *text, uint64_t ns, bool is_bound)
{
	uint64_t step = 1, steps = ns;
	unsigned int exponent;
	char *end;

	/* Rounded before the unit is chosen: 999.96 us are 1.000 ms. */
	for (exponent = 0; steps >= STEPS && exponent < COARSEST; exponent++) {
		step *= 10;
		steps = ns / step + (is_bound ? ns % step > 0 : ns % step >= step / 2);
	}
	end = ns < 1000 ? strata_put_text(strata_put_decimal(text, ns), " ns")
			: put_steps(text, steps, exponent);
	*end = '\0';
	return text;
}

const char *strata_ns_text(char *text, uint64_t ns)
{
	return put_ns(text, ns, false);
}

const char *strata_bound_text(char *text, uint64_t bound_ns)
{
	return put_ns(text, bound_ns, true);
}

static const char *cell_text(char text[CELL_BYTES], const struct strata_table_column *column,
			     const struct strata_cell *cell)
{
	uint64_t tenths;

	if (!cell->is_known)
		return "-";
	switch (column->kind) {
	case STRATA_CELL_TEXT:
	case STRATA_CELL_FIGURE:
		return cell->text;
	case STRATA_CELL_NS:
		return strata_ns_text(text, cell->number);
	case STRATA_CELL_BOUND:
		return strata_bound_text(text, cell->number);
	case STRATA_CELL_SHARE:
		tenths = cell->number / 1000 + (cell->number % 1000 >= 500);
		snprintf(text, CELL_BYTES, "%" PRIu64 ".%" PRIu64 " %%", tenths / 10, tenths % 10);
		return text;
	case STRATA_CELL_COUNT:
		break;
	}
	snprintf(text, CELL_BYTES, "%" PRIu64, cell->number);
	return text;
}

static bool is_text(const struct strata_table_column *column)
{
	return column->kind == STRATA_CELL_TEXT || column->kind == STRATA_CELL_FIGURE;
}

/* Returns the width of a column in text; 0: it is not shown. */
static size_t width_of(const struct strata_table *table, size_t at, size_t rows)
{
	const struct strata_table_column *column = &table->columns[at];
	char text[CELL_BYTES];
	size_t width, i;
	bool says_something = is_text(column);

	if (!column->heading)
		return 0;
	width = strlen(column->heading);
	for (i = 0; i < table->nr_rows; i++) {
		const struct strata_cell *cell = &table->cells[i * table->nr_columns + at];
		const size_t length = strlen(cell_text(text, column, cell));

		says_something |= cell->number != 0;
		if (i < rows && length > width)
			width = length;
	}
	return says_something ? width : 0;
}

static void print_row(const struct strata_table *table, const size_t *widths,
		      const struct strata_cell *row, FILE *out)
{
	char text[CELL_BYTES];
	size_t i;

	for (i = 0; i < table->nr_columns; i++) {
		const struct strata_table_column *column = &table->columns[i];
		const char *shown = row ? cell_text(text, column, &row[i]) : column->heading;

		if (!widths[i])
			continue;
		fprintf(out, column->kind == STRATA_CELL_TEXT ? "  %-*s" : "  %*s", (int)widths[i],
			shown);
	}
	fprintf(out, "\n");
}

void strata_table_print(const struct strata_table *table, size_t most, FILE *out)
{
	const size_t rows = table->nr_rows < most ? table->nr_rows : most;
	size_t *widths = calloc(table->nr_columns, sizeof(*widths));
	size_t i;

	if (table->title)
		fprintf(out, "%s\n", table->title);
	for (i = 0; widths && i < table->nr_columns; i++)
		widths[i] = width_of(table, i, rows);
	if (widths)
		print_row(table, widths, NULL, out);
	for (i = 0; widths && i < rows; i++)
		print_row(table, widths, &table->cells[i * table->nr_columns], out);
	if (rows < table->nr_rows)
		fprintf(out, "  and %zu more\n", table->nr_rows - rows);
	free(widths);
}

static bool needs_quotes(const char *text, size_t bytes)
{
	return memchr(text, ',', bytes) || memchr(text, '"', bytes) || memchr(text, '\r', bytes) ||
	       memchr(text, '\n', bytes);
}

void strata_table_put_csv(const char *text, size_t bytes, FILE *out)
{
	size_t i;

	if (!needs_quotes(text, bytes)) {
		fwrite(text, 1, bytes, out);
		return;
	}
	fputc('"', out);
	for (i = 0; i < bytes; i++) {
		if (text[i] == '"')
			fputc('"', out);
		fputc(text[i], out);
	}
	fputc('"', out);
}

void strata_table_print_csv(const struct strata_table *table, FILE *out)
{
	size_t i, j;

	for (i = 0; i < table->nr_columns; i++)
		fprintf(out, "%s%s", i ? "," : "", table->columns[i].key);
	fprintf(out, "\n");
	for (i = 0; i < table->nr_rows; i++) {
		for (j = 0; j < table->nr_columns; j++) {
			const struct strata_cell *cell = &table->cells[i * table->nr_columns + j];

			if (j)
				fputc(',', out);
			if (!cell->is_known)
				continue;
			if (is_text(&table->columns[j]))
				strata_table_put_csv(cell->text, strlen(cell->text), out);
			else if (table->columns[j].kind == STRATA_CELL_SHARE)
				fprintf(out, "%" PRIu64 ".%04" PRIu64, cell->number / 10000,
					cell->number % 10000);
			else
				fprintf(out, "%" PRIu64, cell->number);
		}
		fprintf(out, "\n");
	}
}

static struct json_object *cell_to_json(enum strata_cell_kind kind, const struct strata_cell *cell)
{
	if (!cell->is_known)
		return NULL;
	if (kind == STRATA_CELL_TEXT || kind == STRATA_CELL_FIGURE)
		return json_object_new_string(cell->text);
	if (kind == STRATA_CELL_SHARE)
		return json_object_new_double((double)cell->number / 1e6);
	return json_object_new_uint64(cell->number);
}

struct json_object *strata_table_to_json(const struct strata_table *table)
{
	struct json_object *array = json_object_new_array();
	size_t i, j;

	for (i = 0; array && i < table->nr_rows; i++) {
		struct json_object *row = json_object_new_object();

		for (j = 0; row && j < table->nr_columns; j++)
			json_object_object_add(
				row, table->columns[j].key,
				cell_to_json(table->columns[j].kind,
					     &table->cells[i * table->nr_columns + j]));
		json_object_array_add(array, row);
	}
	return array;
}

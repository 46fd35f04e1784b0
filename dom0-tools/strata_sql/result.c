// SPDX-License-Identifier: GPL-2.0-or-later
/* result.c - see result.h. */
#include "strata_sql/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/json/json_text.h"
#include "sql/shown_text.h"

/* Limit of rows that are aligned together: the next ones get new headings, so that memory is
 * bounded. */
#define TABLE_ROWS  5000u
#define TABLE_BYTES (16u << 20) /* limit of their text: a row may have 2000 columns */

/* Limit of a text in a table; JSON and CSV have the whole text. */
#define CELL_BYTES_MAX 200u

#define JSON_BYTES (1u << 20) /* buffered before a write; a row may be longer */

#define EXACT_MAX (1ll << 53) /* larger integers are text in JSON, as elsewhere */

/* Makes a unique name for a column. NULL: out of memory. */
static char *column_name(const struct result *result, int at)
{
	const char *name = sqlite3_column_name(result->statement, at);
	unsigned int number = 1;
	char *made = name ? strdup(name) : NULL;
	int i = 0;

	while (made && i < at) {
		if (strcmp(result->names[i++], made) != 0)
			continue;
		free(made);
		if (asprintf(&made, "%s_%u", name, ++number) < 0)
			made = NULL;
		i = 0;
	}
	return made;
}

/* Escapes text for the terminal, and truncates long text. NULL: out of memory. */
static char *shown_text(const char *text, size_t bytes)
{
	const bool is_cut = bytes > CELL_BYTES_MAX;
	size_t shown_bytes = is_cut ? CELL_BYTES_MAX : bytes;
	char *shown;

	/* Does not cut within a character. */
	while (is_cut && shown_bytes && ((unsigned char)text[shown_bytes] & 0xc0) == 0x80)
		shown_bytes--;
	shown = malloc(SQL_SHOWN_BYTES(shown_bytes) + 3);
	if (!shown)
		return NULL;
	sql_shown_text(shown, text, shown_bytes);
	return is_cut ? strcat(shown, "...") : shown;
}

/* Has room for three more bytes. */
static char *hex_text(const uint8_t *bytes, size_t nr)
{
	char *text = malloc(2 * nr + 4);

	if (text)
		*strata_put_hex_bytes(text, bytes, nr) = '\0';
	return text;
}

/* Returns a cell as text; NULL: it is NULL, or out of memory. */
static char *cell_text(struct result *result, int at, bool is_escaped)
{
	sqlite3_stmt *statement = result->statement;
	char *text = NULL;
	bool is_cut;
	size_t bytes;

	switch (sqlite3_column_type(statement, at)) {
	case SQLITE_NULL:
		return NULL;
	case SQLITE_BLOB:
		bytes = (size_t)sqlite3_column_bytes(statement, at);
		is_cut = is_escaped && bytes > CELL_BYTES_MAX / 2;
		text = hex_text(sqlite3_column_blob(statement, at),
				is_cut ? CELL_BYTES_MAX / 2 : bytes);
		if (text && is_cut)
			strcat(text, "...");
		break;
	default:
		text = (char *)sqlite3_column_text(statement, at);
		bytes = (size_t)sqlite3_column_bytes(statement, at);
		if (text)
			text = is_escaped ? shown_text(text, bytes) : strndup(text, bytes);
	}
	result->no_memory |= !text;
	return text;
}

static void print_csv_row(struct result *result)
{
	const char *text;
	char *made;
	int i;

	for (i = 0; i < result->nr_columns; i++) {
		if (i)
			fputc(',', stdout);
		if (sqlite3_column_type(result->statement, i) == SQLITE_TEXT) {
			/* It may hold bytes of 0. */
			text = (const char *)sqlite3_column_text(result->statement, i);
			result->no_memory |= !text;
			if (text)
				strata_table_put_csv(
					text, (size_t)sqlite3_column_bytes(result->statement, i),
					stdout);
			continue;
		}
		made = cell_text(result, i, false);
		if (made)
			strata_table_put_csv(made, strlen(made), stdout);
		free(made);
	}
	fputc('\n', stdout);
}

static void put_json_string(struct strata_buffer *json, const char *text, size_t bytes)
{
	char *out = strata_buffer_room(json, STRATA_JSON_BYTES(bytes) + 2);

	if (!out)
		return;
	*out++ = '"';
	out = strata_json_put_text(out, text, bytes);
	*out++ = '"';
	strata_buffer_advance(json, out);
}

static void put_json_number(struct strata_buffer *json, sqlite3_int64 number)
{
	const bool is_text = number > EXACT_MAX || number < -EXACT_MAX;
	char *out = strata_buffer_room(json, STRATA_PUT_BYTES + 2);

	if (!out)
		return;
	if (is_text)
		*out++ = '"';
	out = strata_put_signed(out, number);
	if (is_text)
		*out++ = '"';
	strata_buffer_advance(json, out);
}

static void put_json_cell(struct result *result, int at)
{
	struct strata_buffer *json = &result->json;
	sqlite3_stmt *statement = result->statement;
	char *text;

	switch (sqlite3_column_type(statement, at)) {
	case SQLITE_NULL:
		strata_buffer_text(json, "null");
		break;
	case SQLITE_INTEGER:
		put_json_number(json, sqlite3_column_int64(statement, at));
		break;
	case SQLITE_FLOAT:
		if (isinf(sqlite3_column_double(statement, at)))
			strata_buffer_text(json, sqlite3_column_double(statement, at) < 0
							 ? "-1e999"
							 : "1e999");
		else
			strata_buffer_text(json, (const char *)sqlite3_column_text(statement, at));
		break;
	case SQLITE_TEXT:
		text = (char *)sqlite3_column_text(statement, at);
		result->no_memory |= !text;
		/* It may hold bytes of 0. */
		if (text)
			put_json_string(json, text, (size_t)sqlite3_column_bytes(statement, at));
		break;
	default:
		text = cell_text(result, at, false);
		if (text)
			put_json_string(json, text, strlen(text));
		free(text);
	}
}

static void flush_json(struct result *result)
{
	result->no_memory |= result->json.no_memory;
	if (!result->json.no_memory)
		fwrite(result->json.bytes, 1, result->json.used, stdout);
	result->json.used = 0;
}

static void print_json_row(struct result *result)
{
	struct strata_buffer *json = &result->json;
	int i;

	json->used = 0;
	strata_buffer_text(json, result->nr_rows ? ",\n{" : "[\n{");
	for (i = 0; i < result->nr_columns; i++) {
		if (i)
			strata_buffer_text(json, ",");
		put_json_string(json, result->names[i], strlen(result->names[i]));
		strata_buffer_text(json, ":");
		put_json_cell(result, i);
		/* A row may be as large as SQLite's memory limit. */
		if (json->used > JSON_BYTES)
			flush_json(result);
	}
	strata_buffer_text(json, "}");
	flush_json(result);
}

static bool is_figure(int type)
{
	return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

static void flush_table(struct result *result)
{
	result->table_bytes = 0;
	strata_table_print(&result->table, SIZE_MAX, stdout);
	strata_table_clear(&result->table);
	strata_table_init(&result->table, "", NULL, result->columns, (size_t)result->nr_columns);
}

static void add_table_row(struct result *result)
{
	struct strata_cell *cells;
	char *text;
	int i;

	if (result->table.nr_rows == TABLE_ROWS || result->table_bytes > TABLE_BYTES)
		flush_table(result);
	cells = strata_table_add(&result->table);
	result->no_memory |= !cells;
	for (i = 0; cells && i < result->nr_columns; i++) {
		/* A column is numeric if its first value is. */
		if (result->nr_rows == 0 && is_figure(sqlite3_column_type(result->statement, i)))
			result->columns[i].kind = STRATA_CELL_FIGURE;
		text = cell_text(result, i, true);
		cells[i].text = text;
		cells[i].is_known = text != NULL;
		result->table_bytes += sizeof(*cells) + (text ? strlen(text) : 0);
	}
}

void result_begin(struct result *result, enum result_form form, sqlite3_stmt *statement)
{
	int i;

	memset(result, 0, sizeof(*result));
	result->form = form;
	result->statement = statement;
	result->nr_columns = sqlite3_column_count(statement);
	result->names = calloc((size_t)result->nr_columns + 1, sizeof(*result->names));
	result->columns = calloc((size_t)result->nr_columns + 1, sizeof(*result->columns));
	result->no_memory = !result->names || !result->columns;
	for (i = 0; !result->no_memory && i < result->nr_columns; i++) {
		char *name = column_name(result, i);

		result->no_memory = !name;
		if (name && form == RESULT_TABLE) {
			result->names[i] = shown_text(name, strlen(name));
			result->no_memory = !result->names[i];
			free(name);
		} else {
			result->names[i] = name;
		}
		result->columns[i] = (struct strata_table_column){ .key = result->names[i],
								   .heading = result->names[i],
								   .kind = STRATA_CELL_TEXT };
	}
	strata_table_init(&result->table, "", NULL, result->columns, (size_t)result->nr_columns);
	for (i = 0; form == RESULT_CSV && !result->no_memory && i < result->nr_columns; i++) {
		if (i)
			fputc(',', stdout);
		strata_table_put_csv(result->names[i], strlen(result->names[i]), stdout);
	}
	if (form == RESULT_CSV)
		fputc('\n', stdout);
}

void result_row(struct result *result)
{
	if (result->no_memory)
		return;
	if (result->form == RESULT_CSV)
		print_csv_row(result);
	else if (result->form == RESULT_JSON)
		print_json_row(result);
	else
		add_table_row(result);
	result->nr_rows++;
}

int result_end(struct result *result)
{
	const bool no_memory = result->no_memory || result->table.no_memory;
	int i;

	if (!no_memory && result->form == RESULT_TABLE)
		flush_table(result);
	if (result->form == RESULT_JSON)
		printf("%s", result->nr_rows ? "\n]\n" : "[]\n");
	strata_table_clear(&result->table);
	strata_buffer_free(&result->json);
	for (i = 0; result->names && i < result->nr_columns; i++)
		free(result->names[i]);
	free(result->names);
	free(result->columns);
	memset(result, 0, sizeof(*result));
	return no_memory ? -1 : 0;
}

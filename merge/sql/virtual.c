// SPDX-License-Identifier: GPL-2.0-or-later
/* virtual.c - see virtual.h. */
#include "sql/virtual.h"

#include <stdlib.h>
#include <string.h>

/* A table to which SQLite is connected. */
struct connected {
	sqlite3_vtab base;
	const struct sql_virtual *table;
};

static const struct sql_virtual *table_of(sqlite3_vtab *base)
{
	return ((struct connected *)base)->table;
}

void sql_declare_column(sqlite3_str *columns, const char *name, const char *type)
{
	sqlite3_str_appendf(columns, "%s\"%w\" %s", sqlite3_str_length(columns) ? ", " : "", name,
			    type);
}

void sql_declare_columns(sqlite3_str *columns, const struct sql_described_column *list, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		sql_declare_column(columns, list[i].name, list[i].type);
}

/* Declares the columns to SQLite. Forbids use of the table from other schemas. */
static int declare(sqlite3 *db, const struct sql_virtual *table)
{
	sqlite3_str *columns = sqlite3_str_new(db);
	int status = table->kind->declare(table->of, columns);
	char *text = sqlite3_str_finish(columns), *statement = NULL;

	if (status == SQLITE_OK)
		statement = text ? sqlite3_mprintf("CREATE TABLE x(%s)", text) : NULL;
	if (status == SQLITE_OK)
		status = statement ? sqlite3_declare_vtab(db, statement) : SQLITE_NOMEM;
	sqlite3_free(text);
	sqlite3_free(statement);
	return status == SQLITE_OK ? sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY) : status;
}

static int connect_table(sqlite3 *db, void *aux, int argc, const char *const *argv,
			 sqlite3_vtab **out, char **error)
{
	struct connected *made = sqlite3_malloc(sizeof(*made));
	int status;

	(void)argc;
	(void)argv;
	if (!made)
		return SQLITE_NOMEM;
	memset(made, 0, sizeof(*made));
	made->table = aux;
	status = declare(db, made->table);
	if (status == SQLITE_OK) {
		*out = &made->base;
		return SQLITE_OK;
	}
	if (status != SQLITE_NOMEM)
		*error = sqlite3_mprintf("%s", sqlite3_errmsg(db));
	sqlite3_free(made);
	return status;
}

static int disconnect_table(sqlite3_vtab *base)
{
	sqlite3_free(base);
	return SQLITE_OK;
}

static int choose(sqlite3_vtab *base, sqlite3_index_info *info)
{
	return table_of(base)->kind->choose(table_of(base)->of, info);
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct sql_cursor *cursor = calloc(1, table_of(base)->kind->cursor_bytes);

	if (!cursor)
		return SQLITE_NOMEM;
	cursor->table = table_of(base);
	cursor->at_end = true;
	*out = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct sql_cursor *cursor = (struct sql_cursor *)base;

	cursor->table->kind->end(cursor);
	if (cursor->table->kind->close)
		cursor->table->kind->close(cursor);
	free(cursor);
	return SQLITE_OK;
}

static int begin_scan(sqlite3_vtab_cursor *base, int number, const char *plan, int nr,
		      sqlite3_value **values)
{
	struct sql_cursor *cursor = (struct sql_cursor *)base;

	cursor->table->kind->end(cursor);
	cursor->row = 0;
	cursor->at_end = false;
	return cursor->table->kind->begin(cursor, number, plan, nr, values);
}

static int next_row(sqlite3_vtab_cursor *base)
{
	struct sql_cursor *cursor = (struct sql_cursor *)base;

	cursor->row++;
	return cursor->table->kind->next(cursor);
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((struct sql_cursor *)base)->at_end;
}

static int number_of_row(sqlite3_vtab_cursor *base, sqlite3_int64 *row)
{
	const struct sql_cursor *cursor = (struct sql_cursor *)base;

	*row = cursor->table->kind->number ? cursor->table->kind->number(cursor) : cursor->row;
	return SQLITE_OK;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int at)
{
	struct sql_cursor *cursor = (struct sql_cursor *)base;

	cursor->table->kind->column(cursor, context, at);
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.iVersion = 0,
	.xConnect = connect_table,
	.xBestIndex = choose,
	.xDisconnect = disconnect_table,
	.xDestroy = disconnect_table,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = begin_scan,
	.xNext = next_row,
	.xEof = is_at_end,
	.xColumn = column,
	.xRowid = number_of_row,
};

int sql_virtual_add(sqlite3 *db, const char *name, const struct sql_virtual_kind *kind, void *of)
{
	struct sql_virtual *table = malloc(sizeof(*table));

	if (!table)
		return SQLITE_NOMEM;
	*table = (struct sql_virtual){ kind, of };
	/* SQLite frees the table even if this fails. */
	return sqlite3_create_module_v2(db, name, &module, table, free);
}

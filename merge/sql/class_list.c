// SPDX-License-Identifier: GPL-2.0-or-later
/* class_list.c - the virtual table `event_tables`: each class of events, with the table that
 * contains it. */
#include <string.h>

#include "sql/session.h"
#include "sql/value.h"
#include "sql/virtual.h"

enum { LIST_NAME, LIST_EVENT, LIST_SOURCE, LIST_LAYER, LIST_FIELDS, NR_LIST_COLUMNS };

static const struct sql_described_column columns[NR_LIST_COLUMNS] = {
	[LIST_NAME] = { "name", "TEXT", "the table's" },
	[LIST_EVENT] = { "event", "TEXT", "the event's name in the trace" },
	[LIST_SOURCE] = { "source", "TEXT", "that has such events" },
	[LIST_LAYER] = { "layer", "TEXT", "xen, kernel or app" },
	[LIST_FIELDS] = { "fields", "INTEGER", "how many it has there, with those of contexts" },
};

const struct sql_described_table sql_event_tables = { "event_tables",
						      "the tables of events, by source", columns,
						      NR_LIST_COLUMNS };

struct list_cursor {
	struct sql_cursor base;
	size_t table, member; /* index of the member in the table */
};

static const struct strata_sql *sql_of(const struct sql_cursor *base)
{
	return base->table->of;
}

static int declare(void *of, sqlite3_str *declared)
{
	(void)of;
	sql_declare_columns(declared, columns, NR_LIST_COLUMNS);
	return SQLITE_OK;
}

static int choose(void *of, sqlite3_index_info *info)
{
	const struct strata_sql *sql = of;

	info->estimatedCost = (double)sql->catalog.nr_tables;
	info->estimatedRows = (sqlite3_int64)sql->catalog.nr_tables;
	info->idxStr = "all";
	return SQLITE_OK;
}

static int begin(struct sql_cursor *base, int number, const char *plan, int nr,
		 sqlite3_value **values)
{
	struct list_cursor *cursor = (struct list_cursor *)base;

	(void)number;
	(void)plan;
	(void)nr;
	(void)values;
	cursor->table = cursor->member = 0;
	base->at_end = sql_of(base)->catalog.nr_tables == 0;
	return SQLITE_OK;
}

static int next_row(struct sql_cursor *base)
{
	struct list_cursor *cursor = (struct list_cursor *)base;
	const struct sql_catalog *catalog = &sql_of(base)->catalog;

	if (++cursor->member == catalog->tables[cursor->table].nr_members) {
		cursor->member = 0;
		base->at_end = ++cursor->table == catalog->nr_tables;
	}
	return SQLITE_OK;
}

static void end(struct sql_cursor *base)
{
	(void)base;
}

static void put_text(sqlite3_context *context, const char *text)
{
	sql_result_text(context, text, strlen(text));
}

static void column(struct sql_cursor *base, sqlite3_context *context, int at)
{
	const struct list_cursor *cursor = (struct list_cursor *)base;
	const struct strata_sql *sql = sql_of(base);
	const struct sql_table *table = &sql->catalog.tables[cursor->table];
	const struct sql_member *member = &table->members[cursor->member];
	const char *layer = sql->options.shown->sources[member->trace].layer;

	switch (at) {
	case LIST_NAME:
		put_text(context, table->name);
		break;
	case LIST_EVENT:
		put_text(context, table->shown);
		break;
	case LIST_SOURCE:
		put_text(context, sql->sources[member->trace]);
		break;
	case LIST_LAYER:
		if (*layer)
			put_text(context, layer);
		break;
	default:
		sql_result_u64(context, sql_nr_fields(member));
	}
}

static const struct sql_virtual_kind kind = {
	.cursor_bytes = sizeof(struct list_cursor),
	.declare = declare,
	.choose = choose,
	.begin = begin,
	.next = next_row,
	.end = end,
	.column = column,
};

int sql_add_class_list(struct strata_sql *sql)
{
	return sql_virtual_add(sql->db, sql_event_tables.name, &kind, sql);
}

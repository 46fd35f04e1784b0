// SPDX-License-Identifier: GPL-2.0-or-later
/* plan.c - see plan.h. */
#include "sql/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer lists of values are left to SQLite. */
#define VALUES_MAX 1000u

/* So are patterns that match many events: a filter compares each of them with each class. */
#define COMPARISONS_MAX 4000000u

const struct sql_condition_column sql_event_conditions[SQL_NR_EVENTS_COLUMNS] = {
	[SQL_TIME] = { "time_ns", SQL_ON_TIME, NULL },
	[SQL_HOST] = { "host", SQL_ON_HOST, "$source" },
	[SQL_SOURCE] = { "source", SQL_ON_TEXT, "$source" },
	[SQL_LAYER] = { "layer", SQL_ON_TEXT, "$layer" },
	[SQL_DOMAIN] = { "domain", SQL_ON_NUMBER, "$domain" },
	[SQL_DOMAIN_NAME] = { "domain_name", SQL_ON_TEXT, "$domain" },
	[SQL_VCPU] = { "vcpu", SQL_ON_NUMBER, "$vcpu" },
	[SQL_CPU] = { "cpu", SQL_ON_NUMBER, "$cpu" },
	[SQL_EVENT] = { "event", SQL_ON_EVENT, "$event" },
};

static const struct {
	unsigned char op;
	const char *sign;
} signs[] = {
	/* Longer operators first. */
	{ SQLITE_INDEX_CONSTRAINT_GE, ">=" },       { SQLITE_INDEX_CONSTRAINT_LE, "<=" },
	{ SQLITE_INDEX_CONSTRAINT_EQ, "=" },        { SQLITE_INDEX_CONSTRAINT_GT, ">" },
	{ SQLITE_INDEX_CONSTRAINT_LT, "<" },        { SQLITE_INDEX_CONSTRAINT_GLOB, " GLOB " },
	{ SQLITE_INDEX_CONSTRAINT_LIKE, " LIKE " },
};

#define NR_SIGNS (sizeof(signs) / sizeof(signs[0]))

static const char *sign_of(unsigned char op, enum sql_condition condition)
{
	size_t i;

	for (i = 0; i < NR_SIGNS; i++) {
		if (signs[i].op != op)
			continue;
		if (op == SQLITE_INDEX_CONSTRAINT_EQ)
			return signs[i].sign;
		if (op == SQLITE_INDEX_CONSTRAINT_GLOB || op == SQLITE_INDEX_CONSTRAINT_LIKE)
			return condition == SQL_ON_EVENT ? signs[i].sign : NULL;
		return condition == SQL_ON_TIME ? signs[i].sign : NULL;
	}
	return NULL;
}

int sql_plan_choose(sqlite3_index_info *info, const struct sql_condition_column *columns,
		    size_t nr_columns, double rows)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	int i, nr = 0;

	for (i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *asked = &info->aConstraint[i];
		const struct sql_condition_column *column;
		const char *sign;
		bool is_list;

		if (!asked->usable || asked->iColumn < 0 || (size_t)asked->iColumn >= nr_columns)
			continue;
		column = &columns[asked->iColumn];
		sign = column->condition == SQL_NO_CONDITION
			       ? NULL
			       : sign_of(asked->op, column->condition);
		/* SQLite's other collations ignore case or trailing spaces; a filter does not. */
		if (!sign || (asked->op == SQLITE_INDEX_CONSTRAINT_EQ &&
			      strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0))
			continue;
		is_list = asked->op == SQLITE_INDEX_CONSTRAINT_EQ &&
			  column->condition != SQL_ON_TIME && sqlite3_vtab_in(info, i, 1);
		info->aConstraintUsage[i].argvIndex = ++nr;
		sqlite3_str_appendf(text, "%s%s%s?", nr > 1 ? " AND " : "", column->name,
				    is_list ? " IN " : sign);
		rows /= asked->op == SQLITE_INDEX_CONSTRAINT_EQ ? 20 : 4;
	}
	info->estimatedRows = rows < 1 ? 1 : (sqlite3_int64)rows;
	info->estimatedCost = rows < 1 ? 1 : rows;
	if (sqlite3_str_length(text) == 0)
		sqlite3_str_appendall(text, "all");
	info->idxStr = sqlite3_str_finish(text);
	info->needToFreeIdxStr = 1;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

static bool as_time(sqlite3_value *value, uint64_t *ns)
{
	const sqlite3_int64 number = sqlite3_value_int64(value);

	if (sqlite3_value_type(value) != SQLITE_INTEGER)
		return false;
	*ns = number < 0 ? 0 : (uint64_t)number;
	return true;
}

/* Narrows the range of times. A fractional number lies between two nanoseconds, and is left to
 * SQLite. */
static void set_time(struct sql_plan *plan, const char *sign, sqlite3_value *value)
{
	uint64_t ns;

	if (!as_time(value, &ns))
		return;
	/* The condition is about a time before 1970. */
	if (sqlite3_value_int64(value) < 0) {
		plan->is_empty |= sign[0] != '>';
		return;
	}
	if (sign[0] == '>' || sign[0] == '=') {
		const uint64_t from = ns + (sign[0] == '>' && sign[1] != '=');

		plan->from_ns = from > plan->from_ns ? from : plan->from_ns;
	}
	if (sign[0] == '<' || sign[0] == '=') {
		const uint64_t to = ns + (sign[0] == '=' || sign[1] == '=');

		plan->to_ns = to < plan->to_ns ? to : plan->to_ns;
	}
}

/* Writes a text as a filter pattern that matches only this text. */
static void put_pattern(sqlite3_str *out, const char *text)
{
	sqlite3_str_appendchar(out, 1, '"');
	for (; *text; text++) {
		if (strchr("*?[]\\\"", *text))
			sqlite3_str_appendchar(out, 1, '\\');
		sqlite3_str_appendchar(out, 1, *text);
	}
	sqlite3_str_appendchar(out, 1, '"');
}

static void put_test(sqlite3_str *tests, const char *attribute, const char *text)
{
	sqlite3_str_appendf(tests, "%s%s == ", sqlite3_str_length(tests) ? " || " : "", attribute);
	put_pattern(tests, text);
}

/* Whether a value matches an event whose name in SQL is @name. */
static bool fits(const char *sign, const char *wanted, const char *name)
{
	if (strcmp(sign, " GLOB ") == 0)
		return sqlite3_strglob(wanted, name) == 0;
	if (strcmp(sign, " LIKE ") == 0)
		return sqlite3_strlike(wanted, name, 0) == 0;
	return strcmp(wanted, name) == 0;
}

/* Writes a test for all matching events, including those whose names in SQL differ from the
 * trace's. */
static bool put_events(sqlite3_str *tests, const struct strata_sql *sql, const char *sign,
		       sqlite3_value *value)
{
	const char *wanted = (const char *)sqlite3_value_text(value);
	size_t i, nr = 0;

	if (sqlite3_value_type(value) != SQLITE_TEXT || !wanted)
		return false;
	for (i = 0; i < sql->catalog.nr_tables; i++) {
		const struct sql_table *table = &sql->catalog.tables[i];

		if (!fits(sign, wanted, table->shown))
			continue;
		if (!*table->event || ++nr * sql->catalog.nr_tables > COMPARISONS_MAX)
			return false;
		put_test(tests, "$event", table->event);
	}
	return true;
}

static bool put_hosts(sqlite3_str *tests, const struct strata_sql *sql, sqlite3_value *value)
{
	const char *wanted = (const char *)sqlite3_value_text(value);
	size_t i;

	if (sqlite3_value_type(value) != SQLITE_TEXT || !wanted)
		return false;
	for (i = 0; i < sql->options.set->nr_traces; i++) {
		if (strcmp(sql->hosts[i], wanted) == 0)
			put_test(tests, "$source", sql->sources[i]);
	}
	return true;
}

/* Names of guests are arbitrary bytes and shown with escapes: only plain names are equal in both
 * forms. */
static bool is_plain(const char *text)
{
	for (; *text; text++) {
		if (!((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
		      (*text >= '0' && *text <= '9') || strchr("_-./", *text)))
			return false;
	}
	return true;
}

static bool put_value(sqlite3_str *tests, const struct strata_sql *sql,
		      const struct sql_condition_column *column, const char *sign,
		      sqlite3_value *value)
{
	const char *text;

	switch (column->condition) {
	case SQL_ON_NUMBER:
		if (sqlite3_value_type(value) != SQLITE_INTEGER || sqlite3_value_int64(value) < 0)
			return false;
		sqlite3_str_appendf(tests, "%s%s == %lld", sqlite3_str_length(tests) ? " || " : "",
				    column->attribute, sqlite3_value_int64(value));
		return true;
	case SQL_ON_TEXT:
		text = (const char *)sqlite3_value_text(value);
		if (sqlite3_value_type(value) != SQLITE_TEXT || !text || !*text || !is_plain(text))
			return false;
		put_test(tests, column->attribute, text);
		return true;
	case SQL_ON_HOST:
		return put_hosts(tests, sql, value);
	case SQL_ON_EVENT:
		return put_events(tests, sql, sign, value);
	case SQL_NO_CONDITION:
	case SQL_ON_TIME:
		break;
	}
	return false;
}

/* Writes a test for all values of a list, or for a single value. False: one of the values is left
 * to SQLite, and so the whole list is. */
static bool put_values(sqlite3_str *tests, const struct strata_sql *sql,
		       const struct sql_condition_column *column, const char *sign,
		       sqlite3_value *value)
{
	sqlite3_value *each = NULL;
	size_t nr = 0;
	int status;

	if (strcmp(sign, " IN ") != 0)
		return put_value(tests, sql, column, sign, value);
	for (status = sqlite3_vtab_in_first(value, &each); status == SQLITE_OK && each;
	     status = sqlite3_vtab_in_next(value, &each)) {
		/* Nothing equals NULL. */
		if (sqlite3_value_type(each) == SQLITE_NULL)
			continue;
		if (++nr > VALUES_MAX || !put_value(tests, sql, column, "=", each))
			return false;
	}
	return status == SQLITE_DONE || status == SQLITE_OK;
}

/* Adds the test for a condition on a column. */
static int add_condition(struct sql_plan *plan, sqlite3_str *all, const struct strata_sql *sql,
			 const struct sql_condition_column *column, const char *sign,
			 sqlite3_value *value)
{
	sqlite3_str *tests;
	char *text;

	if (column->condition == SQL_ON_TIME) {
		set_time(plan, sign, value);
		return SQLITE_OK;
	}
	tests = sqlite3_str_new(NULL);
	if (put_values(tests, sql, column, sign, value)) {
		if (sqlite3_str_length(tests))
			sqlite3_str_appendf(all, "%s(%s)", sqlite3_str_length(all) ? " && " : "",
					    sqlite3_str_value(tests));
		else
			plan->is_empty = true;
	}
	if (sqlite3_str_errcode(tests) == SQLITE_OK) {
		sqlite3_free(sqlite3_str_finish(tests));
		return SQLITE_OK;
	}
	text = sqlite3_str_finish(tests);
	sqlite3_free(text);
	return SQLITE_NOMEM;
}

/* Parses the column and the operator at the start of a condition's text. */
static const struct sql_condition_column *read_condition(const char *text,
							 const struct sql_condition_column *columns,
							 size_t nr_columns, const char **sign)
{
	static const char *const known[] = {
		" IN ", " GLOB ", " LIKE ", ">=", "<=", "=", ">", "<"
	};
	const size_t bytes = strcspn(text, " =<>");
	size_t i, j;

	for (i = 0; i < nr_columns; i++) {
		if (!columns[i].name || strlen(columns[i].name) != bytes ||
		    strncmp(columns[i].name, text, bytes) != 0)
			continue;
		for (j = 0; j < sizeof(known) / sizeof(known[0]); j++) {
			if (strncmp(text + bytes, known[j], strlen(known[j])) == 0) {
				*sign = known[j];
				return &columns[i];
			}
		}
	}
	return NULL;
}

int sql_plan_read(struct sql_plan *plan, const struct sql_table *table, const char *text,
		  int nr_values, sqlite3_value **values, const struct sql_condition_column *columns,
		  size_t nr_columns)
{
	const struct strata_sql *sql = table->sql;
	sqlite3_str *all = sqlite3_str_new(NULL);
	int status = SQLITE_OK, i;

	*plan = (struct sql_plan){ .to_ns = UINT64_MAX };
	/* A filter cannot match an event that has no name. */
	if (table->event && *table->event)
		put_test(all, "$event", table->event);
	for (i = 0; status == SQLITE_OK && i < nr_values; i++) {
		const struct sql_condition_column *column;
		const char *sign;

		column = read_condition(text, columns, nr_columns, &sign);
		if (!column)
			break;
		status = add_condition(plan, all, sql, column, sign, values[i]);
		text += strcspn(text, "?");
		text += strncmp(text, "? AND ", 6) == 0 ? 6 : 0;
	}
	plan->is_empty |= plan->from_ns >= plan->to_ns;
	if (sqlite3_str_errcode(all) != SQLITE_OK)
		status = SQLITE_NOMEM;
	plan->expression = sqlite3_str_finish(all);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * functions.c - SQL functions in addition to SQLite's own:
 *
 *     percentile(x, p)   a value that p percent of the values do not exceed; by base/histogram.h,
 *                        so its error is at most 1.6 %; p from 0 to 100
 *     histogram(x)       [[from, to, number], ...] as JSON: how many values lie in each power of
 *                        two, exact
 *     packets_read()     packets that scans have read so far
 *
 * Both aggregates take non-negative integers and ignore NULL; any other value is an error.
 */
#include <inttypes.h>
#include <string.h>

#include "base/histogram.h"
#include "sql/scan.h"
#include "sql/value.h"

struct distribution {
	struct strata_histogram histogram;
	uint64_t powers[65]; /* number of values per bit length */
	double percent;
	bool has_values;
};

/* Takes one value. False: it is NULL, or of a wrong type and the query has failed. */
static bool take(sqlite3_context *context, sqlite3_value *value, struct distribution *to)
{
	const sqlite3_int64 number = sqlite3_value_int64(value);
	unsigned int bits = 0;

	if (sqlite3_value_type(value) == SQLITE_NULL)
		return false;
	if (sqlite3_value_type(value) != SQLITE_INTEGER || number < 0) {
		sqlite3_result_error(context,
				     "percentile() and histogram() take integers from 0 on; use "
				     "CAST(x AS INTEGER) or abs(x)",
				     -1);
		return false;
	}
	while (bits < 63 && (uint64_t)number >> bits)
		bits++;
	to->powers[bits]++;
	to->has_values = true;
	if (!strata_histogram_add(&to->histogram, (uint64_t)number))
		return true;
	sqlite3_result_error_nomem(context);
	return false;
}

static void percentile_step(sqlite3_context *context, int nr, sqlite3_value **values)
{
	struct distribution *to = sqlite3_aggregate_context(context, sizeof(*to));

	(void)nr;
	if (!to) {
		sqlite3_result_error_nomem(context);
		return;
	}
	if (sqlite3_value_numeric_type(values[1]) == SQLITE_NULL ||
	    !(sqlite3_value_double(values[1]) >= 0 && sqlite3_value_double(values[1]) <= 100)) {
		sqlite3_result_error(context, "percentile(x, p) takes a p from 0 to 100", -1);
		return;
	}
	to->percent = sqlite3_value_double(values[1]);
	take(context, values[0], to);
}

static void percentile_end(sqlite3_context *context)
{
	struct distribution *of = sqlite3_aggregate_context(context, 0);

	if (!of)
		return;
	if (of->has_values)
		sql_result_u64(context,
			       strata_histogram_percentile(&of->histogram,
							   (uint32_t)(of->percent * 10000 + 0.5)));
	strata_histogram_clear(&of->histogram);
}

static void histogram_step(sqlite3_context *context, int nr, sqlite3_value **values)
{
	struct distribution *to = sqlite3_aggregate_context(context, sizeof(*to));

	(void)nr;
	if (to)
		take(context, values[0], to);
	else
		sqlite3_result_error_nomem(context);
}

static void histogram_end(sqlite3_context *context)
{
	struct distribution *of = sqlite3_aggregate_context(context, 0);
	sqlite3_str *text;
	unsigned int i;
	bool any = false;
	char *json;

	if (!of)
		return;
	text = sqlite3_str_new(sqlite3_context_db_handle(context));
	for (i = 0; i < 65; i++) {
		if (!of->powers[i])
			continue;
		sqlite3_str_appendf(
			text, "%s[%llu,%llu,%llu]", any ? "," : "[", i ? 1ull << (i - 1) : 0ull,
			i ? (1ull << (i - 1)) * 2 - 1 : 0ull, (unsigned long long)of->powers[i]);
		any = true;
	}
	if (any)
		sqlite3_str_appendall(text, "]");
	json = sqlite3_str_finish(text);
	if (json)
		sqlite3_result_text(context, json, -1, sqlite3_free);
	strata_histogram_clear(&of->histogram);
}

static void packets_read(sqlite3_context *context, int nr, sqlite3_value **values)
{
	const struct strata_sql *sql = sqlite3_user_data(context);

	(void)nr;
	(void)values;
	sql_result_u64(context, sql_packets_read(sql));
}

int sql_add_functions(struct strata_sql *sql)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	int status = sqlite3_create_collation(sql->db, "u64", SQLITE_UTF8, NULL, sql_compare_u64);

	if (status == SQLITE_OK)
		status = sqlite3_create_function(sql->db, "percentile", 2, flags, NULL, NULL,
						 percentile_step, percentile_end);
	if (status == SQLITE_OK)
		status = sqlite3_create_function(sql->db, "histogram", 1, flags, NULL, NULL,
						 histogram_step, histogram_end);
	if (status == SQLITE_OK)
		status = sqlite3_create_function(sql->db, "packets_read", 0, SQLITE_UTF8, sql,
						 packets_read, NULL, NULL);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* test_sql_conditions.c - conditions that plan.c passes on to a merge select the rows that SQLite
 * selects by itself: with a "+" before the column, SQLite passes nothing on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "outputs_fixture.h"
#include "sql/sql.h"
#include "state/meaning.h"

static const struct rich_trace traces[] = {
	{ .streams = 2,
	  .packets = 3,
	  .events = 20,
	  .seed = 71,
	  .begin_ns = 1700000000000000000ull,
	  .step_ns_max = 500000000 },
	{ .streams = 3,
	  .packets = 2,
	  .events = 10,
	  .seed = 72,
	  .begin_ns = 1700000001000000000ull,
	  .step_ns_max = 500000000 },
};

static const struct strata_machines no_machines;
static const struct strata_request_forms no_requests;
static struct outputs_world world;
static struct strata_shown shown;
static struct strata_sql *sql;

static int open_world(void **state)
{
	struct strata_sql_options options = { .machines = &no_machines,
					      .requests = &no_requests,
					      .memory_bytes = 100 << 20,
					      .set = &world.set,
					      .shown = &shown };
	struct strata_error error;

	(void)state;
	outputs_begin(&world);
	outputs_add(&world, "one", &traces[0]);
	outputs_add(&world, "two", &traces[1]);
	assert_int_equal(strata_shown_init(&shown, &world.set, &error), 0);
	sql = strata_sql_open(&options, &error);
	assert_non_null(sql);
	return 0;
}

static int close_world(void **state)
{
	(void)state;
	strata_sql_close(sql);
	strata_shown_clear(&shown);
	outputs_end(&world);
	return 0;
}

/* Returns the number in the first row. */
static int64_t ask(const char *text)
{
	sqlite3_stmt *statement;
	int64_t number;

	assert_int_equal(strata_sql_prepare(sql, text, &statement, &text), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return number;
}

/* A time at which an event is, and a name that an event has. */
#define MIDDLE "(SELECT time_ns FROM events ORDER BY +time_ns LIMIT 1 OFFSET 50)"
#define NAME   "(SELECT event FROM events ORDER BY +time_ns LIMIT 1 OFFSET 50)"

static void conditions_select_the_rows_that_sqlite_would(void **state)
{
	static const struct {
		const char *column, *rest;
		bool selects_some;
	} cases[] = {
		{ "time_ns", "= " MIDDLE, true },
		{ "time_ns", "< " MIDDLE, true },
		{ "time_ns", "<= " MIDDLE, true },
		{ "time_ns", "> " MIDDLE, true },
		{ "time_ns", ">= " MIDDLE, true },
		{ "time_ns", "> -1", true },
		{ "time_ns", "< -1", false },
		{ "time_ns", "> 1.5", true },
		{ "cpu", "= 1", true },
		{ "cpu", "IN (1, 2, NULL)", true },
		{ "cpu", "= 99", false },
		{ "cpu", "= -1", false },
		{ "source", "= 'one'", true },
		{ "source", "IN ('two', 'three')", true },
		{ "source", "= 'ONE' COLLATE NOCASE", true },
		{ "event", "= " NAME, true },
		{ "event", "GLOB substr(" NAME ", 1, 3) || '*'", true },
		{ "event", "LIKE upper(" NAME ")", true },
		{ "event", "= 'nosuch'", false },
	};
	const int64_t all = ask("SELECT count(*) FROM events");
	size_t i;

	(void)state;
	assert_int_equal(all, 2 * 3 * 20 + 3 * 2 * 10);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char passed_on[512], by_itself[512];
		int64_t nr;

		snprintf(passed_on, sizeof(passed_on), "SELECT count(*) FROM events WHERE %s %s",
			 cases[i].column, cases[i].rest);
		snprintf(by_itself, sizeof(by_itself), "SELECT count(*) FROM events WHERE +%s %s",
			 cases[i].column, cases[i].rest);
		nr = ask(passed_on);
		if (nr != ask(by_itself))
			fail_msg("%s: %lld rows", passed_on, (long long)nr);
		if ((nr > 0) != cases[i].selects_some)
			fail_msg("%s: %lld rows of %lld", passed_on, (long long)nr, (long long)all);
	}
}

static void an_impossible_condition_reads_nothing(void **state)
{
	const struct strata_sql_counts before = *strata_sql_counts(sql);

	(void)state;
	assert_int_equal(ask("SELECT count(*) FROM events WHERE time_ns < -1"), 0);
	assert_int_equal(ask("SELECT count(*) FROM events WHERE time_ns > 5 AND time_ns < 5"), 0);
	assert_int_equal(ask("SELECT count(*) FROM events WHERE event = 'nosuch'"), 0);
	assert_int_equal(strata_sql_counts(sql)->packets, before.packets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions_select_the_rows_that_sqlite_would),
		cmocka_unit_test(an_impossible_condition_reads_nothing),
	};

	return cmocka_run_group_tests_name("sql conditions", tests, open_world, close_world);
}

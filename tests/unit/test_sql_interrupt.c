// SPDX-License-Identifier: GPL-2.0-or-later
/* test_sql_interrupt.c - an interrupt that comes before a statement begins ends that statement. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "outputs_fixture.h"
#include "sql/sql.h"
#include "state/meaning.h"

/* It would not end for long, and reads no trace. */
#define LONG_STATEMENT                                                                       \
	"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3000000) " \
	"SELECT count(*) FROM c"

static const struct rich_trace small = {
	.streams = 1,
	.packets = 1,
	.events = 3,
	.seed = 71,
	.begin_ns = 1700000000000000000ull,
	.step_ns_max = 500000000,
};

/* Runs a statement to its first row.  Returns what SQLite says. */
static int run(struct strata_sql *sql, const char *text)
{
	sqlite3_stmt *statement;
	int status = strata_sql_prepare(sql, text, &statement, &text);

	assert_int_equal(status, SQLITE_OK);
	status = sqlite3_step(statement);
	sqlite3_finalize(statement);
	return status;
}

static void an_interrupt_is_not_lost_before_a_statement(void **state)
{
	static const struct strata_machines no_machines;
	static const struct strata_request_forms no_requests;
	struct strata_sql_options options = { .machines = &no_machines,
					      .requests = &no_requests,
					      .memory_bytes = 100 << 20 };
	struct outputs_world world;
	struct strata_shown shown;
	struct strata_error error;
	struct strata_sql *sql;

	(void)state;
	outputs_begin(&world);
	outputs_add(&world, "small", &small);
	options.set = &world.set;
	assert_int_equal(strata_shown_init(&shown, &world.set, &error), 0);
	options.shown = &shown;
	sql = strata_sql_open(&options, &error);
	assert_non_null(sql);
	assert_int_equal(run(sql, LONG_STATEMENT), SQLITE_ROW);
	strata_sql_interrupt(sql);
	assert_int_equal(run(sql, LONG_STATEMENT), SQLITE_INTERRUPT);
	/* The next one of the same line, too. */
	assert_int_equal(run(sql, LONG_STATEMENT), SQLITE_INTERRUPT);
	strata_sql_forget_interrupt(sql);
	assert_int_equal(run(sql, LONG_STATEMENT), SQLITE_ROW);
	strata_sql_close(sql);
	strata_shown_clear(&shown);
	outputs_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interrupt_is_not_lost_before_a_statement),
	};

	return cmocka_run_group_tests_name("sql interrupt", tests, NULL, NULL);
}

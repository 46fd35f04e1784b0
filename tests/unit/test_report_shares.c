// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_report_shares.c - a domain with more ports, or more partners, than its share of a report's
 * rows: what is beyond stands in one row of its own, and other domains keep theirs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/report.h"
#include "state/vcpus.h"

#define HOSTILE 1u
#define HONEST  2u
#define FLOOD   60000u /* more than any report has rows */

static struct strata_shown_source source = { .name = "xen" };
static const struct strata_shown shown = { .sources = &source, .nr_sources = 1 };
static const struct strata_vcpu hostile = { .domain = HOSTILE }, honest = { .domain = HONEST };

static struct strata_report *open_report(const char *name)
{
	size_t i = 0;

	while (strcmp(strata_report_kinds[i].name, name) != 0)
		i++;
	return strata_report_new(&strata_report_kinds[i], &shown, 0, 1000);
}

/* Returns the one row of a table whose texts in two columns are these. */
static struct json_object *row_where(struct json_object *rows, const char *of, const char *key,
				     const char *text)
{
	struct json_object *found = NULL, *row;
	size_t i;

	for (i = 0; i < json_object_array_length(rows); i++) {
		row = json_object_array_get_idx(rows, i);
		if (strcmp(json_object_get_string(json_object_object_get(row, "of")), of) != 0 ||
		    strcmp(json_object_get_string(json_object_object_get(row, key)), text) != 0)
			continue;
		assert_null(found);
		found = row;
	}
	assert_non_null(found);
	return found;
}

static int64_t number_of(struct json_object *row, const char *key)
{
	return json_object_get_int64(json_object_object_get(row, key));
}

/* Returns the sum of a column over the rows of a domain. */
static int64_t sum_of(struct json_object *rows, const char *of, const char *key)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (!strcmp(json_object_get_string(json_object_object_get(row, "of")), of))
			sum += number_of(row, key);
	}
	return sum;
}

static struct json_object *close_report(struct strata_report *report)
{
	struct strata_table tables[STRATA_REPORT_TABLES];
	struct json_object *rows;
	size_t nr;

	assert_int_equal(strata_report_tables(report, tables, &nr), 0);
	assert_int_equal(nr, 1);
	rows = strata_table_to_json(&tables[0]);
	strata_table_clear(&tables[0]);
	strata_report_free(report);
	return rows;
}

static void signal_port(struct strata_report *report, const struct strata_vcpu *to, uint32_t port)
{
	const struct strata_link link = { .kind = STRATA_LINK_PENDING,
					  .via = STRATA_VIA_XEN,
					  .from.at.ns = 10,
					  .to = { .at.ns = 10, .vcpu = to },
					  .port = port };

	report->listener.link(&report->listener, &link);
}

static void ports_beyond_a_share_are_one_row(void **state)
{
	struct strata_report *report = open_report("evtchn");
	struct json_object *rows, *others;
	uint32_t i;

	(void)state;
	for (i = 0; i < FLOOD; i++)
		signal_port(report, &hostile, i);
	signal_port(report, &honest, 7);
	rows = close_report(report);
	assert_int_equal(sum_of(rows, "d1", "signals"), FLOOD);
	others = row_where(rows, "d1", "by", "others");
	assert_null(json_object_object_get(others, "port"));
	assert_true(number_of(others, "signals") > 1);
	assert_int_equal(number_of(row_where(rows, "d2", "by", "Xen"), "port"), 7);
	json_object_put(rows);
}

static void copy(struct strata_report *report, const struct strata_vcpu *by, uint32_t other)
{
	const struct strata_span span = { .kind = STRATA_SPAN_GRANT_COPY,
					  .from_ns = 10,
					  .to_ns = 10,
					  .vcpu = by,
					  .domain = other,
					  .number = 100 };

	report->listener.span(&report->listener, &span);
}

static void partners_beyond_a_share_are_one_row(void **state)
{
	struct strata_report *report = open_report("grants");
	struct json_object *rows;
	uint32_t i;

	(void)state;
	for (i = 0; i < FLOOD; i++)
		copy(report, &hostile, i);
	copy(report, &honest, 7);
	rows = close_report(report);
	assert_int_equal(sum_of(rows, "d1", "copies"), FLOOD);
	assert_true(number_of(row_where(rows, "d1", "granter", "others"), "copies") > 1);
	assert_int_equal(number_of(row_where(rows, "d2", "granter", "d7"), "copied_bytes"), 100);
	json_object_put(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports_beyond_a_share_are_one_row),
		cmocka_unit_test(partners_beyond_a_share_are_one_row),
	};

	return cmocka_run_group_tests_name("report shares", tests, NULL, NULL);
}

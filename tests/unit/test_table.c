// SPDX-License-Identifier: GPL-2.0-or-later
/* test_table.c - one table as text, CSV and JSON: the same figures, and the same unknown ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "outputs/table.h"

enum { NAME, COUNT, TIME, SHARE, HIDDEN, NR };

static const struct strata_table_column columns[NR] = {
	[NAME] = { "name", "name", STRATA_CELL_TEXT },
	[COUNT] = { "count", "count", STRATA_CELL_COUNT },
	[TIME] = { "time_ns", "time", STRATA_CELL_NS },
	[SHARE] = { "share", "share", STRATA_CELL_SHARE },
	[HIDDEN] = { "hidden_ns", NULL, STRATA_CELL_NS },
};

static void add(struct strata_table *table, const char *name, uint64_t count, uint64_t ns,
		uint64_t share)
{
	struct strata_cell *cells = strata_table_add(table);

	assert_non_null(cells);
	strata_table_text(table, &cells[NAME], name);
	strata_cell_set(&cells[COUNT], count);
	strata_cell_set(&cells[TIME], ns);
	strata_cell_set(&cells[SHARE], share);
	strata_cell_set(&cells[HIDDEN], 5);
}

static void begin(struct strata_table *table)
{
	strata_table_init(table, "things", "Things", columns, NR);
}

/* Compares a table's printed text, and ends the table.  @most: rows of text; 0: CSV */
static void expect(struct strata_table *table, size_t most, const char *expected)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	if (most)
		strata_table_print(table, most, out);
	else
		strata_table_print_csv(table, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
	strata_table_clear(table);
}

static void text_is_aligned(void **state)
{
	struct strata_table table;

	(void)state;
	begin(&table);
	add(&table, "a", 1, 12390000000, 666666);
	add(&table, "longer", 1000000, 9550000, 1000000);
	expect(&table, 10,
	       "Things\n"
	       "  name      count      time    share\n"
	       "  a             1   12.39 s   66.7 %\n"
	       "  longer  1000000  9.550 ms  100.0 %\n");
}

static void what_is_not_known_is_a_dash(void **state)
{
	struct strata_table table;

	(void)state;
	begin(&table);
	add(&table, "known", 1, 2, 3);
	strata_table_add(&table);
	expect(&table, 10,
	       "Things\n"
	       "  name   count  time  share\n"
	       "  known      1  2 ns  0.0 %\n"
	       "  -          -     -      -\n");
}

static void columns_of_zeros_are_left_out(void **state)
{
	struct strata_table table;

	(void)state;
	begin(&table);
	add(&table, "a", 1, 0, 0);
	strata_table_add(&table);
	expect(&table, 10,
	       "Things\n"
	       "  name  count\n"
	       "  a         1\n"
	       "  -         -\n");
}

static void rows_beyond_are_counted(void **state)
{
	struct strata_table table;
	unsigned int i;

	(void)state;
	begin(&table);
	for (i = 0; i < 100; i++)
		add(&table, "a", 7, 0, 0);
	expect(&table, 2,
	       "Things\n"
	       "  name  count\n"
	       "  a         7\n"
	       "  a         7\n"
	       "  and 98 more\n");
}

static void csv_is_quoted(void **state)
{
	struct strata_table table;

	(void)state;
	begin(&table);
	add(&table, "plain", UINT64_MAX, 1, 123456);
	add(&table, "a,b", 1, 1, 0);
	add(&table, "say \"x\"", 1, 1, 1000000);
	add(&table, "two\nlines", 1, 1, 5);
	add(&table, "returned\r", 1, 1, 5);
	strata_table_add(&table);
	expect(&table, 0,
	       "name,count,time_ns,share,hidden_ns\n"
	       "plain,18446744073709551615,1,12.3456,5\n"
	       "\"a,b\",1,1,0.0000,5\n"
	       "\"say \"\"x\"\"\",1,1,100.0000,5\n"
	       "\"two\nlines\",1,1,0.0005,5\n"
	       "\"returned\r\",1,1,0.0005,5\n"
	       ",,,,\n");
}

static uint64_t number(struct json_object *row, const char *key)
{
	return json_object_get_uint64(json_object_object_get(row, key));
}

static void json_has_the_same_figures(void **state)
{
	struct strata_table table;
	struct json_object *array, *row;
	struct json_object *missing = (struct json_object *)state;

	begin(&table);
	add(&table, "say \"x\"", UINT64_MAX, 12390000000, 250000);
	strata_table_add(&table);
	array = strata_table_to_json(&table);
	assert_int_equal(json_object_array_length(array), 2);
	row = json_object_array_get_idx(array, 0);
	assert_string_equal(json_object_get_string(json_object_object_get(row, "name")),
			    "say \"x\"");
	assert_true(number(row, "count") == UINT64_MAX);
	assert_true(number(row, "time_ns") == 12390000000);
	assert_true(number(row, "hidden_ns") == 5);
	assert_true(json_object_get_double(json_object_object_get(row, "share")) == 0.25);
	row = json_object_array_get_idx(array, 1);
	assert_int_equal(json_object_object_length(row), NR);
	assert_true(json_object_object_get_ex(row, "time_ns", &missing));
	assert_null(missing);
	json_object_put(array);
	strata_table_clear(&table);
}

static void an_empty_table_is_an_empty_array(void **state)
{
	struct strata_table table;
	struct json_object *array;

	(void)state;
	begin(&table);
	strata_table_sort(&table, COUNT);
	array = strata_table_to_json(&table);
	assert_int_equal(json_object_array_length(array), 0);
	json_object_put(array);
	expect(&table, 0, "name,count,time_ns,share,hidden_ns\n");
}

static void the_largest_come_first(void **state)
{
	struct strata_table table;

	(void)state;
	begin(&table);
	add(&table, "a", 2, 0, 0);
	add(&table, "b", 3, 0, 0);
	add(&table, "c", 2, 0, 0);
	add(&table, "d", UINT64_MAX, 0, 0);
	add(&table, "e", 2, 0, 0);
	strata_table_sort(&table, COUNT);
	/* More may be added then. */
	add(&table, "f", 9, 0, 0);
	expect(&table, 0,
	       "name,count,time_ns,share,hidden_ns\n"
	       "d,18446744073709551615,0,0.0000,5\n"
	       "b,3,0,0.0000,5\n"
	       "a,2,0,0.0000,5\n"
	       "c,2,0,0.0000,5\n"
	       "e,2,0,0.0000,5\n"
	       "f,9,0,0.0000,5\n");
}

static void many_rows_are_sorted(void **state)
{
	struct strata_table table;
	size_t i;

	(void)state;
	begin(&table);
	for (i = 0; i < 1000; i++)
		add(&table, "a", i * 7919 % 1000, i, 0);
	strata_table_sort(&table, COUNT);
	assert_int_equal(table.nr_rows, 1000);
	for (i = 0; i < 1000; i++) {
		assert_int_equal(table.cells[i * NR + COUNT].number, 999 - i);
		assert_int_equal(table.cells[i * NR + TIME].number * 7919 % 1000, 999 - i);
	}
	strata_table_clear(&table);
}

static void times_have_four_digits(void **state)
{
	char line[256], text[STRATA_NS_TEXT_BYTES];
	FILE *cases = fopen("tests/unit/data/lengths.txt", "r");
	unsigned int nr = 0;

	(void)state;
	assert_non_null(cases);
	while (fgets(line, sizeof(line), cases)) {
		char *rest = line;
		const char *ns = strsep(&rest, "\t"), *length = strsep(&rest, "\t");
		const char *bound = strsep(&rest, "\n");

		if (*ns == '#')
			continue;
		assert_string_equal(strata_ns_text(text, strtoull(ns, NULL, 10)), length);
		assert_string_equal(strata_bound_text(text, strtoull(ns, NULL, 10)), bound);
		nr++;
	}
	fclose(cases);
	assert_true(nr > 20);
	assert_string_equal(strata_ns_text(text, UINT64_MAX), "18446744073.7 s");
	assert_string_equal(strata_bound_text(text, UINT64_MAX), "18446744073.8 s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_aligned),
		cmocka_unit_test(what_is_not_known_is_a_dash),
		cmocka_unit_test(columns_of_zeros_are_left_out),
		cmocka_unit_test(rows_beyond_are_counted),
		cmocka_unit_test(csv_is_quoted),
		cmocka_unit_test(json_has_the_same_figures),
		cmocka_unit_test(an_empty_table_is_an_empty_array),
		cmocka_unit_test(the_largest_come_first),
		cmocka_unit_test(many_rows_are_sorted),
		cmocka_unit_test(times_have_four_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

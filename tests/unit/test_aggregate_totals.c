// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_aggregate_totals.c - totals over renewals of Xen's table: nothing is lost or counted twice,
 * a domain keeps its counts over reboots, and domains that ended become one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stratad/domains/aggregate_totals.h"

static const struct strata_aggregate_spec counts = {
	.version = 1, .kind = STRATA_AGGREGATE_COUNT, .by_owner = 1, .row_bits = 4
};
static const struct strata_aggregate_spec times = {
	.version = 1, .kind = STRATA_AGGREGATE_TIME, .by_owner = 1, .row_bits = 4
};

static struct aggregate_totals totals;
static struct aggregate_rows table, shown;
static struct strata_error failure;

static int begin(void **state)
{
	(void)state;
	aggregate_totals_clear(&totals);
	aggregate_rows_clear(&table);
	aggregate_rows_clear(&shown);
	return 0;
}

/* Domains with these numbers and the UUIDs that these letters stand for. */
static void see(const char *uuids, const uint32_t *numbers)
{
	struct domain_state states[8];
	size_t nr;

	for (nr = 0; uuids[nr]; nr++) {
		states[nr] = (struct domain_state){ .domain = numbers[nr] };
		memset(states[nr].uuid, uuids[nr] == '0' ? 0 : uuids[nr], sizeof(states[nr].uuid));
	}
	assert_int_equal(aggregate_totals_see(&totals, states, nr, &failure), 0);
	for (size_t i = 0; i < totals.nr; i++)
		snprintf(totals.domains[i].name, sizeof(totals.domains[i].name), "d%u",
			 totals.domains[i].domain);
}

static void add_row(struct aggregate_rows *rows, uint32_t event, uint32_t owner, uint64_t count)
{
	rows->words = reallocarray(rows->words, rows->nr + 1, 2 * sizeof(*rows->words));
	rows->words[2 * rows->nr] = strata_aggregate_key(event, owner);
	rows->words[2 * rows->nr + 1] = count;
	rows->room = ++rows->nr;
}

/* -1: no row. */
static long count_of(const struct aggregate_rows *rows, uint32_t event, uint32_t owner)
{
	long count = -1;

	for (size_t i = 0; i < rows->nr; i++) {
		assert_true(!i || rows->words[2 * i] > rows->words[2 * i - 2]);
		if (rows->words[2 * i] == strata_aggregate_key(event, owner))
			count = (long)rows->words[2 * i + 1];
	}
	return count;
}

static void rows_of_a_key_become_one(void **state)
{
	(void)state;
	add_row(&table, 3, 1, 10);
	add_row(&table, 2, 1, 20);
	add_row(&table, 3, 1, 5);
	add_row(&table, 3, 0, UINT64_MAX);
	add_row(&table, 3, 0, 1);
	aggregate_rows_settle(&counts, &table);
	assert_int_equal(table.nr, 3);
	assert_int_equal(count_of(&table, 3, 1), 15);
	assert_int_equal(count_of(&table, 2, 1), 20);
	assert_int_equal(count_of(&table, 3, 0), -1l); /* UINT64_MAX */
}

static void a_renewal_loses_nothing(void **state)
{
	const uint32_t numbers[] = { 0, 5 };

	(void)state;
	see("ab", numbers);
	add_row(&table, 1, 0, 100);
	add_row(&table, 1, 5, 50);
	add_row(&table, 1, 0x7fff, 7);
	table.others[STRATA_AGGREGATE_NO_ROW] = 3;
	assert_int_equal(aggregate_totals_living(&totals, &counts, &table), 3);
	assert_int_equal(aggregate_totals_renewed(&totals, &counts, &table, &shown, &failure), 0);
	aggregate_rows_clear(&table);
	add_row(&table, 2, 5, 9);
	add_row(&table, 1, 5, 1);
	table.others[STRATA_AGGREGATE_NO_ROW] = 2;
	assert_int_equal(aggregate_totals_add(&totals, &counts, &table, &failure), 0);
	assert_int_equal(count_of(&table, 1, 0), 100);
	assert_int_equal(count_of(&table, 1, 5), 51);
	assert_int_equal(count_of(&table, 2, 5), 9);
	assert_int_equal(count_of(&table, 1, 0x7fff), 7);
	assert_int_equal(table.others[STRATA_AGGREGATE_NO_ROW], 5);
	assert_int_equal(totals.nr_ended, 0);
}

/* Also before the table is renewed, and in what was shown before. */
static void a_domain_keeps_its_counts_when_it_reboots(void **state)
{
	const uint32_t before[] = { 0, 5 }, between[] = { 0 }, after[] = { 0, 6 };

	(void)state;
	see("ab", before);
	add_row(&shown, 1, 5, 40);
	see("a", between);
	see("ab", after);
	add_row(&table, 1, 5, 50);
	add_row(&table, 1, 6, 2);
	assert_int_equal(aggregate_totals_living(&totals, &counts, &table), 1);
	assert_int_equal(aggregate_totals_add(&totals, &counts, &table, &failure), 0);
	aggregate_totals_owners(&totals, &counts, &shown);
	assert_int_equal(table.nr, 1);
	assert_int_equal(count_of(&table, 1, 6), 52);
	assert_int_equal(count_of(&shown, 1, 6), 40);
}

static void domains_that_ended_become_one_at_a_renewal(void **state)
{
	const uint32_t before[] = { 0, 5, 6 }, after[] = { 0, 7 };

	(void)state;
	/* The UUID of all zeros is nobody's: 7 does not continue 6. */
	see("ab0", before);
	see("a0", after);
	add_row(&table, 1, 5, 50);
	add_row(&table, 1, 6, 60);
	add_row(&table, 1, 7, 70);
	add_row(&table, 2, 4, 1); /* never seen */
	add_row(&shown, 1, 5, 30);
	add_row(&shown, 1, 0, 10);
	/* Until then they are shown apart. */
	assert_int_equal(aggregate_totals_renewed(&totals, &counts, &table, &shown, &failure), 0);
	assert_int_equal(totals.nr_ended, 2);
	assert_string_equal(totals.ended[0], "d5");
	assert_string_equal(totals.ended[1], "d6");
	assert_int_equal(totals.nr, 2);
	assert_int_equal(count_of(&shown, 1, AGGREGATE_ENDED), 30);
	assert_int_equal(count_of(&shown, 1, 0), 10);
	aggregate_rows_clear(&table);
	assert_int_equal(aggregate_totals_add(&totals, &counts, &table, &failure), 0);
	assert_int_equal(count_of(&table, 1, AGGREGATE_ENDED), 110);
	assert_int_equal(count_of(&table, 2, AGGREGATE_ENDED), 1);
	assert_int_equal(count_of(&table, 1, 7), 70);
	assert_int_equal(table.nr, 3);
}

/* A tenant that reboots, or makes domains, without end. */
static void memory_is_bounded_by_the_domains_that_exist(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2000; i++) {
		const uint32_t numbers[] = { 0, 10 + i };

		see(i % 2 ? "ab" : "ac", numbers);
		aggregate_rows_clear(&table);
		for (uint32_t event = 0; event < 3; event++)
			add_row(&table, event, 10 + i, 1);
		assert_int_equal(
			aggregate_totals_renewed(&totals, &counts, &table, &shown, &failure), 0);
		assert_in_range(totals.nr, 1, 3);
		assert_in_range(totals.renewed.nr, 3, 6);
	}
	aggregate_rows_clear(&table);
	assert_int_equal(aggregate_totals_add(&totals, &counts, &table, &failure), 0);
	for (uint32_t event = 0; event < 3; event++)
		assert_int_equal(count_of(&table, event, AGGREGATE_ENDED) +
					 count_of(&table, event, 2009),
				 2000);
	assert_true(totals.nr_ended > 1900);
}

static void times_keep_their_shortest_and_longest(void **state)
{
	uint64_t words[2][1 + STRATA_AGGREGATE_TIME_WORDS] = { { 0 } };

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		words[i][0] = strata_aggregate_key(0, 5);
		words[i][1 + STRATA_AGGREGATE_SUM] = 100 * (i + 1);
		words[i][1 + STRATA_AGGREGATE_MAX] = 100 * (i + 1);
		words[i][1 + STRATA_AGGREGATE_MIN_INVERTED] = ~(100ull * (i + 1));
		words[i][1 + STRATA_AGGREGATE_BUCKET + 6 + i] = 1;
	}
	table.words = malloc(sizeof(words));
	memcpy(table.words, words, sizeof(words));
	table.nr = table.room = 2;
	aggregate_rows_settle(&times, &table);
	assert_int_equal(table.nr, 1);
	assert_int_equal(table.words[1 + STRATA_AGGREGATE_SUM], 300);
	assert_int_equal(table.words[1 + STRATA_AGGREGATE_MAX], 200);
	assert_int_equal(~table.words[1 + STRATA_AGGREGATE_MIN_INVERTED], 100);
	assert_int_equal(table.words[1 + STRATA_AGGREGATE_BUCKET + 6], 1);
	assert_int_equal(table.words[1 + STRATA_AGGREGATE_BUCKET + 7], 1);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_of_a_key_become_one),
		TEST(a_renewal_loses_nothing),
		TEST(a_domain_keeps_its_counts_when_it_reboots),
		TEST(domains_that_ended_become_one_at_a_renewal),
		TEST(memory_is_bounded_by_the_domains_that_exist),
		TEST(times_keep_their_shortest_and_longest),
	};

	return cmocka_run_group_tests_name("aggregate_totals", tests, NULL, NULL);
}

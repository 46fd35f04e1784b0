// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_aggregated_xen.c - when Xen's table is renewed, and how large: Xen and its list of domains
 * are played, by a table that refuses events a row as the real one does.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "consumerd/xen/hypervisor.h"
#include "stratad/domains/aggregated_xen.h"

#define ROWS_MAX 16384u

struct played_table {
	struct strata_aggregate_spec spec;
	uint64_t rows[ROWS_MAX][2];
	size_t nr;
	uint64_t no_row;
};

static struct played_table current, previous;
static struct domain_state domains_there[8];
static size_t nr_domains;
static unsigned int renewals;
static bool no_memory;

/* An event of a domain. */
static void count(uint32_t domain, uint32_t event)
{
	const uint64_t key = strata_aggregate_key(event, domain);
	size_t i;

	for (i = 0; i < current.nr && current.rows[i][0] != key; i++)
		;
	if (i == strata_aggregate_rows(&current.spec)) {
		current.no_row++;
		return;
	}
	if (i == current.nr)
		current.rows[current.nr++][0] = key;
	current.rows[i][1]++;
}

static int play_renew(struct hypervisor *hypervisor, const struct strata_aggregate_spec *spec,
		      struct strata_error *error)
{
	(void)hypervisor;
	if (no_memory)
		return strata_fail(error, "no memory");
	previous = current;
	current = (struct played_table){ .spec = *spec };
	renewals++;
	return 0;
}

static int play_read(struct hypervisor *hypervisor, const struct strata_aggregate_spec *spec,
		     bool of_before, struct aggregate_rows *rows, struct strata_error *error)
{
	const struct played_table *table = of_before ? &previous : &current;

	(void)hypervisor;
	(void)error;
	assert_memory_equal(spec, &table->spec, sizeof(*spec));
	if (rows->room < table->nr) {
		rows->words = reallocarray(rows->words, table->nr, sizeof(table->rows[0]));
		rows->room = table->nr;
	}
	if (table->nr)
		memcpy(rows->words, table->rows, table->nr * sizeof(table->rows[0]));
	rows->nr = table->nr;
	rows->others[STRATA_AGGREGATE_NO_ROW] = table->no_row;
	return 0;
}

static int play_list(struct domains *domains, const struct domain_state **states, size_t *nr,
		     struct strata_error *error)
{
	(void)domains;
	(void)error;
	*states = domains_there;
	*nr = nr_domains;
	return 0;
}

static bool play_name(struct xs_handle *xenstore, uint32_t domain, char name[GUEST_NAME_BYTES])
{
	(void)xenstore;
	snprintf(name, GUEST_NAME_BYTES, "d%u", domain);
	return true;
}

#define hypervisor_renew_aggregate play_renew
#define hypervisor_read_aggregate  play_read
#define domains_list               play_list
#define guest_read_name            play_name
#include "../../dom0-tools/stratad/domains/aggregated_xen.c"

static struct aggregated_xen xen;
static struct strata_error failure;

static int begin(void **state)
{
	(void)state;
	aggregated_xen_clear(&xen);
	xen = (struct aggregated_xen){ .spec = { .version = STRATA_AGGREGATE_VERSION,
						 .kind = STRATA_AGGREGATE_COUNT,
						 .by_owner = 1,
						 .row_bits = 5 } };
	current = (struct played_table){ .spec = xen.spec };
	nr_domains = 0;
	renewals = 0;
	no_memory = false;
	return 0;
}

static void there_is(uint32_t domain, char uuid)
{
	domains_there[nr_domains] = (struct domain_state){ .domain = domain };
	memset(domains_there[nr_domains++].uuid, uuid, sizeof(domains_there[0].uuid));
}

/* All that was counted of a domain. */
static uint64_t counted_of(uint32_t domain)
{
	const struct aggregate_rows *rows = &xen.rows[xen.newest];
	uint64_t sum = 0;

	for (size_t i = 0; i < rows->nr; i++)
		if (strata_aggregate_key_owner(rows->words[2 * i]) == domain)
			sum += rows->words[2 * i + 1];
	return sum;
}

static void a_table_with_room_is_left_alone(void **state)
{
	(void)state;
	there_is(1, 'a');
	for (uint32_t event = 0; event < 24; event++)
		count(1, event);
	assert_int_equal(aggregated_xen_read(&xen, &failure), 0);
	assert_int_equal(renewals, 0);
	assert_int_equal(counted_of(1), 24);
}

static void it_grows_for_domains_that_exist(void **state)
{
	(void)state;
	there_is(1, 'a');
	there_is(2, 'b');
	for (unsigned int second = 0; second < 4; second++) {
		for (uint32_t event = 0; event < 40; event++) {
			count(1, event);
			count(2, event);
		}
		assert_int_equal(aggregated_xen_keep_room(&xen, &failure), 0);
	}
	/* 32 rows, 64, 128. */
	assert_int_equal(renewals, 2);
	assert_int_equal(xen.spec.row_bits, 7);
	assert_int_equal(aggregated_xen_read(&xen, &failure), 0);
	assert_int_equal(counted_of(1) + counted_of(2) +
				 xen.rows[xen.newest].others[STRATA_AGGREGATE_NO_ROW],
			 4 * 80);
	assert_int_equal(xen.rows[xen.newest].others[STRATA_AGGREGATE_NO_ROW], 80 - 32 + 80 - 64);
}

/* A tenant makes domains without end; its neighbour has a row from the next second on. */
static void domains_that_come_and_go_take_nothing_for_good(void **state)
{
	(void)state;
	for (uint32_t second = 0; second < 500; second++) {
		nr_domains = 0;
		there_is(1, 'a');
		there_is(100 + second, (char)('b' + second % 20));
		for (uint32_t event = 0; event < 10; event++)
			count(100 + second, event);
		count(1, 7);
		assert_int_equal(aggregated_xen_keep_room(&xen, &failure), 0);
		if (second % 7 == 0)
			assert_int_equal(aggregated_xen_read(&xen, &failure), 0);
	}
	assert_int_equal(aggregated_xen_read(&xen, &failure), 0);
	assert_int_equal(counted_of(1), 500);
	assert_int_equal(xen.rows[xen.newest].others[STRATA_AGGREGATE_NO_ROW], 0);
	assert_in_range(xen.spec.row_bits, 5, 6);
	assert_int_equal(counted_of(AGGREGATE_ENDED) + counted_of(599) + counted_of(598) +
				 counted_of(597) + counted_of(596),
			 5000);
	assert_in_range(xen.rows[xen.newest].nr, 1, 60);
}

static void without_memory_it_counts_on(void **state)
{
	(void)state;
	there_is(1, 'a');
	no_memory = true;
	for (unsigned int second = 0; second < 3; second++) {
		for (uint32_t event = 0; event < 40; event++)
			count(1, event);
		assert_int_equal(aggregated_xen_read(&xen, &failure), 0);
	}
	assert_int_equal(counted_of(1), 3 * 32);
	assert_int_equal(xen.rows[xen.newest].others[STRATA_AGGREGATE_NO_ROW], 3 * 8);
	assert_true(xen.no_memory);
	no_memory = false;
	assert_int_equal(aggregated_xen_read(&xen, &failure), 0);
	assert_int_equal(renewals, 1);
	assert_int_equal(counted_of(1), 3 * 32);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_table_with_room_is_left_alone),
		TEST(it_grows_for_domains_that_exist),
		TEST(domains_that_come_and_go_take_nothing_for_good),
		TEST(without_memory_it_counts_on),
	};

	return cmocka_run_group_tests_name("aggregated_xen", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* test_guest_tables.c - the tables of a guest that counts: their sizes, their sums, and lies in
 * them. */
#include "granting_guest.h"

#include "consumerd/xen/guest_tables.h"

static const struct strata_aggregate_spec counting = { .version = STRATA_AGGREGATE_VERSION,
						       .kind = STRATA_AGGREGATE_COUNT,
						       .row_bits = 10 };
static unsigned long *keys, *tables_of[STRATA_GUEST_RINGS_MAX];

static void list_all(void *first, uint32_t nr)
{
	for (uint32_t page = 0; page < nr; page++)
		list_pages((unsigned char *)first + page * STRATA_PAGE_BYTES, 1);
}

/* A guest of one ring, with tables in place of the ring. */
static void make_counting(uint32_t nr_cpus)
{
	make_guest(2, 1);
	root->nr_rings = nr_cpus;
	root->nr_refs = strata_guest_table_pages(root->table_bytes);
	root->subbuf_bits = root->nr_subbufs_bits = 0;
	root->header_forms = 0;
	root->tsc_khz = 1000;
	keys = take_pages(strata_guest_key_pages(&counting));
	list_all(keys, strata_guest_key_pages(&counting));
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		tables_of[cpu] = take_pages(strata_guest_count_pages(&counting));
		list_all(tables_of[cpu], strata_guest_count_pages(&counting));
	}
}

static int map_counting(struct guest_tables *tables)
{
	return guest_map_tables(&map, NULL, &guest, &counting, tables, &failure);
}

static void tables_of_all_cpus_add_up(void **state)
{
	struct aggregate_rows rows = { 0 };
	struct guest_tables tables;

	(void)state;
	make_counting(9);
	most_pages = 0;
	assert_int_equal(map_counting(&tables), 0);
	assert_int_equal(map.nr_events, 2);
	assert_int_equal(tables.tsc_khz, 1000);
	assert_int_equal(pages_mapped, 0);
	keys[700] = strata_aggregate_key(1, 0);
	for (uint32_t cpu = 0; cpu < 9; cpu++) {
		tables_of[cpu][STRATA_AGGREGATE_OTHERS + 700] = cpu + 1;
		tables_of[cpu][STRATA_AGGREGATE_NESTED] = 2;
	}
	assert_int_equal(guest_tables_read(NULL, 5, &tables, &counting, &rows, &failure), 0);
	assert_int_equal(rows.nr, 1);
	assert_int_equal(rows.words[0], strata_aggregate_key(1, 0));
	assert_int_equal(rows.words[1], 45);
	assert_int_equal(rows.others[STRATA_AGGREGATE_NESTED], 18);
	/* Whatever a guest writes: as many rows as there is room for. */
	memset(keys, 0xff, strata_aggregate_rows(&counting) * sizeof(*keys));
	assert_int_equal(guest_tables_read(NULL, 5, &tables, &counting, &rows, &failure), 0);
	assert_int_equal(rows.nr, strata_aggregate_rows(&counting));
	assert_int_equal(pages_mapped, 0);
	assert_in_range(most_pages, 1, GRANT_CALL_PAGES);
	free(tables.refs);
	aggregate_rows_clear(&rows);
	guest_unmap(&map);
}

static void is_refused_as_counting(const char *because)
{
	struct guest_tables tables;

	assert_int_equal(map_counting(&tables), -1);
	if (!strstr(failure.text, because))
		fail_msg("\"%s\" does not say \"%s\"", failure.text, because);
	assert_int_equal(pages_mapped, 0);
}

static void tables_have_the_sizes_that_were_asked_for(void **state)
{
	(void)state;
	make_counting(1);
	is_refused("bad root page: sub-buffers of 2^0 bytes");
	root->nr_refs++;
	is_refused_as_counting("bad root page: it lists");
	make_counting(1);
	root->nr_rings = 2;
	is_refused_as_counting("bad root page: it lists");
	make_counting(1);
	root->nr_rings = 0;
	is_refused_as_counting("bad root page: 2 events, 0 rings");
	make_counting(1);
	root->tsc_khz = 0;
	is_refused_as_counting("bad root page: it is of rings");
	make_counting(2);
	directory[root->nr_refs - 1] = directory[root->nr_refs - 2];
	is_refused_as_counting("bad directory: it lists reference");
	/* Rings are no tables. */
	make_guest(1, 1);
	is_refused_as_counting("bad root page: it is of rings");
	root->tsc_khz = 1;
	is_refused("TSC of 1 kHz");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_of_all_cpus_add_up),
		cmocka_unit_test(tables_have_the_sizes_that_were_asked_for),
	};

	return cmocka_run_group_tests_name("guest_tables", tests, make_memory, NULL);
}

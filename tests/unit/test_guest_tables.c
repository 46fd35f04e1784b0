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
	assert_int_equal(pages_mapped, 0);
	assert_in_range(most_pages, 1, GRANT_CALL_PAGES);
	free(tables.refs);
	aggregate_rows_clear(&rows);
	guest_unmap(&map);
}

/* Keys of events that the guest does not have, of owners, and that were never entered. */
static void only_rows_of_its_own_events_are_taken(void **state)
{
	struct aggregate_rows rows = { 0 };
	struct guest_tables tables;

	(void)state;
	make_counting(1);
	assert_int_equal(map_counting(&tables), 0);
	assert_int_equal(tables.nr_events, 2);
	keys[0] = strata_aggregate_key(2, 0);
	keys[1] = strata_aggregate_key(0xffffffffu, 0);
	keys[2] = strata_aggregate_key(1, 1);
	keys[3] = 1; /* the event, and not STRATA_AGGREGATE_KEY_USED */
	keys[4] = strata_aggregate_key(1, 0);
	tables_of[0][STRATA_AGGREGATE_OTHERS + 4] = 7;
	keys[5] = strata_aggregate_key(1, 0);
	tables_of[0][STRATA_AGGREGATE_OTHERS + 5] = 8;
	assert_int_equal(guest_tables_read(NULL, 5, &tables, &counting, &rows, &failure), 0);
	assert_int_equal(rows.nr, 1);
	assert_int_equal(rows.words[0], strata_aggregate_key(1, 0));
	assert_int_equal(rows.words[1], 7);
	assert_int_equal(rows.bad, 5);
	memset(keys, 0xff, strata_aggregate_rows(&counting) * sizeof(*keys));
	assert_int_equal(guest_tables_read(NULL, 5, &tables, &counting, &rows, &failure), 0);
	assert_int_equal(rows.nr, 0);
	assert_int_equal(rows.bad, strata_aggregate_rows(&counting));
	free(tables.refs);
	aggregate_rows_clear(&rows);
	guest_unmap(&map);
}

static void sums_do_not_wrap(void **state)
{
	struct aggregate_rows rows = { 0 };
	struct guest_tables tables;

	(void)state;
	make_counting(3);
	assert_int_equal(map_counting(&tables), 0);
	keys[9] = strata_aggregate_key(0, 0);
	for (uint32_t cpu = 0; cpu < 3; cpu++)
		memset(tables_of[cpu], 0xff,
		       strata_aggregate_table_words(&counting) * sizeof(**tables_of));
	assert_int_equal(guest_tables_read(NULL, 5, &tables, &counting, &rows, &failure), 0);
	assert_int_equal(rows.nr, 1);
	assert_int_equal(rows.words[1], UINT64_MAX);
	for (unsigned int i = 0; i < STRATA_AGGREGATE_OTHERS; i++)
		assert_int_equal(rows.others[i], UINT64_MAX);
	free(tables.refs);
	aggregate_rows_clear(&rows);
	guest_unmap(&map);
}

/* Any words: what is read has a key of the guest's, once, and no more rows than there are. */
static void no_words_do_harm(void **state)
{
	const struct strata_aggregate_spec timing = { .version = STRATA_AGGREGATE_VERSION,
						      .kind = STRATA_AGGREGATE_TIME,
						      .row_bits = 1,
						      .begin = { 0, ~0u },
						      .end = { 1, ~0u } };
	uint64_t random = 1;

	(void)state;
	for (unsigned int round = 0; round < 200; round++) {
		/* Copies of counts, read as times too: one page each, of the same guest. */
		const struct strata_aggregate_spec *spec = round % 2 ? &counting : &timing;
		struct aggregate_rows rows = { 0 };
		struct guest_tables tables;
		uint32_t nr_words = strata_aggregate_table_words(&counting);

		make_counting(2);
		assert_int_equal(map_counting(&tables), 0);
		for (uint32_t i = 0; i < strata_aggregate_rows(&counting) + 2 * nr_words; i++) {
			unsigned long *word = i < strata_aggregate_rows(&counting)
						      ? &keys[i]
						      : &tables_of[i % 2][(i / 2) % nr_words];

			random = random * 6364136223846793005ull + 1442695040888963407ull;
			*word = random % 3 == 0 ? strata_aggregate_key((uint32_t)(random >> 62), 0)
				: random % 3 == 1 ? random
						  : ~0ul >> (random >> 58);
		}
		assert_int_equal(guest_tables_read(NULL, 5, &tables, spec, &rows, &failure), 0);
		assert_in_range(rows.nr, 0, spec == &timing ? 1 : 2);
		assert_in_range(rows.nr + rows.bad, 0, strata_aggregate_rows(spec));
		free(tables.refs);
		aggregate_rows_clear(&rows);
		guest_unmap(&map);
	}
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
		cmocka_unit_test(only_rows_of_its_own_events_are_taken),
		cmocka_unit_test(sums_do_not_wrap),
		cmocka_unit_test(no_words_do_harm),
		cmocka_unit_test(tables_have_the_sizes_that_were_asked_for),
	};

	return cmocka_run_group_tests_name("guest_tables", tests, make_memory, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_guest_map.c - what a guest grants, and the limits of each word that says where it lies: the
 * last value that is taken, and the first that is refused, with nothing left mapped.
 */
#include "granting_guest.h"

static void is_taken(void)
{
	if (guest_map(&map, NULL, &guest, true, &failure))
		fail_msg("refused: %s", failure.text);
	assert_int_equal(map.nr_events, root->nr_events);
	assert_int_equal(map.nr_rings, root->nr_rings);
	guest_unmap(&map);
	assert_int_equal(pages_mapped, 0);
}

static void what_a_guest_grants_is_mapped_in_its_order(void **state)
{
	unsigned int i;

	(void)state;
	make_guest(3, 2);
	assert_int_equal(guest_map(&map, NULL, &guest, true, &failure), 0);
	assert_int_equal(map.header_forms, STRATA_HEADER_FORMS_ALL);
	assert_string_equal(map.events[2].name, "event_2");
	for (i = 0; i < 2; i++) {
		assert_int_equal(map.rings[i].cpu, i);
		assert_int_equal(map.rings[i].reader.writer->magic, STRATA_RING_MAGIC);
		/* The recorder's read count reaches that guest's ring. */
		map.rings[i].reader.shared->read_count = 77 + i;
		assert_int_equal(readers[i]->read_count, 77 + i);
	}
	guest_unmap(&map);
	assert_int_equal(pages_mapped, 0);
	/* Without rings, the table is all, and what the root page says of them. */
	assert_int_equal(guest_map(&map, NULL, &guest, false, &failure), 0);
	assert_int_equal(map.nr_rings, 0);
	assert_int_equal(map.nr_granted_rings, 2);
	assert_int_equal(map.geometry.subbuf_bits, root->subbuf_bits);
	assert_int_equal(map.geometry.nr_subbufs_bits, root->nr_subbufs_bits);
	assert_int_equal(map.nr_events, 3);
	guest_unmap(&map);
	assert_int_equal(pages_mapped, 0);
}

/* Xen waits for a lock for each page, which the guest can keep busy: so one call has few of them.
 * And each call costs time of its own, so there are not many. */
static void pages_are_mapped_in_pieces(void **state)
{
	uint32_t few;

	(void)state;
	nr_mappings = 0;
	make_guest(1, 1);
	is_taken();
	few = nr_mappings;
	nr_mappings = 0;
	most_pages = 0;
	make_guest(1, STRATA_GUEST_RINGS_MAX);
	is_taken();
	assert_int_equal(most_pages, GRANT_CALL_PAGES);
	assert_in_range(nr_mappings, 2, few + root->nr_refs / GRANT_CALL_PAGES);
}

/* A guest that is mapped in steps is unmapped in steps, wherever mapping stopped. */
static void a_map_can_be_left_at_each_step(void **state)
{
	uint32_t steps, left_after;
	int more = 1;

	(void)state;
	make_guest(1, STRATA_GUEST_RINGS_MAX);
	for (left_after = 0; more; left_after++) {
		assert_int_equal(guest_map_begin(&map, NULL, &guest, root->nr_refs, &failure), 0);
		for (steps = 0, more = 1; more && steps < left_after; steps++) {
			more = guest_map_step(&map, &failure);
			assert_in_range(more, 0, 1);
		}
		assert_int_equal(guest_map_detach(&map, &failure), 0);
		while (!guest_unmap_readers_step(&map))
			;
		guest_unmap(&map);
		assert_int_equal(pages_mapped, 0);
	}
	assert_in_range(left_after, root->nr_refs / GRANT_CALL_PAGES, UINT32_MAX);
	/* And when it claims more than it did. */
	assert_int_equal(guest_map_begin(&map, NULL, &guest, root->nr_refs - 1, &failure), -1);
	assert_non_null(strstr(failure.text, "references now"));
	assert_int_equal(pages_mapped, 0);
}

static void nothing_stays_mapped_when_the_host_has_no_room(void **state)
{
	(void)state;
	make_guest(1, STRATA_GUEST_RINGS_MAX);
	for (pages_until_full = 0; pages_until_full < root->nr_refs - 1; pages_until_full += 50)
		is_refused("No space left on device");
	pages_until_full = UINT32_MAX;
	is_taken();
}

static void each_of_many_rings_has_its_own_areas(void **state)
{
	const size_t last = strata_data_bytes(small) - 1;
	uint32_t i;

	(void)state;
	make_guest(1, STRATA_GUEST_RINGS_MAX);
	for (i = 0; i < STRATA_GUEST_RINGS_MAX; i++) {
		data_of[i][0] = (unsigned char)i;
		data_of[i][last] = (unsigned char)~i;
	}
	assert_int_equal(guest_map(&map, NULL, &guest, true, &failure), 0);
	for (i = 0; i < STRATA_GUEST_RINGS_MAX; i++) {
		assert_int_equal(map.rings[i].cpu, i);
		assert_int_equal(map.rings[i].reader.data[0], (unsigned char)i);
		assert_int_equal(map.rings[i].reader.data[last], (unsigned char)~i);
		map.rings[i].reader.shared->read_count = i;
		assert_int_equal(readers[i]->read_count, i);
	}
	/* From now on the recorder writes there to memory of its own. */
	assert_int_equal(guest_map_detach(&map, &failure), 0);
	while (!guest_unmap_readers_step(&map))
		;
	for (i = 0; i < STRATA_GUEST_RINGS_MAX; i++) {
		assert_int_equal(map.rings[i].reader.shared->read_count, i);
		map.rings[i].reader.shared->read_count = 1000;
		assert_int_equal(readers[i]->read_count, i);
	}
	guest_unmap(&map);
	assert_int_equal(pages_mapped, 0);
}

static void a_root_page_of_another_kind_is_refused(void **state)
{
	(void)state;
	make_guest(1, 1);
	root->magic++;
	is_refused("bad root page: magic");
	make_guest(1, 1);
	root->version++;
	is_refused("its root page has version");
	make_guest(1, 1);
	root->nonce++;
	is_refused("its root page is of another load");
}

/* The packets say it, too; so this is all that a recorder does with what it does not know. */
static void only_known_contexts_are_taken_over(void **state)
{
	(void)state;
	make_guest(1, 2);
	assert_int_equal(guest_map(&map, NULL, &guest, true, &failure), 0);
	assert_int_equal(guest_map_contexts(&map), 0);
	writers[0]->contexts = STRATA_CONTEXT_BIT(STRATA_CONTEXT_NICE);
	assert_int_equal(guest_map_contexts(&map), STRATA_CONTEXT_BIT(STRATA_CONTEXT_NICE));
	writers[0]->contexts = UINT32_MAX;
	assert_int_equal(guest_map_contexts(&map), STRATA_CONTEXTS_ALL | STRATA_COUNTERS_ALL);
	guest_unmap(&map);
}

static void the_table_of_counters_is_copied(void **state)
{
	(void)state;
	make_guest(1, 2);
	root->counters[15] = (struct strata_guest_counter){ .type = 1, .config = 2 };
	assert_int_equal(guest_map(&map, NULL, &guest, true, &failure), 0);
	assert_memory_equal(map.counters, root->counters, sizeof(map.counters));
	root->counters[0].config = 7;
	assert_int_equal(map.counters[0].config, 0);
	assert_int_equal(guest_map_counters(&map, &guest, &failure), 0);
	assert_int_equal(map.counters[0].config, 7);
	root->magic++;
	assert_int_equal(guest_map_counters(&map, &guest, &failure), -1);
	guest_unmap(&map);
}

static void the_number_of_rings_has_limits(void **state)
{
	(void)state;
	make_guest(1, STRATA_GUEST_RINGS_MAX);
	is_taken();
	root->nr_rings = STRATA_GUEST_RINGS_MAX + 1;
	root->nr_refs = (uint32_t)strata_guest_refs(root->table_bytes, root->nr_rings, small);
	is_refused("bad root page: 1 events, 257 rings");
	root->nr_rings = 0;
	root->nr_refs = 1;
	is_refused("bad root page: 1 events, 0 rings");
	root->nr_rings = UINT32_MAX;
	is_refused("bad root page: 1 events, 4294967295 rings");
}

static void the_number_of_events_and_the_size_of_their_table_have_limits(void **state)
{
	(void)state;
	make_guest(STRATA_GUEST_EVENTS_MAX, 1);
	is_taken();
	root->nr_events = STRATA_GUEST_EVENTS_MAX + 1;
	is_refused("bad root page: 1025 events");
	root->nr_events = 0;
	is_refused("bad root page: 0 events");
	make_guest(1, 1);
	root->table_bytes = 0;
	is_refused("an event table of 0 bytes");
	root->table_bytes = STRATA_GUEST_TABLE_BYTES_MAX + 1;
	root->nr_refs = (uint32_t)strata_guest_refs(root->table_bytes, 1, small);
	is_refused("an event table of 1048577 bytes");
	/* The largest one needs as many references, and these are not listed. */
	root->table_bytes = STRATA_GUEST_TABLE_BYTES_MAX;
	is_refused("bad root page: it lists 262 references, its sizes ask for 261");
}

static void sizes_of_rings_have_limits(void **state)
{
	static const struct strata_ring_geometry wrong[] = {
		{ 11, 1 }, { 23, 1 }, { 12, 0 }, { 12, 9 }, { 255, 255 }
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		make_guest(1, 1);
		root->subbuf_bits = wrong[i].subbuf_bits;
		root->nr_subbufs_bits = wrong[i].nr_subbufs_bits;
		is_refused("bad root page: sub-buffers of 2^");
	}
}

static void as_many_references_are_listed_as_the_sizes_ask_for(void **state)
{
	(void)state;
	make_guest(1, 2);
	root->nr_refs--;
	is_refused("its sizes ask for");
	root->nr_refs += 2;
	is_refused("its sizes ask for");
	/* Sizes that ask for more than a guest may grant: 256 rings of 2 MiB. */
	make_guest(1, 1);
	root->nr_rings = STRATA_GUEST_RINGS_MAX;
	root->subbuf_bits = 20;
	root->nr_refs = (uint32_t)strata_guest_refs(root->table_bytes, root->nr_rings,
						    (struct strata_ring_geometry){ 20, 1 });
	is_refused("at most 131072 are taken");
}

static void no_reference_is_listed_twice(void **state)
{
	char said[80];
	uint32_t i;

	(void)state;
	make_guest(1, 2);
	for (i = 1; i < root->nr_refs; i++) {
		const uint32_t was = directory[i];

		directory[i] = directory[0];
		is_refused("bad directory: it lists reference");
		directory[i] = was;
	}
	directory[0] = directory[root->nr_refs - 1];
	is_refused("bad directory: it lists reference");
	/* Nor a page of the directory itself. */
	make_guest(1, STRATA_GUEST_RINGS_MAX);
	assert_in_range(root->nr_refs, STRATA_GUEST_REFS_PER_PAGE + 1,
			2 * STRATA_GUEST_REFS_PER_PAGE);
	root->directory_ref[1] = root->directory_ref[0];
	snprintf(said, sizeof(said), "bad directory: it lists reference %u twice",
		 root->directory_ref[0]);
	is_refused(said);
}

static void each_ring_is_of_a_cpu_of_its_own(void **state)
{
	(void)state;
	make_guest(1, 3);
	writers[2]->cpu = STRATA_CPU_MAX;
	is_taken();
	writers[2]->cpu = STRATA_CPU_MAX + 1;
	is_refused("ring 2: bad CPU number 65535 (at most 65534)");
	writers[2]->cpu = 0;
	is_refused("rings 0 and 2 are both of CPU 0");
}

static void a_ring_that_contradicts_the_root_page_is_refused(void **state)
{
	(void)state;
	make_guest(1, 2);
	writers[1]->magic++;
	is_refused("ring 1: it has no ring header");
	make_guest(1, 2);
	writers[1]->version++;
	is_refused("ring 1: its layout has another version");
	make_guest(1, 2);
	writers[1]->count_bits = 32;
	is_refused("ring 1: its counters have another width");
	make_guest(1, 2);
	writers[1]->nr_subbufs_bits++;
	is_refused("ring 1: it contradicts the sizes in the root page");
}

/* Says that the ring was written and read up to a position: its last turn begins there. */
static void say_read_up_to(strata_count_t position)
{
	unsigned int i;

	make_guest(1, 1);
	for (i = 0; i < strata_nr_subbufs(small); i++)
		writers[0]->commit_seq[i] =
			strata_commit_at_turn(small, position) + strata_subbuf_bytes(small);
	readers[0]->read_count = position;
}

static void a_ring_that_was_read_to_the_end_of_numbers_is_refused(void **state)
{
	const strata_count_t half = (strata_count_t)1 << (STRATA_COUNT_BITS - 1);

	(void)state;
	say_read_up_to(half - strata_buffer_bytes(small));
	is_taken();
	say_read_up_to(half);
	is_refused("it claims to have been read up to 0x8000000000000000");
}

static void a_format_is_refused(void **state)
{
	struct strata_event_desc *last;

	(void)state;
	make_guest(2, 1);
	last = (struct strata_event_desc *)(table + strata_event_desc_bytes(0));
	last->format_bytes = 1;
	is_refused("entry 1 has a format of 1 bytes");
}

static void a_table_is_read_again_within_the_pages_that_were_claimed(void **state)
{
	uint32_t claimed;

	(void)state;
	make_guest(3, 2);
	claimed = root->nr_refs;
	assert_int_equal(guest_map(&map, NULL, &guest, true, &failure), 0);
	root->nr_events = 2;
	assert_int_equal(guest_map_events_begin(&map, &guest, claimed, &failure), 0);
	assert_int_equal(map.nr_events, 3);
	while (guest_map_step(&map, &failure) > 0)
		;
	assert_null(map.reading);
	assert_int_equal(map.nr_events, 2);
	assert_int_equal(map.nr_rings, 2);
	assert_int_equal(guest_map_events_begin(&map, &guest, claimed - 1, &failure), -1);
	assert_non_null(strstr(failure.text, "references now"));
	assert_int_equal(map.nr_events, 2);
	assert_string_equal(map.events[1].name, "event_1");
	guest_unmap(&map);
	assert_int_equal(pages_mapped, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_guest_grants_is_mapped_in_its_order),
		cmocka_unit_test(pages_are_mapped_in_pieces),
		cmocka_unit_test(a_map_can_be_left_at_each_step),
		cmocka_unit_test(a_format_is_refused),
		cmocka_unit_test(a_table_is_read_again_within_the_pages_that_were_claimed),
		cmocka_unit_test(nothing_stays_mapped_when_the_host_has_no_room),
		cmocka_unit_test(each_of_many_rings_has_its_own_areas),
		cmocka_unit_test(a_root_page_of_another_kind_is_refused),
		cmocka_unit_test(only_known_contexts_are_taken_over),
		cmocka_unit_test(the_table_of_counters_is_copied),
		cmocka_unit_test(the_number_of_rings_has_limits),
		cmocka_unit_test(the_number_of_events_and_the_size_of_their_table_have_limits),
		cmocka_unit_test(sizes_of_rings_have_limits),
		cmocka_unit_test(as_many_references_are_listed_as_the_sizes_ask_for),
		cmocka_unit_test(no_reference_is_listed_twice),
		cmocka_unit_test(each_ring_is_of_a_cpu_of_its_own),
		cmocka_unit_test(a_ring_that_contradicts_the_root_page_is_refused),
		cmocka_unit_test(a_ring_that_was_read_to_the_end_of_numbers_is_refused),
	};

	return cmocka_run_group_tests_name("guest_map", tests, make_memory, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_guest_map.c - what a guest grants, and the limits of each word that says where it lies: the
 * last value that is taken, and the first that is refused, with nothing left mapped.
 *
 * The guest is a file of pages whose references are their numbers; mapping them is all of
 * Xen that is answered here.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <strata/abi/guest.h>
#include <strata/ring_home.h>

#include "consumerd/xen/grant_call.h"
#include "consumerd/xen/guest_map.h"
#include "consumerd/xen/guest_tables.h"
#include "recording/recording.h"

#define NONCE     0x1234567890abcdefull
#define PAGES_MAX 4096u
#define FIRST_REF 8u /* page n of the file */

static const struct strata_ring_geometry small = { 12, 1 };

static int memory = -1;
static unsigned char *pages;
static uint32_t pages_mapped;
static uint32_t nr_mappings;
static uint32_t most_pages; /* of one mapping */
static uint32_t pages_until_full = UINT32_MAX;
static uint32_t pages_used;

/* The pages that one map of the guest is made of. */
static struct strata_guest_root *root;
static uint32_t *directory;
static struct strata_ring_writer_area *writers[STRATA_GUEST_RINGS_MAX];
static struct strata_ring_reader_area *readers[STRATA_GUEST_RINGS_MAX];
static unsigned char *data_of[STRATA_GUEST_RINGS_MAX];
static struct guest guest;
static struct guest_map map;
static struct strata_error failure;

static void place(unsigned char *at, uint32_t nr, const uint32_t *refs, int protection)
{
	uint32_t i;

	for (i = 0; i < nr; i++) {
		assert_in_range(refs[i], FIRST_REF, FIRST_REF + PAGES_MAX - 1);
		assert_true(mmap(at + i * (size_t)STRATA_PAGE_BYTES, STRATA_PAGE_BYTES, protection,
				 MAP_SHARED | MAP_FIXED, memory,
				 (off_t)(refs[i] - FIRST_REF) * STRATA_PAGE_BYTES) != MAP_FAILED);
	}
	pages_mapped += nr;
	nr_mappings++;
	if (nr > most_pages)
		most_pages = nr;
}

void *xengnttab_map_domain_grant_refs(xengnttab_handle *handle, uint32_t nr, uint32_t domain,
				      uint32_t *refs, int protection)
{
	unsigned char *at = mmap(NULL, nr * (size_t)STRATA_PAGE_BYTES, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)handle;
	assert_int_equal(domain, guest.domain);
	assert_true(at != MAP_FAILED);
	place(at, nr, refs, protection);
	return at;
}

int grant_call_map(xengnttab_handle *handle, void *address, uint32_t nr, uint32_t domain,
		   const uint32_t *refs, int protection)
{
	(void)handle;
	assert_int_equal(domain, guest.domain);
	if (pages_mapped + nr > pages_until_full) {
		munmap(address, nr * (size_t)STRATA_PAGE_BYTES);
		errno = ENOSPC;
		return -1;
	}
	place(address, nr, refs, protection);
	return 0;
}

int xengnttab_unmap(xengnttab_handle *handle, void *address, uint32_t nr)
{
	(void)handle;
	assert_in_range(nr, 1, pages_mapped);
	assert_in_range(nr, 1, GRANT_CALL_PAGES);
	pages_mapped -= nr;
	return munmap(address, nr * (size_t)STRATA_PAGE_BYTES);
}

static void *take_pages(uint32_t nr)
{
	void *at = pages + (size_t)pages_used * STRATA_PAGE_BYTES;

	pages_used += nr;
	assert_in_range(pages_used, 1, PAGES_MAX);
	return at;
}

static uint32_t ref_of(const void *at)
{
	return FIRST_REF + (uint32_t)(((const unsigned char *)at - pages) / STRATA_PAGE_BYTES);
}

static void list_pages(const void *at, uint32_t nr)
{
	while (nr--)
		directory[root->nr_refs++] = ref_of(at) + nr;
}

/* A guest of @nr_rings rings with a table of @nr_events events. */
static void make_guest(uint32_t nr_events, uint32_t nr_rings)
{
	const uint32_t entry = strata_event_desc_bytes(0);
	const uint32_t nr_directory = 2;
	unsigned char *table;
	uint32_t i;

	memset(pages, 0, (size_t)PAGES_MAX * STRATA_PAGE_BYTES);
	pages_used = 0;
	root = take_pages(1);
	directory = take_pages(nr_directory);
	root->magic = STRATA_GUEST_MAGIC;
	root->version = STRATA_GUEST_ABI_VERSION;
	root->header_forms = STRATA_HEADER_FORMS_ALL;
	root->nonce = NONCE;
	root->nr_events = nr_events;
	root->nr_rings = nr_rings;
	root->subbuf_bits = small.subbuf_bits;
	root->nr_subbufs_bits = small.nr_subbufs_bits;
	root->table_bytes = nr_events * entry;
	for (i = 0; i < nr_directory; i++)
		root->directory_ref[i] = ref_of(directory) + i;
	table = take_pages(strata_guest_table_pages(root->table_bytes));
	for (i = 0; i < nr_events; i++) {
		struct strata_event_desc *event = (struct strata_event_desc *)(table + i * entry);

		event->id = i;
		snprintf(event->name, sizeof(event->name), "event_%u", i);
	}
	for (i = 0; i < strata_guest_table_pages(root->table_bytes); i++)
		list_pages(table + i * STRATA_PAGE_BYTES, 1);
	for (i = 0; i < nr_rings; i++) {
		static uint64_t books[16384 / 8];
		unsigned char *data;
		uint32_t page;

		writers[i] = take_pages(STRATA_WRITER_AREA_PAGES);
		readers[i] = take_pages(STRATA_READER_AREA_PAGES);
		data = take_pages(strata_data_pages(small));
		assert_in_range(strata_ring_bytes(small), 1, sizeof(books));
		memset(books, 0, sizeof(books));
		strata_ring_init((struct strata_ring *)books, small, data, writers[i], readers[i],
				 i, 0);
		list_pages(writers[i], STRATA_WRITER_AREA_PAGES);
		list_pages(readers[i], STRATA_READER_AREA_PAGES);
		data_of[i] = data;
		for (page = 0; page < strata_data_pages(small); page++)
			list_pages(data + page * STRATA_PAGE_BYTES, 1);
	}
	memset(&guest, 0, sizeof(guest));
	guest.domain = 5;
	guest.root_ref = ref_of(root);
	guest.nonce = NONCE;
}

static void is_taken(void)
{
	if (guest_map(&map, NULL, &guest, true, &failure))
		fail_msg("refused: %s", failure.text);
	assert_int_equal(map.nr_events, root->nr_events);
	assert_int_equal(map.nr_rings, root->nr_rings);
	guest_unmap(&map);
	assert_int_equal(pages_mapped, 0);
}

static void is_refused(const char *because)
{
	memset(&failure, 0, sizeof(failure));
	if (!guest_map(&map, NULL, &guest, true, &failure))
		fail_msg("taken, where \"%s\" was expected", because);
	if (!strstr(failure.text, because))
		fail_msg("\"%s\" does not say \"%s\"", failure.text, because);
	assert_int_equal(pages_mapped, 0);
	assert_int_equal(map.nr_rings, 0);
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
	/* Without rings, the table is all. */
	assert_int_equal(guest_map(&map, NULL, &guest, false, &failure), 0);
	assert_int_equal(map.nr_rings, 0);
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

static int make_memory(void **state)
{
	(void)state;
	memory = memfd_create("guest", MFD_CLOEXEC);
	if (memory < 0 || ftruncate(memory, (off_t)PAGES_MAX * STRATA_PAGE_BYTES))
		return -1;
	pages = mmap(NULL, (size_t)PAGES_MAX * STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE,
		     MAP_SHARED, memory, 0);
	return pages == MAP_FAILED;
}

/* A channel that counts --------------------------------------------------------------------- */

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
		cmocka_unit_test(what_a_guest_grants_is_mapped_in_its_order),
		cmocka_unit_test(pages_are_mapped_in_pieces),
		cmocka_unit_test(a_map_can_be_left_at_each_step),
		cmocka_unit_test(a_table_is_read_again_within_the_pages_that_were_claimed),
		cmocka_unit_test(nothing_stays_mapped_when_the_host_has_no_room),
		cmocka_unit_test(each_of_many_rings_has_its_own_areas),
		cmocka_unit_test(a_root_page_of_another_kind_is_refused),
		cmocka_unit_test(the_number_of_rings_has_limits),
		cmocka_unit_test(the_number_of_events_and_the_size_of_their_table_have_limits),
		cmocka_unit_test(sizes_of_rings_have_limits),
		cmocka_unit_test(as_many_references_are_listed_as_the_sizes_ask_for),
		cmocka_unit_test(no_reference_is_listed_twice),
		cmocka_unit_test(each_ring_is_of_a_cpu_of_its_own),
		cmocka_unit_test(a_ring_that_contradicts_the_root_page_is_refused),
		cmocka_unit_test(a_ring_that_was_read_to_the_end_of_numbers_is_refused),
		cmocka_unit_test(tables_of_all_cpus_add_up),
		cmocka_unit_test(tables_have_the_sizes_that_were_asked_for),
	};

	return cmocka_run_group_tests_name("guest_map", tests, make_memory, NULL);
}

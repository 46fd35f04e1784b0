/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * granting_guest.h - a guest for tests of what it grants: a file of pages whose references are
 * their numbers.  Mapping them is all of Xen that is answered here.  Included once, by a test.
 */
#ifndef STRATA_TESTS_GRANTING_GUEST_H
#define STRATA_TESTS_GRANTING_GUEST_H

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
static unsigned char *table;
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

#endif /* STRATA_TESTS_GRANTING_GUEST_H */

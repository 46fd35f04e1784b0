/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_fixture.h - a ring for tests: writer and reader on memory of their own,
 * each area between two pages that nobody may touch, so that an access next to
 * an area ends the test.  A child that the test forks shares it.
 *
 * A test that wants a clock of its own defines strata_clock before this header.
 */
#ifndef STRATA_TESTS_RING_FIXTURE_H
#define STRATA_TESTS_RING_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <strata/ring_home.h>
#include <strata/ring_reader.h>

struct ring_fixture {
	struct strata_ring *ring;
	struct strata_ring_writer_area *writer_area;
	struct strata_ring_reader_area *reader_area;
	unsigned char *data;
	struct strata_ring_reader reader;
	unsigned int spare; /* the page of a reader that goes through the writer's home */
	size_t ring_pages;
	enum strata_header_form form; /* of the ring, the next time that it is made new */
};

static inline void *guarded_pages(size_t pages)
{
	unsigned char *area = mmap(NULL, (pages + 2) * STRATA_PAGE_BYTES, PROT_NONE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED ||
	    mprotect(area + STRATA_PAGE_BYTES, pages * STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE))
		fail_msg("no memory for an area of %zu pages", pages);
	return area + STRATA_PAGE_BYTES;
}

static inline void guarded_free(void *pages_start, size_t pages)
{
	munmap((unsigned char *)pages_start - STRATA_PAGE_BYTES, (pages + 2) * STRATA_PAGE_BYTES);
}

/* Initialises the ring and its reader on the same memory; data keeps its content. */
static inline void ring_fixture_reset(struct ring_fixture *fixture, struct strata_ring_geometry geo,
				      strata_count_t first)
{
	memset(fixture->ring, 0, strata_ring_bytes(geo));
	memset(fixture->writer_area, 0, sizeof(*fixture->writer_area));
	memset(fixture->reader_area, 0, sizeof(*fixture->reader_area));
	strata_ring_init(fixture->ring, geo, fixture->data, fixture->writer_area,
			 fixture->reader_area, 3, first);
	strata_ring_set_form(fixture->ring, fixture->form);
	assert_int_equal(strata_reader_init(&fixture->reader, geo, fixture->writer_area,
					    fixture->reader_area, fixture->data),
			 STRATA_READER_OK);
	strata_reader_resume(&fixture->reader);
	assert_int_equal(fixture->reader.read_count, first);
	fixture->spare = fixture->reader.spare;
}

/* An empty ring of CPU 3 whose counters start at @first, and a reader at its start. */
static inline void ring_fixture_open(struct ring_fixture *fixture, struct strata_ring_geometry geo,
				     strata_count_t first)
{
	/* The private part ends where its last page does: an index too far faults. */
	size_t bytes = (strata_ring_bytes(geo) + 15) & ~(size_t)15;

	fixture->ring_pages = (bytes + STRATA_PAGE_BYTES - 1) / STRATA_PAGE_BYTES;
	fixture->ring = (struct strata_ring *)((unsigned char *)guarded_pages(fixture->ring_pages) +
					       fixture->ring_pages * STRATA_PAGE_BYTES - bytes);
	fixture->writer_area = guarded_pages(STRATA_WRITER_AREA_PAGES);
	fixture->reader_area = guarded_pages(STRATA_READER_AREA_PAGES);
	fixture->data = guarded_pages(strata_data_pages(geo));
	ring_fixture_reset(fixture, geo, first);
}

static inline void ring_fixture_close(struct ring_fixture *fixture)
{
	struct strata_ring_geometry geo = fixture->ring->geo;

	guarded_free((void *)((uintptr_t)fixture->ring & ~(uintptr_t)(STRATA_PAGE_BYTES - 1)),
		     fixture->ring_pages);
	guarded_free(fixture->writer_area, STRATA_WRITER_AREA_PAGES);
	guarded_free(fixture->reader_area, STRATA_READER_AREA_PAGES);
	guarded_free(fixture->data, strata_data_pages(geo));
}

/* Where counters start that wrap after @buffers turns of the whole ring. */
static inline strata_count_t wraps_after(struct strata_ring_geometry geo, strata_count_t buffers)
{
	return (strata_count_t)0 - buffers * strata_buffer_bytes(geo);
}

#endif /* STRATA_TESTS_RING_FIXTURE_H */

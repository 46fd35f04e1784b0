// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_memory_xen.c - making and freeing a ring gives way to other work every
 * few pages and goes on from there: the hypervisor's own file, with memory that
 * the test hands out and takes back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <xen/lib.h>

#define PAGES_MAX 4096u

/* The little of Xen's memory management that the file stands on. */
struct page_info {
	struct {
		struct {
			unsigned long type_info;
		} inuse;
	} u;
	unsigned long count_info;
};

#define PGT_none                       0ul
#define PGT_validated                  1ul
#define PGC_extra                      1ul
#define PAGE_SIZE                      4096ul
#define PAGE_HYPERVISOR                0
#define VMAP_DEFAULT                   0
#define MEMF_node(node)                (node)
#define MEMF_no_refcount               0
#define cpu_to_node(cpu)               (cpu)
#define dom_xen                        NULL
#define alloc_domheap_page(d, how)     ((void)(how), take_page())
#define free_domheap_page(pg)          drop_page(pg)
#define assign_page(pg, order, d, how) ((void)(pg), 0)
#define get_page(pg, d)                ((void)(pg), true)
#define put_page_alloc_ref(pg)         ((void)(pg))
#define put_page(pg)                   drop_page(pg)
#define page_to_mfn(pg)                ((mfn_t){ (unsigned long)((pg)-pages) })
#define mfn_to_page(frame)             (&pages[(frame).mfn])
#define clear_domain_page(frame)       ((void)(frame), page_work())

static struct page_info pages[PAGES_MAX];
static bool taken[PAGES_MAX];
static bool mapped[PAGES_MAX];
static unsigned char space[PAGES_MAX * PAGE_SIZE] __attribute__((__aligned__(4096)));
static unsigned int nr_taken, limit;
static unsigned int since_check, longest; /* pages worked on between two looks at other work */
static bool others_wait;

static void page_work(void)
{
	if (++since_check > longest)
		longest = since_check;
}

static bool general_preempt_check(void)
{
	since_check = 0;
	return others_wait;
}

static struct page_info *take_page(void)
{
	if (nr_taken == limit)
		return NULL;
	for (unsigned int i = 0; i < PAGES_MAX; i++) {
		if (taken[i])
			continue;
		taken[i] = true;
		nr_taken++;
		return &pages[i];
	}
	return NULL;
}

static void drop_page(struct page_info *pg)
{
	assert_true(taken[pg - pages]);
	taken[pg - pages] = false;
	nr_taken--;
}

static void *vm_alloc(unsigned int nr, unsigned int align, int type)
{
	(void)align;
	(void)type;
	return nr <= PAGES_MAX ? space : NULL;
}

static void vm_free(const void *va)
{
	assert_ptr_equal(va, space);
	for (unsigned int i = 0; i < PAGES_MAX; i++)
		assert_false(mapped[i]);
}

static int map_pages_to_xen(unsigned long va, mfn_t frame, unsigned long nr, unsigned int how)
{
	(void)how;
	assert_int_equal(nr, 1);
	assert_true(taken[frame.mfn]);
	mapped[(va - (unsigned long)space) / PAGE_SIZE] = true;
	return 0;
}

static int destroy_xen_mappings(unsigned long from, unsigned long to)
{
	for (; from < to; from += PAGE_SIZE)
		mapped[(from - (unsigned long)space) / PAGE_SIZE] = false;
	return 0;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include "../../xen-patch/src/common/strata/memory.c"
#pragma GCC diagnostic pop

static const struct strata_ring_geometry geometry = { .subbuf_bits = 18, .nr_subbufs_bits = 4 };

static int begin(void **state)
{
	(void)state;
	limit = PAGES_MAX;
	since_check = longest = 0;
	others_wait = true;
	return 0;
}

static unsigned int wanted(void)
{
	return STRATA_WRITER_AREA_PAGES + (unsigned int)strata_data_pages(geometry);
}

static int make(struct strata_cpu_ring *ring, unsigned int *calls)
{
	int rc;

	*calls = 0;
	do {
		rc = strata_ring_make(ring, 1, geometry, false);
		++*calls;
	} while (rc == -ERESTART);
	return rc;
}

static unsigned int free_it(struct strata_cpu_ring *ring)
{
	unsigned int calls = 1;

	while (strata_ring_free(ring) == -ERESTART)
		calls++;
	return calls;
}

static void a_ring_is_made_and_freed_a_few_pages_at_a_time(void **state)
{
	struct strata_cpu_ring *ring = strata_ring_begin(geometry);
	unsigned int calls;

	(void)state;
	assert_non_null(ring);
	assert_int_equal(make(ring, &calls), 0);
	assert_int_equal(nr_taken, wanted());
	assert_true(calls >= wanted() / 64);
	assert_in_range(longest, 1, 64);

	longest = since_check = 0;
	assert_true(free_it(ring) >= wanted() / 64);
	assert_in_range(longest, 1, 64);
	assert_int_equal(nr_taken, 0);
}

static void while_nobody_waits_it_goes_on(void **state)
{
	struct strata_cpu_ring *ring = strata_ring_begin(geometry);
	unsigned int calls;

	(void)state;
	others_wait = false;
	assert_int_equal(make(ring, &calls), 0);
	assert_int_equal(calls, 1);
	assert_int_equal(free_it(ring), 1);
	assert_int_equal(nr_taken, 0);
}

static void half_a_ring_is_freed_when_memory_runs_out(void **state)
{
	struct strata_cpu_ring *ring = strata_ring_begin(geometry);
	unsigned int calls;

	(void)state;
	limit = 700;
	assert_int_equal(make(ring, &calls), -ENOMEM);
	assert_int_equal(nr_taken, 700);
	free_it(ring);
	assert_int_equal(nr_taken, 0);
}

static void a_ring_without_pages_and_none_at_all_are_freed(void **state)
{
	(void)state;
	assert_int_equal(strata_ring_free(NULL), 0);
	assert_int_equal(strata_ring_free(strata_ring_begin(geometry)), 0);
}

#define MEMORY_TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		MEMORY_TEST(a_ring_is_made_and_freed_a_few_pages_at_a_time),
		MEMORY_TEST(while_nobody_waits_it_goes_on),
		MEMORY_TEST(half_a_ring_is_freed_when_memory_runs_out),
		MEMORY_TEST(a_ring_without_pages_and_none_at_all_are_freed),
	};

	return cmocka_run_group_tests_name("ring_memory_xen", tests, NULL, NULL);
}

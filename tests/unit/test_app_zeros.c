// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_app_zeros.c - a recorder takes the pages out of rings that it lets go of (memory_return.h),
 * while their program writes to them: the zeros that the program finds keep each of its stores
 * within the rings.
 */
#include <linux/membarrier.h>

#include "single_torture.h"

#define WRITERS 3u
#define ROUNDS  100u

/* Behind and before the rings: any access ends the test. */
#define GUARD_BYTES (1u << 20)

static const struct strata_ring_geometry geo = { .subbuf_bits = 12, .nr_subbufs_bits = 3 };
static uint64_t written;
static bool ends;

static void *write_always(void *thread)
{
	uint64_t body[STRATA_SINGLE_BODY_MAX / 8 + 1] = { 0 };
	uint32_t bytes = 4 * (uint32_t)(uintptr_t)thread;

	while (!__atomic_load_n(&ends, __ATOMIC_RELAXED)) {
		/* Of all lengths, so that all sections have their turns. */
		bytes = bytes % STRATA_SINGLE_BODY_MAX + 4;
		if (bytes % 8)
			torture_attempt(1, body, bytes, true);
		else if (!strata_single_write(&torture.table, 1, body, bytes))
			strata_single_write_slow(&torture.table, 1, body, bytes, NULL);
		__atomic_fetch_add(&written, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* As a program makes rings, which nobody writes to yet: a section that is under way could take its
 * position from before and its mask from behind. */
static void make_rings(bool overwrite)
{
	uint32_t i;

	for (i = 0; i < torture.nr; i++)
		strata_single_stop(
			(struct strata_single_area *)(torture.rings + i * torture.stride));
	assert_int_equal(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ, 0, 0), 0);
	for (i = 0; i < torture.nr; i++)
		strata_single_init(
			(struct strata_single_area *)(torture.rings + i * torture.stride), geo, i,
			overwrite);
}

/* Rings between guards, which fork() would share as those of a program and a recorder are. */
static void map_rings(void)
{
	size_t bytes;
	unsigned char *area;

	memset(&torture, 0, sizeof(torture));
	torture_count_cpus();
	torture.stride = strata_single_bytes(geo);
	bytes = torture.nr * torture.stride;
	area = mmap(NULL, bytes + 2 * GUARD_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(area, MAP_FAILED);
	torture.rings = mmap(area + GUARD_BYTES, bytes, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	assert_ptr_not_equal(torture.rings, MAP_FAILED);
	strata_single_direct(&torture.table, torture.rings, torture.nr, torture.stride);
}

static void take_pages_away(bool overwrite)
{
	pthread_t threads[WRITERS];
	uint64_t before;
	uint32_t i;

	assert_int_equal(
		syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0), 0);
	map_rings();
	make_rings(overwrite);
	ends = false;
	for (i = 0; i < WRITERS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, write_always, (void *)(uintptr_t)i), 0);
	for (i = 0; i < ROUNDS; i++) {
		before = __atomic_load_n(&written, __ATOMIC_RELAXED);
		assert_int_equal(madvise(torture.rings, torture.nr * torture.stride, MADV_REMOVE),
				 0);
		/* They go on, and end each event. */
		while (__atomic_load_n(&written, __ATOMIC_RELAXED) < before + 20)
			sched_yield();
		make_rings(overwrite);
		while (__atomic_load_n(&written, __ATOMIC_RELAXED) < before + 40)
			sched_yield();
	}
	__atomic_store_n(&ends, true, __ATOMIC_RELAXED);
	for (i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	munmap(torture.rings - GUARD_BYTES, torture.nr * torture.stride + 2 * GUARD_BYTES);
}

static void writers_stay_within_rings_whose_pages_are_taken_away(void **state)
{
	(void)state;
	take_pages_away(false);
	take_pages_away(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writers_stay_within_rings_whose_pages_are_taken_away),
	};

	return cmocka_run_group_tests_name("app_zeros", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_core_freestanding.c - the core as Xen compiles it: gnu99, no declaration
 * after a statement, nothing of libc but the platform header's.
 *
 * The headers lie between the pragmas; what this program checks, it checks by
 * being compiled.  It runs one record through a ring, so that no inline
 * function stays without code.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wdeclaration-after-statement"
#pragma GCC diagnostic error "-Wall"
#pragma GCC diagnostic error "-Wextra"
#pragma GCC diagnostic error "-Wstrict-prototypes"
#pragma GCC diagnostic error "-Wvla"
#if __SIZEOF_LONG__ == 8 /* homes that count */
#include <strata/aggregate_threads.h>
#endif
#include <strata/event.h>
#include <strata/field_filter_check.h>
#include <strata/glob.h>
#include <strata/ring_reader.h>
#include <strata/ring_home.h>
#include <strata/abi/guest.h>
#include <strata/abi/hypervisor.h>
#pragma GCC diagnostic pop

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void a_record_goes_through_the_core(void **state)
{
	struct strata_ring_geometry geo = { 12, 1 };
	struct strata_ring_writer_area *shared = calloc(1, sizeof(*shared));
	struct strata_ring *ring = calloc(1, strata_ring_bytes(geo));
	struct strata_ring_reader_area *reader = calloc(1, sizeof(*reader));
	void *data = calloc(1, strata_data_bytes(geo));
	unsigned int spare = 2;
	struct strata_slot slot;

	(void)state;
	assert_true(shared && ring && data && reader);
	strata_ring_init(ring, geo, data, shared, reader, 0, 0);
	assert_true(strata_ring_enter(ring));
	assert_true(strata_ring_reserve(ring, 1, 4, &slot));
	strata_copy(slot.payload, "abc", 4);
	strata_ring_commit(ring, &slot);
	strata_ring_exit(ring);
	strata_ring_flush(ring);
	assert_int_equal(strata_ring_get(ring, &spare), 0);
	strata_ring_put(ring);
	assert_int_equal(strata_ring_get(ring, &spare), -1);
	free(reader);
	free(data);
	free(ring);
	free(shared);
}

static void a_payload_is_as_long_as_its_fields_say(void **state)
{
	struct strata_event_desc event = {
		.nr_fields = 4,
		.fields = { { .bytes = 1, .count = 3 },
			    { .bytes = 2, .count = 1 },
			    { .bytes = 8, .count = 2 },
			    { .bytes = 1, .count = 16 } },
	};

	(void)state;
	/* 3, aligned to 4, +2, aligned to 8 (8-byte fields align to 4), +16, +16. */
	assert_int_equal(strata_event_payload_bytes(&event), 40);
	event.nr_fields = 0;
	assert_int_equal(strata_event_payload_bytes(&event), 0);
	assert_int_equal(strata_field_align(5, 8), 8);
	assert_int_equal(strata_field_align(5, 2), 6);
	assert_int_equal(strata_field_align(5, 1), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_goes_through_the_core),
		cmocka_unit_test(a_payload_is_as_long_as_its_fields_say),
	};

	return cmocka_run_group_tests_name("core_freestanding", tests, NULL, NULL);
}

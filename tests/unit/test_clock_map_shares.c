// SPDX-License-Identifier: GPL-2.0-or-later
/* test_clock_map_shares.c - how many maps of clocks are kept, and of which domain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clocks/stream_clock.h"

static const struct strata_vcpu_stime no_stimes;

static struct strata_hv_vcpu_clock offset_clock(uint16_t domain, uint64_t offset)
{
	struct strata_hv_vcpu_clock clock = { .domain = domain, .is_hvm = 1, .offset = offset };

	return clock;
}

/* Ten million changes of one vCPU, as they come from the streams of two CPUs; and another vCPU. */
static void the_pieces_of_a_vcpu_that_changes_its_clock_all_the_time_are_bounded(void **state)
{
	struct strata_clock_maps maps = { 0 };
	struct strata_hv_vcpu_clock calm = offset_clock(2, 5);
	struct strata_stream_clock clock;
	uint64_t i;

	(void)state;
	assert_true(strata_clock_maps_add(&maps, 1000, &calm));
	for (i = 1; i <= 10000000; i++) {
		uint64_t ticks = i <= 5000000 ? i * 20 : (i - 5000000) * 20 + 10;
		struct strata_hv_vcpu_clock change = offset_clock(1, ticks % 977);

		assert_true(strata_clock_maps_add(&maps, ticks, &change));
		assert_true(maps.capacity <= 8 * STRATA_CLOCK_PIECES_OF_VCPU);
	}
	strata_clock_maps_sort(&maps, 100);
	assert_true(maps.nr <= 4 * STRATA_CLOCK_PIECES_OF_VCPU);
	assert_true(maps.nr >= STRATA_CLOCK_PIECES_OF_VCPU / 4);
	strata_stream_clock_init(&clock, &maps, &no_stimes, 0, 1, 0);
	assert_false(strata_stream_clock_convert(&clock, 600).sure);
	/* Its newest map is there; the other vCPU's are as they were. */
	assert_int_equal(clock.pieces[clock.nr - 1].from_ticks, 100000010);
	strata_stream_clock_init(&clock, &maps, &no_stimes, 0, 2, 0);
	assert_int_equal(clock.nr, 1);
	assert_true(strata_stream_clock_convert(&clock, 600).sure);
	strata_clock_maps_clear(&maps);
}

/* A guest of 128 vCPUs that reboots 300 times beside one that changes its clock now and then. */
static void a_guest_that_reboots_takes_no_maps_of_another_guest(void **state)
{
	const uint16_t honest = 1, hostile = 2, lives = 300, vcpus = 128;
	struct strata_hv_vcpu_clock change = offset_clock(0, 100);
	struct strata_clock_maps maps = { 0 };
	struct strata_stream_clock clock;
	uint64_t ticks = 1000, i;

	(void)state;
	change.domain = honest;
	for (i = 0; i < 500; i++) {
		change.offset = i * 1000;
		assert_true(strata_clock_maps_add(&maps, ticks += 1000, &change));
	}
	for (change.domain = hostile; change.domain < hostile + lives; change.domain++) {
		for (i = 0; i < 20u * vcpus; i++) {
			change.vcpu = (uint16_t)(i % vcpus);
			change.offset = i / vcpus;
			assert_true(strata_clock_maps_add(&maps, ticks += 10, &change));
		}
	}
	assert_true(maps.capacity <= 1u << 19);
	assert_true(maps.thinned > 0);
	strata_clock_maps_sort(&maps, 100);
	strata_stream_clock_init(&clock, &maps, &no_stimes, 0, honest, 0);
	assert_int_equal(clock.nr, 500);
	assert_false(clock.incomplete);
	/* Of the other one, each vCPU has its first and its newest map. */
	strata_stream_clock_init(&clock, &maps, &no_stimes, 0, hostile, vcpus - 1);
	assert_true(clock.incomplete);
	assert_int_equal(clock.pieces[0].map.offset, 0);
	assert_int_equal(clock.pieces[clock.nr - 1].map.offset, 19);
	strata_clock_maps_clear(&maps);
}

static void records_that_repeat_a_map_take_no_place_of_others(void **state)
{
	struct strata_clock_maps maps = { 0 };
	uint64_t i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		struct strata_hv_vcpu_clock clock = offset_clock(1, i / 25000 * 1000);

		assert_true(strata_clock_maps_add(&maps, i * 10, &clock));
	}
	assert_int_equal(maps.thinned, 0);
	strata_clock_maps_sort(&maps, 100);
	assert_int_equal(maps.nr, 4);
	for (i = 0; i < maps.nr; i++) {
		assert_int_equal(maps.pieces[i].from_ticks, i * 250000);
		assert_false(maps.pieces[i].incomplete);
	}
	strata_clock_maps_clear(&maps);
}

/* The stream of another CPU has the change in between, and comes later. */
static void a_map_that_came_back_after_a_late_change_leaves_no_time_sure(void **state)
{
	struct strata_hv_vcpu_clock first = offset_clock(1, 100), late = offset_clock(1, 700);
	struct strata_clock_maps maps = { 0 };

	(void)state;
	assert_true(strata_clock_maps_add(&maps, 1000, &first));
	assert_true(strata_clock_maps_add(&maps, 9000, &first));
	strata_clock_maps_sort(&maps, 100);
	assert_true(strata_clock_maps_add(&maps, 3000, &first));
	strata_clock_maps_sort(&maps, 100);
	assert_int_equal(maps.nr, 1);
	assert_true(strata_clock_maps_add(&maps, 5000, &late));
	strata_clock_maps_sort(&maps, 100);
	assert_int_equal(maps.nr, 2);
	assert_true(maps.pieces[1].incomplete);
	late.offset = 900;
	assert_true(strata_clock_maps_add(&maps, 9500, &late));
	strata_clock_maps_sort(&maps, 100);
	assert_int_equal(maps.nr, 3);
	assert_false(maps.pieces[2].incomplete);
	strata_clock_maps_clear(&maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_pieces_of_a_vcpu_that_changes_its_clock_all_the_time_are_bounded),
		cmocka_unit_test(a_guest_that_reboots_takes_no_maps_of_another_guest),
		cmocka_unit_test(records_that_repeat_a_map_take_no_place_of_others),
		cmocka_unit_test(a_map_that_came_back_after_a_late_change_leaves_no_time_sure),
	};

	return cmocka_run_group_tests_name("clock_map_shares", tests, NULL, NULL);
}

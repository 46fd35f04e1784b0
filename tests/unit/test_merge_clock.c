// SPDX-License-Identifier: GPL-2.0-or-later
/* test_merge_clock.c - clock arithmetic to the last bit, and the choice of a vCPU's map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <strata/clock.h>

#include "clocks/stream_clock.h"

/* A generator of our own: the same numbers on every run. */
static uint64_t random_state = 88172645463325252ull;

static uint64_t random64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void an_offset_is_undone_exactly_also_across_the_wrap(void **state)
{
	struct strata_clock_map map = { .offset = 0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		uint64_t host = random64();

		map.offset = random64();
		assert_int_equal(strata_guest_from_host(&map, host), host + map.offset);
		assert_int_equal(strata_host_from_guest(&map, strata_guest_from_host(&map, host)),
				 host);
	}
	assert_int_equal(strata_clock_map_bound_ticks(&map), 1);
}

static void a_guest_as_fast_or_faster_is_undone_exactly(void **state)
{
	/* 48 fraction bits as on Intel, 32 as on AMD; ratios from 1 to 4. */
	static const uint32_t frac_bits[] = { 48, 32 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		struct strata_clock_map map = { .offset = random64(),
						.frac_bits = frac_bits[i % 2] };
		uint64_t one = 1ull << map.frac_bits;
		uint64_t host = random64() >> 4;

		map.ratio = one + random64() % (3 * one);
		assert_true(strata_clock_map_valid(&map));
		assert_int_equal(strata_clock_map_bound_ticks(&map), 1);
		assert_int_equal(strata_host_from_guest(&map, strata_guest_from_host(&map, host)),
				 host);
	}
}

static void a_slower_guest_is_undone_within_the_stated_bound(void **state)
{
	uint64_t worst = 0;
	unsigned int i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		struct strata_clock_map map = { .offset = random64(), .frac_bits = 48 };
		uint64_t host = random64() >> 4;
		uint64_t back;

		map.ratio = (1ull << 48) / 5 + random64() % (1ull << 47);
		back = strata_host_from_guest(&map, strata_guest_from_host(&map, host));
		assert_true(back <= host);
		assert_true(host - back < strata_clock_map_bound_ticks(&map));
		/* It is the first tick with that reading, not any. */
		assert_int_equal(strata_guest_from_host(&map, back),
				 strata_guest_from_host(&map, host));
		if (back > 0)
			assert_int_not_equal(strata_guest_from_host(&map, back - 1),
					     strata_guest_from_host(&map, back));
		if (host - back > worst)
			worst = host - back;
	}
	/* Else this would be exact arithmetic, and the bound untested. */
	assert_true(worst >= 2);
}

static void known_values_of_a_ratio_come_out_to_the_last_bit(void **state)
{
	/* 3 GHz host, 2.5 GHz guest: ratio 5/6 in 48 bits, rounded down as Xen does. */
	const struct strata_clock_map map = { .offset = 1000,
					      .ratio = 0xd55555555555ull,
					      .frac_bits = 48 };

	(void)state;
	assert_int_equal(strata_guest_from_host(&map, 6000000000000ull), 5000000000999ull);
	assert_int_equal(strata_host_from_guest(&map, 5000000000999ull), 5999999999999ull);
	assert_int_equal(strata_clock_map_bound_ticks(&map), 2);
}

static void maps_that_cannot_be_are_refused(void **state)
{
	const struct strata_clock_map zero_ratio = { .frac_bits = 48, .ratio = 0 };
	const struct strata_clock_map too_fine = { .frac_bits = 64, .ratio = 1 };
	const struct strata_clock_map tiny_ratio = { .frac_bits = 63, .ratio = 1 };

	(void)state;
	assert_false(strata_clock_map_valid(&zero_ratio));
	assert_false(strata_clock_map_valid(&too_fine));
	/* Absurd but not undefined: results are clamped to the range. */
	assert_true(strata_clock_map_valid(&tiny_ratio));
	assert_int_equal(strata_host_from_guest(&tiny_ratio, 3), UINT64_MAX);
}

static void nanoseconds_are_exact_at_the_anchor_and_round_down_around_it(void **state)
{
	const struct strata_timebase base = { .anchor_ticks = 1000000,
					      .anchor_ns = 5000,
					      .tsc_khz = 3000000 };

	(void)state;
	assert_int_equal(strata_realtime_ns(&base, 1000000), 5000);
	assert_int_equal(strata_realtime_ns(&base, 1000002), 5000);
	assert_int_equal(strata_realtime_ns(&base, 1000003), 5001);
	assert_int_equal(strata_realtime_ns(&base, 999999), 4999);
	assert_int_equal(strata_realtime_ns(&base, 999997), 4999);
	assert_int_equal(strata_realtime_ns(&base, 999996), 4998);
	assert_int_equal(strata_realtime_ns(&base, 0), 0);
	assert_int_equal(strata_realtime_ns(&base, UINT64_MAX), 5000 + 6148914691236183871ull);
}

static void nanoseconds_agree_between_short_and_long_arithmetic(void **state)
{
	const uint64_t border = UINT64_MAX / 1000000u;
	const uint32_t khz = 2893202;

	(void)state;
	assert_int_equal(strata_ticks_to_ns(khz, border + 1),
			 (uint64_t)((unsigned __int128)(border + 1) * 1000000u / khz));
	assert_true(strata_ticks_to_ns(khz, border) <= strata_ticks_to_ns(khz, border + 1));
	assert_int_equal(strata_ticks_to_ns_up(3000000, 1), 1);
	assert_int_equal(strata_ticks_to_ns_up(3000000, 3), 1);
	assert_int_equal(strata_ticks_to_ns_up(3000000, 4), 2);
	/* A slow clock and all of its ticks: clamped to what readers can represent. */
	assert_int_equal(strata_ticks_to_ns(1, UINT64_MAX), STRATA_NS_MAX);
}

static void nanoseconds_never_decrease_as_ticks_grow(void **state)
{
	struct strata_timebase base = { .anchor_ns = 1790000000000000000ull, .tsc_khz = 2399999 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		uint64_t ticks = random64() >> (random64() % 40);
		uint64_t more = ticks + (random64() & 7);

		base.anchor_ticks = ticks + (random64() & 7) - 3;
		if (more < ticks)
			continue;
		assert_true(strata_realtime_ns(&base, ticks) <= strata_realtime_ns(&base, more));
	}
}

static const struct strata_vcpu_stime no_stimes;

static uint64_t converted(struct strata_stream_clock *clock, uint64_t guest)
{
	return strata_stream_clock_convert(clock, guest).ticks;
}

static struct strata_hv_vcpu_clock offset_clock(uint16_t domain, uint64_t offset)
{
	struct strata_hv_vcpu_clock clock = { .domain = domain, .is_hvm = 1, .offset = offset };

	return clock;
}

static void the_map_follows_the_time_when_it_changed(void **state)
{
	struct strata_clock_maps maps = { 0 };
	struct strata_hv_vcpu_clock early = offset_clock(1, 100), late = offset_clock(1, 700);
	struct strata_hv_vcpu_clock other = offset_clock(2, 5);
	struct strata_stream_clock clock;

	(void)state;
	/* Given a guest that set its counter forward by 600 at host time 5000 ... */
	assert_true(strata_clock_maps_add(&maps, 5000, &late));
	assert_true(strata_clock_maps_add(&maps, 1000, &early));
	assert_true(strata_clock_maps_add(&maps, 1000, &other));
	strata_clock_maps_sort(&maps, 100);
	strata_stream_clock_init(&clock, &maps, &no_stimes, 0, 1, 0);
	assert_int_equal(clock.nr, 2);
	/* ... then readings before and after are each undone by their own map,
	 * though the change came a little later than its record. */
	assert_int_equal(converted(&clock, 600), 500);
	assert_int_equal(converted(&clock, 5099), 4999);
	assert_int_equal(converted(&clock, 5120), 5020);
	assert_int_equal(converted(&clock, 5750), 5050);
	assert_int_equal(converted(&clock, 6700), 6000);
	strata_clock_maps_clear(&maps);
}

static void a_counter_that_was_set_back_enters_the_next_map(void **state)
{
	struct strata_clock_maps maps = { 0 };
	struct strata_hv_vcpu_clock early = offset_clock(1, 9000), late = offset_clock(1, 0);
	struct strata_stream_clock clock;

	(void)state;
	assert_true(strata_clock_maps_add(&maps, 1000, &early));
	assert_true(strata_clock_maps_add(&maps, 50000, &late));
	strata_clock_maps_sort(&maps, 100);
	strata_stream_clock_init(&clock, &maps, &no_stimes, 0, 1, 0);
	assert_int_equal(converted(&clock, 58999), 49999);
	/* 50010 under the first map would be 41010: but readings went back. */
	assert_int_equal(converted(&clock, 50010), 50010);
	assert_int_equal(converted(&clock, 50020), 50020);
	strata_clock_maps_clear(&maps);
}

static void a_step_back_that_shows_leaves_no_doubt(void **state)
{
	struct strata_clock_maps maps = { 0 };
	struct strata_hv_vcpu_clock early = offset_clock(1, 9000), late = offset_clock(1, 0);
	struct strata_stream_clock clock;

	(void)state;
	assert_true(strata_clock_maps_add(&maps, 1000, &early));
	assert_true(strata_clock_maps_add(&maps, 50000, &late));
	strata_clock_maps_sort(&maps, 1);
	strata_stream_clock_init(&clock, &maps, &no_stimes, 0, 1, 0);
	assert_int_equal(strata_stream_clock_steps_back(&clock), 1);
	assert_int_equal(strata_stream_clock_went_back(&clock, 58999, 50010), 0);
	assert_int_equal(strata_stream_clock_convert(&clock, 58999).bound, 0);
	assert_int_equal(strata_stream_clock_convert(&clock, 50010).bound, 0);
	strata_stream_clock_clear(&clock);
	strata_clock_maps_clear(&maps);
}

/* Set back by 9000 at 50000 and at 150000; forward at 100000. Of the three, the stream shows one
 * step. */
static void steps_that_show_are_told_from_one_that_does_not(void **state)
{
	struct strata_clock_maps maps = { 0 };
	struct strata_hv_vcpu_clock early = offset_clock(1, 9000), late = offset_clock(1, 0);
	struct strata_stream_clock clock;
	struct strata_host_time time;

	(void)state;
	assert_true(strata_clock_maps_add(&maps, 1000, &early));
	assert_true(strata_clock_maps_add(&maps, 50000, &late));
	assert_true(strata_clock_maps_add(&maps, 100000, &early));
	assert_true(strata_clock_maps_add(&maps, 150000, &late));
	strata_clock_maps_sort(&maps, 1);
	strata_stream_clock_init(&clock, &maps, &no_stimes, 0, 1, 0);
	assert_int_equal(strata_stream_clock_steps_back(&clock), 2);
	assert_int_equal(strata_stream_clock_went_back(&clock, 58999, 50010), 0);
	assert_false(strata_stream_clock_convert(&clock, 58999).doubtful);
	time = strata_stream_clock_convert(&clock, 50010);
	assert_int_equal(time.ticks, 50010);
	assert_false(time.doubtful);
	assert_false(strata_stream_clock_convert(&clock, 120000).doubtful);
	/* At 149000, or at 158000 after a silence. */
	time = strata_stream_clock_convert(&clock, 158000);
	assert_int_equal(time.ticks, 149000);
	assert_true(time.doubtful);
	assert_in_range(time.bound, 9000, 9100);
	strata_stream_clock_clear(&clock);
	strata_clock_maps_clear(&maps);
}

/* Two steps back in one silence: a reading after it fits between them, and after both. */
static void a_step_back_with_two_places_stays_in_doubt(void **state)
{
	struct strata_clock_maps maps = { 0 };
	struct strata_hv_vcpu_clock clocks[] = { offset_clock(1, 9000), offset_clock(1, 4000),
						 offset_clock(1, 0) };
	struct strata_stream_clock clock;

	(void)state;
	assert_true(strata_clock_maps_add(&maps, 1000, &clocks[0]));
	assert_true(strata_clock_maps_add(&maps, 50000, &clocks[1]));
	assert_true(strata_clock_maps_add(&maps, 52000, &clocks[2]));
	strata_clock_maps_sort(&maps, 1);
	strata_stream_clock_init(&clock, &maps, &no_stimes, 0, 1, 0);
	/* 58500 at 49500; then 55000, at 51000 or at 55000. */
	assert_int_equal(strata_stream_clock_went_back(&clock, 58500, 55000), 0);
	assert_true(strata_stream_clock_convert(&clock, 58500).doubtful);
	assert_true(strata_stream_clock_convert(&clock, 55000).doubtful);
	strata_stream_clock_clear(&clock);
	strata_clock_maps_clear(&maps);
}

static void a_step_back_that_does_not_show_is_a_doubt_of_its_size(void **state)
{
	struct strata_clock_maps maps = { 0 };
	struct strata_hv_vcpu_clock early = offset_clock(1, 9000), late = offset_clock(1, 0);
	struct strata_stream_clock clock;
	struct strata_host_time time;

	(void)state;
	assert_true(strata_clock_maps_add(&maps, 1000, &early));
	assert_true(strata_clock_maps_add(&maps, 50000, &late));
	strata_clock_maps_sort(&maps, 1);
	strata_stream_clock_init(&clock, &maps, &no_stimes, 0, 1, 0);
	/* Long before the step, and long after it, it adds nothing to the bound. */
	assert_int_equal(strata_stream_clock_convert(&clock, 19000).bound, 0);
	/* A reading at 50010, after a silence: it could have been at 41010, too. */
	time = strata_stream_clock_convert(&clock, 50010);
	assert_int_equal(time.ticks, 41010);
	assert_true(time.bound >= 9000 && time.bound < 9100);
	time = strata_stream_clock_convert(&clock, 59010);
	assert_int_equal(time.ticks, 59010);
	assert_int_equal(time.bound, 0);
	strata_clock_maps_clear(&maps);
}

static void doubts_reach_across_pieces_that_are_shorter(void **state)
{
	struct strata_clock_maps maps = { 0 };
	struct strata_hv_vcpu_clock clocks[] = { offset_clock(1, 9000), offset_clock(1, 4000),
						 offset_clock(1, 0) };
	struct strata_stream_clock clock;
	struct strata_host_time time;

	(void)state;
	/* Set back by 5000, and 100 ticks later by 4000. */
	assert_true(strata_clock_maps_add(&maps, 1000, &clocks[0]));
	assert_true(strata_clock_maps_add(&maps, 50000, &clocks[1]));
	assert_true(strata_clock_maps_add(&maps, 50100, &clocks[2]));
	strata_clock_maps_sort(&maps, 1);
	strata_stream_clock_init(&clock, &maps, &no_stimes, 0, 1, 0);
	time = strata_stream_clock_convert(&clock, 50110);
	assert_int_equal(time.ticks, 41110);
	assert_true(time.bound >= 9000 && time.bound < 9100);
	strata_clock_maps_clear(&maps);
}

static void records_that_repeat_a_map_make_no_new_piece(void **state)
{
	struct strata_clock_maps maps = { 0 };
	struct strata_hv_vcpu_clock same = offset_clock(1, 100);

	(void)state;
	assert_true(strata_clock_maps_add(&maps, 1000, &same));
	assert_true(strata_clock_maps_add(&maps, 2000, &same));
	strata_clock_maps_sort(&maps, 100);
	assert_int_equal(maps.nr, 1);
	strata_clock_maps_clear(&maps);
}

static void a_map_that_differs_in_anything_is_a_piece(void **state)
{
	struct strata_hv_vcpu_clock first = offset_clock(1, 100), other;
	unsigned int i;

	(void)state;
	first.ratio = 1ull << 48;
	first.ratio_frac_bits = 48;
	for (i = 0; i < 3; i++) {
		struct strata_clock_maps maps = { 0 };

		other = first;
		if (i == 0)
			other.ratio += 1;
		else if (i == 1)
			other.ratio_frac_bits = 32;
		else
			other.offset += 1;
		assert_true(strata_clock_maps_add(&maps, 1000, &first));
		assert_true(strata_clock_maps_add(&maps, 2000, &other));
		strata_clock_maps_sort(&maps, 100);
		assert_int_equal(maps.nr, 2);
		strata_clock_maps_clear(&maps);
	}
}

/* A PV guest reads the host's counter, whatever the record has in the field that is HVM's. */
static void the_offset_of_a_pv_guest_is_none(void **state)
{
	struct strata_clock_maps maps = { 0 };
	struct strata_hv_vcpu_clock pv = { .domain = 1, .offset = 5000 };
	struct strata_stream_clock clock;

	(void)state;
	assert_true(strata_clock_maps_add(&maps, 1000, &pv));
	strata_clock_maps_sort(&maps, 1);
	strata_stream_clock_init(&clock, &maps, &no_stimes, 0, 1, 0);
	assert_int_equal(strata_stream_clock_convert(&clock, 7000).ticks, 7000);
	assert_int_equal(strata_stream_clock_kind(&clock), STRATA_CLOCK_HOST);
	strata_clock_maps_clear(&maps);
}

/* The counter of a domain's second vCPU is behind that of its first: nothing was set back. */
static void two_vcpus_are_no_step_of_one(void **state)
{
	struct strata_clock_maps maps = { 0 };
	struct strata_hv_vcpu_clock ahead = offset_clock(1, 9000), behind = offset_clock(1, 0);
	struct strata_stream_clock clock;

	(void)state;
	behind.vcpu = 1;
	assert_true(strata_clock_maps_add(&maps, 1000, &ahead));
	assert_true(strata_clock_maps_add(&maps, 50000, &behind));
	strata_clock_maps_sort(&maps, 1);
	strata_stream_clock_init(&clock, &maps, &no_stimes, 0, 1, 0);
	assert_int_equal(strata_stream_clock_steps_back(&clock), 0);
	assert_int_equal(strata_stream_clock_convert(&clock, 58000).bound, 0);
	strata_stream_clock_init(&clock, &maps, &no_stimes, 0, 1, 1);
	assert_int_equal(strata_stream_clock_steps_back(&clock), 0);
	assert_int_equal(strata_stream_clock_convert(&clock, 50010).bound, 0);
	strata_clock_maps_clear(&maps);
}

static void a_map_that_cannot_be_makes_its_domain_unusable(void **state)
{
	struct strata_clock_maps maps = { 0 };
	struct strata_hv_vcpu_clock fine = offset_clock(1, 100), bad = offset_clock(2, 100);
	struct strata_hv_vcpu_clock emulated = offset_clock(3, 100);
	struct strata_hv_vcpu_clock bad_emulated = offset_clock(4, 100);

	(void)state;
	bad.ratio_frac_bits = 64;
	emulated.emulated = 1;
	emulated.vtsc_mul_frac = 1u << 31;
	bad_emulated.emulated = 1;
	assert_true(strata_clock_maps_add(&maps, 1000, &fine));
	assert_true(strata_clock_maps_add(&maps, 1000, &bad));
	assert_true(strata_clock_maps_add(&maps, 1000, &emulated));
	assert_true(strata_clock_maps_add(&maps, 1000, &bad_emulated));
	strata_clock_maps_sort(&maps, 2400000);
	assert_true(strata_clock_maps_usable(&maps, 1));
	assert_false(strata_clock_maps_usable(&maps, 2));
	assert_true(strata_clock_maps_usable(&maps, 3));
	assert_false(strata_clock_maps_usable(&maps, 4));
	strata_clock_maps_clear(&maps);
}

static void changes_that_are_not_recorded_leave_no_time_of_that_vcpu_sure(void **state)
{
	struct strata_clock_maps maps = { 0 };
	struct strata_hv_vcpu_clock first = offset_clock(1, 100), mark = offset_clock(1, 700);
	struct strata_hv_vcpu_clock newest = offset_clock(1, 300), other = offset_clock(2, 5);
	struct strata_stream_clock clock;

	(void)state;
	mark.incomplete = 1;
	assert_true(strata_clock_maps_add(&maps, 1000, &first));
	assert_true(strata_clock_maps_add(&maps, 5000, &mark));
	assert_true(strata_clock_maps_add(&maps, 90000, &newest));
	assert_true(strata_clock_maps_add(&maps, 1000, &other));
	strata_clock_maps_sort(&maps, 100);
	strata_stream_clock_init(&clock, &maps, &no_stimes, 0, 1, 0);
	assert_false(strata_stream_clock_convert(&clock, 600).sure);
	assert_false(strata_stream_clock_convert(&clock, 200300).sure);
	strata_stream_clock_init(&clock, &maps, &no_stimes, 0, 2, 0);
	assert_true(strata_stream_clock_convert(&clock, 600).sure);
	strata_clock_maps_clear(&maps);
}

static void a_mark_is_not_lost_in_a_record_that_repeats_the_map(void **state)
{
	struct strata_clock_maps maps = { 0 };
	struct strata_hv_vcpu_clock first = offset_clock(1, 100), mark = first;

	(void)state;
	mark.incomplete = 1;
	assert_true(strata_clock_maps_add(&maps, 1000, &first));
	assert_true(strata_clock_maps_add(&maps, 5000, &mark));
	strata_clock_maps_sort(&maps, 100);
	assert_int_equal(maps.nr, 1);
	assert_true(maps.pieces[0].incomplete);
	strata_clock_maps_clear(&maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_offset_is_undone_exactly_also_across_the_wrap),
		cmocka_unit_test(a_guest_as_fast_or_faster_is_undone_exactly),
		cmocka_unit_test(a_slower_guest_is_undone_within_the_stated_bound),
		cmocka_unit_test(known_values_of_a_ratio_come_out_to_the_last_bit),
		cmocka_unit_test(maps_that_cannot_be_are_refused),
		cmocka_unit_test(nanoseconds_are_exact_at_the_anchor_and_round_down_around_it),
		cmocka_unit_test(nanoseconds_agree_between_short_and_long_arithmetic),
		cmocka_unit_test(nanoseconds_never_decrease_as_ticks_grow),
		cmocka_unit_test(the_map_follows_the_time_when_it_changed),
		cmocka_unit_test(a_counter_that_was_set_back_enters_the_next_map),
		cmocka_unit_test(a_step_back_that_shows_leaves_no_doubt),
		cmocka_unit_test(steps_that_show_are_told_from_one_that_does_not),
		cmocka_unit_test(a_step_back_with_two_places_stays_in_doubt),
		cmocka_unit_test(a_step_back_that_does_not_show_is_a_doubt_of_its_size),
		cmocka_unit_test(doubts_reach_across_pieces_that_are_shorter),
		cmocka_unit_test(records_that_repeat_a_map_make_no_new_piece),
		cmocka_unit_test(a_map_that_differs_in_anything_is_a_piece),
		cmocka_unit_test(the_offset_of_a_pv_guest_is_none),
		cmocka_unit_test(two_vcpus_are_no_step_of_one),
		cmocka_unit_test(a_map_that_cannot_be_makes_its_domain_unusable),
		cmocka_unit_test(changes_that_are_not_recorded_leave_no_time_of_that_vcpu_sure),
		cmocka_unit_test(a_mark_is_not_lost_in_a_record_that_repeats_the_map),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}

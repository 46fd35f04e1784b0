// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_clock_arithmetic.c - clock.h against arithmetic of another kind, to the
 * last bit: numbers here are strings of bits, added, multiplied and compared as
 * on paper, with no 128-bit type and no division.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <strata/clock.h>

#define BITS 320u

/* Draws of each kind; fewer where the processor is emulated. */
#ifndef ROUNDS
#define ROUNDS 4000u
#endif

/* Least significant bit first. */
struct number {
	uint8_t bit[BITS];
};

static struct number from64(uint64_t value)
{
	struct number number = { { 0 } };
	unsigned int i;

	for (i = 0; i < 64; i++)
		number.bit[i] = value >> i & 1;
	return number;
}

/* Of a number, what 64 bits hold. */
static uint64_t low64(const struct number *number)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < 64; i++)
		value |= (uint64_t)number->bit[i] << i;
	return value;
}

static struct number plus(const struct number *a, const struct number *b)
{
	struct number sum;
	unsigned int i, carry = 0;

	for (i = 0; i < BITS; i++) {
		unsigned int digit = a->bit[i] + b->bit[i] + carry;

		sum.bit[i] = digit & 1;
		carry = digit >> 1;
	}
	return sum;
}

/* By 2^@by, or by 2^-@by, rounded down. */
static struct number shifted(const struct number *a, int by)
{
	struct number result = { { 0 } };
	int i;

	for (i = 0; i < (int)BITS; i++) {
		if (i - by >= 0 && i - by < (int)BITS)
			result.bit[i] = a->bit[i - by];
	}
	return result;
}

static struct number times(const struct number *a, uint64_t b)
{
	struct number product = { { 0 } };
	unsigned int i;

	for (i = 0; i < 64; i++) {
		struct number part = shifted(a, (int)i);

		if (b >> i & 1)
			product = plus(&product, &part);
	}
	return product;
}

static bool less(const struct number *a, const struct number *b)
{
	unsigned int i;

	for (i = BITS; i-- > 0;) {
		if (a->bit[i] != b->bit[i])
			return a->bit[i] < b->bit[i];
	}
	return false;
}

/* A generator of our own: the same numbers on every run. */
static uint64_t random_state = 0x9e3779b97f4a7c15ull;

static uint64_t random64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* host * ratio / 2^frac_bits, rounded down, in all of its bits. */
static struct number scaled_host(const struct strata_clock_map *map, uint64_t host)
{
	struct number number = from64(host);

	number = times(&number, map->ratio);
	return shifted(&number, -(int)map->frac_bits);
}

static struct strata_clock_map random_map(unsigned int turn)
{
	/* 48 fraction bits as on Intel, 32 as on AMD; ratios of 1/8 to 8. */
	struct strata_clock_map map = { .offset = random64(), .frac_bits = turn % 2 ? 48 : 32 };
	uint64_t one = 1ull << map.frac_bits;

	map.ratio = one / 8 + random64() % (8 * one - one / 8);
	return map;
}

static void guest_from_host_is_exact_also_across_the_wrap(void **state)
{
	unsigned int turn, wraps = 0;

	(void)state;
	for (turn = 0; turn < ROUNDS; turn++) {
		struct strata_clock_map map = random_map(turn);
		uint64_t host = random64() >> turn % 40;
		struct number offset = from64(map.offset), guest = scaled_host(&map, host);
		unsigned int i;

		guest = plus(&guest, &offset);
		assert_int_equal(strata_guest_from_host(&map, host), low64(&guest));
		for (i = 64; i < BITS; i++) {
			if (guest.bit[i])
				break;
		}
		wraps += i < BITS;
	}
	assert_true(wraps > ROUNDS / 100);
}

static void host_from_guest_is_the_first_tick_that_gives_the_reading(void **state)
{
	unsigned int turn, held = 0;

	(void)state;
	for (turn = 0; turn < ROUNDS; turn++) {
		struct strata_clock_map map = random_map(turn);
		uint64_t wanted = random64() >> turn % 40;
		/* The offset is taken off modulo 2^64. */
		uint64_t host = strata_host_from_guest(&map, wanted + map.offset);
		struct number goal = from64(wanted), there = scaled_host(&map, host);

		if (host == UINT64_MAX && less(&there, &goal)) {
			held++;
			continue;
		}
		assert_false(less(&there, &goal));
		if (host == 0)
			continue;
		there = scaled_host(&map, host - 1);
		assert_true(less(&there, &goal));
	}
	/* Slow guests' readings near the end have no host tick of 64 bits. */
	assert_true(held > 0 && held < ROUNDS / 8);
}

static void a_wrap_of_the_guests_counter_is_undone(void **state)
{
	unsigned int turn;

	(void)state;
	for (turn = 0; turn < ROUNDS; turn++) {
		struct strata_clock_map map = random_map(turn);
		uint64_t host = (random64() >> 8) + 1000;
		uint64_t at_wrap, i;

		/* Given a counter that goes through 2^64 at this host tick ... */
		map.offset = 0 - strata_guest_from_host(&map, host) + map.offset;
		at_wrap = strata_guest_from_host(&map, host);
		assert_int_equal(at_wrap, 0);
		/* ... then ticks before and after it differ. */
		for (i = host - 20; i < host + 20; i++) {
			uint64_t back =
				strata_host_from_guest(&map, strata_guest_from_host(&map, i));

			assert_true(back <= i);
			assert_true(i - back < strata_clock_map_bound_ticks(&map));
		}
	}
}

static struct number scaled(const struct strata_clock_scale *scale, uint64_t delta)
{
	struct number number = from64(delta);

	number = shifted(&number, scale->shift);
	number = times(&number, scale->mul_frac);
	return shifted(&number, -32);
}

static void scaling_is_xens_and_both_inverses_are_sharp(void **state)
{
	unsigned int turn;

	(void)state;
	for (turn = 0; turn < ROUNDS; turn++) {
		const struct strata_clock_scale scale = { (uint32_t)random64() | 1u << turn % 32,
							  (int32_t)(turn % 9) - 4 };
		uint64_t delta = random64() >> (8 + turn % 50), first, last;
		struct number exact = scaled(&scale, delta), next, value, at;

		assert_true(strata_clock_scale_valid(&scale));
		assert_int_equal(strata_clock_scale(&scale, delta), low64(&exact));
		/* Of the deltas with one result, the first and the last. */
		first = strata_clock_unscale_first(&scale, low64(&exact));
		last = strata_clock_unscale_last(&scale, low64(&exact));
		assert_true(first <= delta && delta <= last);
		at = scaled(&scale, first);
		assert_false(less(&at, &exact) || less(&exact, &at));
		at = scaled(&scale, last);
		assert_false(less(&at, &exact) || less(&exact, &at));
		value = from64(1);
		next = plus(&exact, &value);
		at = scaled(&scale, last + 1);
		assert_false(less(&at, &next));
		if (first == 0)
			continue;
		at = scaled(&scale, first - 1);
		assert_true(less(&at, &exact));
	}
}

static void scales_that_cannot_be_are_refused(void **state)
{
	const struct strata_clock_scale nothing = { 0, 0 }, far = { 1, 32 }, deep = { 1, -32 };
	const struct strata_clock_scale slow = { 1, -31 }, fast = { UINT32_MAX, 31 };

	(void)state;
	assert_false(strata_clock_scale_valid(&nothing));
	assert_false(strata_clock_scale_valid(&far));
	assert_false(strata_clock_scale_valid(&deep));
	/* Absurd but not undefined: results are clamped to the range. */
	assert_int_equal(strata_clock_scale(&fast, UINT64_MAX), UINT64_MAX);
	assert_int_equal(strata_clock_unscale_first(&slow, UINT64_MAX), UINT64_MAX);
	assert_int_equal(strata_clock_unscale_last(&slow, UINT64_MAX), UINT64_MAX);
	assert_int_equal(strata_clock_unscale_first(&fast, 0), 0);
}

/* The inverse of strata_realtime_tick(): the host tick with that number within a nanosecond. */
static uint64_t realtime_to_ticks(const struct strata_timebase *base, uint64_t ns, uint32_t tick)
{
	strata_uint128_t ticks;

	if (ns >= base->anchor_ns) {
		ticks = ((strata_uint128_t)(ns - base->anchor_ns) * base->tsc_khz + 999999u) /
			1000000u;
		ticks += base->anchor_ticks;
	} else {
		ticks = (strata_uint128_t)(base->anchor_ns - ns) * base->tsc_khz / 1000000u;
		ticks = ticks > base->anchor_ticks ? 0 : base->anchor_ticks - ticks;
	}
	ticks += tick;
	return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

static void a_nanosecond_and_a_tick_in_it_are_a_host_tick(void **state)
{
	static const uint32_t khz[] = { 1,       999999,  1000000, 1000001,
					2400000, 2445427, 5999999, 15999999 };
	const uint64_t anchor_ticks = 1ull << 50;
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(khz) / sizeof(khz[0]); i++) {
		const struct strata_timebase base = { anchor_ticks, 1790000000000000000ull,
						      khz[i] };
		const uint64_t from[] = { anchor_ticks - 20000, anchor_ticks + (1ull << 40),
					  anchor_ticks - (1ull << 40),
					  anchor_ticks + (1ull << 48) };
		uint64_t last_ns = 0, ticks;
		uint32_t last_tick = 0, tick;

		for (j = 0; j < sizeof(from) / sizeof(from[0]); j++) {
			for (ticks = from[j]; ticks < from[j] + 40000; ticks++) {
				const uint64_t ns = strata_realtime_tick(&base, ticks, &tick);

				assert_int_equal(ns, strata_realtime_ns(&base, ticks));
				if (ns == 0 || ns == STRATA_NS_MAX)
					continue; /* clamped */
				assert_int_equal(realtime_to_ticks(&base, ns, tick), ticks);
				/* In the order of ticks, each number after the one before. */
				if (ticks > from[j] && ns == last_ns)
					assert_int_equal(tick, last_tick + 1);
				else if (ticks > from[j])
					assert_int_equal(tick, 0);
				last_ns = ns;
				last_tick = tick;
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(guest_from_host_is_exact_also_across_the_wrap),
		cmocka_unit_test(host_from_guest_is_the_first_tick_that_gives_the_reading),
		cmocka_unit_test(a_wrap_of_the_guests_counter_is_undone),
		cmocka_unit_test(scaling_is_xens_and_both_inverses_are_sharp),
		cmocka_unit_test(scales_that_cannot_be_are_refused),
		cmocka_unit_test(a_nanosecond_and_a_tick_in_it_are_a_host_tick),
	};

	return cmocka_run_group_tests_name("clock arithmetic", tests, NULL, NULL);
}

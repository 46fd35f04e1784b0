// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_histogram.c - percentiles against those of the sorted values: off by no more than 1.6 %,
 * whatever the values are; counts, sums and extremes are exact.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/histogram.h"

#define VALUES_MAX 5000u

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static int ascending(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The least value that @of_a_million of a million values do not exceed. */
static uint64_t exact(const uint64_t *sorted, size_t nr, uint32_t of_a_million)
{
	size_t below = 0;

	while (below + 1 < nr && (below + 1) * 1000000 < (unsigned __int128)nr * of_a_million)
		below++;
	return sorted[below];
}

static void check_percentile(struct strata_histogram *histogram, const uint64_t *sorted, size_t nr,
			     uint32_t of_a_million)
{
	const uint64_t want = exact(sorted, nr, of_a_million);
	const uint64_t got = strata_histogram_percentile(histogram, of_a_million);
	const uint64_t error = got > want ? got - want : want - got;

	assert_true((unsigned __int128)error * 1000 <= (unsigned __int128)want * 16);
	assert_true(got >= sorted[0] && got <= sorted[nr - 1]);
}

/* Sorts the values and compares all that there is. */
static void compare(uint64_t *values, size_t nr)
{
	static const uint32_t ranks[] = { 0,      1,      10000,  250000, 500000,
					  750000, 900000, 990000, 999000, 1000000 };
	struct strata_histogram histogram = { 0 };
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		assert_int_equal(strata_histogram_add(&histogram, values[i]), 0);
		sum += values[i];
	}
	qsort(values, nr, sizeof(*values), ascending);
	assert_int_equal(histogram.count, nr);
	assert_int_equal(histogram.sum, sum);
	assert_int_equal(histogram.least, values[0]);
	assert_int_equal(histogram.greatest, values[nr - 1]);
	for (i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
		check_percentile(&histogram, values, nr, ranks[i]);
	strata_histogram_clear(&histogram);
}

static void random_values(void **state)
{
	static uint64_t values[VALUES_MAX];
	uint64_t seed = 1;
	size_t round, i;

	(void)state;
	for (round = 0; round < 400; round++) {
		const size_t nr = 1 + next_random(&seed) % (round < 300 ? 50 : VALUES_MAX);
		/* All magnitudes alike, or one of them. */
		const unsigned int least = (unsigned int)(next_random(&seed) % 64);
		const unsigned int most = (unsigned int)(next_random(&seed) % (64 - least)) + 1;

		for (i = 0; i < nr; i++)
			values[i] = next_random(&seed) >>
				    (least + (unsigned int)(next_random(&seed) % most));
		compare(values, nr);
	}
}

/* Each value alone among smaller and larger ones, so that no clamping to the extremes hides it. */
static void values_at_the_edges_of_parts(void **state)
{
	unsigned int bit;
	int64_t step;

	(void)state;
	for (bit = 0; bit < 64; bit++) {
		for (step = -40; step <= 40; step++) {
			const uint64_t power = (uint64_t)1 << bit;
			const uint64_t value = power + (uint64_t)step * (power / 32 + 1);
			uint64_t values[3] = { 0, value, UINT64_MAX };

			compare(values, 3);
			values[0] = value;
			compare(values, 1);
		}
	}
}

static void the_extremes(void **state)
{
	uint64_t values[] = { 0, UINT64_MAX, 0, UINT64_MAX, UINT64_MAX };
	uint64_t zero = 0, greatest = UINT64_MAX;

	(void)state;
	compare(&zero, 1);
	compare(&greatest, 1);
	compare(values, 5);
}

static void small_values_are_exact(void **state)
{
	struct strata_histogram histogram = { 0 };
	uint64_t value;

	(void)state;
	for (value = 1; value <= 64; value++)
		assert_int_equal(strata_histogram_add(&histogram, value), 0);
	for (value = 1; value <= 64; value++)
		assert_int_equal(
			strata_histogram_percentile(&histogram, (uint32_t)(value * 1000000 / 64)),
			value);
	strata_histogram_clear(&histogram);
}

/* Of a hundred values the 99th is the 99th percentile, not the 100th. */
static void ranks_are_rounded_up(void **state)
{
	struct strata_histogram histogram = { 0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 99; i++)
		strata_histogram_add(&histogram, 10);
	strata_histogram_add(&histogram, 20);
	assert_int_equal(strata_histogram_percentile(&histogram, 990000), 10);
	assert_int_equal(strata_histogram_percentile(&histogram, 990001), 20);
	assert_int_equal(strata_histogram_percentile(&histogram, 1000000), 20);
	strata_histogram_clear(&histogram);
}

static void an_empty_one_has_no_value(void **state)
{
	struct strata_histogram histogram = { 0 };

	(void)state;
	assert_int_equal(strata_histogram_percentile(&histogram, 500000), 0);
	assert_int_equal(strata_histogram_percentile(&histogram, 0), 0);
	strata_histogram_add(&histogram, 7);
	strata_histogram_clear(&histogram);
	assert_int_equal(histogram.count, 0);
	assert_int_equal(strata_histogram_percentile(&histogram, 1000000), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_values),
		cmocka_unit_test(values_at_the_edges_of_parts),
		cmocka_unit_test(the_extremes),
		cmocka_unit_test(small_values_are_exact),
		cmocka_unit_test(ranks_are_rounded_up),
		cmocka_unit_test(an_empty_one_has_no_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

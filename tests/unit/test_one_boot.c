// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_one_boot.c - which dates fit a recording of the same boot: those that NTP can have steered,
 * not those that another file claims.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/one_boot.h"

#define KHZ      2596128u
#define BEGAN_S  778 /* since the boot */
#define DATE_NS  1795972196885105665ull
#define HOUR_S   3600ull
#define DAY_S    (24 * HOUR_S)
#define YEAR_S   (365 * DAY_S)
#define SECOND   1000000000ll
#define TICKS(s) ((uint64_t)(s)*KHZ * 1000)

/* A recording of a minute. */
static struct strata_recording recording;

static int set_up(void **state)
{
	(void)state;
	recording = (struct strata_recording){ .tsc_khz = KHZ,
					       .anchor_ticks = TICKS(BEGAN_S),
					       .anchor_realtime_ns = DATE_NS,
					       .ended_ticks = TICKS(BEGAN_S + 60) };
	return 0;
}

/* Dates of a recording that began @seconds later, according to a clock that is @off_ns ahead. */
static struct strata_timebase later(int64_t seconds, int64_t off_ns)
{
	return (struct strata_timebase){
		.tsc_khz = KHZ,
		.anchor_ticks = recording.anchor_ticks + (uint64_t)seconds * KHZ * 1000,
		.anchor_ns = DATE_NS + (uint64_t)(seconds * SECOND + off_ns),
	};
}

static bool fits(int64_t seconds, int64_t off_ns)
{
	const struct strata_timebase dates = later(seconds, off_ns);

	return strata_recording_agrees_with(&recording, &dates);
}

static void steered_clocks_agree(void **state)
{
	(void)state;
	assert_true(fits(0, 0));
	assert_true(fits(0, SECOND * 9 / 10));
	assert_true(fits(0, -SECOND * 9 / 10));
	/* 500 ppm, for some hours before and after. */
	assert_true(fits(5 * HOUR_S, 5 * HOUR_S * 500000));
	assert_true(fits(-700, 700 * 500000));
	/* Another crystal than the dates', for days. */
	assert_true(fits(10 * DAY_S, 10 * (int64_t)DAY_S * 50000));
	assert_true(fits(10 * DAY_S, -10 * (int64_t)DAY_S * 50000));
}

static void a_clock_that_was_set_does_not(void **state)
{
	(void)state;
	assert_false(fits(0, SECOND * 11 / 10));
	assert_false(fits(0, -SECOND * 11 / 10));
	assert_false(fits(HOUR_S, 4 * SECOND));
}

/* However far away a recording claims to begin. */
static void a_distance_allows_no_date(void **state)
{
	(void)state;
	assert_true(fits(10 * YEAR_S, 86 * SECOND));
	assert_false(fits(10 * YEAR_S, 88 * SECOND));
	assert_false(fits(10 * YEAR_S, -88 * SECOND));
	assert_false(fits(10 * YEAR_S, 3 * (int64_t)DAY_S * SECOND));
}

/* Two measurements of one frequency differ by less. */
static void frequencies_agree(void **state)
{
	struct strata_timebase dates = later(0, 0);

	(void)state;
	dates.tsc_khz = KHZ + KHZ / 20000;
	assert_true(strata_recording_agrees_with(&recording, &dates));
	dates.tsc_khz = KHZ - KHZ / 20000;
	assert_true(strata_recording_agrees_with(&recording, &dates));
	/* Wrong by a thousandth, and right at the recording's begin. */
	dates.tsc_khz = KHZ + KHZ / 1000;
	assert_false(strata_recording_agrees_with(&recording, &dates));
	dates.tsc_khz = KHZ - KHZ / 1000;
	assert_false(strata_recording_agrees_with(&recording, &dates));
	dates.tsc_khz = 26000;
	assert_false(strata_recording_agrees_with(&recording, &dates));
}

/* The frequency of the shorter one of two is less exact: it may move the end of the longer one. */
static void the_end_counts(void **state)
{
	struct strata_timebase dates = later(0, 0);

	(void)state;
	dates.tsc_khz = KHZ + KHZ / 2500;
	recording.ended_ticks = TICKS(BEGAN_S + DAY_S);
	assert_true(strata_recording_agrees_with(&recording, &dates));
	recording.ended_ticks = TICKS(BEGAN_S + 5 * DAY_S);
	assert_false(strata_recording_agrees_with(&recording, &dates));
	recording.ended_ticks = 0;
	assert_true(strata_recording_agrees_with(&recording, &dates));
}

/* A recording that claims to begin years away agrees with its own begin whatever its frequency says
 * of the other's. */
static void each_fits_the_other(void **state)
{
	struct strata_recording far = recording;

	(void)state;
	assert_true(strata_recordings_agree(&recording, &far));
	far.tsc_khz = KHZ + KHZ / 2500;
	far.anchor_ticks += 10 * YEAR_S * KHZ * 1000;
	far.anchor_realtime_ns += 10 * YEAR_S * (uint64_t)SECOND;
	far.ended_ticks = 0;
	assert_false(strata_recordings_agree(&recording, &far));
	assert_false(strata_recordings_agree(&far, &recording));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(steered_clocks_agree, set_up),
		cmocka_unit_test_setup(a_clock_that_was_set_does_not, set_up),
		cmocka_unit_test_setup(a_distance_allows_no_date, set_up),
		cmocka_unit_test_setup(frequencies_agree, set_up),
		cmocka_unit_test_setup(the_end_counts, set_up),
		cmocka_unit_test_setup(each_fits_the_other, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

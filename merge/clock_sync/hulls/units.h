/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.h - readings of clocks as nominal time, in integers, and why nothing here
 * or in the polygons can overflow.
 *
 * Nominal time is what a reading would be worth if its clock kept its nominal rate.
 * It is counted in two units:
 *
 *   fine   2^-16 ns in 128 bits: used for sums along a path of clocks.  A reading
 *          of 64 bits at 1 Hz or more, with a denominator of at most 2^16, takes
 *          2^63 * 2^16 * 10^9 * 2^16 < 2^125 on the way and 2^109 in the end.
 *   grain  2^-4 ns in 64 bits: the coordinates of constraints, relative to the first
 *          reading of their edge.  |u|, |v| < 2^59 (417 days); constraints farther away
 *          get another origin (far.c).  Differences are then below 2^60, inflated values
 *          below 2^61 (checked as well), their differences below 2^62, and products of
 *          two differences in the polygons below 2^124: two such products can be added
 *          in 127 bits and a sign.
 *
 * Conversions to grains round constraints outwards, so that the loss (3 grains, a
 * fifth of a nanosecond) is part of every bound.
 */
#ifndef STRATA_CLOCK_SYNC_UNITS_H
#define STRATA_CLOCK_SYNC_UNITS_H

#include <stdbool.h>
#include <stdint.h>

typedef __int128 strata_wide;

#define STRATA_FINE_SHIFT  16 /* fine units of a nanosecond: 2^16 */
#define STRATA_GRAIN_SHIFT 4  /* grains of a nanosecond: 2^4 */
#define STRATA_FINE_GRAIN  (STRATA_FINE_SHIFT - STRATA_GRAIN_SHIFT)
#define STRATA_FINE_SECOND ((strata_wide)1000000000 << STRATA_FINE_SHIFT)

#define STRATA_GRAIN_SECOND ((int64_t)1000000000 << STRATA_GRAIN_SHIFT)
#define STRATA_GRAIN_LIMIT  ((int64_t)1 << 59)
/* An inflation beyond this makes a constraint useless. */
#define STRATA_LIFT_LIMIT ((int64_t)1 << 60)

/* The quotient rounded down; @divisor is positive. */
static inline strata_wide strata_floor_div(strata_wide dividend, strata_wide divisor)
{
	strata_wide quotient;

	/* The compiler's division of 128 bits is a function, and most numbers are shorter. */
	if ((int64_t)dividend == dividend && (int64_t)divisor == divisor)
		return (int64_t)dividend / (int64_t)divisor -
		       ((int64_t)dividend % (int64_t)divisor < 0);
	quotient = dividend / divisor;
	return dividend % divisor < 0 ? quotient - 1 : quotient;
}

/* The quotient rounded up; @divisor is positive. */
static inline strata_wide strata_ceil_div(strata_wide dividend, strata_wide divisor)
{
	return -strata_floor_div(-dividend, divisor);
}

/* The nearest; @divisor is positive and below 2^120. */
static inline strata_wide strata_round_div(strata_wide dividend, strata_wide divisor)
{
	return strata_floor_div(dividend + divisor / 2, divisor);
}

/* Converts @value to units of 2^@shift finer units, rounded up. */
static inline strata_wide strata_ceil_shift(strata_wide value, unsigned int shift)
{
	return -(-value >> shift);
}

static inline strata_wide strata_fine_of(strata_wide grains)
{
	return grains * ((strata_wide)1 << STRATA_FINE_GRAIN);
}

static inline strata_wide strata_wide_min(strata_wide a, strata_wide b)
{
	return a < b ? a : b;
}

static inline strata_wide strata_wide_max(strata_wide a, strata_wide b)
{
	return a > b ? a : b;
}

/* Clamps a value to the range of readings. Returns whether that changed it. */
static inline bool strata_clamp_ticks(strata_wide *ticks)
{
	if (*ticks > INT64_MAX)
		*ticks = INT64_MAX;
	else if (*ticks < INT64_MIN)
		*ticks = INT64_MIN;
	else
		return false;
	return true;
}

#endif /* STRATA_CLOCK_SYNC_UNITS_H */

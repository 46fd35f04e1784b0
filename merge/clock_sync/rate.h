/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rate.h - converts between a clock's readings and nominal time, by its nominal rate. */
#ifndef STRATA_CLOCK_SYNC_RATE_H
#define STRATA_CLOCK_SYNC_RATE_H

#include "clock_sync/clock_sync.h"
#include "clock_sync/hulls/units.h"

#define STRATA_RATE_NUMERATOR_LIMIT   ((uint64_t)1 << 52)
#define STRATA_RATE_DENOMINATOR_LIMIT ((uint64_t)1 << 16)
#define STRATA_RATE_HZ_LIMIT          ((uint64_t)1 << 36)

static inline bool strata_rate_valid(const struct strata_clock_rate *rate)
{
	return rate->denominator && rate->denominator <= STRATA_RATE_DENOMINATOR_LIMIT &&
	       rate->numerator <= STRATA_RATE_NUMERATOR_LIMIT &&
	       rate->numerator >= rate->denominator &&
	       rate->numerator / rate->denominator < STRATA_RATE_HZ_LIMIT;
}

/* Nominal time of a reading; to the nearest fine unit, so that strata_fine_ticks() gives
 * the reading back (a tick is at least 2^-36 s, which is 953 fine units). */
static inline strata_wide strata_fine_time(const struct strata_clock_rate *rate, int64_t ticks)
{
	return strata_round_div(ticks * (STRATA_FINE_SECOND * (strata_wide)rate->denominator),
				(strata_wide)rate->numerator);
}

/* The reading at a nominal time, to the nearest 2^-@fraction tick, in units of it.  @fine is
 * below 2^111 and @fraction at most 10. */
static inline strata_wide strata_fine_ticks(const struct strata_clock_rate *rate, strata_wide fine,
					    unsigned int fraction)
{
	strata_wide unit = STRATA_FINE_SECOND * (strata_wide)rate->denominator;
	strata_wide whole = strata_floor_div(fine, unit);
	strata_wide rest = fine - whole * unit;

	return whole * (strata_wide)rate->numerator * (1 << fraction) +
	       strata_round_div((rest * (strata_wide)rate->numerator) << fraction, unit);
}

#endif /* STRATA_CLOCK_SYNC_RATE_H */

/* SPDX-License-Identifier: MIT */
/*
 * switch_period.h - the period of the forced switch (ring_switch.h): milliseconds, or 0
 * for never.  Each writer checks these limits; recorders stay within them.
 */
#ifndef STRATA_SWITCH_PERIOD_H
#define STRATA_SWITCH_PERIOD_H

#include <strata/platform/types.h>

/* A packet takes a whole sub-buffer: a shorter period would only fill the disk.  Linux counts such
 * times in ticks of up to 10 ms. */
#define STRATA_SWITCH_MS_MIN 10u
#define STRATA_SWITCH_MS_MAX 60000u

static inline bool strata_switch_ms_valid(uint32_t ms)
{
	return ms == 0 || (ms >= STRATA_SWITCH_MS_MIN && ms <= STRATA_SWITCH_MS_MAX);
}

#endif /* STRATA_SWITCH_PERIOD_H */

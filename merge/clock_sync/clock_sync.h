/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock_sync.h - puts clocks on one timeline, with a proven bound for each time.
 *
 * A caller adds clocks and constraints ("this event happened before that one"), and converts
 * readings to one of the clocks, the reference.  Each result is an estimate and a bound: the true
 * value lies within bound of the estimate, if the assumptions hold. The assumptions are two numbers
 * for each pair of clocks: how far their rates may differ from nominal (drift), and how fast that
 * may change (slew). Contradicting data are reported (clock_sync_report.h), never averaged. Nothing
 * here knows a trace format.
 *
 * Order of use: add clocks, add constraints, solve, convert. Later additions take effect with the
 * next solve.
 *
 * Synchronisation: one thread at a time, except that any number of threads may convert,
 * each with a cursor of its own, while no other call is made.
 *
 * Method: constraints are half-planes in (offset, drift) whose intersection is a convex polygon
 * (Duda et al. 1987; Moon, Skelly and Towsley 1999); its width at an instant is the bound there.
 * Changes of drift are covered by lifting each constraint by its distance from that instant
 * (points.h).
 */
#ifndef STRATA_CLOCK_SYNC_H
#define STRATA_CLOCK_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct strata_clock_sync;

/* Ticks per second as a fraction: 1 Hz to 2^36 Hz, numerator <= 2^52, denominator <= 2^16. */
struct strata_clock_rate {
	uint64_t numerator;
	uint64_t denominator;
};

/* The assumptions about a pair of clocks. */
struct strata_clock_limits {
	uint32_t drift_ppb; /* |rate to rate, against nominal, less 1|; 1e-9; at most 10^8 */
	uint32_t slew_ppt;  /* change of that per second; 1e-12; 0: constant drift */
	uint32_t window_ms; /* length of a window: 1 to 3,600,000 ms */
};

/* 50 ppm; 10 ppb a second, which exceeds a crystal whose temperature changes by a degree a minute;
 * windows of 2 s, in which that makes 5 ns. */
#define STRATA_CLOCK_DRIFT_PPB 50000u
#define STRATA_CLOCK_SLEW_PPT  10000u
#define STRATA_CLOCK_WINDOW_MS 2000u

/* A reading of a clock at an event.  It is the time at which the clock reached it; the event may be
 * up to a tick later, which the bounds include. */
struct strata_clock_event {
	int clock;
	int64_t reading;
};

/* NULL: out of memory. */
struct strata_clock_sync *strata_clock_sync_new(void);
void strata_clock_sync_free(struct strata_clock_sync *sync);

/* Adds a clock.  @name is copied, for reports.  Returns its number (0, 1, ...) or -1. */
int strata_clock_sync_add_clock(struct strata_clock_sync *sync, const char *name,
				struct strata_clock_rate rate, struct strata_error *err);

/* Sets the assumptions about two clocks, before any constraint between them.  Returns 0 or -1. */
int strata_clock_sync_limit(struct strata_clock_sync *sync, int a, int b,
			    struct strata_clock_limits limits, struct strata_error *err);

/* Sets the assumptions about all other pairs of clocks, before any constraint.  Returns 0 or -1. */
int strata_clock_sync_assume(struct strata_clock_sync *sync, struct strata_clock_limits limits,
			     struct strata_error *err);

/*
 * Adds: @cause happened at least @least_ns before @effect (0: unknown).  The report returns @cookie
 * if this proves false.  Constraints of two clocks that are more than 417 days apart are breaches.
 * Returns 0 or -1 (out of memory, no such clocks, too long a delay).
 */
int strata_clock_sync_before(struct strata_clock_sync *sync, struct strata_clock_event cause,
			     struct strata_clock_event effect, uint64_t least_ns, uint64_t cookie,
			     struct strata_error *err);

/*
 * Makes the map of every clock to @reference; of clocks that are tied to each other, but not to it,
 * to the first of them (their root).  Returns 0 or -1 (out of memory, no such clock); clocks
 * without a path, broken assumptions and clocks that contradict each other are not errors.
 */
int strata_clock_sync_solve(struct strata_clock_sync *sync, int reference,
			    struct strata_error *err);

/* Flags of a converted reading. */
#define STRATA_CLOCK_UNREACHABLE 1u /* tied to no other clock: value and bound are void */
#define STRATA_CLOCK_CLAMPED     2u /* out of range: value is clamped */
#define STRATA_CLOCK_OUTSIDE     4u /* beyond all constraints: bounded by the assumed drift alone */
#define STRATA_CLOCK_STEP        8u /* a clock on the path was set at about that time */
#define STRATA_CLOCK_UNPROVEN    16u /* the assumptions failed near here */
#define STRATA_CLOCK_APART       32u /* a time of its root, which is not tied to the reference */

#define STRATA_CLOCK_UNBOUNDED UINT64_MAX

/* A converted reading: the true time is within @bound of @value (ticks of its root;
 * STRATA_CLOCK_UNBOUNDED: unknown). */
struct strata_clock_time {
	int64_t value;
	uint64_t bound;
	uint32_t flags;
};

/* Converts the readings of one clock; remembers its position. */
struct strata_clock_cursor {
	const struct strata_sync_map *map;
	size_t place;
};

/* @clock exists.  The cursor is valid until the next solve, close or free. */
struct strata_clock_cursor strata_clock_cursor(const struct strata_clock_sync *sync, int clock);

/* Converts one reading.  Any order works; time order is fast. */
struct strata_clock_time strata_clock_convert(struct strata_clock_cursor *cursor, int64_t reading);

#endif /* STRATA_CLOCK_SYNC_H */

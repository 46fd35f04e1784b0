/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock_anchors.h - clocks of 1 GHz that are tied to each other each second, as tests say.
 */
#ifndef STRATA_TESTS_CLOCK_ANCHORS_H
#define STRATA_TESTS_CLOCK_ANCHORS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clock_sync/clock_sync_report.h"

#define SECOND 1000000000ll

static const struct strata_clock_rate ghz = { 1000000000, 1 };
static struct strata_error err;

#define ok(call)                                  \
	do {                                      \
		if (call)                         \
			fail_msg("%s", err.text); \
	} while (0)

static inline struct strata_clock_sync *with_clocks(int nr)
{
	struct strata_clock_sync *sync = strata_clock_sync_new();

	while (nr--)
		strata_clock_sync_add_clock(sync, "clock", ghz, &err);
	return sync;
}

/* Reading @a of its clock and @b of its own are of one instant, but for @bound ticks of b. */
static inline int anchor(struct strata_clock_sync *sync, struct strata_clock_event a,
			 struct strata_clock_event b, int64_t bound)
{
	const struct strata_clock_event early = { b.clock, b.reading - bound },
					late = { b.clock, b.reading + bound };

	return strata_clock_sync_before(sync, early, a, 0, 0, &err) ||
	       strata_clock_sync_before(sync, a, late, 0, 0, &err);
}

/* Anchors each second for 10 s: clock @b shows @ahead more than clock @a. */
static inline void anchors(struct strata_clock_sync *sync, int a, int b, int64_t ahead,
			   int64_t bound)
{
	int64_t at;

	for (at = 0; at <= 10 * SECOND; at += SECOND)
		ok(anchor(sync, (struct strata_clock_event){ a, at },
			  (struct strata_clock_event){ b, at + ahead }, bound));
}

static inline struct strata_clock_time at(struct strata_clock_sync *sync, int clock,
					  int64_t reading)
{
	struct strata_clock_cursor cursor = strata_clock_cursor(sync, clock);

	return strata_clock_convert(&cursor, reading);
}

static inline const struct strata_clock_sync_report *solve(struct strata_clock_sync *sync,
							   int reference)
{
	const struct strata_clock_sync_report *report;

	ok(strata_clock_sync_solve(sync, reference, &err));
	report = strata_clock_sync_report(sync, &err);
	assert_non_null(report);
	return report;
}

#endif /* STRATA_TESTS_CLOCK_ANCHORS_H */

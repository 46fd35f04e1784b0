/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timers.h - the high-resolution timers of a kernel that are armed: when each is due.
 *
 * A kernel tells when a timer is due as it arms it, by a clock of its own, and what time that clock
 * shows as the timer expires.  The difference is how late the timer is.  The kernel reads its
 * clock between the beginning of the interrupt (or softirq) and the event of the expiry, so the
 * moment at which the timer was due is known to within the time between both.  How late a timer is
 * is measured by the kernel's clock, and not corrected for that clock's drift.
 */
#ifndef STRATA_MERGE_STATE_TIMERS_H
#define STRATA_MERGE_STATE_TIMERS_H

#include <stdbool.h>

#include "base/id_map.h"
#include "state/link.h"

/* Of a kernel.  As one more would be armed than this, all are forgotten: when those are due is
 * unknown then. */
#define STRATA_TIMERS_MAX 65536u

/* Of a kernel.  Zero-initialised is empty. */
struct strata_timers {
	struct strata_id_map armed; /* struct strata_timer by its address */
};

/* A timer is armed. @due_ns: on the kernel's clock
 * @losses: of the kernel so far: what was armed before a loss may have been armed anew in it
 * 0, or -1: out of memory. */
int strata_timers_arm(struct strata_timers *timers, uint64_t timer, uint64_t due_ns,
		      uint64_t losses);

/*
 * A timer expires.
 * @clock_ns: what the kernel's clock shows
 * @begin:    when the interrupt or softirq began that handles it; NULL: unknown
 * @due:      when it was due; never after @now
 * False: no event tells when it was due.
 */
bool strata_timers_expire(struct strata_timers *timers, uint64_t timer, uint64_t clock_ns,
			  uint64_t losses, const struct strata_moment *begin,
			  const struct strata_moment *now, struct strata_moment *due);

void strata_timers_clear(struct strata_timers *timers);

#endif /* STRATA_MERGE_STATE_TIMERS_H */

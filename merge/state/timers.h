/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timers.h - the armed high-resolution timers of a kernel: when each is due.
 *
 * When a kernel arms a timer, it records the due time by a clock of its own, and when the timer
 * expires, it records the time of that clock.  The difference is how late the timer is.  The kernel
 * reads its clock between the beginning of the interrupt (or softirq) and the event of the expiry,
 * so the moment at which the timer was due is known to within the time between both.  The kernel's
 * clock measures how late a timer is; this is not corrected for that clock's drift.
 */
#ifndef STRATA_MERGE_STATE_TIMERS_H
#define STRATA_MERGE_STATE_TIMERS_H

#include <stdbool.h>

#include "base/id_map.h"
#include "state/link.h"

/* Limit of a kernel.  When it is exceeded, all timers are forgotten, and their due times are
 * unknown. */
#define STRATA_TIMERS_MAX 65536u

/* Of a kernel.  Zero-initialised is empty. */
struct strata_timers {
	struct strata_id_map armed; /* struct strata_timer by its address */
};

/* A timer is armed.
 * @due_ns: on the kernel's clock
 * @losses: of the kernel so far: timers that were armed before a loss may have been armed anew in
 *          it
 * 0, or -1: out of memory. */
int strata_timers_arm(struct strata_timers *timers, uint64_t timer, uint64_t due_ns,
		      uint64_t losses);

/*
 * A timer expires.
 * @clock_ns: the time by the kernel's clock
 * @begin:    when the interrupt or softirq that handles it began; NULL: unknown
 * @due:      when it was due; never after @now
 * False: no event tells when it was due.
 */
bool strata_timers_expire(struct strata_timers *timers, uint64_t timer, uint64_t clock_ns,
			  uint64_t losses, const struct strata_moment *begin,
			  const struct strata_moment *now, struct strata_moment *due);

void strata_timers_clear(struct strata_timers *timers);

#endif /* STRATA_MERGE_STATE_TIMERS_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lane_event.h - an event of a stream as the merge sees it: its time, and the position of its
 * bytes. */
#ifndef STRATA_MERGE_LANE_EVENT_H
#define STRATA_MERGE_LANE_EVENT_H

#include <stdint.h>

#include <strata/clock.h>

/* An event of a batch: its time, and its position in its stream. */
struct strata_lane_event {
	uint64_t ns;
	/* Largest error of its time: see strata_ctf_bound_ns(). */
	uint64_t bound;
	uint32_t head;
	uint32_t body;
	uint32_t end;
	uint32_t class : 27;
	/* Its counter was set back, possibly before and possibly after it: the bound covers
	 * both. */
	uint32_t is_doubtful : 1;
	/* Times of one host are in the order of its ticks: the number of the tick within @ns. */
	uint32_t tick : STRATA_TICK_BITS;
};

/* The class of a loss, which is alone in its batch. */
#define STRATA_LANE_LOSS ((1u << 27) - 1)

#endif /* STRATA_MERGE_LANE_EVENT_H */

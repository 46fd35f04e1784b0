/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * presence.h - refuses packets with times at which their source was not present.
 *
 * A guest or an application writes its own times. The recorder knows when it mapped the rings and
 * when it last read them. A packet outside of that interval is left out and counted as a bad packet
 * of its source, so that it cannot move the start or end of the timeline.
 *
 * The recorder checks applications, which use its own counter; readers of a recording check all
 * sources, after converting their clocks.
 */
#ifndef STRATA_MERGE_PRESENCE_H
#define STRATA_MERGE_PRESENCE_H

#include "recording/recording.h"

/* Tolerance for skew between CPUs and for bounds of guests' clocks. */
#define STRATA_PRESENCE_MARGIN_MS 100u

/* Host ticks, the margin included. */
struct strata_presence {
	uint64_t from_ticks; /* 0: unknown */
	uint64_t to_ticks;   /* UINT64_MAX: unknown */
};

/* @until_ticks: when the source was last read, unless it has left; 0: unknown */
struct strata_presence strata_presence_of(const struct strata_recording *recording,
					  const struct strata_source *source, uint64_t until_ticks);

/* Whether a packet may have these times.  @bound_ticks: the largest error of these times. 0, or -1
 * with the reason. */
int strata_presence_check(const struct strata_presence *presence, uint64_t begin_ticks,
			  uint64_t end_ticks, uint64_t bound_ticks, struct strata_error *error);

#endif /* STRATA_MERGE_PRESENCE_H */

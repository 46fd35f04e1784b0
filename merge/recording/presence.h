/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * presence.h - when a source of a recording was there: what it says of another time is not
 * believed.
 *
 * A guest or an application writes its own times.  The recorder knows since when it has its rings,
 * and when it read them last; a packet that lies outside of that is left out, and counted as a bad
 * one of its source, so that it cannot move where the timeline begins or ends.
 *
 * The recorder asks for applications, whose counter is its own; whoever reads a recording asks for
 * all, when their clocks have been converted.
 */
#ifndef STRATA_MERGE_PRESENCE_H
#define STRATA_MERGE_PRESENCE_H

#include "recording/recording.h"

/* Counters of different CPUs, and what is known of a guest's, may differ by as much. */
#define STRATA_PRESENCE_MARGIN_MS 100u

/* Host ticks, the margin included. */
struct strata_presence {
	uint64_t from_ticks; /* 0: not known */
	uint64_t to_ticks;   /* UINT64_MAX: not known */
};

/* @until_ticks: when it was read last, if it has not gone; 0: not known */
struct strata_presence strata_presence_of(const struct strata_recording *recording,
					  const struct strata_source *source, uint64_t until_ticks);

/* Whether a packet may have these times. @bound_ticks: they may be off by as much.  0, or -1 with
 * the reason. */
int strata_presence_check(const struct strata_presence *presence, uint64_t begin_ticks,
			  uint64_t end_ticks, uint64_t bound_ticks, struct strata_error *error);

#endif /* STRATA_MERGE_PRESENCE_H */

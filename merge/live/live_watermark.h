/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_watermark.h - computes the time up to which all streams of a recording in progress are
 * complete, but for those that are no longer waited for; for live.c.
 *
 * A stream holds the watermark where it is complete to: at its last look, or, before one can be
 * used, where it begins. So the next stream, and the next one, never hold it where the first did,
 * and while streams come and go it moves on.  Only what was there at the first look without a known
 * beginning stops it, for its patience at most.
 */
#ifndef STRATA_MERGE_LIVE_LIVE_WATERMARK_H
#define STRATA_MERGE_LIVE_LIVE_WATERMARK_H

#include "live/live_streams.h"

/* Zero-initialised, but for the first two. */
struct live_watermark {
	uint64_t delay_ns;     /* subtracted */
	uint64_t patience_ns;  /* a stream that lags by more is no longer waited for */
	uint64_t bound_ns;     /* largest bound of a time so far; likewise subtracted */
	uint64_t first_ticks;  /* of the first look; 0: none yet */
	unsigned int nr_named; /* streams reported as no longer waited for */
};

/*
 * The watermark of a look, which may be before that of an earlier one.  Reports streams that are no
 * longer waited for, each once.
 * @now: the look's time, in host ticks
 * Returns ns of real time.
 */
uint64_t live_watermark_next(struct live_watermark *watermark, struct live_streams *streams,
			     uint64_t now);

#endif /* STRATA_MERGE_LIVE_LIVE_WATERMARK_H */

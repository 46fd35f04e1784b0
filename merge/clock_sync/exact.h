/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exact.h - maps between two clocks that somebody knows: pieces of
 *     y = y0 + (x - x0) * numerator / denominator
 * from a reading of x on, each up to the next.  Where two pieces meet the clock may jump.
 */
#ifndef STRATA_CLOCK_SYNC_EXACT_H
#define STRATA_CLOCK_SYNC_EXACT_H

#include <stddef.h>

#include "units.h"

/* Fine times of y between which a piece and, for the sake of a search, others lie. */
struct strata_exact_span {
	strata_wide greatest; /* of this piece and those before it */
	strata_wide least;    /* of this piece and those after it */
};

/* Zero-initialised is empty. */
struct strata_exact {
	struct strata_clock_piece *pieces; /* in order of from_reading */
	size_t nr;
	size_t capacity;
	struct strata_exact_span *spans; /* of each piece, once prepared */
};

/* Of equal from_reading, the later one counts.  False: out of memory. */
bool strata_exact_add(struct strata_exact *exact, const struct strata_clock_piece *piece);
/* To be called after pieces were added and before the questions.  False: out of memory. */
bool strata_exact_prepare(struct strata_exact *exact, const struct strata_clock_rate *from,
			  const struct strata_clock_rate *to);

void strata_exact_clear(struct strata_exact *exact);

/* What the map makes of a time, fine. */
struct strata_exact_value {
	strata_wide time;
	strata_wide half;
	bool known;  /* not before the first piece, nor out of range */
	bool unsure; /* readings of two pieces: the time could be another */
};

struct strata_exact_value strata_exact_forward(const struct strata_exact *exact,
					       const struct strata_clock_rate *from,
					       const struct strata_clock_rate *to,
					       strata_wide time);
struct strata_exact_value strata_exact_backward(const struct strata_exact *exact,
						const struct strata_clock_rate *from,
						const struct strata_clock_rate *to,
						strata_wide time);

#endif /* STRATA_CLOCK_SYNC_EXACT_H */

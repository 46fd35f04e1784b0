/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line.h - the known deviation of one clock from another, as pieces.
 *
 * At both ends of a piece [u0, u1) the deviation is enclosed; in between it lies within
 * the chords of both, widened by the sag.  For a function whose slope changes by at most
 * s, the difference to its chord is at most
 *     s (u - u0) (u1 - u) / 2  <=  s (u1 - u0)^2 / 8
 * (the difference vanishes at both ends and its second derivative is within +-s, so it is
 * between the two parabolas that do the same).  Its slope being within +-p, it is also at
 * most p (u1 - u0) / 2.  The sag is the lesser of both, rounded up.
 *
 * Pieces join without a gap.  Before the first and after the last one the enclosure grows
 * by the prior on drift.
 */
#ifndef STRATA_CLOCK_SYNC_LINE_H
#define STRATA_CLOCK_SYNC_LINE_H

#include "clock_sync/hulls/points.h"
#include "clock_sync/hulls/polygon.h"
#include "clock_sync/hulls/units.h"

#define STRATA_PIECE_STEP     1u /* the clock was set somewhere in here */
#define STRATA_PIECE_UNPROVEN 2u /* the model failed near here */
#define STRATA_PIECE_OUTSIDE  4u /* by the prior on drift alone */

struct strata_piece {
	int64_t u0;
	int64_t u1;
	struct strata_interval at0;
	struct strata_interval at1;
	int64_t sag;
	unsigned int flags;
	int64_t reached; /* the greatest u + deviation at the start of this piece or one before */
};

/* The sums of u and deviation that a STEP piece may have shown. */
struct strata_line_step {
	int64_t low;
	int64_t high;
	strata_wide width; /* of u and of the deviation together */
	int64_t highest;   /* the greatest high of this step and all before it */
	int64_t lowest;    /* the least low of this step and all after it */
};

struct strata_line {
	struct strata_piece *pieces;
	size_t nr;
	size_t capacity;
	struct strata_line_step *steps; /* usually none */
	size_t nr_steps;
	size_t steps_capacity;
	struct strata_model model;
};

/* The deviation at an instant. */
struct strata_deviation {
	int64_t estimate; /* grains */
	int64_t half;     /* grains: at the chords */
	int64_t sag;      /* grains: what comes on top of it between the ends of the piece */
	unsigned int flags;
};

/* Appends a piece.  False: out of memory. */
bool strata_line_add(struct strata_line *line, const struct strata_piece *piece);

/* Inserts a STEP piece before the piece @at, after all other STEP pieces.  False: out of memory. */
bool strata_line_add_step(struct strata_line *line, size_t at, const struct strata_piece *step);

void strata_line_clear(struct strata_line *line);

/* At @u (grains); of two pieces that meet there, the later.  The line is not empty. */
struct strata_deviation strata_line_at(const struct strata_line *line, int64_t u);

/* The u at which u plus the estimate reaches @sum; where a step back makes it do so twice,
 * the first. */
int64_t strata_line_reach(const struct strata_line *line, int64_t sum);

/* If a step makes it unsure which u belongs to @sum, says so in @flags and makes @half (fine)
 * as great as the whole of it. */
void strata_line_steps(const struct strata_line *line, int64_t sum, unsigned int *flags,
		       strata_wide *half);

/* The range of steps that may be near sums from @low to @high: all others are not. */
size_t strata_line_steps_near(const struct strata_line *line, strata_wide low, strata_wide high,
			      size_t *end);

#endif /* STRATA_CLOCK_SYNC_LINE_H */

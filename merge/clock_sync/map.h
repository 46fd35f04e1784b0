/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map.h - the table that converts a clock's readings to times of the reference.
 *
 * A piece covers the readings up to the next piece.  Value and bound are straight lines in fixed
 * point, so a conversion is a multiplication and a shift.
 */
#ifndef STRATA_CLOCK_SYNC_MAP_H
#define STRATA_CLOCK_SYNC_MAP_H

#include "clock_sync/clock_sync.h"
#include "clock_sync/hulls/units.h"

#define STRATA_MAP_FRACTION 10 /* fractional bits of a tick of the reference in nodes */

/* The data at one reading, an end of a piece. Values and bounds are ticks of the reference with
 * STRATA_MAP_FRACTION fractional bits. */
struct strata_map_node {
	int64_t reading;
	strata_wide value;
	strata_wide bound; /* negative: unbounded */
	/* Of the piece that begins here: */
	strata_wide sag; /* excess of its bound over the chord */
	uint32_t flags;  /* STRATA_CLOCK_* */
	bool jump;       /* value and bound jump somewhere in it */
	bool unbounded;  /* without a bound */
};

struct strata_map_piece {
	int64_t from; /* reading */
	uint32_t flags;
	unsigned int shift;
	uint64_t slope;      /* ticks of the reference a tick, times 2^shift */
	strata_wide value;   /* at from, times 2^shift */
	strata_wide bound;   /* at from, times 2^shift; negative: unbounded */
	int64_t bound_slope; /* times 2^shift */
};

struct strata_sync_map {
	struct strata_map_piece *pieces;
	size_t nr;
	size_t capacity;
	int64_t last;   /* the last reading for which the last piece is valid */
	bool reachable; /* its times are those of the reference */
};

/*
 * Makes pieces between @nr nodes, in strictly increasing order of readings. A value below that of
 * the previous node is raised to it, and the bound with it, unless a jump is declared. The nodes
 * are changed. False: out of memory.
 */
bool strata_map_add(struct strata_sync_map *map, struct strata_map_node *nodes, size_t nr);

void strata_map_clear(struct strata_sync_map *map);

#endif /* STRATA_CLOCK_SYNC_MAP_H */

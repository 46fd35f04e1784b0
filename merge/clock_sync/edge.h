/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edge.h - the constraints between two clocks, and the line drawn from them.
 */
#ifndef STRATA_CLOCK_SYNC_EDGE_H
#define STRATA_CLOCK_SYNC_EDGE_H

#include "clock_sync/clock_sync_report.h"
#include "clock_sync/hulls/history.h"
#include "clock_sync/hulls/line.h"
#include "clock_sync/hulls/units.h"
#include "clock_sync/hulls/windows.h"

struct strata_edge {
	int from; /* the clock whose time is the axis */
	int to;
	struct strata_model asked;
	struct strata_model model; /* with wider limits than given, if those failed */
	bool has_origin;
	strata_wide origin;    /* fine time of @from: u = 0 */
	strata_wide deviation; /* fine: v = 0 */
	struct strata_windows windows;
	struct strata_line line;

	/* The span of @from's time with constraints; fine. */
	bool seen;
	strata_wide first;
	strata_wide last;
};

/* A failure of the model, in an edge's units. */
struct strata_breach {
	enum strata_clock_breach_kind kind;
	int64_t from; /* grains */
	int64_t to;
	int64_t size; /* grains, or parts (drift, wander) */
	uint64_t cookie;
};

/* Zero-initialised is empty. */
struct strata_breaches {
	struct strata_breach *at;
	size_t nr;
	size_t capacity;
};

/* False: out of memory. */
bool strata_breach_add(struct strata_breaches *breaches, const struct strata_breach *breach);

/* The result of a hop along an edge; all fine. */
struct strata_hop {
	strata_wide time;
	strata_wide half;
	strata_wide sag;
	unsigned int flags; /* STRATA_PIECE_* */
	bool known;         /* false: unknown time, half is meaningless */
};

/*
 * Finds steps and other breaches of the model (divide.c), so that every stretch of windows between
 * two steps has a line that satisfies all its constraints. Adds to @breaches. False: out of memory.
 */
bool strata_edge_divide(struct strata_edge *edge, struct strata_polygon_room *room,
			struct strata_breaches *breaches);

/* Makes the line of a divided edge (draw.c); empty if the deviation is not bounded from both sides.
 * False: out of memory. */
bool strata_edge_draw(struct strata_edge *edge, struct strata_polygon_room *room,
		      struct strata_breaches *breaches);

/* Whether it ties its clocks: the deviation is bounded from both sides. */
bool strata_edge_usable(const struct strata_edge *edge);

/* Converts a time of @from to @to, and the other way round. The edge must be usable. */
struct strata_hop strata_edge_forward(const struct strata_edge *edge, strata_wide time);
struct strata_hop strata_edge_backward(const struct strata_edge *edge, strata_wide time);

void strata_edge_clear(struct strata_edge *edge);

#endif /* STRATA_CLOCK_SYNC_EDGE_H */

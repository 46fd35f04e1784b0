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

struct strata_edge_scratch; /* edge_scratch.h */

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
	struct strata_breaches breaches; /* of its constraints, which were changed for them */

	/* The spans of both clocks' times with constraints; fine. */
	bool seen;
	strata_wide first; /* of @from */
	strata_wide last;
	strata_wide other_first; /* of @to */
	strata_wide other_last;

	/* Constraints that are too far from these to have one origin (far.c). */
	struct strata_edge *far;
	size_t nr_constraints;
	size_t nr_dropped; /* of all groups */

	/* Made by each solve. */
	struct strata_breaches far_breaches; /* of the other groups */
	bool is_contested;                   /* they are too large to be called false */
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

/* Returns the group of constraints that one of @x of the axis and @y of the other clock (fine)
 * belongs to: the edge itself, or another if that is too far away.  NULL: out of memory. */
struct strata_edge *strata_edge_group(struct strata_edge *edge, strata_wide x, strata_wide y);

/* Makes the best group the edge's own (far.c), and notes the others as breaches.  False: out of
 * memory. */
bool strata_edge_choose_group(struct strata_edge *edge);

void strata_edge_clear_groups(struct strata_edge *edge);

/*
 * Finds steps and other breaches of the model (divide.c), so that every stretch of windows between
 * two steps has a line that satisfies all its constraints. False: out of memory.
 */
bool strata_edge_divide(struct strata_edge *edge, struct strata_edge_scratch *scratch);

/* Makes the line of a divided edge (draw.c); empty if the deviation is not bounded from both sides.
 * False: out of memory. */
bool strata_edge_draw(struct strata_edge *edge, struct strata_edge_scratch *scratch);

/* Whether it ties its clocks: the deviation is bounded from both sides. */
bool strata_edge_usable(const struct strata_edge *edge);

/* Converts a time of @from to @to, and the other way round. The edge must be usable. */
struct strata_hop strata_edge_forward(const struct strata_edge *edge, strata_wide time);
struct strata_hop strata_edge_backward(const struct strata_edge *edge, strata_wide time);

void strata_edge_clear(struct strata_edge *edge);

#endif /* STRATA_CLOCK_SYNC_EDGE_H */

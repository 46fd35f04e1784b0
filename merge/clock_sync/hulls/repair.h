/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repair.h - explains constraints that no line satisfies: false pairs or a step.
 */
#ifndef STRATA_CLOCK_SYNC_REPAIR_H
#define STRATA_CLOCK_SYNC_REPAIR_H

#include "clock_sync/hulls/history.h"

/* More false pairs at once cannot be identified. */
#define STRATA_FEW 3u

/* Points that may be the false ones. */
struct strata_suspects {
	struct {
		enum strata_side side;
		struct strata_point point;
		int64_t size; /* its contradiction to the others, in grains */
	} at[256];
	unsigned int nr;
};

/* When a clock was set, and by how much. */
struct strata_step {
	int64_t from; /* the last constraint that must be before it */
	int64_t to;   /* the first one that must be after it */
	int64_t size; /* grains */
};

enum strata_answer {
	STRATA_NO,
	STRATA_YES,
	STRATA_OUT_OF_MEMORY,
};

/* Whether a line obeys all constraints; @centre: to lift them for. */
enum strata_answer strata_feasible(struct strata_polygon_scratch *scratch,
				   const struct strata_points points[STRATA_SIDES],
				   const struct strata_model *model, int64_t centre);

/*
 * Whether there is a line after dropping at most STRATA_FEW points. @suspects: the points that
 * belong to any smallest set of that kind. More cannot be known; if all suspects are dropped, the
 * rest is true whichever of them are false.
 */
enum strata_answer strata_find_false(struct strata_polygon_scratch *scratch,
				     struct strata_history *history,
				     const struct strata_model *model, int64_t centre,
				     struct strata_suspects *suspects);

/*
 * Whether there is an instant such that a line obeys all constraints before it, another line all
 * after it, and their offsets in between exclude each other.
 */
enum strata_answer strata_find_step(struct strata_polygon_scratch *scratch,
				    const struct strata_history *history,
				    const struct strata_model *model, struct strata_step *step);

#endif /* STRATA_CLOCK_SYNC_REPAIR_H */

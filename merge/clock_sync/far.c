// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * far.c - groups an edge's constraints that are too far apart to have one origin (units.h).
 *
 * At least one of two such constraints is false.  Which of them was added first says nothing about
 * that, because a trace that lies can be the first.  So each gets a group of its own, which further
 * constraints join, and the edge is drawn from the group with the most constraints.
 *
 * The number of groups is limited, and a new one replaces the smallest.  So a group that grows
 * keeps its room, however many false constraints are far from each other.
 *
 * Of groups with equally many constraints, the one whose clocks are nearer to each other is
 * preferred, because clocks are usually set; then the earlier one.  Neither depends on the order of
 * constraints or of the two clocks.  Nothing is proven then in any case.
 */
#include <stdlib.h>

#include "clock_sync/edge.h"

#define GROUPS      4u
#define FALSE_LIMIT 16u /* of a group whose constraints are false pairs: fewer than a proof */

static bool is_near(strata_wide distance)
{
	/* Less 2 for the rounding outwards. */
	const strata_wide limit = strata_fine_of(STRATA_GRAIN_LIMIT - 2);

	return distance > -limit && distance < limit;
}

static bool fits(const struct strata_edge *group, strata_wide x, strata_wide y)
{
	return !group->has_origin ||
	       (is_near(x - group->origin) && is_near(y - x - group->deviation));
}

static struct strata_edge *make_group(struct strata_edge *edge)
{
	struct strata_edge *group = calloc(1, sizeof(*group));

	if (!group)
		return NULL;
	group->from = edge->from;
	group->to = edge->to;
	group->asked = edge->asked;
	group->model = edge->asked;
	group->windows.length = edge->windows.length;
	group->far = edge->far;
	edge->far = group;
	return group;
}

/* Empties a group, whose constraints are counted from then on as dropped. */
static void empty(struct strata_edge *edge, struct strata_edge *group)
{
	const int64_t length = group->windows.length;

	edge->nr_dropped += group->nr_constraints;
	strata_windows_clear(&group->windows);
	group->windows.length = length;
	group->breaches.nr = 0;
	group->has_origin = group->seen = false;
	group->nr_constraints = 0;
	group->model = group->asked;
}

/* How far apart the clocks are in the middle of a group's spans; twice that. */
static strata_wide apart(const struct strata_edge *group)
{
	const strata_wide ahead =
		group->other_first + group->other_last - group->first - group->last;

	return ahead < 0 ? -ahead : ahead;
}

/* The middle of a group's spans of both clocks; four times that. */
static strata_wide middle(const struct strata_edge *group)
{
	return group->first + group->last + group->other_first + group->other_last;
}

/* Whether a group is to be preferred to another one. */
static bool is_better(const struct strata_edge *group, const struct strata_edge *than)
{
	if (group->nr_constraints != than->nr_constraints)
		return group->nr_constraints > than->nr_constraints;
	if (apart(group) != apart(than))
		return apart(group) < apart(than);
	return middle(group) < middle(than);
}

struct strata_edge *strata_edge_group(struct strata_edge *edge, strata_wide x, strata_wide y)
{
	struct strata_edge *group, *worst = edge;
	unsigned int nr = 0;

	for (group = edge; group; group = group->far, nr++) {
		if (fits(group, x, y))
			break;
		if (is_better(worst, group))
			worst = group;
	}
	if (!group && nr == GROUPS)
		empty(edge, group = worst);
	else if (!group)
		group = make_group(edge);
	if (group && !group->has_origin) {
		group->origin = x;
		group->deviation = y - x;
		group->has_origin = true;
	}
	return group;
}

/* Exchanges the constraints of an edge and of one of its groups. */
static void exchange(struct strata_edge *edge, struct strata_edge *group)
{
	const struct strata_edge was = *edge;
	struct strata_edge *next = group->far;

	*edge = *group;
	*group = was;
	edge->far = was.far;
	edge->nr_dropped = was.nr_dropped;
	edge->far_breaches = was.far_breaches;
	group->far_breaches = (struct strata_breaches){ 0 };
	group->far = next;
}

static int64_t grains(strata_wide fine)
{
	const strata_wide all = fine >> STRATA_FINE_GRAIN;

	return (int64_t)strata_wide_max(-INT64_MAX, strata_wide_min(INT64_MAX, all));
}

/* The larger of both distances between the origins of a group and its edge. */
static int64_t distance_of(const struct strata_edge *edge, const struct strata_edge *group)
{
	const strata_wide u = group->origin - edge->origin;
	const strata_wide v = group->deviation - edge->deviation;

	return grains(strata_wide_max(u < 0 ? -u : u, v < 0 ? -v : v));
}

/* Whether a few constraints contradict many. */
static bool is_false(const struct strata_edge *edge, const struct strata_edge *group)
{
	return group->nr_constraints <= FALSE_LIMIT &&
	       2 * group->nr_constraints < edge->nr_constraints;
}

static bool note_false(struct strata_edge *edge, const struct strata_edge *group)
{
	struct strata_breach breach = { .kind = STRATA_BREACH_FALSE_PAIR,
					.size = distance_of(edge, group) };
	size_t i, j;
	int side;

	for (i = 0; i < group->windows.nr; i++) {
		for (side = 0; side < STRATA_SIDES; side++) {
			const struct strata_points *points = &group->windows.at[i].points[side];

			for (j = 0; j < points->nr; j++) {
				breach.from = grains(group->origin - edge->origin +
						     strata_fine_of(points->at[j].u));
				breach.to = breach.from;
				breach.cookie = points->at[j].cookie;
				if (!strata_breach_add(&edge->far_breaches, &breach))
					return false;
			}
		}
	}
	return true;
}

static bool note_unexplained(struct strata_edge *edge, const struct strata_edge *group)
{
	const struct strata_breach breach = {
		.kind = STRATA_BREACH_UNEXPLAINED,
		.from = grains((group->seen ? group->first : edge->first) - edge->origin),
		.to = grains((group->seen ? group->last : edge->last) - edge->origin),
		.size = group == edge ? STRATA_GRAIN_LIMIT : distance_of(edge, group),
	};

	return strata_breach_add(&edge->far_breaches, &breach);
}

bool strata_edge_choose_group(struct strata_edge *edge)
{
	struct strata_edge *group, *best = edge;
	bool good = true;

	for (group = edge->far; group; group = group->far) {
		if (is_better(group, best))
			best = group;
	}
	if (best != edge)
		exchange(edge, best);
	edge->far_breaches.nr = 0;
	edge->is_contested = edge->nr_dropped > 0;
	if (edge->nr_dropped)
		good = note_unexplained(edge, edge);
	for (group = edge->far; good && group; group = group->far) {
		const bool is_few = is_false(edge, group);

		edge->is_contested |= !is_few;
		good = is_few ? note_false(edge, group) : note_unexplained(edge, group);
	}
	return good;
}

void strata_edge_clear_groups(struct strata_edge *edge)
{
	while (edge->far) {
		struct strata_edge *group = edge->far;

		edge->far = group->far;
		strata_windows_clear(&group->windows);
		strata_line_clear(&group->line);
		free(group->breaches.at);
		free(group);
	}
}

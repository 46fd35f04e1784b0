// SPDX-License-Identifier: GPL-2.0-or-later
/* critical_path.c - see critical_path.h: turns the pieces of a time into segments. */
#include "why/critical_path.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct builder {
	struct strata_why_critical_path *path;
	uint32_t task; /* its name */
};

/* Adds to the segment what one step of the path says about its actor and cause; steps come from the
 * coarsest to the finest. Returns false if the finer steps add nothing. */
static bool descend(struct strata_why_segment *segment, const struct strata_why_step *step)
{
	switch (step->what) {
	case STRATA_WHY_WAITS_TASK:
	case STRATA_WHY_WAITS_OTHER:
		segment->wake_ups++;
		segment->who = step->name;
		segment->cause = *step;
		return true;
	case STRATA_WHY_DELIVERED:
	case STRATA_WHY_VCPU_IDLE:
		segment->who = step->name;
		segment->cause = *step;
		return true;
	case STRATA_WHY_BEHIND_TASK:
	case STRATA_WHY_BEHIND_VCPU:
		segment->by = step->name;
		return false;
	case STRATA_WHY_IRQ:
	case STRATA_WHY_SOFTIRQ:
	case STRATA_WHY_SWITCHING:
	case STRATA_WHY_UNKNOWN_TASK:
	case STRATA_WHY_UNKNOWN_VCPU:
		segment->cause = *step;
		return false;
	case STRATA_WHY_UNKNOWN_WHO:
		return false;
	default:
		segment->cause = *step;
		return true;
	}
}

static bool is_same(const struct strata_why_segment *a, const struct strata_why_segment *b)
{
	return a->who == b->who && a->cause.what == b->cause.what &&
	       a->cause.name == b->cause.name && a->by == b->by && a->wake_ups == b->wake_ups;
}

static void sum_up(struct strata_why_critical_path *path, const struct strata_why_segment *segment)
{
	struct strata_why_path steps = { .nr = 0 };

	strata_why_add_step(&steps, STRATA_WHY_WAITS_TASK, segment->who);
	strata_why_add_step(&steps, segment->cause.what, segment->cause.name);
	strata_why_add_step(&steps, STRATA_WHY_BEHIND_TASK, segment->by);
	strata_why_tree_add(&path->sums, &steps, segment->from_ns, segment->to_ns,
			    segment->from_bound_ns, segment->to_bound_ns);
}

static void take(void *taker, const struct strata_why_piece *piece)
{
	const struct builder *builder = taker;
	struct strata_why_critical_path *path = builder->path;
	struct strata_why_segment *last = path->nr ? &path->segments[path->nr - 1] : NULL;
	struct strata_why_segment segment = {
		.from_ns = piece->from_ns,
		.to_ns = piece->to_ns,
		.from_bound_ns = piece->from_bound_ns,
		.to_bound_ns = piece->to_bound_ns,
		.who = builder->task,
	};
	size_t i;

	for (i = 0; i < piece->path->nr && descend(&segment, &piece->path->steps[i]); i++)
		;
	sum_up(path, &segment);
	if (last && (is_same(last, &segment) || last->cause.what == STRATA_WHY_OTHERS)) {
		last->to_ns = segment.to_ns;
		last->to_bound_ns = segment.to_bound_ns;
		return;
	}
	if (path->nr == STRATA_WHY_SEGMENTS - 1) {
		segment.who = segment.by = 0;
		segment.cause = (struct strata_why_step){ STRATA_WHY_OTHERS, 0 };
	}
	if (STRATA_GROW(path->segments, path->nr, path->room))
		path->segments[path->nr++] = segment;
	else
		path->no_memory = true;
}

int strata_why_find_critical_path(const struct strata_why_recall *recall,
				  const struct strata_why_instance *instance,
				  struct strata_why_critical_path *path)
{
	struct builder builder = { path, instance->task };

	strata_why_walk(recall, instance, take, &builder);
	strata_why_tree_finish(&path->sums, instance->bound_ns);
	return path->no_memory || path->sums.no_memory ? -1 : 0;
}

void strata_why_critical_path_clear(struct strata_why_critical_path *path)
{
	strata_why_tree_clear(&path->sums);
	free(path->segments);
	memset(path, 0, sizeof(*path));
}

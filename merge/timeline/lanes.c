// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lanes.c - see lanes.h.
 *
 * A lane is represented in the tree by one number, its key: the nanosecond of its next
 * event, counted from a base, the tick within it, and the lane's number in the low bits.  Two keys
 * are put in order by a minimum and a maximum. A time too far from the base gets the largest key of
 * any time; when such a key wins, the base advances and all keys are recomputed.
 */
#include "timeline/lanes.h"

#include <stdlib.h>

#define AT_END UINT64_MAX /* the key of a lane at its end: after all others */

/* The losers of a binary tree whose leaves are the lanes; node 0 is above the root: the winner. */
struct tree {
	uint64_t *nodes;
	uint32_t leaves;        /* a power of two */
	unsigned int lane_bits; /* of a lane's number, */
	unsigned int low_bits;  /* and of a tick with it */
	uint64_t base;          /* ns */
	/* Nanoseconds after the base: the largest key of any time, for this time and all later
	 * ones. */
	uint64_t beyond;
	uint64_t *ahead; /* for each lane: the key of the event after its next one */
};

/* The end of a run: before that event of the next lane. */
struct limit {
	uint64_t ns;
	uint64_t low; /* tick and lane, as in a key */
};

/* The part of a key below the nanosecond. */
static inline uint64_t low_of(const struct tree *tree, const struct strata_lane_event *event,
			      uint32_t at)
{
	return (uint64_t)event->tick << tree->lane_bits | at;
}

/* Returns the key of a lane's event; at the end of its batch AT_END. */
static inline uint64_t key_of(const struct tree *tree, const struct strata_lane *lane,
			      const struct strata_lane_event *event, uint32_t at)
{
	uint64_t since;

	if (event >= lane->end)
		return AT_END;
	since = event->ns > tree->base ? event->ns - tree->base : 0;
	if (since > tree->beyond)
		since = tree->beyond;
	return since << tree->low_bits | low_of(tree, event, at);
}

static inline uint32_t lane_of(const struct tree *tree, uint64_t key)
{
	return (uint32_t)(key & ((1ull << tree->lane_bits) - 1));
}

static inline uint64_t since_base(const struct tree *tree, uint64_t key)
{
	return key >> tree->low_bits;
}

/* Plays a key against the losers on its way up; the last winner becomes node 0. Without branches on
 * the winner, which could not be predicted. */
static inline void play(struct tree *tree, uint32_t leaf, uint64_t key)
{
	uint32_t node;

	for (node = (tree->leaves + leaf) / 2; node > 0; node /= 2) {
		const uint64_t other = tree->nodes[node];

		tree->nodes[node] = other > key ? other : key;
		key = other > key ? key : other;
	}
	tree->nodes[0] = key;
}

/* Returns the least of the keys that the winner met: the next winner. */
static inline struct limit runner_up(const struct tree *tree, uint32_t leaf)
{
	uint64_t least = AT_END;
	uint32_t node;

	for (node = (tree->leaves + leaf) / 2; node > 0; node /= 2)
		least = tree->nodes[node] < least ? tree->nodes[node] : least;
	if (least == AT_END)
		return (struct limit){ UINT64_MAX, UINT64_MAX };
	/* The exact time of a key beyond the range is unknown. */
	if (since_base(tree, least) == tree->beyond)
		return (struct limit){ tree->base + tree->beyond, 0 };
	return (struct limit){ tree->base + since_base(tree, least),
			       least & ((1ull << tree->low_bits) - 1) };
}

/* Sets the base to the earliest of all next events, and recomputes all keys. Returns 0, or -1: out
 * of memory. */
static int plant(const struct strata_lanes *lanes, struct tree *tree)
{
	uint64_t *winners = malloc(2 * (size_t)tree->leaves * sizeof(*winners));
	uint32_t i;

	if (!winners)
		return -1;
	tree->base = UINT64_MAX;
	for (i = 0; i < lanes->nr; i++) {
		const struct strata_lane *lane = &lanes->lanes[i];

		if (lane->next != lane->end && lane->next->ns < tree->base)
			tree->base = lane->next->ns;
	}
	for (i = 0; i < tree->leaves; i++)
		winners[tree->leaves + i] = AT_END;
	for (i = 0; i < lanes->nr; i++) {
		const struct strata_lane *lane = &lanes->lanes[i];

		winners[tree->leaves + i] = key_of(tree, lane, lane->next, i);
		tree->ahead[i] = key_of(tree, lane, lane->next + 1, i);
	}
	for (i = tree->leaves - 1; i > 0; i--) {
		const uint64_t a = winners[2 * i], b = winners[2 * i + 1];

		winners[i] = a < b ? a : b;
		tree->nodes[i] = a < b ? b : a;
	}
	tree->nodes[0] = winners[1];
	free(winners);
	return 0;
}

/* Refills a lane if it needs a batch. Returns 0 or -1. */
static inline int supply(struct strata_lanes *lanes, uint32_t at)
{
	const struct strata_lane *lane = &lanes->lanes[at];

	return lane->next == lane->end ? lanes->refill(lanes->data, at) : 0;
}

/* A merge in progress. */
struct strata_lanes_merge {
	struct strata_lanes *lanes;
	struct tree tree;
	struct limit limit;
	bool in_burst;
	bool is_due; /* the merge paused when the lane `due` was at the end of its batch */
	uint32_t due;
};

static int begin(struct strata_lanes *lanes, struct tree *tree)
{
	uint32_t i;

	for (tree->leaves = 1, tree->lane_bits = 0; tree->leaves < lanes->nr; tree->leaves *= 2)
		tree->lane_bits++;
	tree->low_bits = tree->lane_bits + STRATA_TICK_BITS;
	tree->beyond = (UINT64_MAX >> tree->low_bits) - 1;
	tree->nodes = calloc(tree->leaves, sizeof(*tree->nodes));
	tree->ahead = calloc(tree->leaves, sizeof(*tree->ahead));
	if (!tree->nodes || !tree->ahead)
		return -1;
	for (i = 0; i < lanes->nr; i++) {
		if (supply(lanes, i))
			return -1;
	}
	return plant(lanes, tree);
}

/* Returns the first event after a lane's next one that does not precede the limit, or the end of
 * its batch, after which the merge must look again. */
static inline const struct strata_lane_event *
end_of_run(const struct tree *tree, const struct strata_lane *lane, uint32_t at, struct limit limit)
{
	const struct strata_lane_event *to = lane->next + 1;

	while (to < lane->end &&
	       (to->ns < limit.ns || (to->ns == limit.ns && low_of(tree, to, at) < limit.low)))
		to++;
	return to;
}

/* Refills the winning lane, and finds the next winner. Returns 0, or -1. */
static inline int next_batch(struct strata_lanes *lanes, struct tree *tree, uint32_t at)
{
	struct strata_lane *lane = &lanes->lanes[at];
	const int status = supply(lanes, at);

	play(tree, at, key_of(tree, lane, lane->next, at));
	tree->ahead[at] = key_of(tree, lane, lane->next + 1, at);
	return status;
}

/* Notes the winner, and prefetches its lane. */
static inline void note_upcoming(struct strata_lanes *lanes, const struct tree *tree)
{
	if (tree->nodes[0] == AT_END)
		return;
	lanes->upcoming = lane_of(tree, tree->nodes[0]);
	__builtin_prefetch(lanes->lanes[lanes->upcoming].next);
}

/*
 * Passes on a run of the winning lane, and finds the next winner. Returns as strata_lanes_merge().
 * @to: the run's end
 * With many lanes, a lane's data is not in the nearest cache: so the tree is played before the run
 * is passed on, with a key that was read when the lane last won.
 */
static inline int take_run(struct strata_lanes_merge *merge, uint32_t at,
			   const struct strata_lane_event *to)
{
	struct strata_lanes *lanes = merge->lanes;
	struct tree *tree = &merge->tree;
	struct strata_lane *lane = &lanes->lanes[at];
	const struct strata_lane_event *const from = lane->next;
	const size_t nr = (size_t)(to - from);
	int status;

	if (to < lane->end) {
		lane->next = to;
		play(tree, at, nr == 1 ? tree->ahead[at] : key_of(tree, lane, to, at));
		tree->ahead[at] = key_of(tree, lane, to + 1, at);
		note_upcoming(lanes, tree);
		return lanes->take(lanes->data, at, from, nr);
	}
	status = lanes->take(lanes->data, at, from, nr);
	lane->next = to;
	if (!status)
		return next_batch(lanes, tree, at);
	/* The batch stays until the merge continues. */
	merge->is_due = true;
	merge->due = at;
	return status;
}

struct strata_lanes_merge *strata_lanes_begin(struct strata_lanes *lanes)
{
	struct strata_lanes_merge *merge = calloc(1, sizeof(*merge));

	if (!merge)
		return NULL;
	merge->lanes = lanes;
	if (lanes->nr == 0 || !begin(lanes, &merge->tree))
		return merge;
	strata_lanes_end(merge);
	return NULL;
}

int strata_lanes_go_on(struct strata_lanes_merge *merge)
{
	struct strata_lanes *lanes = merge->lanes;
	struct tree *tree = &merge->tree;
	int status = 0;

	if (lanes->nr == 0)
		return 0;
	if (merge->is_due)
		status = next_batch(lanes, tree, merge->due);
	merge->is_due = false;
	while (!status && tree->nodes[0] != AT_END) {
		const uint32_t at = lane_of(tree, tree->nodes[0]);
		const struct strata_lane *lane = &lanes->lanes[at];

		if (since_base(tree, tree->nodes[0]) == tree->beyond) {
			status = plant(lanes, tree);
			merge->in_burst = false;
			continue;
		}
		status = take_run(merge, at,
				  merge->in_burst ? end_of_run(tree, lane, at, merge->limit)
						  : lane->next + 1);
		/* A lane that wins twice in a row may be in a burst: then finding the burst's end
		 * pays off. */
		merge->in_burst = !merge->is_due && lane_of(tree, tree->nodes[0]) == at;
		if (merge->in_burst)
			merge->limit = runner_up(tree, at);
	}
	return status;
}

void strata_lanes_end(struct strata_lanes_merge *merge)
{
	if (!merge)
		return;
	free(merge->tree.nodes);
	free(merge->tree.ahead);
	free(merge);
}

int strata_lanes_merge(struct strata_lanes *lanes)
{
	struct strata_lanes_merge *merge = strata_lanes_begin(lanes);
	const int status = merge ? strata_lanes_go_on(merge) : -1;

	strata_lanes_end(merge);
	return status;
}

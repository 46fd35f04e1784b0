// SPDX-License-Identifier: GPL-2.0-or-later
/* lanes.c - see lanes.h. */
#include "lanes.h"

#include <stdbool.h>
#include <stdlib.h>

/* The next event of a lane; a lane at its end comes after all others. */
struct head {
	uint64_t ns;
	uint64_t lane; /* with AT_END */
};

#define AT_END (1ull << 32)

static inline bool before(struct head a, struct head b)
{
	return (a.ns < b.ns) | ((a.ns == b.ns) & (a.lane < b.lane));
}

/* The head of a lane, which gets a new batch if it needs one.  0 or -1. */
static inline int head_of(struct strata_lanes *lanes, uint32_t at, struct head *head)
{
	struct strata_lane *lane = &lanes->lanes[at];

	if (lane->next == lane->end) {
		if (lanes->refill(lanes->data, at))
			return -1;
		if (lane->next == lane->end) {
			head->ns = UINT64_MAX;
			head->lane = at | AT_END;
			return 0;
		}
	}
	head->ns = lane->next->ns;
	head->lane = at;
	return 0;
}

/*
 * Hands on the events of a lane that come before @other.  Its batch may end first; then what
 * follows is looked at again.
 */
static inline int take_run(struct strata_lanes *lanes, uint32_t at, struct head other)
{
	struct strata_lane *lane = &lanes->lanes[at];
	const struct strata_lane_event *from = lane->next, *to = from + 1;

	while (to < lane->end && (to->ns < other.ns || (to->ns == other.ns && at < other.lane)))
		to++;
	lane->next = to;
	return lanes->take(lanes->data, at, from, (size_t)(to - from));
}

/* The losers of a binary tree whose leaves are the lanes; node 0 is above the root: the winner. */
struct tree {
	struct head *nodes;
	uint32_t leaves; /* a power of two */
};

/* Puts the lesser of the two into @a.  No branch: which it is, nobody can foretell. */
static inline void order(struct head *a, struct head *b)
{
	const uint64_t swap = -(uint64_t)before(*b, *a);
	const uint64_t ns = (a->ns ^ b->ns) & swap, lane = (a->lane ^ b->lane) & swap;

	a->ns ^= ns;
	b->ns ^= ns;
	a->lane ^= lane;
	b->lane ^= lane;
}

/* Plays a head against the losers on its way up; the last winner becomes node 0. */
static inline void play(struct tree *tree, uint32_t leaf, struct head head)
{
	uint32_t node;

	for (node = (tree->leaves + leaf) / 2; node > 0; node /= 2)
		order(&head, &tree->nodes[node]);
	tree->nodes[0] = head;
}

/* The least of those that the winner met: who would be next. */
static inline struct head runner_up(const struct tree *tree, uint32_t leaf)
{
	struct head least = { UINT64_MAX, UINT64_MAX };
	uint32_t node;

	for (node = (tree->leaves + leaf) / 2; node > 0; node /= 2) {
		if (before(tree->nodes[node], least))
			least = tree->nodes[node];
	}
	return least;
}

static int plant(struct strata_lanes *lanes, struct tree *tree)
{
	struct head *winners;
	uint32_t i;

	for (tree->leaves = 1; tree->leaves < lanes->nr; tree->leaves *= 2)
		;
	tree->nodes = calloc(tree->leaves, sizeof(*tree->nodes));
	winners = calloc(2 * (size_t)tree->leaves, sizeof(*winners));
	if (!tree->nodes || !winners) {
		free(winners);
		return -1;
	}
	for (i = 0; i < tree->leaves; i++) {
		struct head *leaf = &winners[tree->leaves + i];

		leaf->ns = UINT64_MAX;
		leaf->lane = i | AT_END;
		if (i < lanes->nr && head_of(lanes, i, leaf)) {
			free(winners);
			return -1;
		}
	}
	for (i = tree->leaves - 1; i > 0; i--) {
		const struct head a = winners[2 * i], b = winners[2 * i + 1];

		winners[i] = before(b, a) ? b : a;
		tree->nodes[i] = before(b, a) ? a : b;
	}
	tree->nodes[0] = winners[1];
	free(winners);
	return 0;
}

int strata_lanes_merge(struct strata_lanes *lanes)
{
	const struct head nobody = { 0, 0 };
	struct tree tree = { NULL, 0 };
	struct head limit = nobody, next;
	int status;

	if (lanes->nr == 0)
		return 0;
	status = plant(lanes, &tree);

	while (!status) {
		const uint32_t lane = (uint32_t)tree.nodes[0].lane;

		if (tree.nodes[0].lane & AT_END)
			break;
		/* A lane that was least twice may be in a burst: then it is worth to ask for how
		 * long. */
		status = take_run(lanes, lane, limit);
		if (status)
			break;
		if (head_of(lanes, lane, &next)) {
			status = -1;
			break;
		}
		play(&tree, lane, next);
		limit = tree.nodes[0].lane == lane ? runner_up(&tree, lane) : nobody;
	}
	free(tree.nodes);
	return status;
}

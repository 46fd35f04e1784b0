// SPDX-License-Identifier: GPL-2.0-or-later
/* tree.c - see tree.h. */
#include "why/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Creates a root, or appends a child to a node. Returns 0 if out of memory (only the root has
 * index */
static size_t new_node(struct strata_why_tree *tree, struct strata_why_step step, size_t parent)
{
	struct strata_why_node *node;

	if (!STRATA_GROW(tree->nodes, tree->nr, tree->room)) {
		tree->no_memory = true;
		return 0;
	}
	node = &tree->nodes[tree->nr];
	*node = (struct strata_why_node){ .step = step, .parent = parent };
	if (tree->nr) {
		node->next = tree->nodes[parent].child;
		tree->nodes[parent].child = tree->nr;
		tree->nodes[parent].nr_children++;
	}
	return tree->nr++;
}

static bool begin(struct strata_why_tree *tree)
{
	if (!tree->nr)
		new_node(tree, (struct strata_why_step){ STRATA_WHY_WHOLE, 0 }, 0);
	return tree->nr > 0;
}

/* Returns 0 if there is no such child. */
static size_t existing_child(const struct strata_why_tree *tree, size_t parent,
			     struct strata_why_step step)
{
	size_t at = tree->nodes[parent].child;

	while (at &&
	       (tree->nodes[at].step.what != step.what || tree->nodes[at].step.name != step.name))
		at = tree->nodes[at].next;
	return at;
}

/* Finds or creates the child for a step; 0: out of memory. */
static size_t find_child(struct strata_why_tree *tree, size_t parent, struct strata_why_step step)
{
	size_t at = existing_child(tree, parent, step);

	if (!at && tree->nodes[parent].nr_children >= STRATA_WHY_CHILDREN) {
		step = (struct strata_why_step){ STRATA_WHY_OTHERS, 0 };
		at = existing_child(tree, parent, step);
	}
	return at ? at : new_node(tree, step, parent);
}

static void add_piece(struct strata_why_node *node, uint64_t from_ns, uint64_t to_ns,
		      uint64_t from_bound, uint64_t to_bound)
{
	const bool follows = node->times && node->last_to_ns == from_ns;

	node->ns += to_ns - from_ns;
	/* An adjoining piece extends the run. */
	if (follows && node->bound_ns != UINT64_MAX) {
		node->bound_ns -= node->last_bound_ns;
	} else if (!follows) {
		node->times++;
		node->bound_ns = strata_why_bounds(node->bound_ns, from_bound);
	}
	node->bound_ns = strata_why_bounds(node->bound_ns, to_bound);
	node->last_to_ns = to_ns;
	node->last_bound_ns = to_bound;
}

void strata_why_tree_add(struct strata_why_tree *tree, const struct strata_why_path *path,
			 uint64_t from_ns, uint64_t to_ns, uint64_t from_bound, uint64_t to_bound)
{
	size_t i, at = 0;

	if (!begin(tree) || from_ns >= to_ns)
		return;
	add_piece(&tree->nodes[0], from_ns, to_ns, from_bound, to_bound);
	for (i = 0; i < path->nr; i++) {
		at = find_child(tree, at, path->steps[i]);
		if (!at)
			return;
		add_piece(&tree->nodes[at], from_ns, to_ns, from_bound, to_bound);
	}
}

static void merge_node(struct strata_why_tree *tree, size_t at, const struct strata_why_tree *other,
		       size_t of)
{
	const struct strata_why_node *from = &other->nodes[of];
	size_t child, here;

	tree->nodes[at].ns += from->ns;
	tree->nodes[at].times += from->times;
	tree->nodes[at].bound_ns = strata_why_bounds(tree->nodes[at].bound_ns, from->bound_ns);
	for (child = from->child; child; child = other->nodes[child].next) {
		here = find_child(tree, at, other->nodes[child].step);
		if (here)
			merge_node(tree, here, other, child);
	}
}

void strata_why_tree_merge(struct strata_why_tree *tree, const struct strata_why_tree *other)
{
	if (other->nr && begin(tree))
		merge_node(tree, 0, other, 0);
	tree->no_memory |= other->no_memory;
}

/* Selection sort of the children, longest first. */
static void sort_children(struct strata_why_tree *tree, size_t parent)
{
	size_t *link = &tree->nodes[parent].child;

	while (*link) {
		size_t *best = link, *at, taken;

		for (at = link; *at; at = &tree->nodes[*at].next) {
			if (tree->nodes[*at].ns > tree->nodes[*best].ns)
				best = at;
		}
		taken = *best;
		*best = tree->nodes[taken].next;
		tree->nodes[taken].next = *link;
		*link = taken;
		link = &tree->nodes[taken].next;
	}
}

/* Adds a child for the part of a node's time that its children do not cover. */
static void add_rest(struct strata_why_tree *tree, size_t at)
{
	uint64_t rest = tree->nodes[at].ns;
	size_t child, made;

	for (child = tree->nodes[at].child; child; child = tree->nodes[child].next)
		rest -= tree->nodes[child].ns;
	if (!rest || !tree->nodes[at].child)
		return;
	made = find_child(tree, at, (struct strata_why_step){ STRATA_WHY_REST, 0 });
	if (!made)
		return;
	tree->nodes[made].ns += rest;
	tree->nodes[made].times = tree->nodes[at].times;
	tree->nodes[made].bound_ns = tree->nodes[at].bound_ns;
}

void strata_why_tree_finish(struct strata_why_tree *tree, uint64_t bound_ns)
{
	const size_t nr = tree->nr;
	size_t i;

	for (i = 0; i < nr; i++)
		add_rest(tree, i);

	if (tree->nr)
		tree->nodes[0].bound_ns = bound_ns;
	for (i = 0; i < tree->nr; i++) {
		struct strata_why_node *node = &tree->nodes[i];
		const uint64_t most = strata_why_bounds(tree->nodes[0].ns - node->ns, bound_ns);
		const uint64_t limit = node->ns > most ? node->ns : most;

		/* A bound is not larger than the time itself, nor than the rest of the whole. */
		if (node->bound_ns > limit)
			node->bound_ns = limit;
		sort_children(tree, i);
	}
}

void strata_why_tree_clear(struct strata_why_tree *tree)
{
	free(tree->nodes);
	memset(tree, 0, sizeof(*tree));
}

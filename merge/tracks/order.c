// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order.c - the order in which tracks are drawn (tree.h): a parent, then its children, sorted by
 * kind (enum strata_track_kind), then by rank; tasks by their running time.
 */
#include <stdlib.h>

#include "tracks/tree.h"

struct row {
	const struct strata_track *track;
	uint64_t busy_ns; /* of a task */
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	const struct strata_track *x = a->track, *y = b->track;
	/* Top-level tracks sort before those with a parent. */
	int order = compare_numbers((uint32_t)(x->parent + 1), (uint32_t)(y->parent + 1));

	if (!order)
		order = compare_numbers(x->kind, y->kind);
	if (!order && x->kind == STRATA_TRACK_TASK)
		order = compare_numbers(b->busy_ns, a->busy_ns);
	if (!order)
		order = compare_numbers(x->rank, y->rank);
	if (!order)
		order = compare_numbers(x->place, y->place);
	return order ? order : compare_numbers(x->id, y->id);
}

/* Adds up the running time of a track and its overflow tracks in the first of them. */
static void add_busy(const struct strata_tree *tree, struct row *row)
{
	uint32_t id;

	for (id = row->track->id; id != STRATA_NO_TRACK; id = tree->all[id]->next)
		row->busy_ns += tree->all[id]->busy_ns;
}

/* Finds the first row of each track's children in the rows sorted by parent; nr: no children. */
static void find_children(const struct strata_tree *tree, const struct row *rows, size_t *first)
{
	size_t i;

	for (i = 0; i <= tree->nr; i++)
		first[i] = tree->nr;
	for (i = tree->nr; i > 0; i--)
		first[(uint32_t)(rows[i - 1].track->parent + 1)] = i - 1;
}

/* Depth first, without recursion: each row knows its next sibling. */
static void walk(const struct strata_tree *tree, const struct row *rows, const size_t *first,
		 size_t *at, uint32_t *order)
{
	size_t depth = 0, nr = 0;

	at[0] = first[0];
	for (;;) {
		const size_t i = at[depth];
		const bool is_child =
			i < tree->nr &&
			(depth == 0 ? rows[i].track->parent == STRATA_NO_TRACK
				    : rows[i].track->parent == rows[at[depth - 1] - 1].track->id);

		if (is_child) {
			order[nr++] = rows[i].track->id;
			at[depth]++;
			at[++depth] = first[rows[i].track->id + 1];
		} else if (depth-- == 0) {
			break;
		}
	}
}

uint32_t *strata_tree_order(const struct strata_tree *tree)
{
	struct row *rows = calloc(tree->nr + 1, sizeof(*rows));
	size_t *first = calloc(tree->nr + 1, sizeof(*first));
	size_t *at = calloc(tree->nr + 2, sizeof(*at));
	uint32_t *order = calloc(tree->nr + 1, sizeof(*order));
	size_t i;

	if (rows && first && at && order) {
		for (i = 0; i < tree->nr; i++) {
			rows[i].track = tree->all[i];
			add_busy(tree, &rows[i]);
		}
		qsort(rows, tree->nr, sizeof(*rows), compare);
		find_children(tree, rows, first);
		walk(tree, rows, first, at, order);
	} else {
		free(order);
		order = NULL;
	}
	free(rows);
	free(first);
	free(at);
	return order;
}

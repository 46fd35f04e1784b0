// SPDX-License-Identifier: GPL-2.0-or-later
/* answer.c - see answer.h: builds the answer from the remembered spans. */
#include "why/answer.h"

#include <stdlib.h>
#include <string.h>

#include "why/explain.h"

size_t strata_why_windows(const struct strata_why_instances *instances,
			  const struct strata_why_instance *typical,
			  struct strata_why_window *windows)
{
	size_t i, nr = 0;

	for (i = 0; i < instances->nr_worst; i++)
		windows[nr++] = (struct strata_why_window){ instances->worst[i].from_ns,
							    instances->worst[i].to_ns };
	if (typical)
		windows[nr++] = (struct strata_why_window){ typical->from_ns, typical->to_ns };
	return nr;
}

static int explain(struct strata_why_answer *answer, const struct strata_why_recall *recall,
		   const struct strata_why_instance *instance,
		   struct strata_why_explained *explained)
{
	explained->instance = instance;
	if (strata_why_explain(recall, instance, &explained->tree))
		return -1;
	strata_why_find(&explained->findings, &explained->tree, answer->names);
	return 0;
}

int strata_why_answer_make(struct strata_why_answer *answer,
			   const struct strata_why_instances *instances,
			   const struct strata_why_instance *typical,
			   const struct strata_why_recall *recall)
{
	uint64_t bound_ns = 0;
	size_t i;

	answer->instances = instances;
	answer->not_remembered = recall->not_remembered;
	answer->worst = calloc(instances->nr_worst + 1, sizeof(*answer->worst));
	if (!answer->worst)
		return -1;
	answer->nr_worst = instances->nr_worst;
	for (i = 0; i < instances->nr_worst; i++) {
		if (explain(answer, recall, &instances->worst[i], &answer->worst[i]))
			return -1;
		strata_why_tree_merge(&answer->together.tree, &answer->worst[i].tree);
		bound_ns = strata_why_bounds(bound_ns, instances->worst[i].bound_ns);
	}
	strata_why_tree_finish(&answer->together.tree, bound_ns);
	strata_why_find(&answer->together.findings, &answer->together.tree, answer->names);
	if (typical && explain(answer, recall, typical, &answer->typical))
		return -1;
	return answer->together.tree.no_memory || answer->names->no_memory ? -1 : 0;
}

void strata_why_answer_clear(struct strata_why_answer *answer)
{
	size_t i;

	for (i = 0; i < answer->nr_worst; i++)
		strata_why_tree_clear(&answer->worst[i].tree);
	free(answer->worst);
	strata_why_tree_clear(&answer->together.tree);
	strata_why_tree_clear(&answer->typical.tree);
	memset(answer, 0, sizeof(*answer));
}

/* Whether any node of the tree has this cause. */
static bool has_cause(const struct strata_why_tree *tree, enum strata_why_what what)
{
	size_t i;

	for (i = 0; i < tree->nr; i++) {
		if (tree->nodes[i].step.what == what)
			return true;
	}
	return false;
}

const char *strata_why_missing(const struct strata_why_answer *answer, size_t at)
{
	const struct strata_why_tree *tree = &answer->together.tree;
	const char *missing[3] = { NULL };
	size_t nr = 0;

	if (has_cause(tree, STRATA_WHY_UNKNOWN_TASK) && !answer->facts->seen[STRATA_MEANS_SWITCH])
		missing[nr++] = "--kernel 'DOMAIN:sched/*'";
	if (has_cause(tree, STRATA_WHY_UNKNOWN_VCPU) && !answer->facts->seen[STRATA_MEANS_RUNSTATE])
		missing[nr++] = "--xen sched";
	return at < nr ? missing[at] : NULL;
}

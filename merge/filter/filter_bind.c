// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter_bind.c - see filter_bound.h. Everything that is the same for all events of a class is
 * decided here: a filter by name or layer costs nothing per event.
 */
#include <string.h>

#include <strata/glob.h>

#include "timeline/domain_names.h"
#include "ctf/values/value_names.h"
#include "filter/filter_binder.h"

/* The result of binding a node: itself, or a constant verdict. */
struct outcome {
	struct bound_node *node;
	enum strata_verdict verdict;
};

/* Tests --------------------------------------------------------------------------------------- */

/* Finds the kind of an operand's values. False: each event decides. */
static bool kind_of(const struct bound_operand *bound, enum strata_value_kind *kind, bool *labels)
{
	const struct strata_ctf_type *type = bound->access.type;

	*labels = bound->names || bound->value.names;
	*kind = bound->kind == BOUND_CONSTANT    ? bound->value.kind
		: bound->kind == BOUND_TASK_NAME ? STRATA_VALUE_TEXT
						 : STRATA_VALUE_INTEGER;
	if (bound->kind != BOUND_FIELD && bound->kind != BOUND_PACKET)
		return true;
	if (bound->access.nr_rest || type->kind == STRATA_CTF_VARIANT ||
	    type->kind == STRATA_CTF_OPTIONAL)
		return false;
	*labels = strata_ctf_has_labels(type) || strata_has_names(type);
	if (type->kind == STRATA_CTF_FLOAT)
		*kind = STRATA_VALUE_REAL;
	else if (type->kind == STRATA_CTF_STRING || strata_ctf_is_text(type))
		*kind = STRATA_VALUE_TEXT;
	else if (!strata_ctf_is_integer(type))
		*kind = STRATA_VALUE_NONE;
	return true;
}

/* Whether an event of the class may have comparable operands. */
static bool is_sensible(const struct bound_node *node)
{
	enum strata_value_kind left, right;
	bool left_labels, right_labels;

	if (!kind_of(&node->left, &left, &left_labels))
		return node->stands_alone || !kind_of(&node->right, &right, &right_labels) ||
		       right != STRATA_VALUE_NONE;
	if (node->stands_alone)
		return left == STRATA_VALUE_INTEGER || left == STRATA_VALUE_REAL;
	if (!kind_of(&node->right, &right, &right_labels))
		return left != STRATA_VALUE_NONE;
	return strata_value_kinds_fit(left, node->comparison, right, left_labels || right_labels);
}

static struct bound_node *make(struct strata_binder *binder)
{
	struct bound_node *node = strata_ctf_arena_get(binder->arena, 1, sizeof(*node));

	binder->no_memory |= !node;
	return node;
}

static struct outcome decided(enum strata_verdict verdict)
{
	return (struct outcome){ NULL, verdict };
}

/* The type of a field if it is known before an event is read; NULL: it is not known, or this is no
 * field. */
static const struct strata_ctf_type *type_of(const struct bound_operand *bound)
{
	const bool is_field = bound->kind == BOUND_FIELD || bound->kind == BOUND_PACKET;

	return is_field && !bound->access.nr_rest ? bound->access.type : NULL;
}

/* Iterates over the names and labels that values of the operand may have: NULL after the last. */
static const char *next_name(const struct bound_operand *bound, size_t *at)
{
	const struct strata_ctf_type *type = type_of(bound);
	const struct strata_number_names *names = bound->kind == BOUND_CONSTANT ? bound->value.names
										: bound->names;

	if (type && type->names)
		names = type->names->table;
	if (names)
		return strata_number_names_next(names, at);
	if (type && strata_ctf_has_labels(type) && *at < type->nr_labels)
		return type->labels[(*at)++].name;
	return NULL;
}

/* Whether the operand is the number of its stream's CPU: of a CPU, or of a kernel's vCPU. */
static bool is_of_stream(const struct bound_operand *bound)
{
	return bound->kind == BOUND_CPU ||
	       (bound->kind == BOUND_PLACE && bound->number->in == STRATA_PLACE_CPU);
}

/* Compares the wanted value with one that events of the class have, to suggest the nearest. */
static void compare_known(struct strata_node *node, const struct strata_value *wanted,
			  const struct bound_operand *known, const struct strata_binder *binder)
{
	const struct strata_ctf_trace *trace = binder->trace;
	const bool is_pattern = wanted->kind == STRATA_VALUE_PATTERN;
	const char *name;
	size_t i, at = 0;

	if (is_pattern && known->kind == BOUND_CONSTANT && known->value.kind == STRATA_VALUE_TEXT)
		strata_nearest_name(&node->nearest, wanted->text, wanted->bytes, true,
				    known->value.text, known->value.bytes);
	while (is_pattern && (name = next_name(known, &at)))
		strata_nearest_name(&node->nearest, wanted->text, wanted->bytes, true, name,
				    strlen(name));
	if (wanted->kind != STRATA_VALUE_INTEGER)
		return;
	if (known->kind == BOUND_CONSTANT && known->value.kind == STRATA_VALUE_INTEGER)
		strata_nearest_number(&node->nearest, wanted->number, known->value.number);
	for (i = 0; is_of_stream(known) && i < trace->nr_streams; i++) {
		if (trace->streams[i].has_cpu)
			strata_nearest_number(&node->nearest, wanted->number,
					      trace->streams[i].cpu);
	}
}

/* Whether a pattern matches a name that values of the operand may have. */
static bool name_may_fit(const struct bound_operand *bound, const struct strata_value *pattern)
{
	const char *name;
	size_t at = 0;

	while ((name = next_name(bound, &at))) {
		if (strata_glob_fits(pattern->text, pattern->bytes, name, strlen(name)))
			return true;
	}
	return false;
}

/* Whether the names of its numbers show that no event of the class can be equal. */
static bool is_never_equal(const struct bound_node *bound)
{
	const struct strata_ctf_type *type = type_of(&bound->left);

	return bound->comparison == STRATA_EQUAL && !bound->stands_alone &&
	       ((bound->left.kind == BOUND_PLACE && bound->left.names) ||
		(type && ((type->names && type->names->table) || strata_ctf_has_labels(type)))) &&
	       bound->right.kind == BOUND_CONSTANT &&
	       bound->right.value.kind == STRATA_VALUE_PATTERN &&
	       !name_may_fit(&bound->left, &bound->right.value);
}

/* Whether a stream of the trace is of the wanted CPU, as far as streams say. Names of tasks, and
 * vCPUs in Xen's events, are seen only when events are read. */
static bool is_likely(const struct strata_binder *binder, const struct bound_node *bound)
{
	const struct strata_ctf_trace *trace = binder->trace;
	size_t i;

	if (bound->comparison == STRATA_EQUAL && bound->left.kind == BOUND_TASK_NAME)
		return false;
	if (bound->comparison != STRATA_EQUAL || bound->right.kind != BOUND_CONSTANT ||
	    bound->right.value.kind != STRATA_VALUE_INTEGER)
		return true;
	if (bound->left.kind == BOUND_PLACE && bound->left.number == &binder->place->vcpu &&
	    bound->left.number->in == STRATA_PLACE_FIELD)
		return false;
	if (!is_of_stream(&bound->left))
		return true;
	for (i = 0; i < trace->nr_streams; i++) {
		if (trace->streams[i].has_cpu && trace->streams[i].cpu == bound->right.value.number)
			return true;
	}
	return false;
}

/* Reduces a test: to a constant if its result is the same for all events of the class. */
static struct outcome decide_test(struct strata_binder *binder, const struct bound_node *bound)
{
	struct bound_node *kept;

	if (bound->left.kind == BOUND_CONSTANT && bound->right.kind == BOUND_CONSTANT)
		return decided(bound->stands_alone
				       ? strata_value_truth(&bound->left.value)
				       : strata_value_compare(&bound->left.value, bound->comparison,
							      &bound->right.value));
	if (is_never_equal(bound))
		return decided(STRATA_NO);
	kept = make(binder);
	if (!kept)
		return decided(STRATA_UNKNOWN);
	*kept = *bound;
	return (struct outcome){ kept, STRATA_UNKNOWN };
}

static struct outcome bind_comparison(struct strata_binder *binder, struct strata_node *node)
{
	struct bound_node bound = { .kind = BOUND_TEST,
				    .comparison = node->comparison,
				    .stands_alone = node->stands_alone };
	struct outcome outcome;

	strata_bind_operand(binder, &node->left, &node->right, &bound.left);
	if (!node->stands_alone)
		strata_bind_operand(binder, &node->right, &node->left, &bound.right);
	if (!is_sensible(&bound))
		return decided(STRATA_UNKNOWN);
	node->was_sensible = true;
	outcome = decide_test(binder, &bound);
	if (outcome.node || outcome.verdict == STRATA_YES) {
		node->may_match = true;
		node->is_likely |= is_likely(binder, &bound);
	}
	if (!node->is_likely && !node->stands_alone) {
		compare_known(node, &node->right.value, &bound.left, binder);
		compare_known(node, &node->left.value, &bound.right, binder);
	}
	return outcome;
}

static bool is_about(const struct strata_operand *operand)
{
	return operand->kind == STRATA_OPERAND_ATTRIBUTE &&
	       operand->attribute == STRATA_ATTRIBUTE_ABOUT;
}

/* Binds a comparison with each domain that an event is about: for "==" one must be equal, for "!="
 * all must differ. */
static struct outcome bind_about(struct strata_binder *binder, struct strata_node *node)
{
	const bool is_all = node->comparison == STRATA_NOT_EQUAL;
	const enum strata_verdict ends = is_all ? STRATA_NO : STRATA_YES;
	const struct strata_ctf_type *payload = binder->class->payload;
	const size_t nr = payload ? payload->nr_fields : 0;
	struct bound_node *made = make(binder), **last = made ? &made->first : NULL;
	bool is_decided = false;

	if (!made)
		return decided(STRATA_UNKNOWN);
	made->kind = is_all ? BOUND_ALL : BOUND_ANY;
	for (binder->about = 0; binder->about <= nr; binder->about++) {
		const struct outcome outcome = bind_comparison(binder, node);

		is_decided |= !outcome.node && outcome.verdict == ends;
		if (!outcome.node)
			continue;
		*last = outcome.node;
		last = &outcome.node->next;
	}
	if (is_decided)
		return decided(ends);
	if (made->first)
		return (struct outcome){ made, STRATA_UNKNOWN };
	return decided(node->was_sensible ? (enum strata_verdict)(STRATA_YES - ends)
					  : STRATA_UNKNOWN);
}

static struct outcome bind_test(struct strata_binder *binder, struct strata_node *node)
{
	if (is_about(&node->left) || (!node->stands_alone && is_about(&node->right)))
		return bind_about(binder, node);
	return bind_comparison(binder, node);
}

/* The tree ------------------------------------------------------------------------------------ */

static struct outcome bind_node(struct strata_binder *binder, struct strata_node *node);

static struct outcome bind_not(struct strata_binder *binder, struct strata_node *node)
{
	const struct outcome child = bind_node(binder, node->first);
	struct bound_node *made;

	if (!child.node)
		return decided((enum strata_verdict)(STRATA_YES - child.verdict));
	made = make(binder);
	if (!made)
		return decided(STRATA_UNKNOWN);
	made->kind = BOUND_NOT;
	made->first = child.node;
	return (struct outcome){ made, STRATA_UNKNOWN };
}

static struct bound_node *make_verdict(struct strata_binder *binder, enum strata_verdict verdict)
{
	struct bound_node *made = make(binder);

	if (made) {
		made->kind = BOUND_VERDICT;
		made->verdict = verdict;
	}
	return made;
}

/* Binds a conjunction or disjunction. @ends: the verdict that decides it; @neutral: the verdict
 * that does not matter */
static struct outcome bind_several(struct strata_binder *binder, struct strata_node *node,
				   bool is_all)
{
	const enum strata_verdict ends = is_all ? STRATA_NO : STRATA_YES;
	const enum strata_verdict neutral = is_all ? STRATA_YES : STRATA_NO;
	struct bound_node *made = make(binder), **last = made ? &made->first : NULL;
	enum strata_verdict known = neutral;
	struct strata_node *child;

	if (!made)
		return decided(STRATA_UNKNOWN);
	made->kind = is_all ? BOUND_ALL : BOUND_ANY;
	/* Visits all children, even after one decided, so that missing fields are reported. */
	for (child = node->first; child; child = child->next) {
		const struct outcome outcome = bind_node(binder, child);

		if (outcome.node) {
			*last = outcome.node;
			last = &outcome.node->next;
		} else if (outcome.verdict != neutral && known != ends) {
			known = outcome.verdict;
		}
	}
	if (known == ends || !made->first)
		return decided(known);
	if (known != neutral)
		*last = make_verdict(binder, known);
	return (struct outcome){ made, STRATA_UNKNOWN };
}

static struct outcome bind_node(struct strata_binder *binder, struct strata_node *node)
{
	switch (node->kind) {
	case STRATA_NODE_ALL:
		return bind_several(binder, node, true);
	case STRATA_NODE_ANY:
		return bind_several(binder, node, false);
	case STRATA_NODE_NOT:
		return bind_not(binder, node);
	case STRATA_NODE_TEST:
		break;
	}
	return bind_test(binder, node);
}

/* An event can match only if no operand of the conjunction is a constant unknown. */
static bool can_match(const struct bound_node *root)
{
	const struct bound_node *child;

	for (child = root->first; root->kind == BOUND_ALL && child; child = child->next) {
		if (child->kind == BOUND_VERDICT)
			return false;
	}
	return true;
}

/* All classes --------------------------------------------------------------------------------- */

/* Finds how the events of a kernel's stream show the running task. Returns 0 or -1. */
static int find_tasks(struct strata_binder *binder, const struct strata_ctf_stream_class *class)
{
	bool has_switch = false;
	size_t i;

	binder->tasks = NULL;
	if (strcmp(binder->place->layer, "kernel") != 0)
		return 0;
	binder->tasks =
		strata_ctf_arena_get(binder->arena, class->nr_events, sizeof(*binder->tasks));
	for (i = 0; binder->tasks && i < class->nr_events; i++) {
		if (strata_task_class_find(&binder->tasks[i], class, &class->events[i],
					   binder->arena) < 0)
			return -1;
		has_switch |= binder->tasks[i].tells == STRATA_TASK_SWITCH;
	}
	if (!binder->tasks)
		return -1;
	if (!has_switch)
		binder->tasks = NULL;
	return 0;
}

static int bind_kind(struct strata_filter *filter, struct strata_binder *binder, size_t at,
		     struct bound_kind *kind)
{
	const struct strata_ctf_stream_class *class = &binder->trace->metadata.streams[at];
	struct strata_place *place = strata_ctf_arena_get(binder->arena, 1, sizeof(*place));
	size_t i;

	kind->classes =
		strata_ctf_arena_get(binder->arena, class->nr_events, sizeof(*kind->classes));
	if (!place || !kind->classes || strata_place_find(place, binder->trace, at, binder->arena))
		return -1;
	binder->kind = &binder->trace->kinds[at];
	binder->place = place;
	binder->reads_packet = false;
	binder->asks_for_task = false;
	binder->asks_for_vcpu = false;
	if (find_tasks(binder, class))
		return -1;
	for (i = 0; i < class->nr_events; i++) {
		struct outcome outcome;

		binder->class = &class->events[i];
		outcome = bind_node(binder, filter->root);
		if (outcome.node && can_match(outcome.node))
			kind->classes[i].node = outcome.node;
		else
			kind->classes[i].matches = !outcome.node && outcome.verdict == STRATA_YES;
		filter->can_match |= kind->classes[i].node || kind->classes[i].matches;
	}
	kind->reads_packet = binder->reads_packet;
	kind->tasks = binder->asks_for_task ? binder->tasks : NULL;
	filter->of_set.from_start |= binder->asks_for_task;
	kind->vcpu = binder->asks_for_vcpu ? &place->vcpu : NULL;
	if (kind->vcpu && !filter->seen_vcpus)
		filter->seen_vcpus =
			strata_ctf_arena_get(binder->arena, 1, sizeof(*filter->seen_vcpus));
	binder->no_memory |= kind->vcpu && !filter->seen_vcpus;
	return binder->no_memory ? -1 : 0;
}

static int bind_trace(struct strata_filter *filter, struct strata_binder *binder,
		      struct bound_kind **kinds)
{
	const size_t nr = binder->trace->metadata.nr_streams;
	size_t i;

	*kinds = strata_ctf_arena_get(binder->arena, nr, sizeof(**kinds));
	for (i = 0; *kinds && i < nr; i++) {
		if (bind_kind(filter, binder, i, &(*kinds)[i]))
			return -1;
	}
	return *kinds ? 0 : -1;
}

int strata_filter_bind(struct strata_filter *filter, const struct strata_trace_set *set,
		       const char *const *names, struct strata_error *error)
{
	struct strata_binder binder = { .set = set };
	size_t i;

	filter->can_match = false;
	filter->seen_vcpus = NULL;
	filter->of_set.from_start = false;
	filter->nr_traces = set->nr_traces;
	strata_ctf_arena_free(filter->bound_arena);
	filter->bound_arena = strata_ctf_arena_new(SIZE_MAX);
	binder.arena = filter->bound_arena;
	if (binder.arena)
		filter->traces =
			strata_ctf_arena_get(binder.arena, set->nr_traces, sizeof(*filter->traces));
	if (binder.arena)
		filter->nr_streams = strata_ctf_arena_get(binder.arena, set->nr_traces,
							  sizeof(*filter->nr_streams));
	if (!binder.arena || !filter->traces || !filter->nr_streams)
		return strata_fail(error, "out of memory for the filter");
	if (strata_domain_names_set(set, error))
		return -1;
	for (i = 0; i < set->nr_traces; i++) {
		binder.trace = set->traces[i];
		filter->nr_streams[i] = binder.trace->nr_streams;
		binder.name = names[i];
		if (bind_trace(filter, &binder, &filter->traces[i]))
			return strata_fail(error, "out of memory for the filter");
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* json.c - an answer (answer.h) as JSON; docs/formats.md describes it. */
#include "why/answer.h"

static void add_uint(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static void add_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_object_new_string(text));
}

static void add_bound(struct json_object *object, uint64_t bound_ns)
{
	json_object_object_add(object, "bound_ns",
			       bound_ns == UINT64_MAX ? NULL : json_object_new_uint64(bound_ns));
}

static void add_share(struct json_object *object, uint64_t ns, uint64_t of_ns)
{
	json_object_object_add(object, "share",
			       json_object_new_double(of_ns ? (double)ns / (double)of_ns : 0));
}

static struct json_object *node_json(const struct strata_why_answer *answer,
				     const struct strata_why_tree *tree, size_t at)
{
	const struct strata_why_node *node = &tree->nodes[at];
	struct json_object *object = json_object_new_object(), *parts;
	char words[STRATA_WHY_WORDS];
	size_t child;

	add_text(object, "cause", strata_why_key(node->step.what));
	if (node->step.name)
		add_text(object, "name", strata_why_name(answer->names, node->step.name));
	add_uint(object, "ns", node->ns);
	add_bound(object, node->bound_ns);
	add_share(object, node->ns, tree->nodes[0].ns);
	add_uint(object, "times", node->times);
	add_text(object, "words", strata_why_words(words, answer->names, &node->step));
	if (!node->child)
		return object;
	parts = json_object_new_array();
	for (child = node->child; child; child = tree->nodes[child].next)
		json_object_array_add(parts, node_json(answer, tree, child));
	json_object_object_add(object, "parts", parts);
	return object;
}

static struct json_object *finding_json(const struct strata_why_answer *answer,
					const struct strata_why_finding *finding, uint64_t whole)
{
	struct json_object *object = json_object_new_object();
	char words[STRATA_WHY_WORDS];

	add_text(object, "blame", strata_why_blame_key(finding->blame));
	if (finding->by)
		add_text(object, "by", strata_why_name(answer->names, finding->by));
	add_uint(object, "ns", finding->ns);
	add_bound(object, finding->bound_ns);
	add_share(object, finding->ns, whole);
	add_text(object, "words", strata_why_finding_words(words, answer->names, finding));
	return object;
}

/* The blames and the tree. */
static void add_explained(const struct strata_why_answer *answer,
			  const struct strata_why_explained *explained, struct json_object *object)
{
	const uint64_t whole = explained->tree.nr ? explained->tree.nodes[0].ns : 0;
	struct json_object *findings = json_object_new_array();
	size_t i;

	for (i = 0; i < explained->findings.nr; i++)
		json_object_array_add(findings,
				      finding_json(answer, &explained->findings.all[i], whole));
	json_object_object_add(object, "finding",
			       explained->findings.nr
				       ? finding_json(answer, &explained->findings.all[0], whole)
				       : NULL);
	json_object_object_add(object, "findings", findings);
	add_uint(object, "others_ns", explained->findings.others_ns);
	json_object_object_add(object, "tree",
			       explained->tree.nr ? node_json(answer, &explained->tree, 0) : NULL);
}

static struct json_object *instance_json(const struct strata_why_answer *answer,
					 const struct strata_why_explained *explained)
{
	const struct strata_why_instance *instance = explained->instance;
	struct json_object *object = json_object_new_object();

	add_text(object, "source", answer->shown->sources[instance->trace].name);
	if (instance->name)
		add_text(object, "name", strata_why_name(answer->names, instance->name));
	if (instance->of == STRATA_WHY_OF_REQUEST)
		add_uint(object, "key", instance->key);
	if (instance->has_task) {
		add_text(object, "task", strata_why_name(answer->names, instance->task));
		add_text(object, "kernel", answer->shown->sources[instance->kernel].name);
		add_uint(object, "tid", instance->tid);
	}
	add_uint(object, "number", instance->number);
	add_uint(object, "from_ns", instance->from_ns);
	add_uint(object, "to_ns", instance->to_ns);
	add_uint(object, "ns", instance->to_ns - instance->from_ns);
	add_bound(object, instance->bound_ns);
	json_object_object_add(object, "began_before",
			       json_object_new_boolean(instance->began_before));
	json_object_object_add(object, "goes_on", json_object_new_boolean(instance->goes_on));
	add_explained(answer, explained, object);
	return object;
}

static struct json_object *all_json(const struct strata_why_answer *answer)
{
	static const char *const keys[STRATA_NR_PARTS] = {
		[STRATA_PART_RUNS] = "runs_ns",          [STRATA_PART_QUEUED] = "queued_ns",
		[STRATA_PART_XEN] = "in_xen_ns",         [STRATA_PART_STOLEN] = "stolen_ns",
		[STRATA_PART_ASLEEP] = "vcpu_asleep_ns", [STRATA_PART_PAUSED] = "vcpu_paused_ns",
		[STRATA_PART_BLOCKED] = "blocked_ns",    [STRATA_PART_UNKNOWN] = "unknown_ns",
	};
	struct json_object *object = json_object_new_object();
	size_t i;

	add_uint(object, "count", answer->instances->nr);
	add_uint(object, "ns", answer->instances->sum_ns);
	for (i = 0; i < STRATA_NR_PARTS; i++)
		add_uint(object, keys[i], answer->instances->parts[i]);
	return object;
}

struct json_object *strata_why_answer_json(const struct strata_why_answer *answer)
{
	struct json_object *root = json_object_new_object();
	struct json_object *instances = json_object_new_array();
	struct json_object *missing = json_object_new_array();
	size_t i;

	add_explained(answer, &answer->together, root);
	for (i = 0; i < answer->nr_worst; i++)
		json_object_array_add(instances, instance_json(answer, &answer->worst[i]));
	json_object_object_add(root, "instances", instances);
	json_object_object_add(root, "typical",
			       answer->typical.instance ? instance_json(answer, &answer->typical)
							: NULL);
	json_object_object_add(root, "all", all_json(answer));
	add_uint(root, "not_remembered", answer->not_remembered);
	for (i = 0; strata_why_missing(answer, i); i++)
		json_object_array_add(missing,
				      json_object_new_string(strata_why_missing(answer, i)));
	json_object_object_add(root, "record", missing);
	return root;
}

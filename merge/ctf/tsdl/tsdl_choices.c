// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_choices.c - finds the option of a variant for each tag: that with the name of the tag's
 * label. See tsdl_build.h.
 */
#include <stdlib.h>
#include <string.h>

#include "ctf/tsdl/tsdl_build.h"

/* A choice, and its label. */
struct candidate {
	size_t label;
	struct strata_ctf_choice choice;
};

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *left = a, *right = b;

	return (left->label > right->label) - (left->label < right->label);
}

/* Chains the labels with the same name, and adds the first to the table; once per enumeration. */
static int index_labels(struct strata_tsdl_builder *builder, const struct strata_tsdl_type *tag)
{
	const uint64_t place = (uint64_t)(uintptr_t)tag->label_array;
	struct strata_tsdl_label *label, *first;

	if (!tag->labels || strata_tsdl_find(&builder->labels, place, tag->labels->label.name))
		return 0;
	for (label = tag->labels; label; label = label->next) {
		first = strata_tsdl_find(&builder->labels, place, label->label.name);
		if (first) {
			label->same = first->same;
			first->same = label;
		} else if (strata_tsdl_add(&builder->labels, place, label->label.name, label)) {
			return strata_tsdl_fail_memory(builder->source, tag->at);
		}
	}
	return 0;
}

/* Finds the first label of an option: by its name as written, else with one underscore more or
 * less. */
static const struct strata_tsdl_label *find_label(struct strata_tsdl_builder *builder,
						  const struct strata_tsdl_type *tag,
						  const char *name)
{
	const uint64_t place = (uint64_t)(uintptr_t)tag->label_array;
	const struct strata_tsdl_label *label = strata_tsdl_find(&builder->labels, place, name);
	char with[256];

	if (label)
		return label;
	if (name[0] == '_') {
		name = strata_tsdl_name(builder->source, name + 1, strlen(name + 1));
	} else if (strlen(name) < sizeof(with)) {
		with[0] = '_';
		memcpy(with + 1, name, strlen(name));
		name = strata_tsdl_name(builder->source, with, strlen(name) + 1);
	} else {
		return NULL;
	}
	return name ? strata_tsdl_find(&builder->labels, place, name) : NULL;
}

int strata_tsdl_choose(struct strata_tsdl_builder *builder, struct strata_ctf_type *variant,
		       const struct strata_tsdl_type *declared, const struct strata_tsdl_type *tag)
{
	const struct strata_tsdl_label *label;
	const struct strata_tsdl_field *option;
	struct strata_ctf_choice *choices;
	struct candidate *candidates;
	size_t nr = 0, i = 0;
	uint32_t index = 0;

	if (index_labels(builder, tag))
		return -1;
	for (option = declared->fields; option; option = option->next) {
		label = find_label(builder, tag, option->name);
		if (!label)
			strata_tsdl_complain(builder->source, option->at,
					     "no label of the tag chooses the option %.200s",
					     option->name);
		for (; label; label = label->same)
			nr++;
	}

	candidates = strata_tsdl_get(builder->source, nr, sizeof(*candidates));
	choices = strata_tsdl_get(builder->source, nr, sizeof(*choices));
	if (!candidates || !choices)
		return -1;
	for (option = declared->fields; option; option = option->next, index++) {
		for (label = find_label(builder, tag, option->name); label; label = label->same) {
			candidates[i].label = label->index;
			candidates[i].choice.low = label->label.low;
			candidates[i].choice.high = label->label.high;
			candidates[i++].choice.option = index;
		}
	}
	/* Of several matching labels the first counts. */
	qsort(candidates, nr, sizeof(*candidates), compare_candidates);
	for (i = 0; i < nr; i++)
		choices[i] = candidates[i].choice;
	variant->choices = choices;
	variant->nr_choices = nr;
	variant->tag_is_signed = tag->is_signed;
	return 0;
}

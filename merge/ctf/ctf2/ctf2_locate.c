// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf2_locate.c - finds the integers to which field locations of CTF 2 lead; see tsdl_build.h.
 *
 * A location leads from a scope, or from the structure around its field, down by names of members.
 * The types on its path are either being read, or were read completely:
 *  - in an array or optional field that is being read, the path passes through the current element
 *    or field; it cannot pass through others;
 *  - in a variant that is being read, through the current option; in other variants through every
 *    option, because any of them may have been read.
 * So exactly one of the integers has been read when it is needed.
 */
#include <stdlib.h>
#include <string.h>

#include "ctf/tsdl/tsdl_build.h"

#define TARGETS_MAX 4096u /* per location */

struct search {
	struct strata_tsdl_builder *builder;
	const struct strata_tsdl_path *path;
	const struct strata_tsdl_frame *frames;
	struct strata_ctf_type *from;
	size_t root;
	const char *text; /* the path as a text */
	struct strata_ctf_type *first;
	unsigned int nr;
};

static int fail(const struct search *search, const char *why)
{
	return strata_tsdl_fail(search->builder->source, search->path->at,
				"the field location %.200s %s", search->text, why);
}

/* Whether the type encloses the one being built. */
static bool is_open(const struct search *search, const struct strata_ctf_type *type)
{
	const struct strata_tsdl_frame *frame;

	for (frame = search->frames; frame; frame = frame->outer) {
		if (frame->structure == type)
			return true;
	}
	return false;
}

/* Adds an integer to which the location leads. */
static int take(struct search *search, struct strata_ctf_type *type)
{
	if (++search->nr > TARGETS_MAX)
		return fail(search, "leads to too many fields");
	if (!search->first) {
		search->first = type;
		return strata_tsdl_link(search->builder, search->root, search->from, type,
					search->path->at);
	}
	if (type->is_signed != search->first->is_signed || type->is_bool != search->first->is_bool)
		return fail(search, "leads to integers with a sign and without one, or to integers "
				    "and booleans: they must be of one kind");
	return strata_tsdl_share(search->builder, search->root, search->first, type,
				 search->path->at);
}

/* The depth of recursion is that of types. */
static int walk(struct search *search, struct strata_ctf_type *type, size_t word)
{
	const struct strata_tsdl_member *member;
	size_t i;

	/* The referring field is not read yet. */
	if (!type || type == search->from)
		return fail(search, "leads to a field that is not read before it is needed");
	if (strata_ctf_is_integer(type)) {
		if (word < search->path->nr_words)
			return fail(search, "leads beyond an integer");
		return take(search, type);
	}
	switch (type->kind) {
	case STRATA_CTF_STRUCT:
		if (word == search->path->nr_words)
			return fail(search, "leads to a structure: it must lead to an integer");
		member = strata_tsdl_find_member(search->builder, type, search->path->words[word],
						 true);
		if (!member)
			return fail(search, "leads to a field that is not there, or is not read "
					    "before it is needed");
		return walk(search, member->type, word + 1);
	case STRATA_CTF_ARRAY:
	case STRATA_CTF_SEQUENCE:
		if (!is_open(search, type))
			return fail(search, "leads into an array from outside of it");
		return walk(search, (struct strata_ctf_type *)type->element, word);
	case STRATA_CTF_OPTIONAL:
		if (!is_open(search, type))
			return fail(search, "leads into an optional field from outside of it");
		return walk(search, (struct strata_ctf_type *)type->fields[0].type, word);
	case STRATA_CTF_VARIANT:
		/* The current option is not counted yet. */
		if (is_open(search, type))
			return walk(search,
				    (struct strata_ctf_type *)type->fields[type->nr_fields].type,
				    word);
		for (i = 0; i < type->nr_fields; i++) {
			if (walk(search, (struct strata_ctf_type *)type->fields[i].type, word))
				return -1;
		}
		return 0;
	default:
		return fail(search, "leads to a field that is not an integer");
	}
}

/* Removes words cancelled by a following NULL; returns the number of the remaining ones. A
 * remaining NULL leads to the enclosing structure. */
static size_t simplify(const struct strata_tsdl_path *path, const char **words)
{
	size_t i, nr = 0;

	for (i = 0; i < path->nr_words; i++) {
		if (!path->words[i] && nr && words[nr - 1])
			nr--;
		else
			words[nr++] = path->words[i];
	}
	return nr;
}

/* Returns the innermost structure from a frame on. */
static const struct strata_tsdl_frame *structure_of(const struct strata_tsdl_frame *frame)
{
	while (frame && frame->structure->kind != STRATA_CTF_STRUCT)
		frame = frame->outer;
	return frame;
}

/* Finds the start of the location; skips the words that lead out of structures. */
static struct strata_ctf_type *begin_of(const struct search *search, size_t *word)
{
	const struct strata_tsdl_frame *frame = structure_of(search->frames);

	if (search->path->origin == STRATA_TSDL_FROM_SCOPE) {
		if (search->path->scope > search->builder->root)
			return NULL;
		return search->builder->roots[search->path->scope];
	}
	for (; frame && *word < search->path->nr_words && !search->path->words[*word]; ++*word)
		frame = structure_of(frame->outer);
	return frame ? (struct strata_ctf_type *)frame->structure : NULL;
}

const struct strata_ctf_type *strata_ctf2_locate(struct strata_tsdl_builder *builder,
						 const struct strata_tsdl_path *path,
						 const struct strata_tsdl_frame *frames,
						 struct strata_ctf_type *from)
{
	const char *words[STRATA_CTF_DEPTH_MAX * 4];
	struct strata_tsdl_path simple = *path;
	struct search search = {
		.builder = builder, .path = &simple, .frames = frames, .from = from
	};
	struct strata_ctf_type *begin;
	size_t word = 0;

	search.text = strata_tsdl_path_text(builder->source, path);
	if (!search.text)
		return NULL;
	if (path->nr_words > sizeof(words) / sizeof(words[0])) {
		fail(&search, "has too many elements");
		return NULL;
	}
	simple.nr_words = simplify(path, words);
	simple.words = words;
	search.root = path->origin == STRATA_TSDL_FROM_SCOPE ? path->scope : builder->root;
	begin = begin_of(&search, &word);
	if (!begin) {
		fail(&search, "begins in a structure that is not there, or is not read before "
			      "it is needed");
		return NULL;
	}
	return walk(&search, begin, word) ? NULL : search.first;
}

static bool is_above(const struct strata_ctf_type *type, uint64_t a, uint64_t b)
{
	return type->tag_is_signed ? (int64_t)a > (int64_t)b : a > b;
}

/* A range and its option, in the order of the tag's values. */
struct range {
	uint64_t order, high;
	uint32_t option;
};

static int compare_ranges(const void *a, const void *b)
{
	const struct range *left = a, *right = b;

	return (left->order > right->order) - (left->order < right->order);
}

int strata_ctf2_check_choices(struct strata_tsdl_builder *builder,
			      const struct strata_tsdl_type *declared,
			      const struct strata_ctf_type *type)
{
	/* Maps the least signed number to 0. */
	const uint64_t shift = type->tag_is_signed ? 1ull << 63 : 0;
	struct range *ranges = strata_tsdl_get(builder->source, type->nr_choices, sizeof(*ranges));
	size_t i;

	if (!ranges)
		return -1;
	for (i = 0; i < type->nr_choices; i++) {
		const struct strata_ctf_choice *choice = &type->choices[i];

		if (is_above(type, choice->low, choice->high))
			return strata_tsdl_fail(builder->source, declared->at,
						"a range of selector-field-ranges ends before it "
						"begins");
		ranges[i] =
			(struct range){ choice->low + shift, choice->high + shift, choice->option };
	}
	qsort(ranges, type->nr_choices, sizeof(*ranges), compare_ranges);
	for (i = 1; i < type->nr_choices; i++) {
		if (ranges[i].order <= ranges[i - 1].high &&
		    ranges[i].option != ranges[i - 1].option)
			return strata_tsdl_fail(builder->source, declared->at,
						"two options of a variant have ranges that "
						"intersect");
		/* Of the ranges of one option, the one with the highest end counts. */
		if (ranges[i].high < ranges[i - 1].high) {
			ranges[i].high = ranges[i - 1].high;
			ranges[i].option = ranges[i - 1].option;
		}
	}
	return 0;
}

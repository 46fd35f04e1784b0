// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_refer.c - finds the integers to which sequences and variants refer, and gives them slots.
 * See tsdl_build.h.
 *
 * A path that names a scope (stream.event.header.id) leads there. Any other path starts at a field
 * before the referring one, in the same structure or an enclosing one; else at a field of an
 * earlier scope, searched from the last one backwards.
 */
#include <string.h>

#include "ctf/tsdl/tsdl_build.h"

/* Whether the path names this scope and a field in it. */
static bool names_scope(const struct strata_tsdl_path *path, size_t root)
{
	size_t i;

	if (path->nr_words <= strata_ctf_scope_paths[root].nr_words)
		return false;
	for (i = 0; i < strata_ctf_scope_paths[root].nr_words; i++)
		if (strcmp(path->words[i], strata_ctf_scope_paths[root].words[i]) != 0)
			return false;
	return true;
}

/*
 * Follows the words from @first on, down from a structure; NULL if one is absent.
 * @open: also through enclosing structures that are not complete yet
 */
static const struct strata_tsdl_member *descend(struct strata_tsdl_builder *builder,
						const struct strata_ctf_type *structure,
						const struct strata_tsdl_path *path, size_t first,
						bool open)
{
	const struct strata_tsdl_member *member = NULL;

	for (; first < path->nr_words; first++) {
		if (!structure || structure->kind != STRATA_CTF_STRUCT)
			return NULL;
		member = strata_tsdl_find_member(builder, structure, path->words[first], open);
		if (!member)
			return NULL;
		structure = member->type;
	}
	return member;
}

/* @root: OUT, the scope in which it was found. */
static const struct strata_tsdl_member *find(struct strata_tsdl_builder *builder,
					     const struct strata_tsdl_path *path,
					     const struct strata_tsdl_frame *frames, size_t *root)
{
	const struct strata_tsdl_member *member;

	for (*root = 0; *root <= builder->root; ++*root)
		if (names_scope(path, *root))
			return descend(builder, builder->roots[*root], path,
				       strata_ctf_scope_paths[*root].nr_words, true);

	*root = builder->root;
	for (; frames; frames = frames->outer) {
		member = descend(builder, frames->structure, path, 0, false);
		if (member)
			return member;
	}
	while ((*root)-- > 0) {
		member = descend(builder, builder->roots[*root], path, 0, false);
		if (member)
			return member;
	}
	return NULL;
}

/* The place of an integer's target in the table of members, distinct from the two of structures. */
static uint64_t place_of_target(const struct strata_ctf_type *type)
{
	return (uint64_t)(uintptr_t)type | 2;
}

static struct strata_tsdl_target *mark(struct strata_tsdl_builder *builder,
				       struct strata_tsdl_targets *targets,
				       struct strata_ctf_type *type, size_t at)
{
	struct strata_tsdl_target *target;

	if (type->slot != STRATA_CTF_NO_SLOT)
		return strata_tsdl_find(&builder->members, place_of_target(type), NULL);
	target = strata_tsdl_get(builder->source, 1, sizeof(*target));
	if (!target)
		return NULL;
	if (strata_tsdl_add(&builder->members, place_of_target(type), NULL, target)) {
		strata_tsdl_fail_memory(builder->source, at);
		return NULL;
	}
	type->slot = 0; /* any value, until targets are numbered */
	target->type = type;
	target->at = at;
	target->next = targets->first;
	targets->first = target;
	targets->nr++;
	return target;
}

int strata_tsdl_link(struct strata_tsdl_builder *builder, size_t root, struct strata_ctf_type *from,
		     struct strata_ctf_type *to, size_t at)
{
	struct strata_tsdl_link *link = strata_tsdl_get(builder->source, 1, sizeof(*link));

	if (!link || !mark(builder, builder->targets[root], to, at))
		return -1;
	link->from = from;
	link->to = to;
	link->next = builder->links;
	builder->links = link;
	return 0;
}

/* Returns the target whose slot this one shares. */
static struct strata_tsdl_target *owner_of(struct strata_tsdl_target *target)
{
	while (target->same) {
		if (target->same->same)
			target->same = target->same->same;
		target = target->same;
	}
	return target;
}

int strata_tsdl_share(struct strata_tsdl_builder *builder, size_t root,
		      const struct strata_ctf_type *first, struct strata_ctf_type *other, size_t at)
{
	struct strata_tsdl_target *one, *two;

	two = mark(builder, builder->targets[root], other, at);
	if (!two)
		return -1;
	one = owner_of(strata_tsdl_find(&builder->members, place_of_target(first), NULL));
	two = owner_of(two);
	if (one == two)
		return 0;
	two->same = one;
	builder->targets[root]->nr--;
	return 0;
}

const struct strata_tsdl_member *strata_tsdl_refer(struct strata_tsdl_builder *builder,
						   const struct strata_tsdl_path *path,
						   const struct strata_tsdl_frame *frames,
						   struct strata_ctf_type *from)
{
	const struct strata_tsdl_member *member;
	const char *text;
	size_t root;

	member = find(builder, path, frames, &root);
	text = strata_tsdl_path_text(builder->source, path);
	if (!text)
		return NULL;
	if (!member) {
		strata_tsdl_fail(
			builder->source, path->at,
			"no field %.200s precedes the field that refers to it: it must stand before it in the same structure, in an enclosing one, or in a scope such as stream.event.header",
			text);
		return NULL;
	}
	if (member->type->kind != STRATA_CTF_INTEGER && member->type->kind != STRATA_CTF_ENUM) {
		strata_tsdl_fail(builder->source, path->at,
				 "%.200s is not an integer: no length or tag can be taken from it",
				 text);
		return NULL;
	}
	return strata_tsdl_link(builder, root, from, member->type, path->at) ? NULL : member;
}

int strata_tsdl_number(struct strata_tsdl_builder *builder,
		       const struct strata_tsdl_targets *targets, int first)
{
	struct strata_tsdl_target *target;
	int next = first + (int)targets->nr;
	int slot = next;

	if (targets->nr > STRATA_CTF_SLOTS_MAX || next > (int)STRATA_CTF_SLOTS_MAX)
		return strata_tsdl_fail(builder->source, targets->first->at,
					"more than %u integers that sequences and variants refer "
					"to, in one event: too many",
					STRATA_CTF_SLOTS_MAX);
	/* The newest comes first. */
	for (target = targets->first; target; target = target->next) {
		if (!target->same)
			target->type->slot = (int16_t)--slot;
	}
	for (target = targets->first; target; target = target->next) {
		if (target->same)
			target->type->slot = owner_of(target)->type->slot;
	}
	return next;
}

void strata_tsdl_link_all(struct strata_tsdl_builder *builder)
{
	const struct strata_tsdl_link *link;

	for (link = builder->links; link; link = link->next)
		link->from->slot = link->to->slot;
}

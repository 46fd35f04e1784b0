// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_members.c - finds fields and options by name; see tsdl_build.h.
 *
 * Writers put an underscore in front of names that are keywords of TSDL; readers remove it.  So a
 * member is found by its name as written, else without the underscore, else with an additional one.
 * If a structure has fields x and _x, both keep their names.
 */
#include <string.h>

#include "ctf/tsdl/tsdl_build.h"

#define UNDERSCORES_MAX 8u /* limit of names that differ only in underscores */

/* Places in the table: structures are aligned, so their addresses leave room for two places
 * each. */
static uint64_t as_written(const struct strata_ctf_type *outer)
{
	return (uint64_t)(uintptr_t)outer;
}

static uint64_t as_shown(const struct strata_ctf_type *outer)
{
	return (uint64_t)(uintptr_t)outer | 1;
}

/* Returns the name without its underscore; the same name if it has none; NULL with an error. */
static const char *without_underscore(struct strata_tsdl_builder *builder, const char *name)
{
	if (name[0] != '_' || !name[1])
		return name;
	return strata_tsdl_name(builder->source, name + 1, strlen(name + 1));
}

/*
 * Whether readers show the name as written: it has no underscore, or without it would be the name
 * of another field. @levels: number of underscores to check
 */
static int keeps_underscore(struct strata_tsdl_builder *builder,
			    const struct strata_ctf_type *outer, const char *name,
			    unsigned int levels, bool *keeps)
{
	const char *without = without_underscore(builder, name);

	*keeps = true;
	if (!without)
		return -1;
	if (without == name || !levels)
		return 0;
	*keeps = strata_tsdl_find(&builder->members, as_written(outer), without) != NULL;
	return *keeps ? keeps_underscore(builder, outer, without, levels - 1, keeps) : 0;
}

int strata_tsdl_add_members(struct strata_tsdl_builder *builder,
			    const struct strata_ctf_type *outer,
			    const struct strata_tsdl_type *declared,
			    struct strata_tsdl_member *members, struct strata_ctf_field *fields)
{
	const struct strata_tsdl_field *field;
	size_t i = 0;

	for (field = declared->fields; field; field = field->next) {
		if (strata_tsdl_find(&builder->members, as_written(outer), field->name))
			return strata_tsdl_fail(builder->source, field->at,
						"a second field of the name %.200s: rename one",
						field->name);
		if (strata_tsdl_add(&builder->members, as_written(outer), field->name,
				    &members[i++]))
			return strata_tsdl_fail_memory(builder->source, field->at);
	}
	for (field = declared->fields, i = 0; field; field = field->next, i++) {
		bool keeps;

		/* CTF 2 has no keywords. */
		if (builder->file->is_ctf_2) {
			fields[i].name = field->name;
			continue;
		}

		if (keeps_underscore(builder, outer, field->name, UNDERSCORES_MAX, &keeps))
			return -1;
		fields[i].name = keeps ? field->name : without_underscore(builder, field->name);
		if (!keeps &&
		    (!fields[i].name || strata_tsdl_add(&builder->members, as_shown(outer),
							fields[i].name, &members[i])))
			return strata_tsdl_fail_memory(builder->source, field->at);
	}
	return 0;
}

static const struct strata_tsdl_member *look_up(const struct strata_tsdl_builder *builder,
						uint64_t place, const char *name, bool open)
{
	const struct strata_tsdl_member *member = strata_tsdl_find(&builder->members, place, name);

	return member && member->type && (open || !member->is_open) ? member : NULL;
}

const struct strata_tsdl_member *strata_tsdl_find_member(struct strata_tsdl_builder *builder,
							 const struct strata_ctf_type *outer,
							 const char *name, bool open)
{
	const struct strata_tsdl_member *member;

	member = look_up(builder, as_written(outer), name, open);
	if (!member)
		member = look_up(builder, as_shown(outer), name, open);
	if (!member && name[0] == '_') {
		name = without_underscore(builder, name);
		if (name)
			member = look_up(builder, as_written(outer), name, open);
	}
	return member;
}

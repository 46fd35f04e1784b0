// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_members.c - the names of fields and options; see tsdl_build.h.
 *
 * Writers put an underscore in front of names that are words of TSDL; readers take
 * it away.  So a member is found by its name as it is written, else by that without
 * the underscore, else by a name that has one too many.
 */
#include <string.h>

#include "ctf/tsdl_build.h"

/* Places in the table: structures are aligned, so that there is room for two each. */
static uint64_t as_written(const struct strata_ctf_type *outer)
{
	return (uint64_t)(uintptr_t)outer;
}

static uint64_t as_shown(const struct strata_ctf_type *outer)
{
	return (uint64_t)(uintptr_t)outer | 1;
}

/* The name without its underscore; itself if it has none; NULL with an error. */
static const char *without_underscore(struct strata_tsdl_builder *builder, const char *name)
{
	if (name[0] != '_' || !name[1])
		return name;
	return strata_tsdl_name(builder->source, name + 1, strlen(name + 1));
}

int strata_tsdl_add_member(struct strata_tsdl_builder *builder, const struct strata_ctf_type *outer,
			   const struct strata_tsdl_field *field, struct strata_tsdl_member *member,
			   const char **shown_name)
{
	const char *shown = without_underscore(builder, field->name);

	if (!shown)
		return -1;
	if (strata_tsdl_find(&builder->members, as_written(outer), field->name))
		return strata_tsdl_fail(builder->source, field->at,
					"a second field of the name %.200s: rename one",
					field->name);
	/* Two fields x and _x both keep the names that they were written with. */
	if (strata_tsdl_find(&builder->members, as_shown(outer), shown))
		shown = field->name;
	*shown_name = shown;
	if (strata_tsdl_add(&builder->members, as_written(outer), field->name, member) ||
	    (!strata_tsdl_find(&builder->members, as_shown(outer), shown) &&
	     strata_tsdl_add(&builder->members, as_shown(outer), shown, member)))
		return strata_tsdl_fail_memory(builder->source, field->at);
	return 0;
}

static const struct strata_tsdl_member *look_up(const struct strata_tsdl_builder *builder,
						uint64_t place, const char *name, bool open)
{
	const struct strata_tsdl_member *member = strata_tsdl_find(&builder->members, place, name);

	return member && (open || !member->is_open) ? member : NULL;
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

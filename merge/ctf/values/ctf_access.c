// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_access.c - see ctf_access.h. */
#include "ctf/values/ctf_access.h"
#include "base/array.h"

#include <stdlib.h>

#define FIXED_LENGTH_MAX (1u << 20) /* limit for arrays whose total size is precomputed */

/* Steps under construction, and the known alignment of the position that they lead to. */
struct way {
	struct strata_ctf_step *steps;
	size_t nr, room;
	uint64_t modulus, rest; /* bits: the position modulo `modulus` is `rest` */
	bool no_memory;
};

static struct strata_ctf_step *add_step(struct way *way)
{
	way->no_memory |= !STRATA_GROW(way->steps, way->nr, way->room);
	if (way->no_memory)
		return NULL;
	way->steps[way->nr] = (struct strata_ctf_step){ .align = 1 };
	return &way->steps[way->nr++];
}

/* The last step, which may be extended. */
static struct strata_ctf_step *last_step(struct way *way)
{
	if (way->nr == 0 || way->steps[way->nr - 1].skip)
		return add_step(way);
	return &way->steps[way->nr - 1];
}

static void add_bits(struct way *way, uint64_t bits)
{
	struct strata_ctf_step *step = bits ? last_step(way) : NULL;

	if (!step)
		return;
	step->bits += bits;
	way->rest = (way->rest + bits) % way->modulus;
}

static void add_align(struct way *way, uint32_t align)
{
	struct strata_ctf_step *step;

	if (way->modulus >= align) {
		add_bits(way, (align - way->rest % align) % align);
		return;
	}
	step = add_step(way);
	if (step)
		step->align = align;
	way->modulus = align;
	way->rest = 0;
}

static bool is_number(const struct strata_ctf_type *type)
{
	return type->kind <= STRATA_CTF_FLOAT;
}

/* Whether the type alone gives the field's length, and nothing refers to its value. */
static bool is_fixed(const struct strata_ctf_type *type)
{
	size_t i;

	if (is_number(type))
		return type->slot < 0;
	if (type->kind == STRATA_CTF_ARRAY)
		return is_number(type->element) && type->element->slot < 0 &&
		       type->length <= FIXED_LENGTH_MAX;
	if (type->kind != STRATA_CTF_STRUCT)
		return false;
	for (i = 0; i < type->nr_fields; i++) {
		if (!is_fixed(type->fields[i].type))
			return false;
	}
	return true;
}

/* Bits from one element of an array to the next. */
static uint64_t stride_of(const struct strata_ctf_type *element)
{
	return ((uint64_t)element->bits + element->align - 1) & ~(uint64_t)(element->align - 1);
}

static void add_fixed(struct way *way, const struct strata_ctf_type *type)
{
	const struct strata_ctf_type *element = type->element;
	size_t i;

	add_align(way, type->align);
	if (is_number(type)) {
		add_bits(way, type->bits);
	} else if (type->kind == STRATA_CTF_ARRAY) {
		if (type->length == 0)
			return;
		add_align(way, element->align);
		add_bits(way, (type->length - 1) * stride_of(element) + element->bits);
	} else {
		for (i = 0; i < type->nr_fields; i++)
			add_fixed(way, type->fields[i].type);
	}
}

static void add_field(struct way *way, const struct strata_ctf_type *type)
{
	struct strata_ctf_step *step;

	if (is_fixed(type)) {
		add_fixed(way, type);
		return;
	}
	/* Fields of a structure separately: some may have a fixed size. */
	if (type->kind == STRATA_CTF_STRUCT) {
		size_t i;

		add_align(way, type->align);
		for (i = 0; i < type->nr_fields; i++)
			add_field(way, type->fields[i].type);
		return;
	}
	step = last_step(way);
	if (step)
		step->skip = type;
	way->modulus = 1;
	way->rest = 0;
}

/* The index of a structure's field; nr_fields: no such field. */
static size_t find_field(const struct strata_ctf_type *type, const char *name)
{
	size_t i;

	for (i = 0; i < type->nr_fields; i++) {
		if (strcmp(type->fields[i].name, name) == 0)
			break;
	}
	return i;
}

/* Whether the rest of a path may exist; variants' options are resolved for each event. */
static bool may_lead_on(const struct strata_ctf_type *type, const struct strata_ctf_path_part *part)
{
	switch (type->kind) {
	case STRATA_CTF_VARIANT:
	case STRATA_CTF_OPTIONAL:
		return true;
	case STRATA_CTF_ARRAY:
		return !part->name && part->index < type->length;
	case STRATA_CTF_SEQUENCE:
		return !part->name;
	default:
		return false;
	}
}

static int keep_steps(struct strata_ctf_access *access, const struct way *way,
		      struct strata_ctf_arena *arena)
{
	struct strata_ctf_step *steps = strata_ctf_arena_get(arena, way->nr, sizeof(*steps));

	if (!steps || way->no_memory)
		return -1;
	if (way->nr)
		memcpy(steps, way->steps, way->nr * sizeof(*steps));
	access->steps = steps;
	access->nr_steps = way->nr;
	return 1;
}

int strata_ctf_access_make(struct strata_ctf_access *access, struct strata_ctf_arena *arena,
			   const struct strata_ctf_type *const *before, size_t nr_before,
			   uint32_t align, const struct strata_ctf_type *structure,
			   const struct strata_ctf_path_part *parts, size_t nr_parts)
{
	const struct strata_ctf_type *type = structure;
	struct way way = { .modulus = align };
	int status = 0;
	size_t i, at;

	for (i = 0; i < nr_before; i++) {
		if (before[i])
			add_field(&way, before[i]);
	}
	for (i = 0; type && i < nr_parts && type->kind == STRATA_CTF_STRUCT; i++) {
		const size_t wanted = parts[i].name ? find_field(type, parts[i].name)
						    : type->nr_fields;

		if (wanted == type->nr_fields)
			goto out;
		add_align(&way, type->align);
		for (at = 0; at < wanted; at++)
			add_field(&way, type->fields[at].type);
		type = type->fields[wanted].type;
	}
	if (!type || (i < nr_parts && !may_lead_on(type, &parts[i])))
		goto out;
	if (is_number(type))
		add_align(&way, type->align);
	access->type = type;
	access->rest = parts + i;
	access->nr_rest = nr_parts - i;
	status = keep_steps(access, &way, arena);
out:
	free(way.steps);
	return way.no_memory ? -1 : status;
}

/* Moves to an element.  NULL: no such element. */
static const struct strata_ctf_type *
go_to_element(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type, uint64_t index)
{
	uint64_t i, length;

	if (!strata_ctf_read_length(cursor, type, &length) || index >= length)
		return NULL;
	for (i = 0; i < index; i++) {
		const uint64_t from = cursor->at;

		if (!strata_ctf_skip(cursor, type->element))
			return NULL;
		/* Elements of size zero take no room. */
		if (cursor->at == from)
			break;
	}
	return index == 0 && type->first ? type->first : type->element;
}

static const struct strata_ctf_type *
go_to_field(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type, const char *name)
{
	const size_t wanted = find_field(type, name);
	size_t i;

	if (wanted == type->nr_fields || !strata_ctf_align(cursor, type->align))
		return NULL;
	for (i = 0; i < wanted; i++) {
		if (!strata_ctf_skip(cursor, type->fields[i].type))
			return NULL;
	}
	return type->fields[wanted].type;
}

static bool depends_on_tag(const struct strata_ctf_type *type)
{
	return type->kind == STRATA_CTF_VARIANT || type->kind == STRATA_CTF_OPTIONAL;
}

/* The rest of the path, by the event's values; the depth of recursion is that of types, which is
 * limited. */
static const struct strata_ctf_type *go_on(struct strata_ctf_cursor *cursor,
					   const struct strata_ctf_type *type,
					   const struct strata_ctf_path_part *parts, size_t nr)
{
	while (type && (nr > 0 || depends_on_tag(type))) {
		if (depends_on_tag(type)) {
			const struct strata_ctf_field *chosen = strata_ctf_chosen(cursor, type);

			type = chosen ? chosen->type : NULL;
			continue;
		}
		if (type->kind == STRATA_CTF_STRUCT && parts->name)
			type = go_to_field(cursor, type, parts->name);
		else if ((type->kind == STRATA_CTF_ARRAY || type->kind == STRATA_CTF_SEQUENCE) &&
			 !parts->name)
			type = go_to_element(cursor, type, parts->index);
		else
			type = NULL;
		parts++;
		nr--;
	}
	return type;
}

const struct strata_ctf_type *strata_ctf_access_go(const struct strata_ctf_access *access,
						   struct strata_ctf_cursor *cursor)
{
	size_t i;

	for (i = 0; i < access->nr_steps; i++) {
		const struct strata_ctf_step *step = &access->steps[i];

		if (!strata_ctf_align(cursor, step->align) || cursor->end - cursor->at < step->bits)
			return NULL;
		cursor->at += step->bits;
		if (step->skip && !strata_ctf_skip(cursor, step->skip))
			return NULL;
	}
	if (access->nr_rest == 0 && !depends_on_tag(access->type))
		return access->type;
	return go_on(cursor, access->type, access->rest, access->nr_rest);
}

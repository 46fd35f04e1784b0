// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_build.c - the types of one scope, from their declarations; see tsdl_build.h.
 * It goes as deep as declarations are, which the parser limits.
 */
#include "ctf/tsdl_build.h"

static int build_type(struct strata_tsdl_builder *builder, struct strata_ctf_type *type,
		      const struct strata_tsdl_type *declared,
		      const struct strata_tsdl_frame *frames);

static struct strata_ctf_type *new_type(struct strata_tsdl_builder *builder,
					const struct strata_tsdl_type *declared)
{
	struct strata_ctf_type *type = strata_tsdl_get(builder->source, 1, sizeof(*type));

	if (!type)
		return NULL;
	type->kind = declared->kind;
	type->align = declared->align;
	type->slot = STRATA_CTF_NO_SLOT;
	type->clock = STRATA_CTF_NO_CLOCK;
	return type;
}

static int build_scalar(struct strata_tsdl_builder *builder, struct strata_ctf_type *type,
			const struct strata_tsdl_type *declared)
{
	const enum strata_tsdl_order order = declared->order == STRATA_TSDL_ORDER_OF_TRACE
						     ? builder->file->order
						     : declared->order;
	const struct strata_tsdl_clock_block *clock;

	type->bits = declared->bits;
	type->is_signed = declared->is_signed;
	type->big_endian = order == STRATA_TSDL_BIG_ENDIAN;
	type->base = declared->base;
	type->is_text = declared->is_text;
	type->labels = declared->label_array;
	type->nr_labels = declared->nr_labels;
	if (!declared->clock.nr_words)
		return 0;
	clock = strata_tsdl_find(&builder->clocks, 0, declared->clock.words[1]);
	if (!clock)
		return strata_tsdl_fail(builder->source, declared->clock.at,
					"there is no clock %.200s: the text needs \"clock { name = "
					"%.200s; ... };\"",
					declared->clock.words[1], declared->clock.words[1]);
	type->clock = clock->index;
	return 0;
}

static int build_members(struct strata_tsdl_builder *builder, struct strata_ctf_type *type,
			 const struct strata_tsdl_type *declared,
			 const struct strata_tsdl_frame *frames)
{
	const struct strata_tsdl_field *from;
	struct strata_tsdl_member *members;
	struct strata_ctf_field *fields;
	uint32_t i = 0;

	if (declared->nr_fields > UINT32_MAX)
		return strata_tsdl_fail(builder->source, declared->at, "too many fields");
	members = strata_tsdl_get(builder->source, declared->nr_fields, sizeof(*members));
	fields = strata_tsdl_get(builder->source, declared->nr_fields, sizeof(*fields));
	if (!members || !fields ||
	    strata_tsdl_add_members(builder, type, declared, members, fields))
		return -1;
	type->fields = fields;
	for (from = declared->fields; from; from = from->next, i++) {
		members[i].type = new_type(builder, from->type);
		members[i].declared = from->type;
		members[i].is_open = true;
		if (!members[i].type || build_type(builder, members[i].type, from->type, frames))
			return -1;
		members[i].is_open = false;
		fields[i].type = members[i].type;
		type->nr_fields++;
		if (type->kind == STRATA_CTF_STRUCT && type->align < fields[i].type->align)
			type->align = fields[i].type->align;
	}
	return 0;
}

static int build_structure(struct strata_tsdl_builder *builder, struct strata_ctf_type *type,
			   const struct strata_tsdl_type *declared,
			   const struct strata_tsdl_frame *frames)
{
	const struct strata_tsdl_frame frame = { .outer = frames, .structure = type };

	if (!frames)
		builder->roots[builder->root] = type;
	return build_members(builder, type, declared, &frame);
}

static int build_variant(struct strata_tsdl_builder *builder, struct strata_ctf_type *type,
			 const struct strata_tsdl_type *declared,
			 const struct strata_tsdl_frame *frames)
{
	const struct strata_tsdl_member *tag;

	if (!declared->reference.nr_words)
		return strata_tsdl_fail(builder->source, declared->at,
					"this variant has no tag: it needs variant <TAG>");
	tag = strata_tsdl_refer(builder, &declared->reference, frames, type);
	if (!tag)
		return -1;
	if (tag->type->kind != STRATA_CTF_ENUM)
		return strata_tsdl_fail(builder->source, declared->reference.at,
					"the tag of a variant must be an enumeration");
	if (strata_tsdl_choose(builder, type, declared, tag->declared))
		return -1;
	return build_members(builder, type, declared, frames);
}

static int build_elements(struct strata_tsdl_builder *builder, struct strata_ctf_type *type,
			  const struct strata_tsdl_type *declared,
			  const struct strata_tsdl_frame *frames)
{
	const struct strata_tsdl_member *length;
	struct strata_ctf_type *element;

	if (declared->kind == STRATA_CTF_SEQUENCE) {
		length = strata_tsdl_refer(builder, &declared->reference, frames, type);
		if (!length)
			return -1;
		if (length->type->is_signed)
			return strata_tsdl_fail(builder->source, declared->reference.at,
						"the length of a sequence must be an integer "
						"without a sign");
	}
	type->length = declared->length;
	element = new_type(builder, declared->element);
	if (!element || build_type(builder, element, declared->element, frames))
		return -1;
	type->element = element;
	type->align = element->align;
	return 0;
}

static int build_type(struct strata_tsdl_builder *builder, struct strata_ctf_type *type,
		      const struct strata_tsdl_type *declared,
		      const struct strata_tsdl_frame *frames)
{
	switch (declared->kind) {
	case STRATA_CTF_STRUCT:
		return build_structure(builder, type, declared, frames);
	case STRATA_CTF_VARIANT:
		return build_variant(builder, type, declared, frames);
	case STRATA_CTF_ARRAY:
	case STRATA_CTF_SEQUENCE:
		return build_elements(builder, type, declared, frames);
	case STRATA_CTF_STRING:
		return 0;
	default:
		return build_scalar(builder, type, declared);
	}
}

int strata_tsdl_build(struct strata_tsdl_builder *builder, enum strata_ctf_scope root,
		      const struct strata_tsdl_type *declared)
{
	struct strata_ctf_type *type;

	builder->root = root;
	builder->roots[root] = NULL;
	if (!declared)
		return 0;
	type = new_type(builder, declared);
	return type ? build_type(builder, type, declared, NULL) : -1;
}

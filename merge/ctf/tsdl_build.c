// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_build.c - the types of one scope, from their declarations; see tsdl_build.h.
 * It goes as deep as declarations are, which the parser limits.
 */
#include "ctf/tsdl_build.h"

static struct strata_ctf_type *build_type(struct strata_tsdl_builder *builder,
					  const struct strata_tsdl_type *declared,
					  const struct strata_tsdl_frame *frames);

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
	if (!members || !fields)
		return -1;
	type->fields = fields;
	for (from = declared->fields; from; from = from->next, i++) {
		members[i].type = build_type(builder, from->type, frames);
		if (!members[i].type)
			return -1;
		members[i].declared = from->type;
		members[i].index = i;
		fields[i].type = members[i].type;
		if (strata_tsdl_add_member(builder, type, from, &members[i], &fields[i].name))
			return -1;
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
	type->element = build_type(builder, declared->element, frames);
	if (!type->element)
		return -1;
	type->align = type->element->align;
	return 0;
}

static struct strata_ctf_type *build_type(struct strata_tsdl_builder *builder,
					  const struct strata_tsdl_type *declared,
					  const struct strata_tsdl_frame *frames)
{
	struct strata_ctf_type *type = strata_tsdl_get(builder->source, 1, sizeof(*type));
	int result;

	if (!type)
		return NULL;
	type->kind = declared->kind;
	type->align = declared->align;
	type->slot = STRATA_CTF_NO_SLOT;
	type->clock = STRATA_CTF_NO_CLOCK;
	switch (declared->kind) {
	case STRATA_CTF_STRUCT:
		result = build_structure(builder, type, declared, frames);
		break;
	case STRATA_CTF_VARIANT:
		result = build_variant(builder, type, declared, frames);
		break;
	case STRATA_CTF_ARRAY:
	case STRATA_CTF_SEQUENCE:
		result = build_elements(builder, type, declared, frames);
		break;
	default:
		result = build_scalar(builder, type, declared);
	}
	return result ? NULL : type;
}

int strata_tsdl_build(struct strata_tsdl_builder *builder, enum strata_tsdl_root root,
		      const struct strata_tsdl_type *declared)
{
	builder->root = root;
	builder->roots[root] = NULL;
	if (!declared)
		return 0;
	return build_type(builder, declared, NULL) ? 0 : -1;
}

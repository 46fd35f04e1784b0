// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_build.c - builds the types of one scope from their declarations; see tsdl_build.h.  The
 * parser limits the depth of recursion.
 */
#include "ctf/tsdl/tsdl_build.h"

/* The roles that integers of a scope may have. */
static const uint16_t roles_of_scopes[STRATA_CTF_NR_SCOPES] = {
	[STRATA_CTF_PACKET_HEADER] = STRATA_CTF_ROLE_MAGIC | STRATA_CTF_ROLE_UUID |
				     STRATA_CTF_ROLE_STREAM_CLASS | STRATA_CTF_ROLE_STREAM,
	[STRATA_CTF_PACKET_CONTEXT] = STRATA_CTF_ROLE_PACKET_SIZE | STRATA_CTF_ROLE_CONTENT_SIZE |
				      STRATA_CTF_ROLE_TIME | STRATA_CTF_ROLE_END_TIME |
				      STRATA_CTF_ROLE_DISCARDED | STRATA_CTF_ROLE_SEQUENCE,
	[STRATA_CTF_EVENT_HEADER] = STRATA_CTF_ROLE_TIME | STRATA_CTF_ROLE_EVENT_CLASS,
};

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

/* Takes declared roles, and the clock of some of them. */
static int build_roles(struct strata_tsdl_builder *builder, struct strata_ctf_type *type,
		       const struct strata_tsdl_type *declared)
{
	type->roles = declared->roles;
	if (type->roles & ~roles_of_scopes[builder->root])
		return strata_tsdl_fail(builder->source, declared->at,
					"a field has a role that fields of its scope cannot have: "
					"only those of packets' headers and contexts and of "
					"events' headers have roles, each its own");
	if (!(type->roles & (STRATA_CTF_ROLE_TIME | STRATA_CTF_ROLE_END_TIME)))
		return 0;
	type->clock = builder->clock;
	if (type->clock == STRATA_CTF_NO_CLOCK)
		return strata_tsdl_fail(builder->source, declared->at,
					"a field is a timestamp, but its data stream class has no "
					"default-clock-class-id");
	return 0;
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
	type->is_reversed = declared->is_reversed;
	type->is_bool = declared->is_bool;
	type->is_bit_map = declared->is_bit_map;
	type->labels = declared->label_array;
	type->nr_labels = declared->nr_labels;
	if (declared->roles)
		return build_roles(builder, type, declared);
	if (!declared->clock.nr_words)
		return 0;
	clock = strata_tsdl_find(&builder->clocks, 0, declared->clock.words[1]);
	if (!clock)
		return strata_tsdl_fail(
			builder->source, declared->clock.at,
			"unknown clock %.200s: the text needs \"clock { name = %.200s; ... };\"",
			declared->clock.words[1], declared->clock.words[1]);
	type->clock = clock->index;
	return 0;
}

/* In CTF 2 adjacent numbers of different byte order must not share a byte. */
static void check_order(const struct strata_ctf_type *before, struct strata_ctf_type *type)
{
	if (before->kind <= STRATA_CTF_FLOAT && type->kind <= STRATA_CTF_FLOAT &&
	    before->big_endian != type->big_endian && type->align < 8)
		type->needs_byte = true;
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
		fields[i].type = members[i].type; /* so far */
		if (!members[i].type || build_type(builder, members[i].type, from->type, frames))
			return -1;
		members[i].is_open = false;
		if (i > 0 && builder->file->is_ctf_2 && type->kind == STRATA_CTF_STRUCT)
			check_order(members[i - 1].type, members[i].type);
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

/* The choices of a variant or optional field, which CTF 2 declares except for boolean tags. */
static int choose_by_ranges(struct strata_tsdl_builder *builder, struct strata_ctf_type *type,
			    const struct strata_tsdl_type *declared,
			    const struct strata_tsdl_frame *frames)
{
	static const struct strata_ctf_choice is_true = { 1, UINT64_MAX, 0 };
	const struct strata_ctf_type *tag =
		strata_ctf2_locate(builder, &declared->reference, frames, type);

	if (!tag)
		return -1;
	if (tag->is_bool && type->kind == STRATA_CTF_VARIANT)
		return strata_tsdl_fail(builder->source, declared->at,
					"the selector field of a variant is a boolean: it must be "
					"an integer");
	if (type->kind == STRATA_CTF_OPTIONAL && tag->is_bool == declared->has_ranges)
		return strata_tsdl_fail(builder->source, declared->at,
					tag->is_bool ? "an optional field has "
						       "selector-field-ranges, but its selector "
						       "field is a boolean: one must change"
						     : "an optional field has no "
						       "selector-field-ranges, but its selector "
						       "field is an integer: it needs them");
	type->tag_is_signed = tag->is_signed;
	type->choices = tag->is_bool ? &is_true : declared->choices;
	type->nr_choices = tag->is_bool ? 1 : declared->nr_choices;
	return strata_ctf2_check_choices(builder, declared, type);
}

static int build_variant(struct strata_tsdl_builder *builder, struct strata_ctf_type *type,
			 const struct strata_tsdl_type *declared,
			 const struct strata_tsdl_frame *frames)
{
	const struct strata_tsdl_frame frame = { .outer = frames, .structure = type };
	const struct strata_tsdl_member *tag;

	if (builder->file->is_ctf_2)
		return choose_by_ranges(builder, type, declared, frames) ||
				       build_members(builder, type, declared, &frame)
			       ? -1
			       : 0;
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

static const struct strata_ctf_type *refer_to_length(struct strata_tsdl_builder *builder,
						     struct strata_ctf_type *type,
						     const struct strata_tsdl_type *declared,
						     const struct strata_tsdl_frame *frames)
{
	const struct strata_tsdl_member *member;

	if (builder->file->is_ctf_2)
		return strata_ctf2_locate(builder, &declared->reference, frames, type);
	member = strata_tsdl_refer(builder, &declared->reference, frames, type);
	return member ? member->type : NULL;
}

static int build_elements(struct strata_tsdl_builder *builder, struct strata_ctf_type *type,
			  const struct strata_tsdl_type *declared,
			  const struct strata_tsdl_frame *frames)
{
	const struct strata_tsdl_frame frame = { .outer = frames, .structure = type };
	const struct strata_ctf_type *length;
	struct strata_ctf_type *element;

	if (declared->kind == STRATA_CTF_SEQUENCE) {
		length = refer_to_length(builder, type, declared, frames);
		if (!length)
			return -1;
		if (length->is_signed || length->is_bool)
			return strata_tsdl_fail(builder->source, declared->reference.at,
						"the length of a sequence must be an integer "
						"without a sign");
	}
	type->length = declared->length;
	type->encoding = declared->encoding;
	type->is_blob = declared->is_blob;
	element = new_type(builder, declared->element);
	type->element = element; /* so far */
	if (!element || build_type(builder, element, declared->element, &frame))
		return -1;
	if (type->align < element->align)
		type->align = element->align;
	return declared->roles ? build_roles(builder, type, declared) : 0;
}

static int build_type(struct strata_tsdl_builder *builder, struct strata_ctf_type *type,
		      const struct strata_tsdl_type *declared,
		      const struct strata_tsdl_frame *frames)
{
	switch (declared->kind) {
	case STRATA_CTF_STRUCT:
		return build_structure(builder, type, declared, frames);
	case STRATA_CTF_VARIANT:
	case STRATA_CTF_OPTIONAL:
		return build_variant(builder, type, declared, frames);
	case STRATA_CTF_ARRAY:
	case STRATA_CTF_SEQUENCE:
		return build_elements(builder, type, declared, frames);
	case STRATA_CTF_STRING:
		type->encoding = declared->encoding;
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

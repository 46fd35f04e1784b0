// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_flat_types.c - makes types of CTF 1.8 from those of CTF 2; ctf_flat.c writes events as these
 * types.
 *
 * The types live in the caller's arena.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "ctf/types/ctf_arena.h"
#include "ctf/types/ctf_event_types.h"
#include "outputs/ctf/ctf_flat.h"
#include "outputs/ctf/ctf_flat_layout.h"

#define NAME_BYTES 256u

struct maker {
	struct strata_ctf_arena *arena;
	bool big_endian;
	int16_t nr_slots; /* number of lengths and tags so far */
	bool failed;      /* out of memory or slots */
};

/* A structure or variant under construction. */
struct fields {
	struct strata_ctf_field *fields;
	size_t nr;
};

static struct strata_ctf_type *make_type(struct maker *maker, const struct strata_ctf_type *type);
static void add_field(struct maker *maker, struct fields *fields,
		      const struct strata_ctf_type *outer, size_t at, const char *name,
		      const struct strata_ctf_type *type);

/* Names ---------------------------------------------------------------------------------- */

bool strata_ctf_flat_is_name(const char *name)
{
	size_t i;

	for (i = 0; isalnum((unsigned char)name[i]) || name[i] == '_'; i++)
		;
	return i > 0 && !name[i] && !isdigit((unsigned char)name[0]) && i < NAME_BYTES / 2;
}

static bool has_field(const struct strata_ctf_type *type, const char *name)
{
	size_t i;

	for (i = 0; type && i < type->nr_fields; i++) {
		if (strcmp(type->fields[i].name, name) == 0)
			return true;
	}
	return false;
}

/* Makes a name for a field of @outer; a changed name contains the field's index. */
static void make_name(char name[NAME_BYTES], const struct strata_ctf_type *outer, size_t at)
{
	const char *was = outer->fields[at].name;
	const bool is_option = outer->kind == STRATA_CTF_VARIANT;
	size_t i;

	/* babeltrace2 2.0.4 treats x and _x as equal, and finds no option with a label _x. */
	if (strata_ctf_flat_is_name(was) &&
	    !(was[0] == '_' && (is_option || has_field(outer, was + 1)))) {
		snprintf(name, NAME_BYTES, "%s", was);
		return;
	}
	snprintf(name, NAME_BYTES / 2, "%s", was + strspn(was, "_"));
	for (i = 0; name[i]; i++) {
		if (!isalnum((unsigned char)name[i]))
			name[i] = '_';
	}
	snprintf(name + i, NAME_BYTES - i, "_%zu", at);
	for (i = strlen(name); has_field(outer, name) && i + 1 < NAME_BYTES; i++)
		strcpy(name + i, "_");
}

/* Makes the name of an option, which is also its label. */
static void make_option(char name[NAME_BYTES], const struct strata_ctf_type *variant, size_t at)
{
	char plain[NAME_BYTES];

	make_name(plain, variant, at);
	/* No keyword of TSDL ends in an underscore; no label begins with a digit. */
	snprintf(name, NAME_BYTES, "%s%.240s_", isdigit((unsigned char)plain[0]) ? "n" : "", plain);
}

/* Makes a name for a length or tag: different from other fields' names, and without a leading
 * underscore, which some readers strip. */
static void make_companion(char name[NAME_BYTES], const struct strata_ctf_type *outer,
			   const char *of, const char *what)
{
	char with[NAME_BYTES];
	size_t i = (size_t)snprintf(with, NAME_BYTES, "_%.200s_%s", of, what);

	for (; (has_field(outer, with) || has_field(outer, with + 1)) && i + 1 < NAME_BYTES; i++)
		strcpy(with + i, "_");
	strcpy(name, with + 1);
}

/* Types ---------------------------------------------------------------------------------- */

static void *get(struct maker *maker, size_t count, size_t size)
{
	void *piece = strata_ctf_arena_get(maker->arena, count, size);

	maker->failed |= !piece;
	return piece;
}

static const char *copy_name(struct maker *maker, const char *name)
{
	char *copy = get(maker, strlen(name) + 1, 1);

	return copy ? strcpy(copy, name) : NULL;
}

static struct strata_ctf_type *copy_type(struct maker *maker, struct strata_ctf_type type)
{
	struct strata_ctf_type *copy = get(maker, 1, sizeof(*copy));

	type.big_endian = maker->big_endian;
	if (copy)
		*copy = type;
	return copy;
}

static void add(struct maker *maker, struct fields *to, const char *name,
		const struct strata_ctf_type *type)
{
	to->fields[to->nr++] = (struct strata_ctf_field){ copy_name(maker, name), type };
}

static struct strata_ctf_type *make_integer(struct maker *maker, unsigned int bits)
{
	return copy_type(maker, strata_ctf_integer(bits, 8));
}

static int16_t new_slot(struct maker *maker)
{
	maker->failed |= maker->nr_slots == INT16_MAX;
	return maker->failed ? 0 : maker->nr_slots++;
}

/* Makes an integer, enumeration or float at a byte boundary, with its original size. */
static struct strata_ctf_type *make_number(struct maker *maker, const struct strata_ctf_type *was)
{
	struct strata_ctf_type type = strata_ctf_integer(strata_ctf_flat_bits(was), 8);

	type.is_signed = was->is_signed;
	type.base = was->base;
	if (was->kind == STRATA_CTF_FLOAT)
		type.kind = STRATA_CTF_FLOAT;
	if (strata_ctf_has_labels(was)) {
		type.kind = STRATA_CTF_ENUM;
		type.bits = was->bits;
		type.labels = was->labels;
		type.nr_labels = was->nr_labels;
	}
	return copy_type(maker, type);
}

/* Makes a structure from the fields of another one, or from a single field that needs a
 * companion. */
static struct strata_ctf_type *make_struct(struct maker *maker, const struct strata_ctf_type *type)
{
	const size_t nr = type->kind == STRATA_CTF_STRUCT ? type->nr_fields : 1;
	struct fields fields = { get(maker, 2 * nr, sizeof(*fields.fields)), 0 };
	char name[NAME_BYTES];
	size_t i;

	if (!fields.fields)
		return NULL;
	if (type->kind != STRATA_CTF_STRUCT)
		add_field(maker, &fields, NULL, 0, "value", type);
	for (i = 0; i < nr && type->kind == STRATA_CTF_STRUCT; i++) {
		make_name(name, type, i);
		add_field(maker, &fields, type, i, name, type->fields[i].type);
	}
	return copy_type(maker, strata_ctf_struct(fields.fields, fields.nr, 8));
}

/* Makes a type that needs no companion before it, or wraps it in a structure. */
static struct strata_ctf_type *make_type(struct maker *maker, const struct strata_ctf_type *type)
{
	struct strata_ctf_type text = strata_ctf_struct(NULL, 0, 8);

	switch (type->kind) {
	case STRATA_CTF_INTEGER:
	case STRATA_CTF_ENUM:
	case STRATA_CTF_VARINT:
	case STRATA_CTF_FLOAT:
		return make_number(maker, type);
	case STRATA_CTF_ARRAY:
	case STRATA_CTF_SEQUENCE:
		/* TSDL writes the brackets of nested arrays in another order. */
		if (!strata_ctf_is_text(type))
			return make_struct(maker, type);
		break;
	case STRATA_CTF_STRUCT:
	case STRATA_CTF_VARIANT:
	case STRATA_CTF_OPTIONAL:
		return make_struct(maker, type);
	default:
		break;
	}
	text.kind = STRATA_CTF_STRING;
	return copy_type(maker, text);
}

/* Adds an array or sequence, preceded by its length unless a nearby field has it. */
static void add_elements(struct maker *maker, struct fields *fields,
			 const struct strata_ctf_type *outer, size_t at, const char *name,
			 const struct strata_ctf_type *type)
{
	const struct strata_ctf_field *near = strata_ctf_flat_length(outer, at);
	struct strata_ctf_type elements = strata_ctf_struct(NULL, 0, 8);
	struct strata_ctf_type *length = NULL;
	char length_name[NAME_BYTES];
	size_t i;

	if (near) {
		make_name(length_name, outer, (size_t)(near - outer->fields));
		for (i = fields->nr; i > 0 && !length; i--) {
			if (fields->fields[i - 1].name &&
			    strcmp(fields->fields[i - 1].name, length_name) == 0)
				length = (struct strata_ctf_type *)fields->fields[i - 1].type;
		}
	} else if (strata_ctf_flat_has_length(outer, at, type)) {
		make_companion(length_name, outer, name, "length");
		length = make_integer(maker, 64);
		add(maker, fields, length_name, length);
	}
	elements.kind = length ? STRATA_CTF_SEQUENCE : STRATA_CTF_ARRAY;
	elements.length = length ? 0 : type->length;
	if (length && length->slot == STRATA_CTF_NO_SLOT)
		length->slot = new_slot(maker);
	if (length)
		elements.slot = length->slot;
	elements.element = make_type(maker, type->element);
	add(maker, fields, name, copy_type(maker, elements));
}

/* Makes the labels of a tag that selects one of @fields. */
static struct strata_ctf_type *make_tag(struct maker *maker, const struct fields *fields)
{
	struct strata_ctf_type *tag = make_integer(maker, STRATA_CTF_FLAT_TAG_BITS);
	struct strata_ctf_label *labels = get(maker, fields->nr, sizeof(*labels));
	size_t i;

	if (!tag || !labels)
		return NULL;
	for (i = 0; i < fields->nr; i++)
		labels[i] = (struct strata_ctf_label){ fields->fields[i].name, i, i };
	tag->kind = STRATA_CTF_ENUM;
	tag->slot = new_slot(maker);
	tag->labels = labels;
	tag->nr_labels = fields->nr;
	return tag;
}

/* Adds a variant or optional field, preceded by its tag. */
static void add_choice(struct maker *maker, struct fields *fields,
		       const struct strata_ctf_type *outer, const char *name,
		       const struct strata_ctf_type *type)
{
	const bool is_optional = type->kind == STRATA_CTF_OPTIONAL;
	const size_t nr = type->nr_fields + is_optional;
	struct fields options = { get(maker, nr, sizeof(*options.fields)), 0 };
	struct strata_ctf_choice *choices = get(maker, nr, sizeof(*choices));
	struct strata_ctf_type variant, *tag;
	char option[NAME_BYTES];
	size_t i;

	if (!options.fields || !choices)
		return;
	if (is_optional)
		add(maker, &options, "none", copy_type(maker, strata_ctf_struct(NULL, 0, 8)));
	for (i = 0; i < type->nr_fields; i++) {
		strcpy(option, "some");
		if (!is_optional)
			make_option(option, type, i);
		add(maker, &options, option, make_type(maker, type->fields[i].type));
	}
	for (i = 0; i < nr; i++)
		choices[i] = (struct strata_ctf_choice){ i, i, (uint32_t)i };
	tag = make_tag(maker, &options);
	if (!tag)
		return;
	make_companion(option, outer, name, "tag");
	add(maker, fields, option, tag);
	variant = strata_ctf_struct(options.fields, nr, 1);
	variant.kind = STRATA_CTF_VARIANT;
	variant.slot = tag->slot;
	variant.choices = choices;
	variant.nr_choices = nr;
	add(maker, fields, name, copy_type(maker, variant));
}

/* Adds a field, preceded by its length or tag. */
static void add_field(struct maker *maker, struct fields *fields,
		      const struct strata_ctf_type *outer, size_t at, const char *name,
		      const struct strata_ctf_type *type)
{
	if (type->kind == STRATA_CTF_VARIANT || type->kind == STRATA_CTF_OPTIONAL)
		add_choice(maker, fields, outer, name, type);
	else if (type->element && !strata_ctf_is_text(type))
		add_elements(maker, fields, outer, at, name, type);
	else
		add(maker, fields, name, make_type(maker, type));
}

const struct strata_ctf_type *strata_ctf_flat_type(struct strata_ctf_arena *arena,
						   const struct strata_ctf_type *type,
						   bool big_endian)
{
	struct maker maker = { .arena = arena, .big_endian = big_endian };
	const struct strata_ctf_type *flat = make_type(&maker, type);

	return maker.failed ? NULL : flat;
}

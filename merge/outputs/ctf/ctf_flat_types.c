// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_flat_types.c - the types of ctf_flat.h as TSDL. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "outputs/ctf/ctf_flat.h"
#include "outputs/ctf/ctf_flat_layout.h"
#include "ctf/write/tsdl.h"

#define NAME_BYTES 256u

struct flat_writer {
	struct strata_out_file *out;
	bool big_endian;
};

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

/* A name for a field of @outer; one that has to be changed has the field's number in it. */
static void make_name(char name[NAME_BYTES], const struct strata_ctf_type *outer, size_t at)
{
	const char *was = outer->fields[at].name;
	size_t i;

	/* babeltrace2 2.0.4 takes x and _x for the same. */
	if (strata_ctf_flat_is_name(was) && !(was[0] == '_' && has_field(outer, was + 1))) {
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

/* A name for what stands in front of a field: none of another field, nor one with an underscore in
 * front, which some readers take away. */
static void make_companion(char name[NAME_BYTES], const struct strata_ctf_type *outer,
			   const char *of, const char *what)
{
	char with[NAME_BYTES];
	size_t i = (size_t)snprintf(with, NAME_BYTES, "_%.200s_%s", of, what);

	for (; (has_field(outer, with) || has_field(outer, with + 1)) && i + 1 < NAME_BYTES; i++)
		strcpy(with + i, "_");
	strcpy(name, with + 1);
}

static void put_tabs(struct flat_writer *writer, unsigned int indent)
{
	while (indent--)
		strata_out_print(writer->out, "\t");
}

static void put_integer(struct flat_writer *writer, unsigned int bits, bool is_signed,
			unsigned int base)
{
	strata_out_print(
		writer->out,
		"integer { size = %u; align = 8; signed = %s; byte_order = %s; base = %u; }", bits,
		is_signed ? "true" : "false", writer->big_endian ? "be" : "le", base);
}

static void put_labels(struct flat_writer *writer, const struct strata_ctf_type *type,
		       unsigned int indent)
{
	size_t i;

	strata_out_print(writer->out, "enum : ");
	put_integer(writer, type->bits, type->is_signed, type->base);
	strata_out_print(writer->out, " {\n");
	for (i = 0; i < type->nr_labels; i++) {
		put_tabs(writer, indent + 1);
		strata_tsdl_string(writer->out, type->labels[i].name);
		if (type->is_signed)
			strata_out_print(writer->out, " = %lld ... %lld,\n",
					 (long long)type->labels[i].low,
					 (long long)type->labels[i].high);
		else
			strata_out_print(writer->out, " = %llu ... %llu,\n",
					 (unsigned long long)type->labels[i].low,
					 (unsigned long long)type->labels[i].high);
	}
	put_tabs(writer, indent);
	strata_out_print(writer->out, "}");
}

/* Whether something has to stand in front of it. */
static bool has_companion(const struct strata_ctf_type *type)
{
	switch (type->kind) {
	case STRATA_CTF_ARRAY:
	case STRATA_CTF_SEQUENCE:
		/* An array of arrays would need its brackets in another order. */
		return !strata_ctf_is_text(type);
	case STRATA_CTF_VARIANT:
	case STRATA_CTF_OPTIONAL:
		return true;
	default:
		return false;
	}
}

static void put_field(struct flat_writer *writer, const struct strata_ctf_type *outer, size_t at,
		      const char *name, const struct strata_ctf_type *type, unsigned int indent);

/* A type that nothing has to stand in front of, or a structure around it. */
static void put_type(struct flat_writer *writer, const struct strata_ctf_type *type,
		     unsigned int indent)
{
	size_t i;

	if (has_companion(type)) {
		strata_out_print(writer->out, "struct {\n");
		put_field(writer, NULL, 0, "value", type, indent + 1);
		put_tabs(writer, indent);
		strata_out_print(writer->out, "} align(8)");
		return;
	}
	switch (type->kind) {
	case STRATA_CTF_INTEGER:
	case STRATA_CTF_ENUM:
	case STRATA_CTF_VARINT:
		if (strata_ctf_has_labels(type))
			put_labels(writer, type, indent);
		else
			put_integer(writer, strata_ctf_flat_bits(type), type->is_signed,
				    type->base);
		break;
	case STRATA_CTF_FLOAT:
		strata_out_print(writer->out,
				 "floating_point { exp_dig = %u; mant_dig = %u; byte_order = %s; "
				 "align = 8; }",
				 type->bits == 32 ? 8 : 11, type->bits == 32 ? 24 : 53,
				 writer->big_endian ? "be" : "le");
		break;
	case STRATA_CTF_STRUCT:
		strata_out_print(writer->out, "struct {\n");
		for (i = 0; i < type->nr_fields; i++) {
			char name[NAME_BYTES];

			make_name(name, type, i);
			put_field(writer, type, i, name, type->fields[i].type, indent + 1);
		}
		put_tabs(writer, indent);
		strata_out_print(writer->out, "} align(8)");
		break;
	default:
		strata_out_print(writer->out, "string { encoding = UTF8; }");
		break;
	}
}

static void put_elements(struct flat_writer *writer, const struct strata_ctf_type *outer, size_t at,
			 const char *name, const struct strata_ctf_type *type, unsigned int indent)
{
	const struct strata_ctf_field *near = strata_ctf_flat_length(outer, at);
	char length[NAME_BYTES];

	if (near)
		make_name(length, outer, (size_t)(near - outer->fields));
	else
		make_companion(length, outer, name, "length");
	if (strata_ctf_flat_has_length(outer, at, type)) {
		put_integer(writer, 64, false, 10);
		strata_out_print(writer->out, " _%s;\n", length);
		put_tabs(writer, indent);
	}
	put_type(writer, type->element, indent);
	if (near || strata_ctf_flat_has_length(outer, at, type))
		strata_out_print(writer->out, " _%s[_%s];\n", name, length);
	else
		strata_out_print(writer->out, " _%s[%llu];\n", name,
				 (unsigned long long)type->length);
}

/* The name of an option: a label and a field that are written alike. */
static void make_option(char name[NAME_BYTES], const struct strata_ctf_type *type, size_t at)
{
	char plain[NAME_BYTES];

	make_name(plain, type, at);
	/* No word of TSDL ends so. */
	snprintf(name, NAME_BYTES, "%.240s_", plain);
}

static void put_choice(struct flat_writer *writer, const struct strata_ctf_type *outer,
		       const char *name, const struct strata_ctf_type *type, unsigned int indent)
{
	char tag[NAME_BYTES], option[NAME_BYTES];
	size_t i;

	make_companion(tag, outer, name, "tag");
	strata_out_print(writer->out, "enum : ");
	put_integer(writer, STRATA_CTF_FLAT_TAG_BITS, false, 10);
	strata_out_print(writer->out, " { ");
	if (type->kind == STRATA_CTF_OPTIONAL)
		strata_out_print(writer->out, "none = 0, some = 1");
	for (i = 0; i < type->nr_fields && type->kind == STRATA_CTF_VARIANT; i++) {
		make_option(option, type, i);
		strata_out_print(writer->out, "%s%s = %zu", i ? ", " : "", option, i);
	}
	strata_out_print(writer->out, " } _%s;\n", tag);
	put_tabs(writer, indent);
	strata_out_print(writer->out, "variant <_%s> {\n", tag);
	if (type->kind == STRATA_CTF_OPTIONAL) {
		put_tabs(writer, indent + 1);
		strata_out_print(writer->out, "struct { } none;\n");
	}
	for (i = 0; i < type->nr_fields; i++) {
		put_tabs(writer, indent + 1);
		put_type(writer, type->fields[i].type, indent + 1);
		if (type->kind == STRATA_CTF_VARIANT)
			make_option(option, type, i);
		strata_out_print(writer->out, " %s;\n",
				 type->kind == STRATA_CTF_VARIANT ? option : "some");
	}
	put_tabs(writer, indent);
	strata_out_print(writer->out, "} _%s;\n", name);
}

/* A field, with what stands in front of it. */
static void put_field(struct flat_writer *writer, const struct strata_ctf_type *outer, size_t at,
		      const char *name, const struct strata_ctf_type *type, unsigned int indent)
{
	put_tabs(writer, indent);
	if (type->kind == STRATA_CTF_VARIANT || type->kind == STRATA_CTF_OPTIONAL) {
		put_choice(writer, outer, name, type, indent);
	} else if (has_companion(type)) {
		put_elements(writer, outer, at, name, type, indent);
	} else {
		put_type(writer, type, indent);
		strata_out_print(writer->out, " _%s;\n", name);
	}
}

void strata_ctf_flat_write(struct strata_out_file *out, const struct strata_ctf_type *type,
			   bool big_endian, unsigned int indent)
{
	struct flat_writer writer = { .out = out, .big_endian = big_endian };

	put_type(&writer, type, indent);
}

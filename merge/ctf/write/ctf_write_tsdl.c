// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_write_tsdl.c - see ctf_write_tsdl.h.
 *
 * A length is written as the path from its scope if there are only structures in between, so that
 * it is unambiguous. A field in an element of an array or in an option has no such path: only
 * fields in the same element or option can refer to it, by the path from their innermost common
 * structure.
 *
 * babeltrace2 reads a variant's tag only if it is a single word, and finds an option's label only
 * if both are spelled the same; this is ensured where possible.
 */
#include "ctf/write/ctf_write_tsdl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/types/ctf_places.h"
#include "base/put_text.h"
#include "ctf/write/tsdl.h"

#define INTEGER_BYTES 128u /* of the longest one, without its suffix */

struct frame {
	const struct frame *outer;
	const struct strata_ctf_type *structure;
};

struct writer {
	struct strata_out_file *out;
	const struct strata_ctf_scopes *scopes;
	enum strata_ctf_scope scope;
	struct strata_ctf_place *places; /* by slot */
	struct strata_error *error;
};

/* Names ---------------------------------------------------------------------------------- */

static bool is_word_of_tsdl(const char *name)
{
	static const char *const words[] = {
		"align",     "callsite",       "char",     "clock",
		"const",     "double",         "enum",     "env",
		"event",     "float",          "int",      "long",
		"short",     "signed",         "stream",   "string",
		"struct",    "trace",          "void",     "integer",
		"typealias", "_Bool",          "typedef",  "unsigned",
		"variant",   "floating_point", "_Complex", "_Imaginary",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(name, words[i]) == 0)
			return true;
	return false;
}

/* The prefix with which readers show exactly this name. */
static const char *prefix_of(enum strata_ctf_scope scope, const char *name)
{
	const bool have_meanings = scope == STRATA_CTF_PACKET_HEADER ||
				   scope == STRATA_CTF_PACKET_CONTEXT ||
				   scope == STRATA_CTF_EVENT_HEADER;

	return have_meanings && name[0] != '_' && !is_word_of_tsdl(name) ? "" : "_";
}

/* References ----------------------------------------------------------------------------- */

/* Writes the names from @first on; @dot: precedes the first of them. */
static void write_names(struct writer *writer, const struct strata_ctf_place *place,
			unsigned int first, const char *dot)
{
	for (; first < place->depth; first++, dot = ".") {
		strata_out_text(writer->out, dot);
		strata_out_text(writer->out, prefix_of(place->scope, place->names[first]));
		strata_out_text(writer->out, place->names[first]);
	}
}

static void write_absolute(struct writer *writer, const struct strata_ctf_place *place)
{
	const struct strata_ctf_scope_path *path = &strata_ctf_scope_paths[place->scope];
	size_t i;

	for (i = 0; i < path->nr_words; i++) {
		strata_out_text(writer->out, i ? "." : "");
		strata_out_text(writer->out, path->words[i]);
	}
	write_names(writer, place, 0, ".");
}

/* Whether one of the structures inside @outermost has a field that shows this name. */
static bool is_hidden(const struct frame *frames, const struct strata_ctf_type *outermost,
		      const char *name)
{
	size_t i;

	for (; frames->structure != outermost; frames = frames->outer)
		for (i = 0; i < frames->structure->nr_fields; i++)
			if (strcmp(frames->structure->fields[i].name, name) == 0)
				return true;
	return false;
}

/* Writes the path from the innermost structure around both; false: none encloses both. */
static bool write_relative(struct writer *writer, const struct strata_ctf_place *place,
			   const struct frame *frames, bool as_one_word)
{
	const struct frame *frame;
	unsigned int i;

	for (frame = frames; frame; frame = frame->outer) {
		for (i = place->depth; i-- > 0;) {
			if (place->around[i] != frame->structure)
				continue;
			if (as_one_word && (i + 1 < place->depth ||
					    is_hidden(frames, frame->structure, place->names[i])))
				return false;
			write_names(writer, place, i, "");
			return true;
		}
	}
	return false;
}

/* Writes the path of a sequence's length or a variant's tag. */
static int write_reference(struct writer *writer, const struct strata_ctf_type *type,
			   const struct frame *frames)
{
	const struct strata_ctf_place *place = &writer->places[type->slot];

	if (place->type) {
		if (type->kind == STRATA_CTF_VARIANT && write_relative(writer, place, frames, true))
			return 0;
		if (place->is_absolute) {
			write_absolute(writer, place);
			return 0;
		}
		if (write_relative(writer, place, frames, false))
			return 0;
	}
	return strata_fail(
		writer->error,
		"the length or tag in slot %d is not in a structure that is written with the field that refers to it",
		type->slot);
}

/* Types ---------------------------------------------------------------------------------- */

static int write_type(struct writer *writer, const struct strata_ctf_type *type,
		      const struct frame *frames, unsigned int indent);

static void write_tabs(struct writer *writer, unsigned int indent)
{
	static const char tabs[] = "\t\t\t\t\t\t\t\t";

	for (; indent >= sizeof(tabs); indent--)
		strata_out_text(writer->out, "\t");
	strata_out_text(writer->out, tabs + sizeof(tabs) - 1 - indent);
}

/* Returns the byte order if it is not the trace's default. */
static const char *order_of(const struct writer *writer, const struct strata_ctf_type *type)
{
	if (type->big_endian == writer->scopes->big_endian)
		return "";
	return type->big_endian ? " byte_order = be;" : " byte_order = le;";
}

static void write_integer(struct writer *writer, const struct strata_ctf_type *type)
{
	char *to = strata_out_room(writer->out, INTEGER_BYTES);

	to = strata_put_decimal(strata_put_text(to, "integer { size = "), type->bits);
	to = strata_put_decimal(strata_put_text(to, "; align = "), type->align);
	to = strata_put_text(to, type->is_signed ? "; signed = true;" : "; signed = false;");
	strata_out_advance(writer->out, strata_put_text(to, order_of(writer, type)));
	if (type->base != 10)
		strata_out_print(writer->out, " base = %u;", type->base);
	if (type->is_text)
		strata_out_text(writer->out, " encoding = UTF8;");
	if (type->clock != STRATA_CTF_NO_CLOCK && writer->scopes->clocks)
		strata_out_print(writer->out, " map = clock.%s.value;",
				 writer->scopes->clocks[type->clock]);
	strata_out_text(writer->out, " }");
}

static void write_float(struct writer *writer, const struct strata_ctf_type *type)
{
	strata_out_print(writer->out,
			 "floating_point { exp_dig = %u; mant_dig = %u;%s align = %u; }",
			 type->bits == 32 ? 8 : 11, type->bits == 32 ? 24 : 53,
			 order_of(writer, type), type->align);
}

static void write_bound(struct writer *writer, bool is_signed, uint64_t bound)
{
	if (is_signed)
		strata_out_print(writer->out, "%lld", (long long)bound);
	else
		strata_out_print(writer->out, "%llu", (unsigned long long)bound);
}

static void write_enum(struct writer *writer, const struct strata_ctf_type *type,
		       unsigned int indent)
{
	size_t i;

	strata_out_text(writer->out, "enum : ");
	write_integer(writer, type);
	strata_out_text(writer->out, " {\n");
	for (i = 0; i < type->nr_labels; i++) {
		const struct strata_ctf_label *label = &type->labels[i];

		write_tabs(writer, indent + 1);
		strata_tsdl_string(writer->out, label->name);
		strata_out_text(writer->out, " = ");
		write_bound(writer, type->is_signed, label->low);
		if (label->low != label->high) {
			strata_out_text(writer->out, " ... ");
			write_bound(writer, type->is_signed, label->high);
		}
		strata_out_text(writer->out, ",\n");
	}
	write_tabs(writer, indent);
	strata_out_text(writer->out, "}");
}

/* Writes TYPE NAME[..], with the name as given. */
static int write_field(struct writer *writer, const struct strata_ctf_field *field,
		       const char *prefix, const char *name, const struct frame *frames,
		       unsigned int indent)
{
	const struct strata_ctf_type *type = field->type;

	write_tabs(writer, indent);
	while (type->element)
		type = type->element;
	if (write_type(writer, type, frames, indent))
		return -1;
	strata_out_text(writer->out, " ");
	strata_out_text(writer->out, prefix);
	strata_out_text(writer->out, name);
	for (type = field->type; type->element; type = type->element) {
		strata_out_text(writer->out, "[");
		if (type->kind == STRATA_CTF_ARRAY)
			strata_out_print(writer->out, "%llu", (unsigned long long)type->length);
		else if (write_reference(writer, type, frames))
			return -1;
		strata_out_text(writer->out, "]");
	}
	strata_out_text(writer->out, ";\n");
	return 0;
}

static int write_fields(struct writer *writer, const struct strata_ctf_type *type,
			const struct frame *frames, unsigned int indent)
{
	const struct frame frame = { .outer = frames, .structure = type };
	size_t i;

	for (i = 0; i < type->nr_fields; i++) {
		const struct strata_ctf_field *field = &type->fields[i];

		if (write_field(writer, field, prefix_of(writer->scope, field->name), field->name,
				&frame, indent))
			return -1;
	}
	return 0;
}

static int write_struct(struct writer *writer, const struct strata_ctf_type *type,
			const struct frame *frames, unsigned int indent)
{
	strata_out_text(writer->out, "struct {\n");
	if (write_fields(writer, type, frames, indent + 1))
		return -1;
	write_tabs(writer, indent);
	strata_out_print(writer->out, "} align(%u)", type->align);
	return 0;
}

/* Whether readers show a label's name as the option's. */
static bool is_label_of(const char *label, const char *option)
{
	const char *c;

	if (strcmp(label[0] == '_' && label[1] ? label + 1 : label, option) != 0 ||
	    is_word_of_tsdl(label) || strchr("0123456789", label[0]))
		return false;
	for (c = label; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			return false;
	return true;
}

static const char *behind_underscores(const char *name)
{
	return name + strspn(name, "_");
}

/* Returns for each option the label that selects it, or NULL; choices are in the order of
 * labels. */
static const char **labels_of_options(const struct strata_ctf_type *variant,
				      const struct strata_ctf_type *tag)
{
	const char **labels = calloc(variant->nr_fields + 1, sizeof(*labels));
	size_t i, next = 0;

	for (i = 0; labels && i < tag->nr_labels && next < variant->nr_choices; i++) {
		const struct strata_ctf_choice *choice = &variant->choices[next];
		const struct strata_ctf_label *label = &tag->labels[i];

		const char *option = variant->fields[choice->option].name;

		if (choice->low != label->low || choice->high != label->high ||
		    strcmp(behind_underscores(label->name), behind_underscores(option)) != 0)
			continue;
		if (is_label_of(label->name, option))
			labels[choice->option] = label->name;
		next++;
	}
	return labels;
}

static int write_variant(struct writer *writer, const struct strata_ctf_type *type,
			 const struct frame *frames, unsigned int indent)
{
	const char **labels;
	size_t i;
	int result = 0;

	strata_out_text(writer->out, "variant <");
	if (write_reference(writer, type, frames))
		return -1;
	strata_out_text(writer->out, "> {\n");
	labels = labels_of_options(type, writer->places[type->slot].type);
	if (!labels)
		return strata_fail(writer->error, "out of memory for types");
	for (i = 0; i < type->nr_fields && !result; i++) {
		const struct strata_ctf_field *field = &type->fields[i];

		result = write_field(writer, field,
				     labels[i] ? "" : prefix_of(writer->scope, field->name),
				     labels[i] ? labels[i] : field->name, frames, indent + 1);
	}
	free(labels);
	write_tabs(writer, indent);
	strata_out_text(writer->out, "}");
	return result;
}

static int write_type(struct writer *writer, const struct strata_ctf_type *type,
		      const struct frame *frames, unsigned int indent)
{
	switch (type->kind) {
	case STRATA_CTF_INTEGER:
		write_integer(writer, type);
		return 0;
	case STRATA_CTF_ENUM:
		write_enum(writer, type, indent);
		return 0;
	case STRATA_CTF_FLOAT:
		write_float(writer, type);
		return 0;
	case STRATA_CTF_STRUCT:
		return write_struct(writer, type, frames, indent);
	case STRATA_CTF_VARIANT:
		return write_variant(writer, type, frames, indent);
	default:
		/* The brackets of an array follow its name. */
		strata_out_text(writer->out, "string { encoding = UTF8; }");
		return 0;
	}
}

/* Whether a type has lengths or tags outside of it. */
static bool has_references(const struct strata_ctf_type *type)
{
	bool has = type->slot != STRATA_CTF_NO_SLOT && !strata_ctf_is_integer(type);
	size_t i;

	has = has || (type->element && has_references(type->element));
	for (i = 0; i < type->nr_fields && !has; i++)
		has = has_references(type->fields[i].type);
	return has;
}

/* Returns one more than the highest slot of integers in a type. */
static size_t slots_of(const struct strata_ctf_type *type)
{
	size_t i, most, nr = 0;

	if (!type)
		return 0;
	if (type->slot != STRATA_CTF_NO_SLOT)
		nr = (size_t)type->slot + 1;
	most = slots_of(type->element);
	nr = most > nr ? most : nr;
	for (i = 0; i < type->nr_fields; i++) {
		most = slots_of(type->fields[i].type);
		nr = most > nr ? most : nr;
	}
	return nr;
}

int strata_ctf_write_tsdl(struct strata_out_file *out, const struct strata_ctf_scopes *scopes,
			  enum strata_ctf_scope scope, unsigned int indent,
			  struct strata_error *error)
{
	struct writer writer = { .out = out, .scopes = scopes, .scope = scope, .error = error };
	size_t i, most, nr = 0;
	int result;

	for (i = 0; i <= scope && has_references(scopes->types[scope]); i++) {
		most = slots_of(scopes->types[i]);
		nr = most > nr ? most : nr;
	}
	writer.places = calloc(nr + 1, sizeof(*writer.places));
	if (!writer.places)
		return strata_fail(error, "out of memory for types");
	for (i = 0; i <= scope && nr; i++)
		strata_ctf_find_places(writer.places, (enum strata_ctf_scope)i, scopes->types[i]);
	result = write_type(&writer, scopes->types[scope], NULL, indent);
	free(writer.places);
	return result;
}

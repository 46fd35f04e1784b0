// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf2_types.c - field classes of CTF 2: structures, arrays, optional fields and variants; numbers
 * are ctf2_scalars.c's, texts and BLOBs ctf2_bytes.c's. A field class named by an alias is the same
 * declaration everywhere.
 */
#include <stdio.h>
#include <string.h>

#include "ctf/ctf2/ctf2_parser.h"
#include "base/escape.h"

struct strata_tsdl_type *strata_ctf2_new_type(struct strata_ctf2_parser *parser,
					      enum strata_ctf_kind kind)
{
	struct strata_tsdl_type *type = strata_tsdl_get(parser->source, 1, sizeof(*type));

	if (!type)
		return NULL;
	type->kind = kind;
	type->at = parser->at;
	type->depth = 1;
	type->align = 1;
	return type;
}

int strata_ctf2_put_within(struct strata_ctf2_parser *parser, struct strata_tsdl_type *outer,
			   const struct strata_tsdl_type *inner)
{
	if (inner->depth >= STRATA_CTF_DEPTH_MAX)
		return strata_ctf2_fail(parser,
					"field classes within field classes, more than %u deep: "
					"too many",
					STRATA_CTF_DEPTH_MAX);
	if (outer->depth <= inner->depth)
		outer->depth = inner->depth + 1;
	return 0;
}

/* Locations ------------------------------------------------------------------------------ */

int strata_ctf2_parse_location(struct strata_ctf2_parser *parser, struct json_object *object,
			       const char *key, struct strata_tsdl_path *path)
{
	static const char *const origins[] = {
		[STRATA_CTF_PACKET_HEADER] = "packet-header",
		[STRATA_CTF_PACKET_CONTEXT] = "packet-context",
		[STRATA_CTF_EVENT_HEADER] = "event-record-header",
		[STRATA_CTF_STREAM_EVENT_CONTEXT] = "event-record-common-context",
		[STRATA_CTF_EVENT_CONTEXT] = "event-record-specific-context",
		[STRATA_CTF_PAYLOAD] = "event-record-payload",
		[STRATA_CTF_NR_SCOPES] = NULL,
	};
	struct json_object *location, *array;
	size_t i;

	path->at = parser->at;
	path->origin = STRATA_TSDL_FROM_HERE;
	path->scope = STRATA_CTF_NR_SCOPES;
	if (strata_ctf2_get(parser, object, key, json_type_object, true, &location) ||
	    strata_ctf2_check(parser, location, " origin path ") ||
	    strata_ctf2_get_word(parser, location, "origin", false, origins, &path->scope) ||
	    strata_ctf2_get(parser, location, "path", json_type_array, true, &array))
		return -1;
	if (path->scope < STRATA_CTF_NR_SCOPES)
		path->origin = STRATA_TSDL_FROM_SCOPE;
	path->nr_words = json_object_array_length(array);
	path->words = strata_tsdl_get(parser->source, path->nr_words, sizeof(*path->words));
	if (!path->words)
		return -1;
	for (i = 0; i < path->nr_words; i++) {
		struct json_object *word = json_object_array_get_idx(array, i);

		if (!word)
			continue;
		if (!json_object_is_type(word, json_type_string))
			return strata_ctf2_fail(parser, "an element of a location's \"path\" must "
							"be a string or null");
		path->words[i] = strata_ctf2_name(parser, word);
		if (!path->words[i])
			return -1;
	}
	if (!path->nr_words || !path->words[path->nr_words - 1])
		return strata_ctf2_fail(parser, "the \"path\" of \"%s\" must end with a name", key);
	if (path->origin == STRATA_TSDL_FROM_SCOPE && !path->words[0])
		return strata_ctf2_fail(parser, "the \"path\" of \"%s\" leads out of its origin",
					key);
	return 0;
}

/* Compounds ------------------------------------------------------------------------------ */

static struct strata_tsdl_field *add_field(struct strata_ctf2_parser *parser,
					   struct strata_tsdl_type *type,
					   struct strata_tsdl_field ***end)
{
	struct strata_tsdl_field *field = strata_tsdl_get(parser->source, 1, sizeof(*field));

	if (!field)
		return NULL;
	field->at = parser->at;
	**end = field;
	*end = &field->next;
	type->nr_fields++;
	return field;
}

static int parse_member(struct strata_ctf2_parser *parser, struct json_object *object,
			struct strata_tsdl_type *type, struct strata_tsdl_field ***end)
{
	struct strata_tsdl_field *field = add_field(parser, type, end);
	int result;

	if (!field || strata_ctf2_check(parser, object, " name field-class ") ||
	    strata_ctf2_get_name(parser, object, "name", true, &field->name))
		return -1;
	strata_ctf2_enter(parser, field->name);
	result = strata_ctf2_get_type(parser, object, "field-class", true, &field->type);
	strata_ctf2_leave(parser);
	return result ? -1 : strata_ctf2_put_within(parser, type, field->type);
}

static int parse_structure(struct strata_ctf2_parser *parser, struct json_object *object,
			   struct strata_tsdl_type *type)
{
	struct strata_tsdl_field **end = &type->fields;
	struct json_object *members;
	size_t i;

	if (strata_ctf2_check(parser, object, " type member-classes minimum-alignment ") ||
	    strata_ctf2_get_align(parser, object, "minimum-alignment", &type->align) ||
	    strata_ctf2_get(parser, object, "member-classes", json_type_array, false, &members))
		return -1;
	for (i = 0; members && i < json_object_array_length(members); i++) {
		if (parse_member(parser, json_object_array_get_idx(members, i), type, &end))
			return -1;
	}
	return 0;
}

static int parse_array(struct strata_ctf2_parser *parser, struct json_object *object,
		       struct strata_tsdl_type *type)
{
	if (strata_ctf2_check(parser, object,
			      type->kind == STRATA_CTF_ARRAY
				      ? " type length element-field-class minimum-alignment "
				      : " type length-field-location element-field-class "
					"minimum-alignment ") ||
	    strata_ctf2_get_align(parser, object, "minimum-alignment", &type->align) ||
	    strata_ctf2_parse_length(parser, object, type) ||
	    strata_ctf2_get_type(parser, object, "element-field-class", true, &type->element))
		return -1;
	return strata_ctf2_put_within(parser, type, type->element);
}

/* Adds the ranges of an option to the choices. */
static int add_choices(struct strata_ctf2_parser *parser, struct json_object *ranges,
		       struct strata_ctf_choice *choices, size_t *nr, uint32_t option)
{
	struct strata_ctf_label *labels;
	size_t i, nr_labels;

	if (strata_ctf2_ranges(parser, ranges, &labels, &nr_labels))
		return -1;
	for (i = 0; i < nr_labels; i++)
		choices[(*nr)++] =
			(struct strata_ctf_choice){ labels[i].low, labels[i].high, option };
	return 0;
}

static int parse_optional(struct strata_ctf2_parser *parser, struct json_object *object,
			  struct strata_tsdl_type *type)
{
	struct strata_tsdl_field **end = &type->fields, *field = add_field(parser, type, &end);
	struct strata_ctf_choice *choices;
	struct json_object *ranges;

	if (!field ||
	    strata_ctf2_check(parser, object,
			      " type selector-field-location selector-field-ranges field-class ") ||
	    strata_ctf2_parse_location(parser, object, "selector-field-location",
				       &type->reference) ||
	    strata_ctf2_get(parser, object, "selector-field-ranges", json_type_array, false,
			    &ranges) ||
	    strata_ctf2_get_type(parser, object, "field-class", true, &field->type))
		return -1;
	field->name = "";
	if (ranges) {
		choices = strata_tsdl_get(parser->source, json_object_array_length(ranges),
					  sizeof(*choices));
		if (!choices || add_choices(parser, ranges, choices, &type->nr_choices, 0))
			return -1;
		type->choices = choices;
		type->has_ranges = true;
	}
	return strata_ctf2_put_within(parser, type, field->type);
}

/* Makes a unique name for an unnamed option: its address differs from that of all names in the
 * text. */
static const char *new_name(struct strata_ctf2_parser *parser, size_t number)
{
	char *name = strata_tsdl_get(parser->source, 32, 1);

	if (name)
		snprintf(name, 32, "option%zu", number);
	return name;
}

static int parse_option(struct strata_ctf2_parser *parser, struct json_object *object,
			struct strata_tsdl_type *type, struct strata_tsdl_field ***end,
			struct strata_ctf_choice *choices)
{
	const uint32_t number = (uint32_t)type->nr_fields;
	struct strata_tsdl_field *field = add_field(parser, type, end);
	struct json_object *ranges;
	int result;

	if (!field ||
	    strata_ctf2_check(parser, object, " name field-class selector-field-ranges ") ||
	    strata_ctf2_get(parser, object, "selector-field-ranges", json_type_array, true,
			    &ranges) ||
	    strata_ctf2_get_name(parser, object, "name", false, &field->name))
		return -1;
	if (!field->name)
		field->name = new_name(parser, number);
	if (!field->name)
		return -1;
	strata_ctf2_enter(parser, field->name);
	result = strata_ctf2_get_type(parser, object, "field-class", true, &field->type);
	strata_ctf2_leave(parser);
	return result || strata_ctf2_put_within(parser, type, field->type) ||
			       add_choices(parser, ranges, choices, &type->nr_choices, number)
		       ? -1
		       : 0;
}

static int parse_variant(struct strata_ctf2_parser *parser, struct json_object *object,
			 struct strata_tsdl_type *type)
{
	struct strata_tsdl_field **end = &type->fields;
	struct json_object *options, *ranges;
	struct strata_ctf_choice *choices;
	size_t i, nr = 0;

	if (strata_ctf2_check(parser, object, " type selector-field-location options ") ||
	    strata_ctf2_parse_location(parser, object, "selector-field-location",
				       &type->reference) ||
	    strata_ctf2_get(parser, object, "options", json_type_array, true, &options))
		return -1;
	if (!json_object_array_length(options))
		return strata_ctf2_fail(parser, "a variant must have one option or more");
	for (i = 0; i < json_object_array_length(options); i++) {
		if (json_object_object_get_ex(json_object_array_get_idx(options, i),
					      "selector-field-ranges", &ranges) &&
		    json_object_is_type(ranges, json_type_array))
			nr += json_object_array_length(ranges);
	}
	choices = strata_tsdl_get(parser->source, nr, sizeof(*choices));
	if (!choices)
		return -1;
	for (i = 0; i < json_object_array_length(options); i++) {
		if (parse_option(parser, json_object_array_get_idx(options, i), type, &end,
				 choices))
			return -1;
	}
	type->choices = choices;
	return 0;
}

/* All ------------------------------------------------------------------------------------- */

static int parse_number(struct strata_ctf2_parser *parser, struct json_object *object,
			struct strata_tsdl_type *type)
{
	const char *name = json_object_get_string(json_object_object_get(object, "type"));

	if (strcmp(name, "variable-length-unsigned-integer") == 0)
		return strata_ctf2_parse_varint(parser, object, type, false);
	if (strcmp(name, "variable-length-signed-integer") == 0)
		return strata_ctf2_parse_varint(parser, object, type, true);
	type->is_signed = strcmp(name, "fixed-length-signed-integer") == 0;
	if (type->is_signed || strcmp(name, "fixed-length-unsigned-integer") == 0)
		return strata_ctf2_parse_bits(parser, object, type, "integer");
	return strata_ctf2_parse_bits(parser, object, type, name + strlen("fixed-length-"));
}

static const struct {
	const char *name;
	enum strata_ctf_kind kind;
	int (*parse)(struct strata_ctf2_parser *parser, struct json_object *object,
		     struct strata_tsdl_type *type);
} classes[] = {
	{ "fixed-length-unsigned-integer", STRATA_CTF_INTEGER, parse_number },
	{ "fixed-length-signed-integer", STRATA_CTF_INTEGER, parse_number },
	{ "fixed-length-bit-array", STRATA_CTF_INTEGER, parse_number },
	{ "fixed-length-bit-map", STRATA_CTF_INTEGER, parse_number },
	{ "fixed-length-boolean", STRATA_CTF_INTEGER, parse_number },
	{ "fixed-length-floating-point-number", STRATA_CTF_FLOAT, parse_number },
	{ "variable-length-unsigned-integer", STRATA_CTF_VARINT, parse_number },
	{ "variable-length-signed-integer", STRATA_CTF_VARINT, parse_number },
	{ "null-terminated-string", STRATA_CTF_STRING, strata_ctf2_parse_string },
	{ "static-length-string", STRATA_CTF_ARRAY, strata_ctf2_parse_text },
	{ "dynamic-length-string", STRATA_CTF_SEQUENCE, strata_ctf2_parse_text },
	{ "static-length-blob", STRATA_CTF_ARRAY, strata_ctf2_parse_blob },
	{ "dynamic-length-blob", STRATA_CTF_SEQUENCE, strata_ctf2_parse_blob },
	{ "structure", STRATA_CTF_STRUCT, parse_structure },
	{ "static-length-array", STRATA_CTF_ARRAY, parse_array },
	{ "dynamic-length-array", STRATA_CTF_SEQUENCE, parse_array },
	{ "optional", STRATA_CTF_OPTIONAL, parse_optional },
	{ "variant", STRATA_CTF_VARIANT, parse_variant },
};

static const struct strata_tsdl_type *find_alias(struct strata_ctf2_parser *parser,
						 struct json_object *string)
{
	const char *name = strata_ctf2_name(parser, string);
	const struct strata_tsdl_type *type =
		name ? strata_tsdl_find(&parser->names, STRATA_CTF2_ALIASES, name) : NULL;

	if (name && !type)
		strata_ctf2_fail(parser,
				 "the field class %.100s is not declared by a "
				 "field-class-alias fragment before it is used",
				 name);
	return type;
}

/* A field class, or the name of an alias. */
static const struct strata_tsdl_type *parse_type(struct strata_ctf2_parser *parser,
						 struct json_object *value)
{
	struct strata_tsdl_type *type;
	struct json_object *name;
	char shown[128];
	int result;
	size_t i;

	if (json_object_is_type(value, json_type_string))
		return find_alias(parser, value);
	if (!json_object_is_type(value, json_type_object)) {
		strata_ctf2_fail(parser, "a field class must be an object, or the name of one");
		return NULL;
	}
	if (strata_ctf2_get(parser, value, "type", json_type_string, true, &name))
		return NULL;
	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (strcmp(classes[i].name, json_object_get_string(name)) == 0)
			break;
	}
	if (i == sizeof(classes) / sizeof(classes[0])) {
		strata_ctf2_fail(
			parser, "CTF 2 has no field class \"%s\"",
			strata_escape_name(shown, sizeof(shown), json_object_get_string(name)));
		return NULL;
	}
	if (parser->nesting == STRATA_CTF_DEPTH_MAX) {
		strata_ctf2_fail(parser,
				 "field classes within field classes, more than %u deep: too many",
				 STRATA_CTF_DEPTH_MAX);
		return NULL;
	}
	type = strata_ctf2_new_type(parser, classes[i].kind);
	if (!type)
		return NULL;
	parser->nesting++;
	result = classes[i].parse(parser, value, type);
	parser->nesting--;
	return result ? NULL : type;
}

int strata_ctf2_get_type(struct strata_ctf2_parser *parser, struct json_object *object,
			 const char *key, bool is_needed, const struct strata_tsdl_type **type)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value))
		return is_needed ? strata_ctf2_fail(parser, "the property \"%s\" is missing", key)
				 : 0;
	strata_ctf2_enter(parser, key);
	*type = parse_type(parser, value);
	strata_ctf2_leave(parser);
	return *type ? 0 : -1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf2_fragments.c - parses the fragments of CTF 2's metadata into declarations: field class
 * aliases, the trace, clocks, streams and events; see ctf2_parser.h.
 */
#include <string.h>

#include "ctf/ctf2/ctf2_parser.h"
#include "base/escape.h"

/* preamble ------------------------------------------------------------------------------- */

static int parse_uuid(struct strata_ctf2_parser *parser, struct json_object *array,
		      uint8_t uuid[16])
{
	size_t i;

	for (i = 0; i < 16 && json_object_array_length(array) == 16; i++) {
		struct json_object *byte = json_object_array_get_idx(array, i);

		if (!json_object_is_type(byte, json_type_int) || json_object_get_int64(byte) < 0 ||
		    json_object_get_int64(byte) > 255)
			break;
		uuid[i] = (uint8_t)json_object_get_int64(byte);
	}
	return i == 16 ? 0
		       : strata_ctf2_fail(parser, "\"uuid\" must be an array of 16 integers from 0 "
						  "to 255");
}

static int parse_preamble(struct strata_ctf2_parser *parser, struct json_object *fragment)
{
	struct json_object *uuid;
	uint64_t version = 0;

	if (parser->has_preamble)
		return strata_ctf2_fail(parser, "a second preamble: are these two traces' "
						"metadata? There must be one in each directory");
	if (strata_ctf2_check(parser, fragment, " type version uuid ") ||
	    strata_ctf2_get_uint(parser, fragment, "version", true, 0, UINT64_MAX, &version))
		return -1;
	if (version != 2)
		return strata_ctf2_fail(
			parser, "metadata of CTF %llu, but only CTF 1.8 and CTF 2 can be read",
			(unsigned long long)version);
	if (strata_ctf2_get(parser, fragment, "uuid", json_type_array, false, &uuid))
		return -1;
	parser->has_preamble = true;
	parser->file->has_uuid = uuid != NULL;
	return uuid ? parse_uuid(parser, uuid, parser->file->uuid) : 0;
}

/* field-class-alias ---------------------------------------------------------------------- */

static int parse_alias(struct strata_ctf2_parser *parser, struct json_object *fragment)
{
	const struct strata_tsdl_type *type;
	const char *name;

	if (strata_ctf2_check(parser, fragment, " type name field-class ") ||
	    strata_ctf2_get_name(parser, fragment, "name", true, &name) ||
	    strata_ctf2_get_type(parser, fragment, "field-class", true, &type))
		return -1;
	if (strata_tsdl_find(&parser->names, STRATA_CTF2_ALIASES, name))
		return strata_ctf2_fail(parser, "a second field-class-alias of the name %.200s",
					name);
	return strata_tsdl_add(&parser->names, STRATA_CTF2_ALIASES, name, (void *)type)
		       ? strata_tsdl_fail_memory(parser->source, parser->at)
		       : 0;
}

/* trace-class ---------------------------------------------------------------------------- */

/* Reads a property that is a structure; NULL if absent. */
static int get_structure(struct strata_ctf2_parser *parser, struct json_object *fragment,
			 const char *key, const struct strata_tsdl_type **type)
{
	if (strata_ctf2_get_type(parser, fragment, key, false, type))
		return -1;
	return *type && (*type)->kind != STRATA_CTF_STRUCT
		       ? strata_ctf2_fail(parser, "\"%s\" must be a structure", key)
		       : 0;
}

static int add_env(struct strata_ctf2_parser *parser, const char *key, struct json_object *value)
{
	struct strata_tsdl_env *entry = strata_tsdl_get(parser->source, 1, sizeof(*entry));
	struct json_object *string = json_object_new_string(key);

	if (!entry || !string) {
		json_object_put(string);
		return strata_tsdl_fail_memory(parser->source, parser->at);
	}
	entry->env.name = strata_ctf2_name(parser, string);
	json_object_put(string);
	if (!entry->env.name)
		return -1;
	if (json_object_is_type(value, json_type_string)) {
		entry->env.text = strata_ctf2_text(parser, value);
		if (!entry->env.text)
			return -1;
	} else if (json_object_is_type(value, json_type_int) &&
		   json_object_get_uint64(value) <= INT64_MAX) {
		entry->env.number = json_object_get_int64(value);
	} else {
		return strata_ctf2_fail(parser,
					"%.200s in \"environment\" must be a string, or an integer "
					"of 64 bits with a sign",
					entry->env.name);
	}
	*parser->env_end = entry;
	parser->env_end = &entry->next;
	parser->file->nr_env++;
	return 0;
}

/* A packet begins with its only magic number. */
static int check_magic(struct strata_ctf2_parser *parser, const struct strata_tsdl_type *type,
		       const struct strata_tsdl_type *first)
{
	const struct strata_tsdl_field *field;

	if (type->roles & STRATA_CTF_ROLE_MAGIC && type != first)
		return strata_ctf2_fail(parser, "a packet-magic-number must be the first member of "
						"the packet header");
	if (type->element)
		return check_magic(parser, type->element, first);
	for (field = type->fields; field; field = field->next) {
		if (check_magic(parser, field->type, first))
			return -1;
	}
	return 0;
}

static int parse_trace(struct strata_ctf2_parser *parser, struct json_object *fragment)
{
	struct strata_tsdl_file *file = parser->file;
	struct json_object *env;

	if (file->has_trace)
		return strata_ctf2_fail(parser, "a second trace class: remove one");
	if (file->nr_streams)
		return strata_ctf2_fail(parser, "the trace class must stand before the first data "
						"stream class");
	file->has_trace = true;
	if (strata_ctf2_check(parser, fragment,
			      " type" STRATA_CTF2_IDENTITY
			      "environment packet-header-field-class ") ||
	    get_structure(parser, fragment, "packet-header-field-class", &file->packet_header) ||
	    strata_ctf2_get(parser, fragment, "environment", json_type_object, false, &env))
		return -1;
	if (env) {
		json_object_object_foreach (env, key, value) {
			if (add_env(parser, key, value))
				return -1;
		}
	}
	if (!file->packet_header || !file->packet_header->fields)
		return 0;
	file->order = file->packet_header->fields->type->order;
	return check_magic(parser, file->packet_header, file->packet_header->fields->type);
}

/* data-stream-class ---------------------------------------------------------------------- */

static int parse_stream(struct strata_ctf2_parser *parser, struct json_object *fragment)
{
	struct strata_tsdl_stream_block *block = strata_tsdl_get(parser->source, 1, sizeof(*block));
	const char *clock = NULL;

	if (!block ||
	    strata_ctf2_check(parser, fragment,
			      " type id" STRATA_CTF2_IDENTITY
			      "default-clock-class-id packet-context-field-class "
			      "event-record-header-field-class "
			      "event-record-common-context-field-class ") ||
	    strata_ctf2_get_uint(parser, fragment, "id", false, 0, UINT64_MAX, &block->id) ||
	    strata_ctf2_get_name(parser, fragment, "default-clock-class-id", false, &clock))
		return -1;
	block->at = parser->at;
	block->has_id = true;
	if (clock) {
		block->clock = strata_tsdl_find(&parser->names, STRATA_CTF2_CLOCKS, clock);
		if (!block->clock)
			return strata_ctf2_fail(
				parser,
				"no clock class with the id %.200s precedes this data stream class",
				clock);
	}
	if (get_structure(parser, fragment, "packet-context-field-class", &block->packet_context) ||
	    get_structure(parser, fragment, "event-record-header-field-class",
			  &block->event_header) ||
	    get_structure(parser, fragment, "event-record-common-context-field-class",
			  &block->event_context))
		return -1;
	*parser->stream_end = block;
	parser->stream_end = &block->next;
	parser->file->nr_streams++;
	return 0;
}

/* event-record-class --------------------------------------------------------------------- */

/* babeltrace2 writes the log level as an attribute; other programs' attributes are ignored. */
static int64_t loglevel_of(struct json_object *fragment)
{
	static const char *const levels[] = {
		"emergency",    "alert",      "critical",       "error",         "warning",
		"notice",       "info",       "debug:system",   "debug:program", "debug:process",
		"debug:module", "debug:unit", "debug:function", "debug:line",    "debug",
	};
	struct json_object *attributes, *space, *level;
	size_t i;

	if (!json_object_object_get_ex(fragment, "attributes", &attributes) ||
	    !json_object_object_get_ex(attributes, "babeltrace.org,2020", &space) ||
	    !json_object_object_get_ex(space, "log-level", &level) ||
	    !json_object_is_type(level, json_type_string))
		return -1;
	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (strcmp(levels[i], json_object_get_string(level)) == 0)
			return (int64_t)i;
	}
	return -1;
}

static int parse_event(struct strata_ctf2_parser *parser, struct json_object *fragment)
{
	struct strata_tsdl_event_block *block = strata_tsdl_get(parser->source, 1, sizeof(*block));

	if (!block ||
	    strata_ctf2_check(parser, fragment,
			      " type id data-stream-class-id" STRATA_CTF2_IDENTITY
			      "specific-context-field-class payload-field-class ") ||
	    strata_ctf2_get_uint(parser, fragment, "id", false, 0, UINT64_MAX, &block->id) ||
	    strata_ctf2_get_uint(parser, fragment, "data-stream-class-id", false, 0, UINT64_MAX,
				 &block->stream_id) ||
	    strata_ctf2_get_name(parser, fragment, "name", false, &block->name))
		return -1;
	block->at = parser->at;
	block->has_id = block->has_stream_id = true;
	block->loglevel = loglevel_of(fragment);
	if (block->name)
		strata_ctf2_enter(parser, block->name);
	if (get_structure(parser, fragment, "specific-context-field-class", &block->context) ||
	    get_structure(parser, fragment, "payload-field-class", &block->payload))
		return -1;
	*parser->event_end = block;
	parser->event_end = &block->next;
	parser->file->nr_events++;
	return 0;
}

/* All ------------------------------------------------------------------------------------- */

int strata_ctf2_parse_fragment(struct strata_ctf2_parser *parser, struct json_object *fragment)
{
	static const struct {
		const char *type;
		int (*parse)(struct strata_ctf2_parser *parser, struct json_object *fragment);
	} types[] = {
		{ "event-record-class", parse_event }, { "field-class-alias", parse_alias },
		{ "data-stream-class", parse_stream }, { "clock-class", strata_ctf2_parse_clock },
		{ "trace-class", parse_trace },        { "preamble", parse_preamble },
	};
	struct json_object *type;
	char shown[128];
	size_t i;

	parser->nr_crumbs = 0;
	if (!json_object_is_type(fragment, json_type_object))
		return strata_ctf2_fail(parser, "a fragment must be a JSON object");
	if (strata_ctf2_get(parser, fragment, "type", json_type_string, true, &type))
		return -1;
	if (!parser->has_preamble && strcmp(json_object_get_string(type), "preamble") != 0)
		return strata_ctf2_fail(parser, "the first fragment must be a preamble");
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(types[i].type, json_object_get_string(type)) != 0)
			continue;
		strata_ctf2_enter(parser, types[i].type);
		return types[i].parse(parser, fragment);
	}
	return strata_ctf2_fail(
		parser, "CTF 2 has no fragment of the type \"%s\"",
		strata_escape_name(shown, sizeof(shown), json_object_get_string(type)));
}

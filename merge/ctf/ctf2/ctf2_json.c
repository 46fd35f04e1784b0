// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf2_json.c - properties of the JSON objects of CTF 2's metadata; see ctf2_parser.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/ctf2/ctf2_parser.h"
#include "base/escape.h"

void strata_ctf2_enter(struct strata_ctf2_parser *parser, const char *name)
{
	if (parser->nr_crumbs < STRATA_CTF2_CRUMBS_MAX)
		parser->crumbs[parser->nr_crumbs] = name;
	parser->nr_crumbs++;
}

void strata_ctf2_leave(struct strata_ctf2_parser *parser)
{
	parser->nr_crumbs--;
}

int strata_ctf2_fail(struct strata_ctf2_parser *parser, const char *format, ...)
{
	char what[512], way[512];
	size_t used = 0;
	unsigned int i;
	va_list args;

	way[0] = '\0';
	for (i = 0; i < parser->nr_crumbs && i < STRATA_CTF2_CRUMBS_MAX && used < sizeof(way); i++)
		used += (size_t)snprintf(way + used, sizeof(way) - used, "%s%.100s",
					 i ? " / " : "in ", parser->crumbs[i]);
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return strata_tsdl_fail(parser->source, parser->at, "%s%s%s", way, i ? ": " : "", what);
}

static int fail_extensions(struct strata_ctf2_parser *parser, struct json_object *extensions)
{
	if (!json_object_is_type(extensions, json_type_object))
		return strata_ctf2_fail(parser, "\"extensions\" must be an object");
	json_object_object_foreach (extensions, space, value) {
		char shown[256], name[256] = "";

		if (!json_object_is_type(value, json_type_object))
			return strata_ctf2_fail(
				parser, "each property of \"extensions\" must be an object");
		json_object_object_foreach (value, extension, ignored) {
			(void)ignored;
			strata_escape_name(shown, sizeof(shown), space);
			strata_escape_name(name, sizeof(name), extension);
			return strata_ctf2_fail(
				parser,
				"the trace needs the extension %.100s of %.100s, which strata does not know: it may change the meaning of the data; write the trace without it",
				name, shown);
		}
	}
	return 0;
}

int strata_ctf2_check(struct strata_ctf2_parser *parser, struct json_object *object,
		      const char *properties)
{
	if (!json_object_is_type(object, json_type_object))
		return strata_ctf2_fail(parser, "this must be an object");
	json_object_object_foreach (object, key, value) {
		char word[80], shown[128];

		if (strcmp(key, "attributes") == 0) {
			if (!json_object_is_type(value, json_type_object))
				return strata_ctf2_fail(parser, "\"attributes\" must be an object");
			continue;
		}
		if (strcmp(key, "extensions") == 0) {
			if (fail_extensions(parser, value))
				return -1;
			continue;
		}
		if (snprintf(word, sizeof(word), " %s ", key) < (int)sizeof(word) &&
		    !strchr(key, ' ') && strstr(properties, word))
			continue;
		return strata_ctf2_fail(parser,
					"the property \"%s\" is not one of CTF 2: known "
					"here are%s",
					strata_escape_name(shown, sizeof(shown), key), properties);
	}
	return 0;
}

static const char *name_of(enum json_type type)
{
	switch (type) {
	case json_type_int:
		return "an integer";
	case json_type_string:
		return "a string";
	case json_type_array:
		return "an array";
	default:
		return "an object";
	}
}

int strata_ctf2_get(struct strata_ctf2_parser *parser, struct json_object *object, const char *key,
		    enum json_type type, bool is_needed, struct json_object **value)
{
	*value = NULL;
	if (!json_object_object_get_ex(object, key, value))
		return is_needed ? strata_ctf2_fail(parser, "the property \"%s\" is missing", key)
				 : 0;
	if (!json_object_is_type(*value, type))
		return strata_ctf2_fail(parser, "\"%s\" must be %s", key, name_of(type));
	return 0;
}

int strata_ctf2_get_uint(struct strata_ctf2_parser *parser, struct json_object *object,
			 const char *key, bool is_needed, uint64_t least, uint64_t most,
			 uint64_t *value)
{
	struct json_object *number;
	uint64_t found;

	if (strata_ctf2_get(parser, object, key, json_type_int, is_needed, &number))
		return -1;
	if (!number)
		return 0;
	found = json_object_get_uint64(number);
	if (json_object_get_int64(number) < 0 || found < least || found > most)
		return strata_ctf2_fail(parser, "\"%s\" is %.30s, but must be from %llu to %llu",
					key, json_object_to_json_string(number),
					(unsigned long long)least, (unsigned long long)most);
	*value = found;
	return 0;
}

int strata_ctf2_get_align(struct strata_ctf2_parser *parser, struct json_object *object,
			  const char *key, uint32_t *align)
{
	uint64_t value = 1;

	if (strata_ctf2_get_uint(parser, object, key, false, 1, UINT64_MAX, &value))
		return -1;
	if (value & (value - 1) || value > STRATA_CTF_ALIGN_MAX)
		return strata_ctf2_fail(parser,
					"\"%s\" is %llu, but must be a power of two of bits, up to "
					"%u",
					key, (unsigned long long)value, STRATA_CTF_ALIGN_MAX);
	*align = (uint32_t)value;
	return 0;
}

const char *strata_ctf2_text(struct strata_ctf2_parser *parser, struct json_object *string)
{
	const char *text = json_object_get_string(string);
	const size_t length = (size_t)json_object_get_string_len(string);

	if (strlen(text) != length) {
		strata_ctf2_fail(parser, "a zero byte in a string: no name or text has one");
		return NULL;
	}
	return strata_tsdl_name(parser->source, text, length);
}

const char *strata_ctf2_name(struct strata_ctf2_parser *parser, struct json_object *string)
{
	const char *text = strata_ctf2_text(parser, string), *name;
	const size_t length = text ? strlen(text) : 0;
	char *shown, *out;
	size_t i, bytes;

	if (!text)
		return NULL;
	shown = out = malloc(STRATA_ESCAPED_BYTES(length) + 1);
	if (!shown) {
		strata_tsdl_fail_memory(parser->source, parser->at);
		return NULL;
	}
	for (i = 0; i < length; i += bytes) {
		uint32_t code = 0;

		bytes = strata_utf8_read(text + i, length - i, &code);
		if (bytes == 0)
			bytes = 1;
		if (code < 0x20 || code == 0x7f || strata_is_unsafe(code)) {
			out = strata_escape(out, text + i, bytes);
		} else {
			memcpy(out, text + i, bytes);
			out += bytes;
		}
	}
	name = strata_tsdl_name(parser->source, shown, (size_t)(out - shown));
	free(shown);
	return name;
}

int strata_ctf2_get_name(struct strata_ctf2_parser *parser, struct json_object *object,
			 const char *key, bool is_needed, const char **name)
{
	struct json_object *string;

	if (strata_ctf2_get(parser, object, key, json_type_string, is_needed, &string))
		return -1;
	if (!string)
		return 0;
	*name = strata_ctf2_name(parser, string);
	return *name ? 0 : -1;
}

int strata_ctf2_get_word(struct strata_ctf2_parser *parser, struct json_object *object,
			 const char *key, bool is_needed, const char *const *words,
			 unsigned int *word)
{
	struct json_object *string;
	char shown[128];
	unsigned int i;

	if (strata_ctf2_get(parser, object, key, json_type_string, is_needed, &string))
		return -1;
	if (!string)
		return 0;
	for (i = 0; words[i]; i++) {
		if (strcmp(words[i], json_object_get_string(string)) == 0) {
			*word = i;
			return 0;
		}
	}
	return strata_ctf2_fail(
		parser, "\"%s\" has the unknown value \"%s\" (expected \"%s\", \"%s\"...)", key,
		strata_escape_name(shown, sizeof(shown), json_object_get_string(string)), words[0],
		words[1]);
}

static int take_bound(struct strata_ctf2_parser *parser, struct json_object *number,
		      uint64_t *bound)
{
	if (!json_object_is_type(number, json_type_int))
		return strata_ctf2_fail(parser, "a bound of a range must be an integer");
	*bound = json_object_get_int64(number) < 0 ? (uint64_t)json_object_get_int64(number)
						   : json_object_get_uint64(number);
	return 0;
}

int strata_ctf2_ranges(struct strata_ctf2_parser *parser, struct json_object *array,
		       struct strata_ctf_label **ranges, size_t *nr)
{
	size_t i;

	if (!json_object_is_type(array, json_type_array) || !json_object_array_length(array))
		return strata_ctf2_fail(parser, "ranges must be an array of one range or more");
	*nr = json_object_array_length(array);
	*ranges = strata_tsdl_get(parser->source, *nr, sizeof(**ranges));
	if (!*ranges)
		return -1;
	for (i = 0; i < *nr; i++) {
		struct json_object *range = json_object_array_get_idx(array, i);

		if (!json_object_is_type(range, json_type_array) ||
		    json_object_array_length(range) != 2)
			return strata_ctf2_fail(parser, "a range must be an array of two integers");
		if (take_bound(parser, json_object_array_get_idx(range, 0), &(*ranges)[i].low) ||
		    take_bound(parser, json_object_array_get_idx(range, 1), &(*ranges)[i].high))
			return -1;
	}
	return 0;
}

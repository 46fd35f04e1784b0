// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf2_parse.c - see ctf2_parse.h: splits the text sequence (RFC 7464) into fragments, and parses
 * each as JSON.
 *
 * The text is hostile.  The memory for a fragment's JSON objects is bounded in advance by its
 * brackets and commas, and freed before the next fragment.
 */
#include "ctf/ctf2/ctf2_parse.h"

#include <limits.h>
#include <string.h>

#include "ctf/ctf2/ctf2_parser.h"

#define SEPARATOR 0x1e

/* JSON within JSON: a field class within another takes three or four of them. */
#define JSON_DEPTH_MAX ((int)STRATA_CTF_DEPTH_MAX * 4 + 16)

/* Approximate bytes that json-c takes for an object; and the limit for a fragment. */
#define OBJECT_COST   1024u
#define ARRAY_COST    512u
#define VALUE_COST    128u
#define FRAGMENT_COST (128u << 20)

static int check_cost(struct strata_ctf2_parser *parser, const char *text, size_t size)
{
	uint64_t cost = size;
	bool in_string = false;
	size_t i;

	for (i = 0; i < size; i++) {
		if (text[i] == '\\' && in_string)
			i++;
		else if (text[i] == '"')
			in_string = !in_string;
		else if (!in_string && text[i] == '{')
			cost += OBJECT_COST;
		else if (!in_string && text[i] == '[')
			cost += ARRAY_COST;
		else if (!in_string && text[i] == ',')
			cost += VALUE_COST;
	}
	return cost <= FRAGMENT_COST ? 0
				     : strata_ctf2_fail(parser, "more values than the metadata of "
								"a trace has");
}

/* @is_last: no fragment follows.  Returns 0, 1 if it is cut off, or -1. */
static int parse_json(struct strata_ctf2_parser *parser, const char *text, size_t size,
		      bool is_last, struct json_object **fragment)
{
	struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH_MAX);
	enum json_tokener_error why;
	size_t at;

	if (!tokener)
		return strata_tsdl_fail_memory(parser->source, parser->at);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	*fragment = json_tokener_parse_ex(tokener, text, (int)size);
	why = json_tokener_get_error(tokener);
	at = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	if (why == json_tokener_success)
		return 0;
	if (why == json_tokener_continue) {
		if (is_last && parser->has_preamble)
			return 1;
		return strata_ctf2_fail(parser, "the JSON text of this fragment does not end");
	}
	return strata_ctf2_fail(parser, "byte %zu of this fragment: %s", at,
				json_tokener_error_desc(why));
}

static bool is_blank(const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size && text[i] && strchr(" \t\r\n", text[i]); i++)
		;
	return i == size;
}

/* Parses the fragment after a separator. */
static int parse_fragment(struct strata_ctf2_parser *parser, const char *text, size_t size,
			  bool is_last)
{
	struct json_object *fragment = NULL;
	int result;

	parser->nr_crumbs = 0;
	if (is_blank(text, size))
		return strata_ctf2_fail(parser, "there is no JSON text in this fragment");
	if (size > INT_MAX)
		return strata_ctf2_fail(parser, "this fragment is too long");
	if (check_cost(parser, text, size))
		return -1;
	result = parse_json(parser, text, size, is_last, &fragment);
	if (result > 0) {
		strata_tsdl_complain(parser->source, parser->at,
				     "the end of the metadata is lost: what begins here is left "
				     "out");
		return 0;
	}
	if (!result)
		result = strata_ctf2_parse_fragment(parser, fragment);
	json_object_put(fragment);
	return result;
}

static int parse_all(struct strata_ctf2_parser *parser)
{
	const char *text = parser->source->text, *end = text + parser->source->size;
	const char *from = text, *next;

	while (from < end && *from != SEPARATOR && strchr(" \t\r\n", *from))
		from++;
	if (from == end || *from != SEPARATOR)
		return strata_tsdl_fail(parser->source, 0,
					"this looks like CTF 2 (JSON), but no record separator "
					"(byte 0x1e) stands before the first fragment");
	while (from < end) {
		parser->at = (size_t)(from - text);
		while (from < end && *from == SEPARATOR)
			from++;
		if (from == end)
			break;
		next = memchr(from, SEPARATOR, (size_t)(end - from));
		if (parse_fragment(parser, from, (size_t)((next ? next : end) - from), !next))
			return -1;
		from = next ? next : end;
	}
	if (!parser->has_preamble)
		return strata_tsdl_fail(parser->source, 0, "there is no preamble");
	if (!parser->file->nr_streams)
		return strata_tsdl_fail(parser->source, parser->at,
					"there is no data stream class: is this the complete "
					"metadata of a trace?");
	return 0;
}

int strata_ctf2_parse(struct strata_tsdl_source *source, struct strata_tsdl_file *file)
{
	struct strata_ctf2_parser parser = {
		.source = source,
		.file = file,
		.clock_end = &file->clocks,
		.stream_end = &file->streams,
		.event_end = &file->events,
		.env_end = &file->env,
	};
	int result;

	file->is_ctf_2 = true;
	result = parse_all(&parser);
	strata_tsdl_table_clear(&parser.names);
	return result;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf2_clocks.c - the clock classes of CTF 2's metadata; see ctf2_parser.h. */
#include <string.h>

#include "ctf/ctf2/ctf2_parser.h"
#include "base/escape.h"
#include "base/value_hash.h"

/* Clocks with the same namespace, name and uid are one clock; LTTng's uid is a UUID, as in traces
 * of CTF 1.8. */
static int take_identity(struct strata_ctf2_parser *parser, struct json_object *fragment,
			 struct strata_ctf_clock *clock)
{
	const char *parts[3] = { NULL, NULL, NULL };
	uint64_t hashes[2] = { 1, 2 };
	size_t i, j;

	if (strata_ctf2_get_name(parser, fragment, "namespace", false, &parts[0]) ||
	    strata_ctf2_get_name(parser, fragment, "name", false, &parts[1]) ||
	    strata_ctf2_get_name(parser, fragment, "uid", false, &parts[2]))
		return -1;
	if (parts[1])
		clock->name = parts[1];
	if (!parts[1] || !parts[2])
		return 0;
	clock->has_uuid = true;
	if (strata_uuid_parse(clock->uuid, parts[2]))
		return 0;
	for (i = 0; i < 2; i++) {
		for (j = 0; j < 3; j++)
			hashes[i] = strata_hash_bytes(hashes[i], parts[j] ? parts[j] : "",
						      parts[j] ? strlen(parts[j]) : 0);
	}
	memcpy(clock->uuid, hashes, sizeof(clock->uuid));
	return 0;
}

static int parse_origin(struct strata_ctf2_parser *parser, struct json_object *fragment,
			struct strata_ctf_clock *clock)
{
	const char *part;
	struct json_object *origin;

	if (!json_object_object_get_ex(fragment, "origin", &origin))
		return 0;
	if (json_object_is_type(origin, json_type_string)) {
		clock->absolute = strcmp(json_object_get_string(origin), "unix-epoch") == 0;
		return clock->absolute ? 0
				       : strata_ctf2_fail(parser, "\"origin\" must be "
								  "\"unix-epoch\" or an object");
	}
	strata_ctf2_enter(parser, "origin");
	if (strata_ctf2_check(parser, origin, STRATA_CTF2_IDENTITY) ||
	    strata_ctf2_get_name(parser, origin, "namespace", false, &part) ||
	    strata_ctf2_get_name(parser, origin, "name", true, &part) ||
	    strata_ctf2_get_name(parser, origin, "uid", true, &part))
		return -1;
	strata_ctf2_leave(parser);
	return 0;
}

static int parse_offset(struct strata_ctf2_parser *parser, struct json_object *fragment,
			struct strata_ctf_clock *clock)
{
	struct json_object *offset, *seconds;

	if (strata_ctf2_get(parser, fragment, "offset-from-origin", json_type_object, false,
			    &offset))
		return -1;
	if (!offset)
		return 0;
	strata_ctf2_enter(parser, "offset-from-origin");
	if (strata_ctf2_check(parser, offset, " seconds cycles ") ||
	    strata_ctf2_get(parser, offset, "seconds", json_type_int, false, &seconds) ||
	    strata_ctf2_get_uint(parser, offset, "cycles", false, 0, clock->frequency - 1,
				 &clock->offset))
		return -1;
	if (seconds && json_object_get_int64(seconds) > 0 &&
	    json_object_get_uint64(seconds) > INT64_MAX)
		return strata_ctf2_fail(parser, "\"seconds\" does not fit into 64 bits");
	clock->offset_seconds = seconds ? json_object_get_int64(seconds) : 0;
	strata_ctf2_leave(parser);
	return 0;
}

int strata_ctf2_parse_clock(struct strata_ctf2_parser *parser, struct json_object *fragment)
{
	struct strata_tsdl_clock_block *block = strata_tsdl_get(parser->source, 1, sizeof(*block));
	uint64_t accuracy = 0;
	const char *id = NULL;

	if (!block ||
	    strata_ctf2_check(parser, fragment,
			      " type id" STRATA_CTF2_IDENTITY
			      "frequency origin offset-from-origin precision "
			      "accuracy description ") ||
	    strata_ctf2_get_name(parser, fragment, "id", true, &id))
		return -1;
	if (strata_tsdl_find(&parser->names, STRATA_CTF2_CLOCKS, id))
		return strata_ctf2_fail(parser, "a second clock class of the id %.200s: change one",
					id);
	block->at = parser->at;
	block->clock.name = id;
	if (strata_ctf2_get_uint(parser, fragment, "frequency", true, 1, UINT64_MAX,
				 &block->clock.frequency) ||
	    strata_ctf2_get_uint(parser, fragment, "precision", false, 0, UINT64_MAX,
				 &block->clock.precision) ||
	    strata_ctf2_get_uint(parser, fragment, "accuracy", false, 0, UINT64_MAX, &accuracy) ||
	    strata_ctf2_get_name(parser, fragment, "description", false,
				 &block->clock.description) ||
	    take_identity(parser, fragment, &block->clock) ||
	    parse_origin(parser, fragment, &block->clock) ||
	    parse_offset(parser, fragment, &block->clock))
		return -1;
	if (strata_tsdl_add(&parser->names, STRATA_CTF2_CLOCKS, id, block))
		return strata_tsdl_fail_memory(parser->source, parser->at);
	*parser->clock_end = block;
	parser->clock_end = &block->next;
	parser->file->nr_clocks++;
	return 0;
}

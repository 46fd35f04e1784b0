// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_blocks.c - the blocks trace, clock, stream, event and env with their
 * attributes; see tsdl_parser.h.
 */
#include "ctf/tsdl/tsdl_parser.h"

#include <string.h>

/* An assignment of a value, or with := of a type. */
struct assignment {
	const char *name; /* interned */
	size_t at;
	struct strata_tsdl_value value;
	const struct strata_tsdl_type *type; /* NULL: it is a value */
};

/* Returns 0, -1 with an error, or 1 for an unknown name. */
typedef int (*assign_fn)(struct strata_tsdl_parser *parser, void *block,
			 const struct assignment *assignment);

static int parse_assignment(struct strata_tsdl_parser *parser, struct assignment *assignment)
{
	struct strata_tsdl_path path;

	assignment->type = NULL;
	if (strata_tsdl_parse_path(parser, &path))
		return -1;
	assignment->at = path.at;
	assignment->name = strata_tsdl_path_text(parser->source, &path);
	if (!assignment->name)
		return -1;
	if (!strata_tsdl_is(parser, STRATA_TSDL_ASSIGN_TYPE))
		return strata_tsdl_expect(parser, '=', "= or :=") ||
				       strata_tsdl_parse_value(parser, &assignment->value)
			       ? -1
			       : 0;
	if (strata_tsdl_next(parser))
		return -1;
	assignment->type = strata_tsdl_parse_type(parser, NULL);
	return assignment->type ? 0 : -1;
}

/* A keyword of declarations may also be an attribute's name. */
static int begins_declaration(struct strata_tsdl_parser *parser, bool *begins)
{
	struct strata_tsdl_token behind;

	*begins = strata_tsdl_begins_declaration(parser);
	if (!*begins)
		return 0;
	if (strata_tsdl_peek(parser, &behind))
		return -1;
	*begins = behind.kind != '=' && behind.kind != '.';
	return 0;
}

/* { name = value; name := type; declarations } ; */
static int parse_block(struct strata_tsdl_parser *parser, const char *what, assign_fn assign,
		       void *block)
{
	struct strata_tsdl_scope scope;

	if (strata_tsdl_expect(parser, '{', "{"))
		return -1;
	strata_tsdl_open_scope(parser, &scope);
	while (!strata_tsdl_is(parser, '}')) {
		struct assignment assignment;
		bool declaration;
		int result;

		if (strata_tsdl_is(parser, ';')) {
			if (strata_tsdl_next(parser))
				return -1;
			continue;
		}
		if (begins_declaration(parser, &declaration))
			return -1;
		if (declaration) {
			if (strata_tsdl_parse_declaration(parser))
				return -1;
			continue;
		}
		if (parse_assignment(parser, &assignment))
			return -1;
		result = assign(parser, block, &assignment);
		if (result < 0)
			return -1;
		if (result > 0)
			strata_tsdl_complain(parser->source, assignment.at,
					     "%s has an unknown attribute %.200s: ignored", what,
					     assignment.name);
		if (strata_tsdl_expect(parser, ';', ";"))
			return -1;
	}
	strata_tsdl_close_scope(parser);
	return strata_tsdl_next(parser);
}

/* Whether it assigns a value to this attribute. */
static bool is_value(const struct assignment *assignment, const char *name)
{
	return !assignment->type && strcmp(assignment->name, name) == 0;
}

/* Takes the structure of a scope.  Returns 1 if the name is another. */
static int take_structure(struct strata_tsdl_parser *parser, const struct assignment *assignment,
			  const char *name, const struct strata_tsdl_type **type)
{
	if (!assignment->type || strcmp(assignment->name, name) != 0)
		return 1;
	if (assignment->type->kind != STRATA_CTF_STRUCT)
		return strata_tsdl_fail(parser->source, assignment->at, "%s must be a structure",
					name);
	if (*type)
		return strata_tsdl_fail(parser->source, assignment->at,
					"%s is given a second time: remove one", name);
	*type = assignment->type;
	return 0;
}

/* trace ---------------------------------------------------------------------------------- */

static int check_version(struct strata_tsdl_parser *parser, const struct assignment *assignment,
			 uint64_t wanted)
{
	uint64_t number;

	if (strata_tsdl_to_u64(parser, assignment->name, &assignment->value, &number))
		return -1;
	if (number == wanted)
		return 0;
	return strata_tsdl_fail(parser->source, assignment->at,
				"the trace's %s version is %llu, but only CTF 1.8 can be read: "
				"let the program that wrote it write CTF 1.8%s",
				assignment->name, (unsigned long long)number,
				number > wanted ? ", or babeltrace2 2.1 convert it" : "");
}

static int assign_trace(struct strata_tsdl_parser *parser, void *block,
			const struct assignment *assignment)
{
	struct strata_tsdl_file *file = block;

	if (is_value(assignment, "major"))
		return check_version(parser, assignment, 1);
	if (is_value(assignment, "minor"))
		return check_version(parser, assignment, 8);
	if (is_value(assignment, "uuid")) {
		file->has_uuid = true;
		return strata_tsdl_to_uuid(parser, &assignment->value, file->uuid);
	}
	if (is_value(assignment, "byte_order")) {
		if (strata_tsdl_to_order(parser, &assignment->value, &file->order))
			return -1;
		if (file->order == STRATA_TSDL_ORDER_OF_TRACE)
			return strata_tsdl_fail(parser->source, assignment->at,
						"the byte_order of a trace must be le or be");
		return 0;
	}
	return take_structure(parser, assignment, "packet.header", &file->packet_header);
}

int strata_tsdl_parse_trace(struct strata_tsdl_parser *parser, size_t at)
{
	struct strata_tsdl_file *file = parser->file;

	if (file->has_trace)
		return strata_tsdl_fail(parser->source, at,
					"a second trace block: are these two traces' metadata? "
					"There must be one in each directory");
	if (parse_block(parser, "the trace", assign_trace, file))
		return -1;
	file->has_trace = true;
	if (file->order == STRATA_TSDL_ORDER_OF_TRACE)
		return strata_tsdl_fail(parser->source, at,
					"the trace block has no byte_order: it needs "
					"\"byte_order = le;\" or \"byte_order = be;\"");
	return 0;
}

/* clock ---------------------------------------------------------------------------------- */

/* A negative offset in cycles is subtracted from the seconds once the frequency is known. */
struct clock_offset {
	struct strata_ctf_clock *clock;
	bool negative;
};

static int assign_clock(struct strata_tsdl_parser *parser, void *block,
			const struct assignment *assignment)
{
	struct clock_offset *offset = block;
	struct strata_ctf_clock *clock = offset->clock;
	const struct strata_tsdl_value *value = &assignment->value;
	const char *name = assignment->name;

	if (is_value(assignment, "name")) {
		if (strata_tsdl_to_text(parser, name, value, &clock->name))
			return -1;
		clock->name = strata_tsdl_name(parser->source, clock->name, strlen(clock->name));
		return clock->name ? 0 : -1;
	}
	if (is_value(assignment, "uuid")) {
		clock->has_uuid = true;
		return strata_tsdl_to_uuid(parser, value, clock->uuid);
	}
	if (is_value(assignment, "description"))
		return strata_tsdl_to_text(parser, name, value, &clock->description);
	if (is_value(assignment, "freq")) {
		if (strata_tsdl_to_u64(parser, name, value, &clock->frequency))
			return -1;
		if (!clock->frequency)
			return strata_tsdl_fail(parser->source, value->at,
						"freq is 0: it must be at least 1 Hz");
		return 0;
	}
	if (is_value(assignment, "precision"))
		return strata_tsdl_to_u64(parser, name, value, &clock->precision);
	if (is_value(assignment, "offset_s"))
		return strata_tsdl_to_s64(parser, name, value, &clock->offset_seconds);
	if (is_value(assignment, "offset")) {
		if (value->kind != STRATA_TSDL_IS_NUMBER)
			return strata_tsdl_fail(parser->source, value->at,
						"offset must be a number");
		clock->offset = value->number;
		offset->negative = value->negative && value->number;
		return 0;
	}
	if (is_value(assignment, "absolute"))
		return strata_tsdl_to_bool(parser, name, value, &clock->absolute);
	return 1;
}

int strata_tsdl_parse_clock(struct strata_tsdl_parser *parser, size_t at)
{
	struct strata_tsdl_clock_block *block = strata_tsdl_get(parser->source, 1, sizeof(*block));
	struct clock_offset offset = { 0 };
	struct strata_ctf_clock *clock;

	if (!block)
		return -1;
	clock = offset.clock = &block->clock;
	clock->frequency = 1000000000;
	clock->precision = 1;
	if (parse_block(parser, "the clock", assign_clock, &offset))
		return -1;
	if (!clock->name)
		return strata_tsdl_fail(parser->source, at,
					"this clock has no name: it needs \"name = NAME;\"");
	if (offset.negative) {
		uint64_t seconds = (clock->offset - 1) / clock->frequency + 1;

		if (__builtin_sub_overflow(clock->offset_seconds, seconds, &clock->offset_seconds))
			return strata_tsdl_fail(parser->source, at,
						"the offset of this clock exceeds 64 bits");
		clock->offset =
			(clock->frequency - clock->offset % clock->frequency) % clock->frequency;
	}
	block->at = at;
	*parser->clock_end = block;
	parser->clock_end = &block->next;
	parser->file->nr_clocks++;
	return 0;
}

/* stream --------------------------------------------------------------------------------- */

static int assign_stream(struct strata_tsdl_parser *parser, void *data,
			 const struct assignment *assignment)
{
	struct strata_tsdl_stream_block *block = data;
	int result;

	if (is_value(assignment, "id")) {
		block->has_id = true;
		return strata_tsdl_to_u64(parser, "id", &assignment->value, &block->id);
	}
	result = take_structure(parser, assignment, "packet.context", &block->packet_context);
	if (result > 0)
		result = take_structure(parser, assignment, "event.header", &block->event_header);
	if (result > 0)
		result = take_structure(parser, assignment, "event.context", &block->event_context);
	return result;
}

int strata_tsdl_parse_stream(struct strata_tsdl_parser *parser, size_t at)
{
	struct strata_tsdl_stream_block *block = strata_tsdl_get(parser->source, 1, sizeof(*block));

	if (!block || parse_block(parser, "the stream", assign_stream, block))
		return -1;
	block->at = at;
	*parser->stream_end = block;
	parser->stream_end = &block->next;
	parser->file->nr_streams++;
	return 0;
}

/* event ---------------------------------------------------------------------------------- */

static int assign_event(struct strata_tsdl_parser *parser, void *data,
			const struct assignment *assignment)
{
	struct strata_tsdl_event_block *block = data;
	const struct strata_tsdl_value *value = &assignment->value;
	const char *name = assignment->name;
	int result;

	if (is_value(assignment, "name"))
		return strata_tsdl_to_text(parser, name, value, &block->name);
	if (is_value(assignment, "id")) {
		block->has_id = true;
		return strata_tsdl_to_u64(parser, name, value, &block->id);
	}
	if (is_value(assignment, "stream_id")) {
		block->has_stream_id = true;
		return strata_tsdl_to_u64(parser, name, value, &block->stream_id);
	}
	if (is_value(assignment, "loglevel"))
		return strata_tsdl_to_s64(parser, name, value, &block->loglevel);
	/* A link to the event's description, which readers do not need. */
	if (is_value(assignment, "model.emf.uri"))
		return 0;
	result = take_structure(parser, assignment, "context", &block->context);
	if (result > 0)
		result = take_structure(parser, assignment, "fields", &block->payload);
	return result;
}

int strata_tsdl_parse_event(struct strata_tsdl_parser *parser, size_t at)
{
	struct strata_tsdl_event_block *block = strata_tsdl_get(parser->source, 1, sizeof(*block));

	if (!block)
		return -1;
	block->loglevel = -1;
	if (parse_block(parser, "the event", assign_event, block))
		return -1;
	block->at = at;
	*parser->event_end = block;
	parser->event_end = &block->next;
	parser->file->nr_events++;
	return 0;
}

/* env ------------------------------------------------------------------------------------ */

static int assign_env(struct strata_tsdl_parser *parser, void *block,
		      const struct assignment *assignment)
{
	struct strata_tsdl_env *entry;

	(void)block;
	if (assignment->type)
		return 1;
	entry = strata_tsdl_get(parser->source, 1, sizeof(*entry));
	if (!entry)
		return -1;
	entry->env.name = assignment->name;
	if (assignment->value.kind == STRATA_TSDL_IS_NUMBER) {
		if (strata_tsdl_to_s64(parser, assignment->name, &assignment->value,
				       &entry->env.number))
			return -1;
	} else {
		entry->env.text = assignment->value.text;
	}
	*parser->env_end = entry;
	parser->env_end = &entry->next;
	parser->file->nr_env++;
	return 0;
}

int strata_tsdl_parse_env(struct strata_tsdl_parser *parser)
{
	return parse_block(parser, "the environment", assign_env, NULL);
}

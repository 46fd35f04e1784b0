// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text_babeltrace.c - a line for each event as babeltrace2 (2.0.4) prints it, byte
 * for byte, so that scripts which read its text can read ours:
 *
 *     [22:13:20.000000113] (+0.000000002) host name: { cpu_id = 3 }, { address = 23 }
 *
 * There are two differences. Control characters beyond ASCII (escape.h), and those in names, are
 * shown as \xHH, because a terminal would interpret them. And a loss is a line of output
 * (text_lines.h), where babeltrace2 warns on standard error.
 */
#include <stdlib.h>

#include "outputs/text/text_fields.h"
#include "outputs/text/text_lines.h"
#include "outputs/text/text_program.h"

/* Prepared text for the events of a class. */
struct event_text {
	char *heading; /* "host:process:(1234) name: ", padded to whole blocks */
	size_t heading_bytes;
	struct strata_text_program programs[STRATA_SHOWN_TYPES];
};

struct source {
	struct event_text *events; /* of its metadata */
	size_t nr_events;
};

struct text {
	struct strata_event_writer writer;
	struct strata_text_options options;
	struct source *sources;
	size_t nr_sources;
};

/* Writes the time, the delta, the source, and the name. */
static void put_heading(const struct text *text, struct strata_buffer *buffer,
			const struct strata_shown_event *event, const struct event_text *is)
{
	char *out = strata_buffer_room(buffer, 4 * STRATA_PUT_BYTES + is->heading_bytes);

	if (!out)
		return;
	if (event->has_time) {
		*out++ = '[';
		out = strata_text_put_time(out, &text->options, &buffer->clock, event->ns);
		out = strata_put_bytes(out, "] (+", 4);
		if (event->is_first)
			out = strata_put_text(out, "?.?????????");
		else
			out = strata_put_seconds(out, event->ns - event->previous_ns);
		out = strata_put_bytes(out, ") ", 2);
	}
	strata_buffer_advance(buffer, strata_put_blocks(out, is->heading, is->heading_bytes));
}

/* Fields -------------------------------------------------------------------------------------- */

/* Integers of other bases have prefixes. */
static enum strata_text_kind integer_kind(const struct strata_ctf_type *type)
{
	if (type->base != 10)
		return STRATA_TEXT_OTHER;
	return type->is_signed ? STRATA_TEXT_SIGNED : STRATA_TEXT_UNSIGNED;
}

static char *escape_text(char *out, const char *text, size_t length)
{
	return strata_text_escape(out, text, length, true);
}

static bool visit_field(struct strata_buffer *buffer, const struct strata_ctf_type *type,
			struct strata_ctf_cursor *cursor)
{
	struct strata_text_fields fields;

	strata_text_fields_init(&fields, buffer);
	return strata_field_visit(&fields.visitor, NULL, type, cursor);
}

static const struct strata_text_style style = {
	.first = "{ ",
	.next = ", ",
	.equals = " = ",
	.end = " }",
	.empty = "{ }",
	.integer = integer_kind,
	.escape = escape_text,
	.other = visit_field,
};

static void visit_packet(struct strata_buffer *buffer, const struct strata_shown_packet *packet)
{
	struct strata_text_fields fields;

	strata_text_fields_init(&fields, buffer);
	strata_shown_packet_visit(&fields.visitor, packet);
}

/* The fields of the event's packet are the same for many events. */
static void put_packet(struct strata_buffer *buffer, const struct strata_shown_packet *packet)
{
	struct strata_buffer *memo = packet->memo;
	char *out;

	if (memo && memo->used == 0) {
		visit_packet(memo, packet);
		/* It is copied in whole blocks. */
		strata_buffer_room(memo, STRATA_PUT_BLOCK);
	}
	if (!memo || memo->no_memory) {
		visit_packet(buffer, packet);
		return;
	}
	out = strata_buffer_room(buffer, memo->used + STRATA_PUT_BLOCK);
	if (out)
		strata_buffer_advance(buffer, strata_put_blocks(out, memo->bytes, memo->used));
}

static void text_event(struct strata_event_writer *writer, struct strata_buffer *buffer,
		       const struct strata_shown_event *event)
{
	const struct text *text = (const struct text *)writer;
	const struct event_text *is =
		&text->sources[event->source_index].events[event->class_index];
	struct strata_ctf_cursor cursor = event->cursor;
	bool any = false;
	size_t i;

	put_heading(text, buffer, event, is);
	if (event->packet.type) {
		put_packet(buffer, &event->packet);
		any = true;
	}
	for (i = 0; i < STRATA_SHOWN_TYPES; i++) {
		if (!event->types[i])
			continue;
		if (any)
			strata_buffer_put(buffer, ", ", 2);
		any = true;
		if (!strata_text_program_put(&is->programs[i], event->types[i], buffer, &cursor))
			break;
	}
	strata_buffer_put(buffer, "\n", 1);
}

static void text_loss(struct strata_event_writer *writer, struct strata_buffer *buffer,
		      const struct strata_shown_loss *lost)
{
	strata_text_put_loss(&((const struct text *)writer)->options, buffer, lost);
}

/* "host:process:(1234) name: " */
static int make_heading(struct event_text *is, const struct strata_shown_source *source,
			const char *name)
{
	const size_t host = source->hostname ? strlen(source->hostname) : 0;
	const size_t process = source->procname ? strlen(source->procname) : 0;
	char *out =
		strata_put_new_blocks(4 * (host + process + strlen(name)) + 2 * STRATA_PUT_BYTES);

	if (!out)
		return -1;
	is->heading = out;
	if (source->hostname)
		out = strata_text_escape(out, source->hostname, host, false);
	if (source->procname) {
		if (source->hostname)
			*out++ = ':';
		out = strata_text_escape(out, source->procname, process, false);
	}
	if (source->has_vpid) {
		if (source->hostname || source->procname)
			*out++ = ':';
		*out++ = '(';
		out = strata_put_signed(out, source->vpid);
		*out++ = ')';
	}
	if (source->hostname || source->procname || source->has_vpid)
		*out++ = ' ';
	out = strata_text_escape(out, name, strlen(name), false);
	out = strata_put_bytes(out, ": ", 2);
	is->heading_bytes = (size_t)(out - is->heading);
	return 0;
}

static int make_events(struct source *source, const struct strata_shown_source *shown)
{
	const struct strata_ctf_metadata *metadata = shown->metadata;
	size_t i, j, k;

	source->events = calloc(metadata->nr_events + 1, sizeof(*source->events));
	if (!source->events)
		return -1;
	source->nr_events = metadata->nr_events;
	for (i = 0; i < metadata->nr_streams; i++) {
		const struct strata_ctf_stream_class *stream = &metadata->streams[i];

		for (j = 0; j < stream->nr_events; j++) {
			const struct strata_ctf_event_class *event = &stream->events[j];
			const struct strata_ctf_type *types[] = { stream->event_context,
								  event->context, event->payload };
			struct event_text *is = &source->events[event->index];

			if (make_heading(is, shown, event->name))
				return -1;
			for (k = 0; k < STRATA_SHOWN_TYPES; k++) {
				if (strata_text_program_make(&is->programs[k], &style, types[k]))
					return -1;
			}
		}
	}
	return 0;
}

static void clear_sources(struct text *text)
{
	size_t i, j, k;

	for (i = 0; i < text->nr_sources; i++) {
		struct source *source = &text->sources[i];

		for (j = 0; j < source->nr_events; j++) {
			free(source->events[j].heading);
			for (k = 0; k < STRATA_SHOWN_TYPES; k++)
				strata_text_program_clear(&source->events[j].programs[k]);
		}
		free(source->events);
	}
	free(text->sources);
	text->nr_sources = 0;
}

static void text_begin(struct strata_event_writer *writer, struct strata_buffer *buffer,
		       const struct strata_shown_source *sources, size_t nr_sources)
{
	struct text *text = (struct text *)writer;
	size_t i;

	tzset(); /* localtime_r() need not call it */
	/* Sources are set again when new ones appear. */
	clear_sources(text);
	text->sources = calloc(nr_sources + 1, sizeof(*text->sources));
	text->nr_sources = text->sources ? nr_sources : 0;
	buffer->no_memory |= !text->sources;
	for (i = 0; i < text->nr_sources; i++)
		buffer->no_memory |= make_events(&text->sources[i], &sources[i]) != 0;
}

static void text_free(struct strata_event_writer *writer)
{
	clear_sources((struct text *)writer);
	free(writer);
}

struct strata_event_writer *strata_text_babeltrace_new(const struct strata_text_options *options)
{
	struct text *text = calloc(1, sizeof(*text));

	if (!text)
		return NULL;
	text->writer.begin = text_begin;
	text->writer.event = text_event;
	text->writer.loss = text_loss;
	text->writer.free = text_free;
	text->options = *options;
	return &text->writer;
}

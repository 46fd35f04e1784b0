// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text_babeltrace.c - a line for each event as babeltrace2 (2.0.4) prints it, byte
 * for byte, so that scripts which read its text can read ours:
 *
 *     [22:13:20.000000113] (+0.000000002) host name: { cpu_id = 3 }, { address = 23 }
 *
 * Two things are different.  Control characters beyond ASCII (escape.h), and those
 * in names, are shown as \xHH, because a terminal would obey them.  And a loss is a line
 * (text_lines.h), where babeltrace2 warns on standard error.
 */
#include <stdlib.h>

#include "outputs/text/text_fields.h"
#include "outputs/text/text_lines.h"
#include "outputs/text/text_program.h"

/* How an event's fields are printed: its stream's context, its own, its payload. */
struct event_programs {
	struct strata_text_program programs[STRATA_SHOWN_TYPES];
};

struct source {
	char *prefix; /* "host:process:(1234) " */
	size_t prefix_bytes;
	struct event_programs *events; /* of its metadata; NULL: it has none */
	size_t nr_events;
};

struct text {
	struct strata_event_writer writer;
	struct strata_text_options options;
	struct source *sources;
	size_t nr_sources;
};

static char *put_time(char *out, const struct text *text, struct strata_put_clock *clock,
		      const struct strata_shown_event *event)
{
	const uint64_t second = event->ns / 1000000000u;
	const struct strata_text_options *options = &text->options;

	if (options->seconds || !strata_put_clock_set(clock, second, options->gmt))
		return strata_put_seconds(out, event->ns);
	out = strata_put_bytes(out, clock->text + (options->date ? 0 : STRATA_PUT_DATE_BYTES),
			       STRATA_PUT_TIME_BYTES + (options->date ? STRATA_PUT_DATE_BYTES : 0));
	*out++ = '.';
	return strata_put_nine(out, (uint32_t)(event->ns - second * 1000000000u));
}

/* Time, delta, whose it is, and its name. */
static void put_heading(const struct text *text, struct strata_buffer *buffer,
			const struct strata_shown_event *event)
{
	const size_t prefix_bytes = text->sources[event->source_index].prefix_bytes;
	const size_t name_bytes = strlen(event->name);
	char *out =
		strata_buffer_room(buffer, 4 * STRATA_PUT_BYTES + prefix_bytes + 4 * name_bytes);

	if (!out)
		return;
	if (event->has_time) {
		*out++ = '[';
		out = put_time(out, text, &buffer->clock, event);
		out = strata_put_bytes(out, "] (+", 4);
		if (event->is_first)
			out = strata_put_text(out, "?.?????????");
		else
			out = strata_put_seconds(out, event->ns - event->previous_ns);
		out = strata_put_bytes(out, ") ", 2);
	}
	out = strata_put_bytes(out, text->sources[event->source_index].prefix, prefix_bytes);
	out = strata_text_escape(out, event->name, name_bytes, false);
	strata_buffer_advance(buffer, strata_put_bytes(out, ": ", 2));
}

/* The fields of the event's packet are the same for many events. */
static void put_packet(struct strata_text_fields *fields, const struct strata_shown_packet *packet)
{
	struct strata_buffer *buffer = fields->buffer, *memo = packet->memo;

	if (memo && memo->used == 0) {
		fields->buffer = memo;
		strata_shown_packet_visit(&fields->visitor, packet);
		fields->buffer = buffer;
		fields->depth = 0;
	}
	if (memo && !memo->no_memory)
		strata_buffer_put(buffer, memo->bytes, memo->used);
	else
		strata_shown_packet_visit(&fields->visitor, packet);
}

static void text_event(struct strata_event_writer *writer, struct strata_buffer *buffer,
		       const struct strata_shown_event *event)
{
	static const struct event_programs none;
	const struct text *text = (const struct text *)writer;
	const struct source *source = &text->sources[event->source_index];
	const struct event_programs *programs = event->class_index < source->nr_events
							? &source->events[event->class_index]
							: &none;
	struct strata_ctf_cursor cursor = event->cursor;
	struct strata_text_fields fields;
	bool any = false;
	size_t i;

	strata_text_fields_init(&fields, buffer);
	put_heading(text, buffer, event);
	if (event->packet.type) {
		put_packet(&fields, &event->packet);
		any = true;
	}
	for (i = 0; i < STRATA_SHOWN_TYPES; i++) {
		if (!event->types[i])
			continue;
		if (any)
			strata_buffer_put(buffer, ", ", 2);
		any = true;
		if (!strata_text_program_put(&programs->programs[i], event->types[i], &fields,
					     &cursor))
			break;
	}
	strata_buffer_put(buffer, "\n", 1);
}

static void text_loss(struct strata_event_writer *writer, struct strata_buffer *buffer,
		      const struct strata_shown_loss *lost)
{
	strata_text_put_loss(&((const struct text *)writer)->options, buffer, lost);
}

/* "host:process:(1234) "; NULL: out of memory. */
static char *make_prefix(const struct strata_shown_source *source)
{
	const size_t host = source->hostname ? strlen(source->hostname) : 0;
	const size_t process = source->procname ? strlen(source->procname) : 0;
	char *prefix = malloc(4 * (host + process) + 2 * STRATA_PUT_BYTES);
	char *out = prefix;

	if (!prefix)
		return NULL;
	if (source->hostname)
		out = strata_text_escape(out, source->hostname, host, false);
	if (source->procname) {
		if (out != prefix || source->hostname)
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
	*out = '\0';
	return prefix;
}

static int make_programs(struct source *source, const struct strata_ctf_metadata *metadata)
{
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

			for (k = 0; k < STRATA_SHOWN_TYPES; k++) {
				if (strata_text_program_make(
					    &source->events[event->index].programs[k], types[k]))
					return -1;
			}
		}
	}
	return 0;
}

static void text_begin(struct strata_event_writer *writer, struct strata_buffer *buffer,
		       const struct strata_shown_source *sources, size_t nr_sources)
{
	struct text *text = (struct text *)writer;
	size_t i;

	tzset(); /* localtime_r() may not */
	text->sources = calloc(nr_sources + 1, sizeof(*text->sources));
	text->nr_sources = text->sources ? nr_sources : 0;
	buffer->no_memory |= !text->sources;
	for (i = 0; i < text->nr_sources; i++) {
		struct source *source = &text->sources[i];

		source->prefix = make_prefix(&sources[i]);
		buffer->no_memory |= !source->prefix;
		if (source->prefix)
			source->prefix_bytes = strlen(source->prefix);
		if (sources[i].metadata && make_programs(source, sources[i].metadata))
			buffer->no_memory = true;
	}
}

static void text_free(struct strata_event_writer *writer)
{
	struct text *text = (struct text *)writer;
	size_t i, j, k;

	for (i = 0; i < text->nr_sources; i++) {
		struct source *source = &text->sources[i];

		for (j = 0; j < source->nr_events; j++) {
			for (k = 0; k < STRATA_SHOWN_TYPES; k++)
				strata_text_program_clear(&source->events[j].programs[k]);
		}
		free(source->events);
		free(source->prefix);
	}
	free(text->sources);
	free(text);
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

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text_columns.c - a line for each event in aligned columns, for people, below a heading:
 *
 *     # time  +delta  ~bound  source  layer  cpu  pcpu  vcpu  event  fields
 *
 * Each column but the last is one word (with the date, the time is two). "~" marks an event that
 * may have happened before the one above it; "<" marks a late event, which arrived after those
 * above it were shown. The bound is the largest error of its time, rounded up. `pcpu` and `vcpu`,
 * with the domain, are where the event happened; these columns are present if a source may have
 * them. An event with a format has its message in place of its fields (message.h). A loss is a line
 * of its own (text_lines.h). "-" means unknown. Text from events is escaped,
 * so that a terminal does not interpret it.
 */
#include <stdlib.h>

#include "base/escape.h"
#include "outputs/message.h"
#include "outputs/text/columns_fields.h"
#include "outputs/text/columns_texts.h"
#include "outputs/text/text_lines.h"

#define SOURCE_COLUMN_MAX 24u
#define LAYER_COLUMN      6u
#define CPU_COLUMN        4u
#define VCPU_COLUMN       10u
#define BOUND_COLUMN      8u

/* Bytes of all columns but source and event, with their colours. */
#define COLUMNS_BYTES 512u

/* Sources use these in turn. */
static const char *const source_escapes[] = { "\x1b[32m", "\x1b[33m", "\x1b[34m", "\x1b[35m",
					      "\x1b[36m" };

struct columns {
	struct strata_event_writer writer;
	struct strata_text_options options;
	const struct strata_shown_source *sources;
	size_t nr_sources;
	struct strata_columns_texts texts;
	unsigned int source_column;
	bool shows_places;
	bool has_heading;
};

/* A bound in four digits at most, rounded up. */
static char *put_bound(char *out, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	const char *start = out;
	size_t unit;

	if (ns == UINT64_MAX) {
		*out++ = '-';
		return strata_put_pad(out, start, BOUND_COLUMN);
	}
	for (unit = 0; ns > 9999 && unit < 3; unit++)
		ns = ns / 1000 + (ns % 1000 != 0);
	out = strata_put_decimal(strata_put_text(out, "\xc2\xb1"), ns);
	out = strata_put_text(out, units[unit]);
	/* The sign has two bytes, and takes one column. */
	return strata_put_pad(out, start + 1, BOUND_COLUMN);
}

static char *put_times(char *out, const struct columns *columns, struct strata_put_clock *clock,
		       const struct strata_shown_event *event)
{
	const char mark = event->late ? '<' : event->unordered ? '~' : ' ';
	const bool colours = columns->options.colours;
	char delta[STRATA_PUT_BYTES];
	size_t length, width = 12;

	out = strata_put_colour(out, colours, STRATA_COLOUR_TIME);
	out = event->has_time ? strata_text_put_time(out, &columns->options, clock, event->ns)
			      : strata_put_text(out, "??:??:??.?????????");
	length = (size_t)(strata_put_seconds(delta, event->ns - event->previous_ns) - delta);
	for (*out++ = ' '; width > length; width--)
		*out++ = ' ';
	*out++ = '+';
	out = strata_put_bytes(out, delta, length);
	out = strata_put_colour(out, colours, STRATA_COLOUR_NONE);
	*out++ = ' ';
	if (mark != ' ')
		out = strata_put_colour(out, colours, STRATA_COLOUR_UNORDERED);
	*out++ = mark;
	if (mark != ' ')
		out = strata_put_colour(out, colours, STRATA_COLOUR_NONE);
	return put_bound(out, event->bound_ns);
}

static char *put_cpu(char *out, uint32_t cpu)
{
	if (cpu != STRATA_SHOWN_UNKNOWN)
		return strata_put_right(out, cpu, CPU_COLUMN);
	memset(out, ' ', CPU_COLUMN);
	out[CPU_COLUMN - 1] = '-';
	return out + CPU_COLUMN;
}

/* Returns the name of a domain; NULL: unknown. */
static const char *domain_name(const struct columns *columns,
			       const struct strata_shown_event *event)
{
	const struct strata_shown_source *source = &columns->sources[event->source_index];

	if (event->source_index >= columns->nr_sources || !source->domain_names ||
	    event->domain >= STRATA_SHOWN_DOMAINS)
		return NULL;
	return source->domain_names[event->domain];
}

/* "g1/0", or "d7/0" if the domain has no name. */
static char *put_vcpu(char *out, const struct strata_shown_event *event, const char *name)
{
	const char *start = out;

	if (name) {
		out = strata_put_text(out, name);
	} else if (event->domain != STRATA_SHOWN_UNKNOWN) {
		*out++ = 'd';
		out = strata_put_decimal(out, event->domain);
	} else {
		*out++ = '-';
	}
	if (event->vcpu != STRATA_SHOWN_UNKNOWN) {
		*out++ = '/';
		out = strata_put_decimal(out, event->vcpu);
	}
	return strata_put_pad(out, start, VCPU_COLUMN);
}

/* Writes the columns before the event's name. Returns room for @bytes behind them; NULL: out of
 * memory. */
static char *put_columns(const struct columns *columns, struct strata_buffer *buffer,
			 const struct strata_shown_event *event, size_t bytes)
{
	const bool colours = columns->options.colours;
	const size_t source_bytes = strlen(event->source);
	const size_t nr = sizeof(source_escapes) / sizeof(source_escapes[0]);
	const char *domain = domain_name(columns, event);
	char *start, *out = strata_buffer_room(buffer, COLUMNS_BYTES + source_bytes + bytes +
							       (domain ? strlen(domain) : 0));

	if (!out)
		return NULL;
	out = put_times(out, columns, &buffer->clock, event);
	if (colours)
		out = strata_put_text(out, source_escapes[event->source_index % nr]);
	start = out;
	out = strata_put_pad(strata_put_bytes(out, event->source, source_bytes), start,
			     columns->source_column);
	out = strata_put_colour(out, colours, STRATA_COLOUR_NONE);
	start = out;
	out = strata_put_pad(strata_put_text(out, *event->layer ? event->layer : "-"), start,
			     LAYER_COLUMN);
	out = put_cpu(out, event->cpu);
	*out++ = ' ';
	if (columns->shows_places) {
		out = put_cpu(out, event->pcpu);
		*out++ = ' ';
		out = put_vcpu(out, event, domain);
	}
	return out;
}

static void put_event(const struct columns *columns, struct strata_buffer *buffer,
		      const struct strata_shown_event *event,
		      const struct strata_columns_class *class)
{
	const struct strata_shown_source *source = event->source_index < columns->nr_sources
							   ? &columns->sources[event->source_index]
							   : NULL;
	const struct strata_ctf_type *payload = event->types[STRATA_COLUMNS_CONTEXTS];
	struct strata_ctf_cursor cursor = event->cursor;
	char *out = put_columns(columns, buffer, event, class->name_bytes + STRATA_PUT_BLOCK);

	if (!out)
		return;
	strata_buffer_advance(buffer, strata_put_blocks(out, class->name, class->name_bytes));
	if (strata_columns_put_contexts(buffer, &columns->options, source, columns->shows_places,
					event, &cursor)) {
		if (__builtin_expect(event->format != NULL, 0)) {
			strata_buffer_put(buffer, " ", 1);
			strata_message_put(buffer, event->format, payload, cursor,
					   strata_message_escape);
		} else if (payload) {
			strata_text_program_put(&class->payload, payload, buffer, &cursor);
		}
	}
	strata_buffer_put(buffer, "\n", 1);
}

static void columns_event(struct strata_event_writer *writer, struct strata_buffer *buffer,
			  const struct strata_shown_event *event)
{
	const struct columns *columns = (const struct columns *)writer;
	const struct strata_columns_class *class =
		strata_columns_find(&columns->texts, event->source_index, event->class_index);
	struct strata_columns_class unknown;

	if (__builtin_expect(class != NULL, 1)) {
		put_event(columns, buffer, event, class);
		return;
	}
	/* Its source has no metadata. */
	if (strata_columns_class_make(&unknown, event->name, event->types[STRATA_COLUMNS_CONTEXTS],
				      columns->options.colours))
		buffer->no_memory = true;
	else
		put_event(columns, buffer, event, &unknown);
	strata_columns_class_clear(&unknown);
}

static void columns_loss(struct strata_event_writer *writer, struct strata_buffer *buffer,
			 const struct strata_shown_loss *lost)
{
	const struct columns *columns = (const struct columns *)writer;

	if (columns->options.colours)
		strata_buffer_text(buffer, strata_colour_escapes[STRATA_COLOUR_UNORDERED]);
	strata_text_put_loss(&columns->options, buffer, lost);
	if (columns->options.colours)
		strata_buffer_text(buffer, strata_colour_escapes[STRATA_COLOUR_NONE]);
}

static void put_heading(const struct columns *columns, struct strata_buffer *buffer)
{
	const struct strata_text_options *options = &columns->options;
	const unsigned int time_column = options->seconds ? 20u : 18u;
	char *start, *out = strata_buffer_room(buffer, COLUMNS_BYTES + SOURCE_COLUMN_MAX);

	if (!out)
		return;
	start = out;
	if (options->date && !options->seconds)
		out = strata_put_pad(strata_put_text(out, "# date"), start,
				     STRATA_PUT_DATE_BYTES - 1);
	else
		out = strata_put_text(out, "# ");
	out = strata_put_text(out, "time");
	out = strata_put_pad(
		out, start,
		time_column + (options->date && !options->seconds ? STRATA_PUT_DATE_BYTES : 0u));
	out = strata_put_text(out, "       +delta  ");
	start = out;
	out = strata_put_pad(strata_put_text(out, "bound"), start, BOUND_COLUMN);
	start = out;
	out = strata_put_pad(strata_put_text(out, "source"), start, columns->source_column);
	start = out;
	out = strata_put_pad(strata_put_text(out, "layer"), start, LAYER_COLUMN);
	out = strata_put_text(out, " cpu ");
	if (columns->shows_places) {
		out = strata_put_text(out, "pcpu ");
		start = out;
		out = strata_put_pad(strata_put_text(out, "vcpu"), start, VCPU_COLUMN);
	}
	start = out;
	out = strata_put_pad(strata_put_text(out, "event"), start, STRATA_COLUMNS_EVENT);
	strata_buffer_advance(buffer, strata_put_text(out, "fields\n"));
}

static void columns_begin(struct strata_event_writer *writer, struct strata_buffer *buffer,
			  const struct strata_shown_source *sources, size_t nr_sources)
{
	struct columns *columns = (struct columns *)writer;
	const bool showed_places = columns->shows_places;
	size_t i;

	/* Sources may be set again when new ones appear. */
	buffer->no_memory |= strata_columns_texts_make(&columns->texts, sources, nr_sources,
						       columns->options.colours) != 0;
	columns->sources = sources;
	columns->nr_sources = nr_sources;
	tzset(); /* localtime_r() need not call it */
	for (i = 0; i < nr_sources; i++) {
		const size_t length = strlen(sources[i].name);

		columns->shows_places |= sources[i].knows_places;
		if (length > columns->source_column)
			columns->source_column = length < SOURCE_COLUMN_MAX ? (unsigned int)length
									    : SOURCE_COLUMN_MAX;
	}
	if (!columns->has_heading || showed_places != columns->shows_places)
		put_heading(columns, buffer);
	columns->has_heading = true;
}

static void columns_free(struct strata_event_writer *writer)
{
	strata_columns_texts_clear(&((struct columns *)writer)->texts);
	free(writer);
}

struct strata_event_writer *strata_text_columns_new(const struct strata_text_options *options)
{
	struct columns *columns = calloc(1, sizeof(*columns));

	if (!columns)
		return NULL;
	columns->writer.begin = columns_begin;
	columns->writer.event = columns_event;
	columns->writer.loss = columns_loss;
	columns->writer.free = columns_free;
	columns->options = *options;
	columns->source_column = sizeof("source") - 1; /* as wide as its heading */
	return &columns->writer;
}

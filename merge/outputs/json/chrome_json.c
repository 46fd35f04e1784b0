// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chrome_json.c - the JSON that Chrome's about:tracing, Perfetto and others open, for
 * small traces: a process for each source, a thread for each of its CPUs, and an instant for
 * each event, and one of category "loss" for each loss.
 *
 * Readers store times as microseconds in doubles. So times count from the trace's first event, with
 * nanoseconds as three decimal places; otherData contains the time of that event.
 */
#include <stdlib.h>

#include "outputs/json/json.h"
#include "outputs/json/json_text.h"

struct chrome {
	struct strata_event_writer writer;
	uint64_t origin_ns;
};

/* Threads are identified by number, and 0 means none. */
static uint64_t thread_of(uint32_t cpu)
{
	return cpu == STRATA_SHOWN_UNKNOWN ? 0 : (uint64_t)cpu + 1;
}

static void put_name(struct strata_buffer *buffer, const char *what, size_t process,
		     uint64_t thread, const char *name, bool is_last)
{
	char *out = strata_buffer_room(buffer, 5 * STRATA_PUT_BYTES + strlen(what) +
						       STRATA_JSON_BYTES(strlen(name)));

	if (!out)
		return;
	out = strata_put_text(out, "{\"ph\":\"M\",\"name\":\"");
	out = strata_put_text(out, what);
	out = strata_put_decimal(strata_put_text(out, "\",\"pid\":"), process);
	out = strata_put_decimal(strata_put_text(out, ",\"tid\":"), thread);
	out = strata_put_text(out, ",\"args\":{\"name\":\"");
	out = strata_json_put_text(out, name, strlen(name));
	out = strata_put_text(out, is_last ? "\"}}" : "\"}},\n");
	strata_buffer_advance(buffer, out);
}

static void chrome_begin(struct strata_event_writer *writer, struct strata_buffer *buffer,
			 const struct strata_shown_source *sources, size_t nr_sources)
{
	const struct chrome *chrome = (const struct chrome *)writer;
	char origin[STRATA_PUT_BYTES];
	size_t i, j;

	*strata_put_decimal(origin, chrome->origin_ns) = '\0';
	strata_buffer_text(buffer, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"origin_ns\":\"");
	strata_buffer_text(buffer, origin);
	strata_buffer_text(buffer, "\"},\"traceEvents\":[\n");
	for (i = 0; i < nr_sources; i++) {
		for (j = 0; j < sources[i].nr_cpus; j++) {
			char name[4 + STRATA_PUT_BYTES];

			*strata_put_decimal(strata_put_text(name, "CPU "), sources[i].cpus[j]) =
				'\0';
			put_name(buffer, "thread_name", i + 1, thread_of(sources[i].cpus[j]), name,
				 false);
		}
		put_name(buffer, "process_name", i + 1, 0, sources[i].name, i + 1 == nr_sources);
	}
}

/* Writes the start of every instant, up to the name. */
static void put_instant(const struct chrome *chrome, struct strata_buffer *buffer, uint64_t ns,
			size_t source_index, uint32_t cpu)
{
	const uint64_t since = ns > chrome->origin_ns ? ns - chrome->origin_ns : 0;
	char *out = strata_buffer_room(buffer, 8 * STRATA_PUT_BYTES);

	if (!out)
		return;
	out = strata_put_text(out, ",\n{\"ph\":\"i\",\"s\":\"t\",\"ts\":");
	out = strata_put_decimal(out, since / 1000);
	*out++ = '.';
	out = strata_put_digits(out, since % 1000, 3);
	out = strata_put_decimal(strata_put_text(out, ",\"pid\":"), source_index + 1);
	out = strata_put_decimal(strata_put_text(out, ",\"tid\":"), thread_of(cpu));
	strata_buffer_advance(buffer, out);
}

static void chrome_loss(struct strata_event_writer *writer, struct strata_buffer *buffer,
			const struct strata_shown_loss *lost)
{
	char name[STRATA_LOSS_TEXT_BYTES];
	char *out;

	put_instant((const struct chrome *)writer, buffer, lost->loss->from_ns, lost->source_index,
		    lost->cpu);
	*strata_loss_text(name, lost->loss) = '\0';
	strata_json_member(buffer, "name", name);
	strata_json_member(buffer, "cat", "loss");
	out = strata_buffer_room(buffer, 3 * STRATA_PUT_BYTES + STRATA_JSON_LOSS_BYTES);
	if (!out)
		return;
	out = strata_json_put_loss(strata_put_text(out, ",\"args\":{"), lost->loss);
	out = strata_put_decimal(strata_put_text(out, ",\"to_ns\":\""), lost->loss->to_ns);
	strata_buffer_advance(buffer, strata_put_text(out, "\""));
	strata_json_member(buffer, "stream", lost->stream);
	strata_buffer_text(buffer, "}}");
}

static void chrome_event(struct strata_event_writer *writer, struct strata_buffer *buffer,
			 const struct strata_shown_event *event)
{
	char *out;

	put_instant((const struct chrome *)writer, buffer, event->ns, event->source_index,
		    event->cpu);
	strata_json_member(buffer, "name", event->name);
	strata_json_member(buffer, "cat", *event->layer ? event->layer : "event");
	strata_buffer_text(buffer, ",\"args\":{\"unordered\":");
	strata_buffer_text(buffer, event->unordered ? "true" : "false");
	if (event->bound_ns != UINT64_MAX) {
		out = strata_buffer_room(buffer, 2 * STRATA_PUT_BYTES);
		if (!out)
			return;
		out = strata_put_text(out, ",\"bound_ns\":");
		strata_buffer_advance(buffer, strata_put_decimal(out, event->bound_ns));
	}
	strata_json_message(buffer, event);
	strata_json_scopes(buffer, event);
	strata_buffer_text(buffer, "}}");
}

static void chrome_end(struct strata_event_writer *writer, struct strata_buffer *buffer)
{
	(void)writer;
	strata_buffer_text(buffer, "\n]}\n");
}

static void chrome_free(struct strata_event_writer *writer)
{
	free(writer);
}

struct strata_event_writer *strata_chrome_json_new(uint64_t origin_ns)
{
	struct chrome *chrome = calloc(1, sizeof(*chrome));

	if (!chrome)
		return NULL;
	chrome->writer.begin = chrome_begin;
	chrome->writer.event = chrome_event;
	chrome->writer.loss = chrome_loss;
	chrome->writer.end = chrome_end;
	chrome->writer.free = chrome_free;
	chrome->origin_ns = origin_ns;
	return &chrome->writer;
}

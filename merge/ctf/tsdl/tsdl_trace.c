// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_trace.c - builds the whole trace from its declarations: clocks, streams, and their events;
 * see tsdl_build.h.
 */
#include <stdlib.h>
#include <string.h>

#include "ctf/tsdl/tsdl_build.h"
#include "ctf/types/ctf_formats.h"

/* A stream's sort key, and its position in the text. */
struct stream_work {
	uint64_t id;
	const struct strata_tsdl_stream_block *block; /* NULL: only events refer to it */
	struct strata_tsdl_targets targets;
	struct strata_ctf_type *roots[STRATA_CTF_NR_SCOPES];
	size_t first_event, nr_events;
};

struct event_work {
	uint64_t stream_id, id;
	const struct strata_tsdl_event_block *block;
	struct strata_tsdl_targets targets;
};

struct trace_work {
	struct strata_tsdl_builder builder;
	struct strata_ctf_metadata *metadata;
	struct strata_tsdl_targets targets; /* in the packet header */
	struct stream_work *streams;
	size_t nr_streams;
	struct event_work *events;
	size_t nr_events;
};

/* Clocks --------------------------------------------------------------------------------- */

static int take_clocks(struct trace_work *work)
{
	struct strata_tsdl_source *source = work->builder.source;
	const struct strata_tsdl_file *file = work->builder.file;
	struct strata_tsdl_clock_block *block;
	struct strata_ctf_clock *clocks;
	int32_t i = 0;

	if (file->nr_clocks > INT32_MAX)
		return strata_tsdl_fail(source, file->clocks->at, "too many clocks");
	/* One more, for timestamps in a trace without clocks. */
	clocks = strata_tsdl_get(source, file->nr_clocks + 1, sizeof(*clocks));
	if (!clocks)
		return -1;
	for (block = file->clocks; block; block = block->next) {
		if (strata_tsdl_find(&work->builder.clocks, 0, block->clock.name))
			return strata_tsdl_fail(source, block->at,
						"a second clock of the name %.200s: rename one",
						block->clock.name);
		if (strata_tsdl_add(&work->builder.clocks, 0, block->clock.name, block))
			return strata_tsdl_fail_memory(source, block->at);
		block->index = i;
		clocks[i++] = block->clock;
	}
	work->metadata->clocks = clocks;
	work->metadata->nr_clocks = file->nr_clocks;
	return 0;
}

/*
 * A timestamp without a named clock belongs to the only clock; without any, to a clock in
 * nanoseconds, as in babeltrace2.
 */
static void map_timestamps(struct trace_work *work, const struct strata_ctf_type *type,
			   const char *name, size_t at)
{
	struct strata_ctf_metadata *metadata = work->metadata;
	struct strata_ctf_clock *clocks = (struct strata_ctf_clock *)metadata->clocks;
	size_t i;

	for (i = 0; type && i < type->nr_fields; i++) {
		struct strata_ctf_type *field = (struct strata_ctf_type *)type->fields[i].type;

		if (field->kind == STRATA_CTF_STRUCT || field->kind == STRATA_CTF_VARIANT)
			map_timestamps(work, field, name, at);
		if ((field->kind != STRATA_CTF_INTEGER && field->kind != STRATA_CTF_ENUM) ||
		    field->clock != STRATA_CTF_NO_CLOCK || strcmp(type->fields[i].name, name) != 0)
			continue;
		if (metadata->nr_clocks > 1) {
			strata_tsdl_complain(work->builder.source, at,
					     "%s does not name one of the %zu clocks: ignored",
					     name, metadata->nr_clocks);
			continue;
		}
		if (!metadata->nr_clocks) {
			clocks[0].name = "default";
			clocks[0].frequency = 1000000000;
			clocks[0].precision = 1;
			metadata->nr_clocks = 1;
		}
		field->clock = 0;
	}
}

/* Streams -------------------------------------------------------------------------------- */

static int compare_streams(const void *a, const void *b)
{
	const struct stream_work *left = a, *right = b;

	return (left->id > right->id) - (left->id < right->id);
}

/* Sorts all streams of the text by id. */
static int sort_streams(struct trace_work *work)
{
	struct strata_tsdl_source *source = work->builder.source;
	const struct strata_tsdl_file *file = work->builder.file;
	const struct strata_tsdl_stream_block *block;
	size_t i = 0;

	/* A trace with events but no stream gets an empty stream. */
	work->nr_streams = file->nr_streams;
	if (!work->nr_streams && file->nr_events)
		work->nr_streams = 1;
	work->streams = strata_tsdl_get(source, work->nr_streams, sizeof(*work->streams));
	if (!work->streams)
		return -1;
	for (block = file->streams; block; block = block->next) {
		if (!block->has_id && file->nr_streams > 1)
			return strata_tsdl_fail(source, block->at,
						"this stream has no id, and is not the only one: "
						"it needs \"id = NUMBER;\"");
		work->streams[i].id = block->id;
		work->streams[i++].block = block;
	}
	qsort(work->streams, work->nr_streams, sizeof(*work->streams), compare_streams);
	for (i = 1; i < work->nr_streams; i++) {
		const struct stream_work *stream = &work->streams[i];
		size_t other = stream[-1].block->at;

		if (stream->id == stream[-1].id)
			return strata_tsdl_fail(
				source, stream->block->at > other ? stream->block->at : other,
				"a second stream of id %llu: remove one, or change "
				"its id",
				(unsigned long long)stream->id);
	}
	return 0;
}

static struct stream_work *find_stream(const struct trace_work *work, uint64_t id)
{
	const struct stream_work key = { .id = id };

	return work->nr_streams ? bsearch(&key, work->streams, work->nr_streams,
					  sizeof(*work->streams), compare_streams)
				: NULL;
}

/* Builds the scopes that all events of a stream share. */
static int build_stream(struct trace_work *work, struct stream_work *stream)
{
	struct strata_tsdl_builder *builder = &work->builder;
	const struct strata_tsdl_stream_block *block = stream->block;

	builder->targets[STRATA_CTF_PACKET_CONTEXT] = &stream->targets;
	builder->targets[STRATA_CTF_EVENT_HEADER] = &stream->targets;
	builder->targets[STRATA_CTF_STREAM_EVENT_CONTEXT] = &stream->targets;
	builder->clock = block && block->clock ? block->clock->index : STRATA_CTF_NO_CLOCK;
	if (strata_tsdl_build(builder, STRATA_CTF_PACKET_CONTEXT,
			      block ? block->packet_context : NULL) ||
	    strata_tsdl_build(builder, STRATA_CTF_EVENT_HEADER,
			      block ? block->event_header : NULL) ||
	    strata_tsdl_build(builder, STRATA_CTF_STREAM_EVENT_CONTEXT,
			      block ? block->event_context : NULL))
		return -1;
	if (block && !builder->file->is_ctf_2) {
		map_timestamps(work, builder->roots[STRATA_CTF_PACKET_CONTEXT], "timestamp_begin",
			       block->at);
		map_timestamps(work, builder->roots[STRATA_CTF_PACKET_CONTEXT], "timestamp_end",
			       block->at);
		map_timestamps(work, builder->roots[STRATA_CTF_EVENT_HEADER], "timestamp",
			       block->at);
		strata_tsdl_name_roles(builder->roots[STRATA_CTF_PACKET_CONTEXT],
				       STRATA_CTF_PACKET_CONTEXT);
		strata_tsdl_name_roles(builder->roots[STRATA_CTF_EVENT_HEADER],
				       STRATA_CTF_EVENT_HEADER);
	}
	memcpy(stream->roots, builder->roots, sizeof(stream->roots));
	return 0;
}

/* Events --------------------------------------------------------------------------------- */

static int compare_events(const void *a, const void *b)
{
	const struct event_work *left = a, *right = b;

	if (left->stream_id != right->stream_id)
		return left->stream_id < right->stream_id ? -1 : 1;
	return (left->id > right->id) - (left->id < right->id);
}

/* Finds the stream to which an event belongs. */
static int find_events_stream(const struct trace_work *work,
			      const struct strata_tsdl_event_block *block, uint64_t *id)
{
	struct strata_tsdl_source *source = work->builder.source;

	if (block->has_stream_id) {
		*id = block->stream_id;
		if (find_stream(work, *id))
			return 0;
		return strata_tsdl_fail(source, block->at,
					"this event's stream %llu is not there: the text needs "
					"\"stream { id = %llu; ... };\"",
					(unsigned long long)*id, (unsigned long long)*id);
	}
	if (work->nr_streams > 1)
		return strata_tsdl_fail(source, block->at,
					"this event does not say to which of the %zu streams it "
					"belongs: it needs \"stream_id = NUMBER;\"",
					work->nr_streams);
	*id = work->streams[0].id;
	return 0;
}

/* Sorts all events by stream and id. */
static int sort_events(struct trace_work *work)
{
	struct strata_tsdl_source *source = work->builder.source;
	const struct strata_tsdl_file *file = work->builder.file;
	const struct strata_tsdl_event_block *block;
	size_t i = 0;

	work->nr_events = file->nr_events;
	work->events = strata_tsdl_get(source, work->nr_events, sizeof(*work->events));
	if (!work->events)
		return -1;
	for (block = file->events; block; block = block->next, i++) {
		work->events[i].id = block->id;
		work->events[i].block = block;
		if (find_events_stream(work, block, &work->events[i].stream_id))
			return -1;
	}
	qsort(work->events, work->nr_events, sizeof(*work->events), compare_events);
	for (i = 1; i < work->nr_events; i++) {
		const struct event_work *event = &work->events[i];
		size_t other = event[-1].block->at;

		if (compare_events(event, event - 1) == 0)
			return strata_tsdl_fail(source,
						event->block->at > other ? event->block->at : other,
						"a second event of id %llu in stream %llu: remove "
						"one, or change its id",
						(unsigned long long)event->id,
						(unsigned long long)event->stream_id);
	}
	return 0;
}

static int build_event(struct trace_work *work, struct event_work *event,
		       struct strata_ctf_event_class *result)
{
	struct strata_tsdl_builder *builder = &work->builder;
	const struct strata_tsdl_event_block *block = event->block;

	builder->targets[STRATA_CTF_EVENT_CONTEXT] = &event->targets;
	builder->targets[STRATA_CTF_PAYLOAD] = &event->targets;
	if (strata_tsdl_build(builder, STRATA_CTF_EVENT_CONTEXT, block->context) ||
	    strata_tsdl_build(builder, STRATA_CTF_PAYLOAD, block->payload))
		return -1;
	if (!block->name && !builder->file->is_ctf_2)
		strata_tsdl_complain(builder->source, block->at, "this event has no name");
	result->id = event->id;
	result->name = block->name ? block->name : "";
	result->loglevel = block->loglevel;
	result->context = builder->roots[STRATA_CTF_EVENT_CONTEXT];
	result->payload = builder->roots[STRATA_CTF_PAYLOAD];
	result->index = (size_t)(event - work->events);
	return 0;
}

/* The trace ------------------------------------------------------------------------------ */

static int build_streams(struct trace_work *work)
{
	struct strata_tsdl_source *source = work->builder.source;
	struct strata_ctf_stream_class *streams;
	struct strata_ctf_event_class *events;
	size_t i, event = 0;

	streams = strata_tsdl_get(source, work->nr_streams, sizeof(*streams));
	events = strata_tsdl_get(source, work->nr_events, sizeof(*events));
	if (!streams || !events)
		return -1;
	for (i = 0; i < work->nr_streams; i++) {
		struct stream_work *stream = &work->streams[i];

		if (build_stream(work, stream))
			return -1;
		streams[i].id = stream->id;
		streams[i].index = i;
		streams[i].clock = work->builder.clock;
		streams[i].packet_context = stream->roots[STRATA_CTF_PACKET_CONTEXT];
		streams[i].event_header = stream->roots[STRATA_CTF_EVENT_HEADER];
		streams[i].event_context = stream->roots[STRATA_CTF_STREAM_EVENT_CONTEXT];
		streams[i].events = events + event;
		stream->first_event = event;
		for (; event < work->nr_events && work->events[event].stream_id == stream->id;
		     event++)
			if (build_event(work, &work->events[event], &events[event]))
				return -1;
		stream->nr_events = event - stream->first_event;
		streams[i].nr_events = stream->nr_events;
	}
	strata_ctf_bind_formats(work->metadata->env, work->metadata->nr_env, streams,
				work->nr_streams, events);
	work->metadata->streams = streams;
	work->metadata->nr_streams = work->nr_streams;
	work->metadata->nr_events = work->nr_events;
	return 0;
}

/* To be called when all references are known: numbers the trace's slots, then each stream's, then
 * each event's. */
static int number_slots(struct trace_work *work)
{
	int of_trace = strata_tsdl_number(&work->builder, &work->targets, 0);
	size_t i, j;

	if (of_trace < 0)
		return -1;
	for (i = 0; i < work->nr_streams; i++) {
		const struct stream_work *stream = &work->streams[i];
		int of_stream = strata_tsdl_number(&work->builder, &stream->targets, of_trace);

		if (of_stream < 0)
			return -1;
		for (j = 0; j < stream->nr_events; j++)
			if (strata_tsdl_number(&work->builder,
					       &work->events[stream->first_event + j].targets,
					       of_stream) < 0)
				return -1;
	}
	strata_tsdl_link_all(&work->builder);
	return 0;
}

static int take_env(struct trace_work *work)
{
	const struct strata_tsdl_file *file = work->builder.file;
	const struct strata_tsdl_env *entry;
	struct strata_ctf_env *env;
	size_t i = 0;

	env = strata_tsdl_get(work->builder.source, file->nr_env, sizeof(*env));
	if (!env)
		return -1;
	for (entry = file->env; entry; entry = entry->next)
		env[i++] = entry->env;
	work->metadata->env = env;
	work->metadata->nr_env = file->nr_env;
	return 0;
}

static int build_all(struct trace_work *work)
{
	const struct strata_tsdl_file *file = work->builder.file;
	struct strata_ctf_metadata *metadata = work->metadata;

	if (!file->is_ctf_2 && !file->has_trace)
		return strata_tsdl_fail(
			work->builder.source, work->builder.source->size,
			"no trace block: is this the whole metadata of a CTF 1.8 trace?");
	metadata->major = file->is_ctf_2 ? 2 : 1;
	metadata->minor = file->is_ctf_2 ? 0 : 8;
	metadata->has_uuid = file->has_uuid;
	memcpy(metadata->uuid, file->uuid, sizeof(metadata->uuid));
	metadata->big_endian = file->order == STRATA_TSDL_BIG_ENDIAN;
	work->builder.targets[STRATA_CTF_PACKET_HEADER] = &work->targets;
	if (take_clocks(work) || take_env(work) || sort_streams(work) || sort_events(work) ||
	    strata_tsdl_build(&work->builder, STRATA_CTF_PACKET_HEADER, file->packet_header))
		return -1;
	metadata->packet_header = work->builder.roots[STRATA_CTF_PACKET_HEADER];
	if (!file->is_ctf_2)
		strata_tsdl_name_roles(metadata->packet_header, STRATA_CTF_PACKET_HEADER);
	return build_streams(work) || number_slots(work) ? -1 : 0;
}

int strata_tsdl_build_trace(struct strata_tsdl_source *source, const struct strata_tsdl_file *file,
			    struct strata_ctf_metadata *metadata)
{
	struct trace_work work = {
		.builder = { .source = source, .file = file },
		.metadata = metadata,
	};
	int result = build_all(&work);

	strata_tsdl_table_clear(&work.builder.members);
	strata_tsdl_table_clear(&work.builder.labels);
	strata_tsdl_table_clear(&work.builder.clocks);
	return result;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* tcp_trace.c - see tcp_trace.h. */
#include "inputs/tcp_trace.h"

#include "ctf/ctf_reader.h"

#define WINDOW_BYTES (1u << 20)

static bool stream_has(const struct strata_ctf_kind_of_stream *kind)
{
	size_t i;

	for (i = 0; i < kind->class->nr_events; i++) {
		if (strata_tcp_role_of(kind->classes[i].event) != STRATA_TCP_NONE)
			return true;
	}
	return false;
}

bool strata_tcp_trace_has(const struct strata_ctf_trace *trace)
{
	size_t i;

	for (i = 0; i < trace->metadata.nr_streams; i++) {
		if (stream_has(&trace->kinds[i]))
			return true;
	}
	return false;
}

/*
 * Adds the segments of a batch of events.
 * @before_ns: IN/OUT, the time of the event before; whoever has the same may have had another one,
 *             which was mended, and proves nothing
 */
static void add_events(struct strata_tcp_pairs *pairs, struct strata_ctf_reader *reader, size_t nr,
		       uint32_t clock, uint64_t *before_ns)
{
	const struct strata_ctf_kind_of_stream *kind = reader->kind;
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct strata_lane_event *event = &reader->events[i];
		const struct strata_ctf_event_class *class = kind->classes[event->class].event;
		const bool is_mended = event->ns == *before_ns || event->ns > INT64_MAX;
		const enum strata_tcp_role role = strata_tcp_role_of(class);
		struct strata_tcp_segment segment;
		struct strata_ctf_cursor cursor;

		*before_ns = event->ns;
		if (role == STRATA_TCP_NONE || is_mended)
			continue;
		strata_ctf_event_open(reader, event, &cursor);
		if (strata_tcp_segment_read(kind->class, class, cursor, &segment))
			strata_tcp_pairs_add(pairs, clock, role, &segment, (int64_t)event->ns);
	}
}

static int add_stream(struct strata_tcp_pairs *pairs, const struct strata_ctf_stream *stream,
		      uint32_t clock, struct strata_progress *progress, struct strata_error *error)
{
	struct strata_ctf_reader reader;
	uint64_t before_ns = 0, bytes = 0;
	int nr;

	if (strata_ctf_reader_open(&reader, stream, WINDOW_BYTES, error) != 0)
		return -1;
	/* No part of it: whoever reads it for its events tells what is wrong. */
	strata_ctf_reader_seek(&reader, 0, UINT64_MAX, 0);
	while ((nr = strata_ctf_reader_next(&reader, error)) > 0) {
		add_events(pairs, &reader, (size_t)nr, clock, &before_ns);
		if (progress)
			strata_progress_add(progress, (uint64_t)nr, reader.tally.bytes - bytes);
		bytes = reader.tally.bytes;
	}
	strata_ctf_reader_close(&reader);
	return nr;
}

int strata_tcp_trace_add(struct strata_tcp_pairs *pairs, const struct strata_ctf_trace *trace,
			 uint32_t clock, struct strata_progress *progress,
			 struct strata_error *error)
{
	size_t i;

	for (i = 0; i < trace->nr_streams; i++) {
		if (add_stream(pairs, &trace->streams[i], clock, progress, error) != 0)
			return -1;
	}
	return 0;
}

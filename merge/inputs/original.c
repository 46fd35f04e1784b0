// SPDX-License-Identifier: GPL-2.0-or-later
/* original.c - see original.h. */
#include "inputs/original.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/partition.h"
#include "clocks/raw_stream.h"
#include "ctf/reader/ctf_reader.h"
#include "ctf/reader/ctf_reader_packet.h"

static const struct strata_ctf_stream *find_stream(const struct strata_ctf_trace *trace,
						   const char *name)
{
	/* By name. */
	const size_t at =
		STRATA_PARTITION(i, 0, trace->nr_streams, strcmp(trace->streams[i].name, name) < 0);

	return at < trace->nr_streams && strcmp(trace->streams[at].name, name) == 0
		       ? &trace->streams[at]
		       : NULL;
}

/* Counts the packets of a stream's file up to @enough. Returns -1: out of memory. */
static int64_t count_packets(const struct strata_ctf_stream *stream, uint64_t enough,
			     struct strata_error *error)
{
	struct strata_ctf_reader reader;
	uint64_t nr = 0;

	if (strata_ctf_reader_open(&reader, stream, 4096, error))
		return -1;
	/* The reader of the events reports faults. */
	strata_ctf_reader_seek(&reader, 0, UINT64_MAX, UINT64_MAX);
	while (nr < enough && strata_ctf_reader_next_packet(&reader) > 0)
		nr++;
	strata_ctf_reader_close(&reader);
	return (int64_t)nr;
}

/* Whether the file of a stream has all packets of the recording's table. */
static bool is_whole(const struct strata_ctf_trace *trace, const struct strata_stream *stream,
		     struct strata_error *error)
{
	const struct strata_ctf_stream *file;
	char name[32];
	int64_t nr;

	if (stream->packets == 0)
		return true;
	snprintf(name, sizeof(name), "cpu_%" PRIu32, stream->cpu);
	file = find_stream(trace, name);
	nr = file ? count_packets(file, stream->packets, error) : 0;
	if (nr >= 0 && (uint64_t)nr < stream->packets)
		strata_fail(error, "%s has %" PRId64 " of its %" PRIu64 " packets", name, nr,
			    stream->packets);
	return nr >= 0 && (uint64_t)nr >= stream->packets;
}

bool strata_original_has_streams(const struct strata_source *source,
				 const struct strata_ctf_trace *copy, struct strata_error *error)
{
	const struct strata_stream *stream;
	uint32_t cpu;
	size_t i;

	for (i = 0; i < copy->nr_streams; i++) {
		if (copy->streams[i].bytes == 0)
			continue;
		stream = strata_cpu_of_stream(copy->streams[i].name, &cpu)
				 ? strata_source_stream(source, cpu)
				 : NULL;
		if (!stream || stream->packets == 0) {
			strata_fail(error, "it has no events of the copy's stream %s",
				    copy->streams[i].name);
			return false;
		}
	}
	return true;
}

bool strata_original_is_whole(struct strata_recording_traces *recording, const char *raw,
			      size_t source, struct strata_error *error)
{
	const struct strata_source *table =
		&strata_recording_traces_table(recording)->sources[source];
	struct strata_ctf_trace *trace;
	bool whole = false;
	size_t i;

	if (!strata_recorded_host_can_order(strata_recording_traces_host(recording), source)) {
		strata_fail(error, "its clock cannot be ordered");
		return false;
	}
	trace = strata_recorded_source_open(table, raw, NULL, NULL, error);
	if (!trace)
		return false;
	for (i = 0, whole = true; i < table->nr_streams && whole; i++)
		whole = is_whole(trace, &table->streams[i], error);
	strata_ctf_trace_close(trace);
	return whole;
}

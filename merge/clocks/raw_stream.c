// SPDX-License-Identifier: GPL-2.0-or-later
/* raw_stream.c - see raw_stream.h. */
#include "clocks/raw_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WINDOW_BYTES (64u << 10)

static void *begin(const struct strata_ctf_converter *converter)
{
	return (void *)converter;
}

static void convert(void *state, const struct strata_ctf_time *clock, uint64_t cycles,
		    struct strata_ctf_when *when)
{
	(void)state;
	(void)clock;
	*when = (struct strata_ctf_when){ .ns = cycles };
}

static uint64_t ns_later(const void *state, const struct strata_ctf_time *clock, uint64_t cycles,
			 uint64_t *bound)
{
	(void)state;
	(void)clock;
	*bound = 0;
	return cycles;
}

static void end(void *state)
{
	(void)state;
}

static const struct strata_ctf_converter no_conversion = {
	.begin = begin,
	.convert = convert,
	.ns_later = ns_later,
	.end = end,
};

struct strata_ctf_trace *strata_recorded_source_open(const struct strata_source *source,
						     const char *raw, strata_complain_fn *complain,
						     void *data, struct strata_error *error)
{
	struct strata_ctf_trace *trace;
	char path[4096];

	if (snprintf(path, sizeof(path), "%s/%s", raw, source->name) >= (int)sizeof(path)) {
		strata_fail(error, "%.100s...: the path is too long", raw);
		return NULL;
	}
	trace = strata_ctf_trace_open_recorded(path, complain, data, error);
	if (trace)
		trace->vm_exits = source->exits;
	else
		strata_source_is_only_lost(source, error);
	return trace;
}

bool strata_cpu_of_stream(const char *name, uint32_t *cpu)
{
	char again[32];

	if (sscanf(name, "cpu_%" SCNu32, cpu) != 1)
		return false;
	snprintf(again, sizeof(again), "cpu_%" PRIu32, *cpu);
	return strcmp(name, again) == 0;
}

void strata_raw_stream_continue(struct strata_raw_stream *raw, const struct strata_ctf_stream *of)
{
	const uint64_t cpu = raw->stream.cpu;

	raw->stream = *of;
	raw->stream.converter = &no_conversion;
	raw->stream.is_recorded = true;
	raw->stream.has_cpu = true;
	raw->stream.cpu = cpu;
	/* The merge compares the stream with the tables' times; this reader does not. */
	raw->stream.since_ns = raw->stream.until_ns = 0;
	raw->stream.discarded = raw->stream.packets = 0;
}

int strata_raw_stream_open(struct strata_raw_stream *raw, const struct strata_ctf_stream *of,
			   struct strata_error *error)
{
	uint32_t cpu;

	memset(raw, 0, sizeof(*raw));
	if (!strata_cpu_of_stream(of->name, &cpu))
		return strata_fail(error, "%s/%s: not named after a CPU", of->trace->path,
				   of->name);
	raw->stream.cpu = cpu;
	strata_raw_stream_continue(raw, of);
	if (strata_ctf_reader_open(&raw->reader, &raw->stream, WINDOW_BYTES, error))
		return -1;
	raw->reader.tells_losses = true;
	raw->reader.is_silent = true;
	return 0;
}

void strata_raw_stream_close(struct strata_raw_stream *raw)
{
	strata_ctf_reader_close(&raw->reader);
}

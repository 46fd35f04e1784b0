// SPDX-License-Identifier: GPL-2.0-or-later
/* steady_set.c - see steady_set.h. */
#include "live/steady_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "ctf/types/ctf_arena.h"

static bool is_app(const struct strata_ctf_trace *trace)
{
	const char *layer = strata_ctf_env_text(trace, "layer");

	return layer && strcmp(layer, "app") == 0;
}

static bool is_free(const struct strata_steady_trace *trace, uint64_t free_ns)
{
	return !trace->open && trace->is_app && trace->ended_ns < free_ns;
}

/* Returns the number of the trace with that path, or a free or new number. -1: out of memory. */
static long number_of(struct strata_steady_set *steady, const struct strata_ctf_trace *trace,
		      uint64_t free_ns)
{
	struct strata_steady_trace *added;
	size_t i, found = steady->nr;

	for (i = 0; i < steady->nr; i++) {
		if (strcmp(steady->traces[i]->ended.path, trace->path) == 0)
			return (long)i;
		if (found == steady->nr && is_app(trace) && is_free(steady->traces[i], free_ns))
			found = i;
	}
	if (found == steady->nr) {
		added = calloc(1, sizeof(*added));
		if (!added || !STRATA_GROW(steady->traces, steady->nr, steady->room)) {
			free(added);
			return -1;
		}
		steady->traces[steady->nr++] = added;
	}
	free(steady->traces[found]->ended.path);
	steady->traces[found]->ended.path = strdup(trace->path);
	steady->traces[found]->ended.recording = steady;
	steady->traces[found]->ended.times_are_tied = true;
	steady->traces[found]->is_app = is_app(trace);
	steady->traces[found]->ended_ns = UINT64_MAX;
	return steady->traces[found]->ended.path ? (long)found : -1;
}

/* Numbers the traces of @set, and its streams accordingly.  0 or -1. */
static int number_all(struct strata_steady_set *steady, const struct strata_trace_set *set,
		      uint64_t free_ns)
{
	size_t i, stream = 0;

	for (i = 0; i < set->nr_traces; i++) {
		const long number = number_of(steady, set->traces[i], free_ns);

		if (number < 0)
			return -1;
		steady->traces[number]->open = set->traces[i];
		for (; stream < set->nr_streams && set->streams[stream].trace == i; stream++) {
			steady->set.streams[stream].stream = set->streams[stream].stream;
			steady->set.streams[stream].trace = (size_t)number;
		}
	}
	return 0;
}

int strata_steady_set_change(struct strata_steady_set *steady, const struct strata_trace_set *set,
			     uint64_t now_ns, uint64_t free_ns, struct strata_error *error)
{
	struct strata_ctf_trace **traces;
	size_t i;

	strata_steady_set_close(steady);
	for (i = 0; i < steady->nr; i++) {
		steady->traces[i]->has_just_ended = steady->traces[i]->open != NULL;
		steady->traces[i]->open = NULL;
	}
	steady->set.streams = calloc(set->nr_streams + 1, sizeof(*steady->set.streams));
	steady->set.nr_streams = steady->set.streams ? set->nr_streams : 0;
	if (!steady->set.streams || number_all(steady, set, free_ns))
		return strata_fail(error, "out of memory");
	traces = reallocarray(steady->set.traces, steady->nr + 1, sizeof(*traces));
	if (!traces)
		return strata_fail(error, "out of memory");
	steady->set.traces = traces;
	steady->set.nr_traces = steady->nr;
	steady->set.bytes = set->bytes;
	for (i = 0; i < steady->nr; i++) {
		struct strata_steady_trace *trace = steady->traces[i];

		trace->has_just_ended &= !trace->open;
		if (trace->has_just_ended)
			trace->ended_ns = now_ns;
		traces[i] = trace->open ? trace->open : &trace->ended;
	}
	return 0;
}

void strata_steady_set_close(struct strata_steady_set *steady)
{
	size_t i;

	for (i = 0; i < steady->set.nr_streams; i++)
		strata_ctf_index_clear(&steady->set.streams[i].index);
	free(steady->set.streams);
	steady->set.streams = NULL;
	steady->set.nr_streams = 0;
	steady->set.has_index = false;
}

void strata_steady_set_clear(struct strata_steady_set *steady)
{
	size_t i;

	strata_steady_set_close(steady);
	for (i = 0; i < steady->nr; i++) {
		free(steady->traces[i]->ended.path);
		strata_ctf_arena_free(steady->traces[i]->ended.domains_arena);
		free(steady->traces[i]);
	}
	free(steady->traces);
	free(steady->set.traces);
	memset(steady, 0, sizeof(*steady));
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* statistics.c - see statistics.h: each slice counts separately, and the counts are then added up
 * in order. */
#include "analyses/statistics.h"

#include <stdlib.h>

struct slice_statistics {
	struct strata_slice_sink sink;
	const struct strata_trace_set *set;
	struct strata_statistics counted;
};

struct statistics_work {
	struct strata_slice_work work;
	const struct strata_trace_set *set;
	struct strata_statistics *sum;
};

static int allocate(struct strata_statistics *statistics, const struct strata_trace_set *set)
{
	size_t i;

	memset(statistics, 0, sizeof(*statistics));
	statistics->traces = calloc(set->nr_traces + 1, sizeof(*statistics->traces));
	if (!statistics->traces)
		return -1;
	statistics->nr = set->nr_traces;
	for (i = 0; i < set->nr_traces; i++) {
		statistics->traces[i].of_class =
			calloc(set->traces[i]->metadata.nr_events + 1, sizeof(uint64_t));
		if (!statistics->traces[i].of_class)
			return -1;
	}
	return 0;
}

void strata_statistics_clear(struct strata_statistics *statistics)
{
	size_t i;

	for (i = 0; i < statistics->nr; i++)
		free(statistics->traces[i].of_class);
	free(statistics->traces);
	memset(statistics, 0, sizeof(*statistics));
}

static void note_silence(struct strata_trace_statistics *trace, uint64_t from_ns, uint64_t to_ns)
{
	if (to_ns - from_ns <= trace->silence_ns)
		return;
	trace->silence_ns = to_ns - from_ns;
	trace->silence_from_ns = from_ns;
}

static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct slice_statistics *slice = (struct slice_statistics *)sink;
	struct strata_trace_statistics *trace =
		&slice->counted.traces[slice->set->streams[stream].trace];
	size_t i;

	(void)error;
	if (trace->events == 0)
		trace->first_ns = trace->last_ns = events[0].ns;
	for (i = 0; i < nr; i++) {
		note_silence(trace, trace->last_ns, events[i].ns);
		trace->last_ns = events[i].ns;
		trace->of_class[reader->kind->classes[events[i].class].event->index]++;
	}
	trace->events += nr;
	return 0;
}

static void join_trace(struct strata_trace_statistics *sum,
		       const struct strata_trace_statistics *next, size_t nr_classes)
{
	size_t i;

	if (next->events == 0)
		return;
	if (sum->events == 0)
		sum->first_ns = next->first_ns;
	else
		note_silence(sum, sum->last_ns, next->first_ns);
	if (next->silence_ns)
		note_silence(sum, next->silence_from_ns, next->silence_from_ns + next->silence_ns);
	sum->last_ns = next->last_ns;
	sum->events += next->events;
	for (i = 0; i < nr_classes; i++)
		sum->of_class[i] += next->of_class[i];
}

static void end(struct strata_slice_work *base, struct strata_slice_sink *sink)
{
	struct slice_statistics *slice = (struct slice_statistics *)sink;

	(void)base;
	strata_statistics_clear(&slice->counted);
	free(slice);
}

static struct strata_slice_sink *begin(struct strata_slice_work *base, size_t at,
				       struct strata_slice_sink *used)
{
	struct statistics_work *work = (struct statistics_work *)base;
	struct slice_statistics *slice = calloc(1, sizeof(*slice));

	(void)at;
	if (!slice)
		return NULL;
	slice->sink.take = take;
	slice->set = work->set;
	if (!allocate(&slice->counted, work->set)) {
		/* Reusing the other slice's memory would save little. */
		if (used)
			end(base, used);
		return &slice->sink;
	}
	end(base, &slice->sink);
	return NULL;
}

static int join(struct strata_slice_work *base, struct strata_slice_sink *sink,
		struct strata_error *error)
{
	struct statistics_work *work = (struct statistics_work *)base;
	struct slice_statistics *slice = (struct slice_statistics *)sink;
	size_t i;

	(void)error;
	for (i = 0; i < work->set->nr_traces; i++)
		join_trace(&work->sum->traces[i], &slice->counted.traces[i],
			   work->set->traces[i]->metadata.nr_events);
	return 0;
}

int strata_statistics_make(struct strata_statistics *statistics, struct strata_trace_set *set,
			   const struct strata_slice_options *options, struct strata_error *error)
{
	struct statistics_work work = { { begin, join, end }, set, statistics };
	size_t i;

	if (allocate(statistics, set))
		return strata_fail(error, "out of memory");
	if (strata_slices_run(set, options, &work.work, error))
		return -1;
	for (i = 0; i < statistics->nr; i++) {
		const struct strata_trace_statistics *trace = &statistics->traces[i];

		if (trace->events == 0)
			continue;
		if (statistics->events == 0 || trace->first_ns < statistics->first_ns)
			statistics->first_ns = trace->first_ns;
		if (trace->last_ns > statistics->last_ns)
			statistics->last_ns = trace->last_ns;
		statistics->events += trace->events;
	}
	return 0;
}

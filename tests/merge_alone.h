/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_alone.h - merges one recording into sinks, for tests that look at each event. */
#ifndef STRATA_TESTS_MERGE_ALONE_H
#define STRATA_TESTS_MERGE_ALONE_H

#include <string.h>

#include "host/merger.h"
#include "timeline/slices.h"

struct merge_alone {
	struct strata_recording_traces *traces;
	struct strata_trace_set set;
	struct strata_merge *merge;
};

static inline void merge_alone_close(struct merge_alone *alone)
{
	strata_merge_close(alone->merge);
	strata_trace_set_clear(&alone->set);
	strata_recording_traces_close(alone->traces);
	memset(alone, 0, sizeof(*alone));
}

static inline int merge_alone_add(struct merge_alone *alone, bool of_xen,
				  const struct strata_merge_options *options,
				  struct strata_error *error)
{
	struct strata_recorded_host *host = strata_recording_traces_host(alone->traces);
	size_t i;

	for (i = 0; i < host->recording.nr_sources; i++) {
		struct strata_ctf_trace *trace;

		if ((host->recording.sources[i].layer == STRATA_LAYER_XEN) != of_xen ||
		    !strata_recorded_host_can_order(host, i))
			continue;
		trace = strata_recording_traces_trace(alone->traces, i, error);
		if (trace && strata_trace_set_add(&alone->set, trace, error))
			return -1;
		if (!trace && options->complain)
			options->complain(options->data, error->text);
	}
	return 0;
}

/* Opens a recording; @source, if not NULL, is moved in time.  0, or -1 with the reason: nothing is
 * open. */
static inline int merge_alone_open(struct merge_alone *alone, const char *raw,
				   const struct strata_merge_options *options, const char *source,
				   int64_t shift, struct strata_error *error)
{
	static const struct strata_merge_options none;

	memset(alone, 0, sizeof(*alone));
	if (!options)
		options = &none;
	alone->traces = strata_recording_traces_open(raw, options->complain, options->complain,
						     options->data, error);
	if (alone->traces &&
	    (!source || !strata_recorded_host_shift(strata_recording_traces_host(alone->traces),
						    source, shift, error)))
		alone->merge = strata_merge_of(alone->traces, options, error);
	if (alone->merge && !merge_alone_add(alone, true, options, error) &&
	    !merge_alone_add(alone, false, options, error))
		return 0;
	merge_alone_close(alone);
	return -1;
}

/* 0, or -1: it could not be done to the end. */
static inline int merge_alone_run(struct merge_alone *alone, struct strata_sink *const *sinks,
				  size_t nr_sinks, struct strata_error *error)
{
	struct strata_slice_sink *const observer = strata_merge_observer(alone->merge);
	const struct strata_slice_options options = {
		.to_ns = UINT64_MAX, .threads = 1, .observers = &observer, .nr_observers = 1
	};

	if (strata_merge_watch(alone->merge, &alone->set, sinks, nr_sinks, error) ||
	    strata_slices_run(&alone->set, &options, NULL, error) < 0)
		return -1;
	strata_trace_set_name_cut(&alone->set);
	return strata_merge_finish(alone->merge, error);
}

#endif /* STRATA_TESTS_MERGE_ALONE_H */

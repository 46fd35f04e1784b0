/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_alone.h - merges one recording into observers, for tests that look at each event. */
#ifndef STRATA_TESTS_MERGE_ALONE_H
#define STRATA_TESTS_MERGE_ALONE_H

#include <string.h>

#include "host/host_check.h"
#include "timeline/slices.h"

struct merge_alone {
	struct strata_recording_traces *traces;
	struct strata_trace_set set;
	struct strata_host_check *check; /* of the order; its observer is the first */
};

static inline void merge_alone_close(struct merge_alone *alone)
{
	strata_host_check_free(alone->check);
	strata_trace_set_clear(&alone->set);
	strata_recording_traces_close(alone->traces);
	memset(alone, 0, sizeof(*alone));
}

static inline int merge_alone_add(struct merge_alone *alone, bool of_xen,
				  strata_complain_fn *complain, void *data,
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
		if (!trace && complain)
			complain(data, error->text);
	}
	return 0;
}

/* Opens a recording; @source, if not NULL, is moved in time.  @complain: may be NULL.  0, or -1
 * with the reason: nothing is open. */
static inline int merge_alone_open(struct merge_alone *alone, const char *raw,
				   strata_complain_fn *complain, void *data, const char *source,
				   int64_t shift, struct strata_error *error)
{
	memset(alone, 0, sizeof(*alone));
	alone->traces = strata_recording_traces_open(raw, complain, complain, data, error);
	if (alone->traces &&
	    (!source || !strata_recorded_host_shift(strata_recording_traces_host(alone->traces),
						    source, shift, error)) &&
	    !merge_alone_add(alone, true, complain, data, error) &&
	    !merge_alone_add(alone, false, complain, data, error))
		alone->check = strata_host_check_new(alone->traces, &alone->set, error);
	if (alone->check)
		return 0;
	merge_alone_close(alone);
	return -1;
}

/* @observer: beside the check of the order; NULL: none.  0, or -1: it could not be done to the end.
 */
static inline int merge_alone_run(struct merge_alone *alone, struct strata_slice_sink *observer,
				  struct strata_error *error)
{
	struct strata_slice_sink *const observers[] = { strata_host_check_observer(alone->check),
							observer };
	const struct strata_slice_options options = { .to_ns = UINT64_MAX,
						      .threads = 1,
						      .observers = observers,
						      .nr_observers = observer ? 2 : 1 };

	if (strata_slices_run(&alone->set, &options, NULL, error) < 0)
		return -1;
	strata_trace_set_name_cut(&alone->set);
	strata_host_check_finish(alone->check);
	return 0;
}

#endif /* STRATA_TESTS_MERGE_ALONE_H */

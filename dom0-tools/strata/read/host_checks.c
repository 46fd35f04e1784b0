// SPDX-License-Identifier: GPL-2.0-or-later
/* host_checks.c - see host_checks.h. */
#include "strata/read/host_checks.h"

#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "strata/read/merge_report.h"

static struct strata_merge *new_check(struct traces *traces,
				      struct strata_recording_traces *recording,
				      struct strata_error *error)
{
	const struct strata_merge_options options = { .complain = traces_complain, .data = traces };

	return strata_merge_of(recording, &options, error);
}

int host_check_alone(struct traces *traces, struct strata_merge **check,
		     struct strata_sink *(*make)(void *data, const struct strata_merge *merge,
						 struct strata_error *error),
		     void *data, struct strata_error *error)
{
	struct strata_slice_options options = { .to_ns = UINT64_MAX, .threads = 1 };
	struct strata_slice_sink *observer;
	struct strata_sink *sink;
	int status;

	*check = NULL;
	if (traces->nr_recordings != 1 || traces->set.nr_traces == 0)
		return strata_fail(error, "%s: not a recording of Strata's; name one",
				   traces->inputs.nr ? traces->inputs.inputs[0].path : "this");
	*check = new_check(traces, traces->recordings[0], error);
	sink = *check ? make(data, *check, error) : NULL;
	if (!sink)
		return -1;
	observer = strata_merge_observer(*check);
	options.observers = &observer;
	options.nr_observers = 1;
	status = strata_merge_watch(*check, &traces->set, &sink, 1, error);
	traces_progress_begin(traces, traces->set.bytes);
	/* 1: the sink takes no more, and says why when it finishes. */
	if (!status)
		status = strata_slices_run(&traces->set, &options, NULL, error) < 0 ? -1 : 0;
	traces_progress_end(traces);
	if (!status)
		strata_trace_set_name_cut(&traces->set);
	if (!status)
		status = strata_merge_finish(*check, error);
	sink->free(sink);
	return status;
}

static int begin_one(struct host_check *check, struct traces *traces,
		     struct strata_recording_traces *recording, const struct strata_shown *shown,
		     struct strata_error *error)
{
	check->merge = new_check(traces, recording, error);
	if (!check->merge)
		return -1;
	if (shown) {
		check->wakeup = strata_wakeup_new(strata_recording_traces_host(recording), shown);
		if (!check->wakeup)
			return strata_fail(error, "out of memory");
	}
	return strata_merge_watch(check->merge, &traces->set, NULL, 0, error);
}

int host_checks_begin(struct host_checks *checks, struct traces *traces,
		      const struct strata_shown *shown, struct strata_error *error)
{
	size_t i;

	memset(checks, 0, sizeof(*checks));
	checks->of = calloc(traces->nr_recordings + 1, sizeof(*checks->of));
	checks->observers =
		calloc(2 * traces->nr_recordings + 1, sizeof(struct strata_slice_sink *));
	if (!checks->of || !checks->observers)
		return strata_fail(error, "out of memory");
	for (i = 0; i < traces->nr_recordings; i++) {
		checks->nr++;
		if (begin_one(&checks->of[i], traces, traces->recordings[i], shown, error))
			return -1;
		checks->observers[checks->nr_observers++] =
			strata_merge_observer(checks->of[i].merge);
		if (shown)
			checks->observers[checks->nr_observers++] =
				strata_wakeup_observer(checks->of[i].wakeup);
	}
	return 0;
}

int host_checks_finish(struct host_checks *checks, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < checks->nr; i++) {
		if (strata_merge_finish(checks->of[i].merge, error))
			return -1;
	}
	return 0;
}

int host_checks_verdict(const struct host_checks *checks)
{
	int status = STRATA_STATUS_OK;
	size_t i;

	for (i = 0; i < checks->nr; i++) {
		if (merge_report_verdict(checks->of[i].merge) != STRATA_STATUS_OK)
			status = STRATA_STATUS_PARTIAL;
	}
	return status;
}

void host_checks_clear(struct host_checks *checks)
{
	size_t i;

	for (i = 0; i < checks->nr; i++) {
		strata_wakeup_free(checks->of[i].wakeup);
		strata_merge_close(checks->of[i].merge);
	}
	free(checks->of);
	free(checks->observers);
	memset(checks, 0, sizeof(*checks));
}

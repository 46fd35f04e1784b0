// SPDX-License-Identifier: GPL-2.0-or-later
/* host_checks.c - see host_checks.h. */
#include "strata/read/host_checks.h"

#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "strata/read/merge_report.h"

struct strata_recording_traces *host_checks_recording(const struct traces *traces,
						      struct strata_error *error)
{
	if (traces->nr_recordings == 1 && traces->set.nr_traces)
		return traces->recordings[0];
	strata_fail(error, "%s: not a recording of Strata's; name one",
		    traces->inputs.nr ? traces->inputs.inputs[0].path : "this");
	return NULL;
}

int host_checks_observe(struct traces *traces, struct strata_slice_sink *const *observers,
			size_t nr, struct strata_error *error)
{
	const struct strata_slice_options options = {
		.to_ns = UINT64_MAX, .threads = 1, .observers = observers, .nr_observers = nr
	};
	int status;

	traces_progress_begin(traces, traces->set.bytes);
	/* 1: an observer stopped, and reports why when it finishes. */
	status = strata_slices_run(&traces->set, &options, NULL, error) < 0 ? -1 : 0;
	traces_progress_end(traces);
	if (!status)
		strata_trace_set_name_cut(&traces->set);
	return status;
}

int host_checks_begin(struct host_checks *checks, struct traces *traces, struct strata_error *error)
{
	struct strata_host_check *check;
	size_t i;

	memset(checks, 0, sizeof(*checks));
	checks->of = calloc(traces->nr_recordings + 1, sizeof(struct strata_host_check *));
	checks->observers = calloc(traces->nr_recordings + 1, sizeof(struct strata_slice_sink *));
	if (!checks->of || !checks->observers)
		return strata_fail(error, "out of memory");
	for (i = 0; i < traces->nr_recordings; i++) {
		check = strata_host_check_new(traces->recordings[i], &traces->set, error);
		if (!check)
			return -1;
		checks->of[checks->nr++] = check;
		checks->observers[checks->nr_observers++] = strata_host_check_observer(check);
	}
	return 0;
}

void host_checks_finish(struct host_checks *checks)
{
	size_t i;

	for (i = 0; i < checks->nr; i++)
		strata_host_check_finish(checks->of[i]);
}

const struct strata_host_figures *host_checks_figures(const struct host_checks *checks, size_t at)
{
	return strata_host_check_figures(checks->of[at]);
}

int host_checks_verdict(const struct host_checks *checks)
{
	int status = STRATA_STATUS_OK;
	size_t i;

	for (i = 0; i < checks->nr; i++) {
		if (merge_report_verdict(host_checks_figures(checks, i)) != STRATA_STATUS_OK)
			status = STRATA_STATUS_PARTIAL;
	}
	return status;
}

void host_checks_clear(struct host_checks *checks)
{
	size_t i;

	for (i = 0; i < checks->nr; i++)
		strata_host_check_free(checks->of[i]);
	free(checks->of);
	free(checks->observers);
	memset(checks, 0, sizeof(*checks));
}

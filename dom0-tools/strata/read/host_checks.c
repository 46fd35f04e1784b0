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
	/* 1: an observer takes no more, and says why when it finishes. */
	status = strata_slices_run(&traces->set, &options, NULL, error) < 0 ? -1 : 0;
	traces_progress_end(traces);
	if (!status)
		strata_trace_set_name_cut(&traces->set);
	return status;
}

static int begin_one(struct host_checks *checks, struct traces *traces,
		     struct strata_recording_traces *recording, const struct strata_shown *shown,
		     struct strata_error *error)
{
	struct host_check *check = &checks->of[checks->nr++];

	check->check = strata_host_check_new(recording, &traces->set, error);
	if (!check->check)
		return -1;
	checks->observers[checks->nr_observers++] = strata_host_check_observer(check->check);
	if (!shown)
		return 0;
	check->wakeup = strata_wakeup_new(strata_recording_traces_host(recording), shown);
	if (!check->wakeup)
		return strata_fail(error, "out of memory");
	checks->observers[checks->nr_observers++] = strata_wakeup_observer(check->wakeup);
	return 0;
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
		if (begin_one(checks, traces, traces->recordings[i], shown, error))
			return -1;
	}
	return 0;
}

void host_checks_finish(struct host_checks *checks)
{
	size_t i;

	for (i = 0; i < checks->nr; i++)
		strata_host_check_finish(checks->of[i].check);
}

const struct strata_host_figures *host_checks_figures(const struct host_checks *checks, size_t at)
{
	return strata_host_check_figures(checks->of[at].check);
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

	for (i = 0; i < checks->nr; i++) {
		strata_wakeup_free(checks->of[i].wakeup);
		strata_host_check_free(checks->of[i].check);
	}
	free(checks->of);
	free(checks->observers);
	memset(checks, 0, sizeof(*checks));
}

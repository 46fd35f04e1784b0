// SPDX-License-Identifier: GPL-2.0-or-later
/* host_checks.c - see host_checks.h. */
#include "strata/read/host_checks.h"

#include <stdlib.h>
#include <string.h>

#include "analyses/wakeup.h"
#include "base/exit_status.h"
#include "strata/read/merge_report.h"

static int begin_one(struct host_check *check, struct traces *traces,
		     struct strata_recording_traces *recording, bool with_wakeup,
		     struct strata_error *error)
{
	const struct strata_merge_options options = { .complain = traces_complain,
						      .remark = traces_remark,
						      .data = traces };

	check->merge = strata_merge_of(recording, &options, error);
	if (!check->merge)
		return -1;
	if (with_wakeup) {
		check->wakeup = strata_wakeup_new(check->merge);
		if (!check->wakeup)
			return strata_fail(error, "out of memory");
	}
	return strata_merge_watch(check->merge, &traces->set, &check->wakeup, with_wakeup, error);
}

int host_checks_begin(struct host_checks *checks, struct traces *traces, bool with_wakeup,
		      struct strata_error *error)
{
	size_t i;

	memset(checks, 0, sizeof(*checks));
	checks->of = calloc(traces->nr_recordings + 1, sizeof(*checks->of));
	checks->observers = calloc(traces->nr_recordings + 1, sizeof(struct strata_slice_sink *));
	if (!checks->of || !checks->observers)
		return strata_fail(error, "out of memory");
	for (i = 0; i < traces->nr_recordings; i++) {
		checks->nr++;
		if (begin_one(&checks->of[i], traces, traces->recordings[i], with_wakeup, error))
			return -1;
		checks->observers[i] = strata_merge_observer(checks->of[i].merge);
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
		if (checks->of[i].wakeup)
			checks->of[i].wakeup->free(checks->of[i].wakeup);
		strata_merge_close(checks->of[i].merge);
	}
	free(checks->of);
	free(checks->observers);
	memset(checks, 0, sizeof(*checks));
}

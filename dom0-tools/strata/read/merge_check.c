// SPDX-License-Identifier: GPL-2.0-or-later
/* merge_check.c - see merge_check.h: merges twice, into no output. */
#include "strata/read/merge_check.h"

#include <stdio.h>
#include <string.h>

#include "analyses/clock_proof.h"
#include "base/exit_status.h"
#include "strata/read/host_checks.h"
#include "strata/read/merge_report.h"

/* Reports the results and violations; returns the exit status. */
static int report_check(bool json, const struct traces *traces, struct strata_clock_proof *proof,
			const struct strata_host_figures *figures)
{
	struct strata_error error;
	int status, verdict;

	if (!json) {
		merge_report_print(figures, stdout);
		merge_report_clock_proof(proof, figures, stdout);
	} else if (merge_report_json(proof, figures, stdout, &error)) {
		fprintf(stderr, "strata: merge: %s\n", error.text);
		return STRATA_STATUS_FAILED;
	}
	status = merge_report_clock_verdict(proof);
	traces_say_losses(traces, NULL);
	verdict = merge_report_verdict(figures);
	if (verdict == STRATA_STATUS_OK && traces->complaints)
		verdict = STRATA_STATUS_PARTIAL;
	return status == STRATA_STATUS_OK ? verdict : status;
}

/* Merges once to check the order and to collect, then once to compare. Returns 0, or -1 with the
 * reason. */
static int merge_twice(struct traces *traces, struct strata_host_check *check,
		       struct strata_clock_proof *proof, struct strata_error *error)
{
	struct strata_slice_sink *const first[] = { strata_host_check_observer(check),
						    strata_clock_proof_collector(proof) };
	struct strata_slice_sink *second;

	if (host_checks_observe(traces, first, 2, error))
		return -1;
	strata_host_check_finish(check);
	if (strata_clock_proof_solve(proof, error))
		return -1;
	traces_read_again(traces);
	second = strata_clock_proof_comparer(proof);
	return host_checks_observe(traces, &second, 1, error);
}

static int check_recording(struct traces *traces, bool json, struct strata_error *error)
{
	struct strata_recording_traces *recording = host_checks_recording(traces, error);
	struct strata_host_check *check;
	struct strata_clock_proof *proof;
	int status = -1;

	if (!recording)
		return -1;
	check = strata_host_check_new(recording, &traces->set, error);
	proof = strata_clock_proof_new(strata_recording_traces_host(recording));
	if (!proof)
		strata_fail(error, "out of memory");
	else if (check && !merge_twice(traces, check, proof, error))
		status = report_check(json, traces, proof, strata_host_check_figures(check));
	strata_host_check_free(check);
	strata_clock_proof_free(proof);
	return status;
}

int merge_check(char *raw, const struct traces_shifts *shifts, bool json)
{
	struct strata_error error;
	struct traces traces;
	int status = traces_open(&traces, "merge", NULL, shifts, &raw, 1, &error);

	if (!status)
		status = check_recording(&traces, json, &error);
	if (status < 0) {
		fprintf(stderr, "strata: merge: %s\n", error.text);
		status = STRATA_STATUS_FAILED;
	}
	traces_close(&traces);
	return status;
}

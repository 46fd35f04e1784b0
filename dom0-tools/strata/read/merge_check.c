// SPDX-License-Identifier: GPL-2.0-or-later
/* merge_check.c - see merge_check.h: merges twice, into no output. */
#include "strata/read/merge_check.h"

#include <stdio.h>
#include <string.h>

#include "analyses/clock_proof.h"
#include "base/exit_status.h"
#include "strata/read/host_checks.h"
#include "strata/read/merge_report.h"

/* The sink of the first pass, and that of the second. */
static struct strata_sink *collect(void *data, const struct strata_merge *merge,
				   struct strata_error *error)
{
	strata_fail(error, "out of memory");
	return strata_clock_proof_collect(data, merge);
}

static struct strata_sink *compare(void *data, const struct strata_merge *merge,
				   struct strata_error *error)
{
	strata_fail(error, "out of memory");
	return strata_clock_proof_compare(data, merge);
}

/* Says what was found, and what is not as it should be: the exit status. */
static int report_check(bool json, const struct traces *traces, struct strata_clock_proof *proof,
			const struct strata_merge *merge)
{
	struct strata_error error;
	int status, verdict;

	if (!json) {
		merge_report_print(merge, stdout);
		merge_report_clock_proof(proof, merge, stdout);
	} else if (merge_report_json(proof, merge, stdout, &error)) {
		fprintf(stderr, "strata: merge: %s\n", error.text);
		return STRATA_STATUS_FAILED;
	}
	status = merge_report_clock_verdict(proof);
	traces_say_losses(traces, NULL);
	verdict = merge_report_verdict(merge);
	if (verdict == STRATA_STATUS_OK && traces->complaints)
		verdict = STRATA_STATUS_PARTIAL;
	return status == STRATA_STATUS_OK ? verdict : status;
}

/* The set is merged twice, and its tallies count once. */
static void forget_tallies(struct traces *traces)
{
	size_t i;

	for (i = 0; i < traces->set.nr_streams; i++)
		memset(&traces->set.streams[i].tally, 0, sizeof(traces->set.streams[i].tally));
}

int merge_check(char *raw, const struct traces_shifts *shifts, bool json)
{
	struct strata_clock_proof *proof = strata_clock_proof_new();
	struct strata_merge *merge = NULL, *again = NULL;
	struct strata_error error;
	struct traces traces;
	int status;

	status = traces_open(&traces, "merge", NULL, shifts, &raw, 1, &error);
	if (!status && !proof)
		status = strata_fail(&error, "out of memory");
	if (!status)
		status = host_check_alone(&traces, &merge, collect, proof, &error);
	if (!status)
		status = strata_clock_proof_solve(proof, &error);
	traces.is_silent = true;
	forget_tallies(&traces);
	if (!status)
		status = host_check_alone(&traces, &again, compare, proof, &error);
	if (!status) {
		status = report_check(json, &traces, proof, merge);
	} else {
		fprintf(stderr, "strata: merge: %s\n", error.text);
		status = STRATA_STATUS_FAILED;
	}
	strata_merge_close(again);
	strata_merge_close(merge);
	strata_clock_proof_free(proof);
	traces_close(&traces);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* merge_check.c - see merge_check.h: merges twice, into no output. */
#include "strata/read/merge_check.h"

#include <stdio.h>

#include "analyses/clock_proof.h"
#include "base/exit_status.h"
#include "strata/read/merge_report.h"

static int apply_shifts(const struct traces_shifts *shifts, struct strata_merge *merge,
			struct strata_error *error)
{
	size_t i;

	for (i = 0; i < shifts->nr; i++) {
		if (strata_merge_shift(merge, shifts->of[i].source, shifts->of[i].ticks, error))
			return -1;
	}
	return 0;
}

/* Merges into one sink alone, which is freed.  The merge, to be closed; NULL: it failed. */
static struct strata_merge *
merge_into(const char *raw, const struct traces_shifts *shifts,
	   const struct strata_merge_options *options, struct strata_clock_proof *proof,
	   struct strata_sink *(*make)(struct strata_clock_proof *proof,
				       const struct strata_merge *merge),
	   struct strata_error *error)
{
	struct strata_merge *merge = strata_merge_open(raw, options, error);
	struct strata_sink *sink = merge ? make(proof, merge) : NULL;
	int status = -1;

	if (merge && !sink)
		strata_fail(error, "out of memory");
	if (sink && !apply_shifts(shifts, merge, error))
		status = strata_merge_run(merge, &sink, 1, error);
	if (sink)
		sink->free(sink);
	if (!status)
		return merge;
	strata_merge_close(merge);
	return NULL;
}

/* Says what was found, and what is not as it should be: the exit status. */
static int report_check(bool json, const struct merge_report *report,
			struct strata_clock_proof *proof, const struct strata_merge *merge)
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
	merge_report_losses(report, merge);
	verdict = merge_report_verdict(merge);
	return status == STRATA_STATUS_OK ? verdict : status;
}

int merge_check(const char *raw, const struct traces_shifts *shifts, bool json)
{
	struct strata_merge_options options, silent;
	struct strata_clock_proof *proof = strata_clock_proof_new();
	struct strata_merge *merge = NULL, *again = NULL;
	struct merge_report report;
	struct strata_error error;
	int status = STRATA_STATUS_FAILED;

	merge_report_init(&report, &options);
	/* What is wrong is told once. */
	silent = options;
	silent.complain = NULL;
	strata_fail(&error, "out of memory");
	if (proof)
		merge = merge_into(raw, shifts, &options, proof, strata_clock_proof_collect,
				   &error);
	progress_line_restart(&report.line);
	if (merge && !strata_clock_proof_solve(proof, &error))
		again = merge_into(raw, shifts, &silent, proof, strata_clock_proof_compare, &error);
	progress_line_end(&report.line);
	if (again)
		status = report_check(json, &report, proof, merge);
	else
		fprintf(stderr, "strata: merge: %s\n", error.text);
	strata_merge_close(again);
	strata_merge_close(merge);
	strata_clock_proof_free(proof);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_compass.c - see trace_compass.h. */
#include "strata/read/trace_compass.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_status.h"
#include "consumerd/host/file_limit.h"
#include "strata/read/merge_report.h"
#include "outputs/outputs.h"

/* Whether what was asked for can be had. */
static int check(const struct write_options *options, size_t nr, struct strata_error *error)
{
	if (nr != 1)
		return strata_fail(error, "an experiment is of one recording; name one");
	if (strcmp(options->out, "-") == 0)
		return strata_fail(error, "an experiment is a directory: name one with -o");
	if (options->from || options->to || !strata_filter_is_empty(options->filter))
		return strata_fail(error, "an experiment is of a whole recording: --from, --to and "
					  "filters do not go with it");
	return 0;
}

static void print_result(const char *dir, const struct strata_trace_compass_result *result)
{
	printf("Host:     from %" PRIu64 " events of the hypervisor\n", result->host_events);
	printf("Guests:   %" PRIu64 " kernels, dom0's included, with %" PRIu64 " events\n",
	       result->guests, result->guest_events);
	if (result->left_out)
		printf("Left out: %" PRIu64 " events of applications, of which the analysis knows "
		       "nothing; --format ctf has them\n",
		       result->left_out);
	printf("Written:  %s; in Trace Compass, an experiment of all its traces, of type Virtual "
	       "Machine\n",
	       dir);
}

static int write_merged(struct strata_merge *merge, const struct write_options *options,
			const struct strata_merge_options *merge_options,
			struct merge_report *report, struct strata_error *error)
{
	struct strata_trace_compass_result result;
	struct strata_sink *sink = strata_trace_compass_new(merge, options->out, options->force,
							    merge_options->complain,
							    merge_options->data, &result, error);
	int status;

	if (!sink)
		return -1;
	status = strata_merge_run(merge, &sink, 1, error);
	sink->free(sink);
	progress_line_end(&report->line);
	if (status)
		return -1;
	print_result(options->out, &result);
	if (result.odd)
		fprintf(stderr,
			"strata: convert: %" PRIu64 " records of vCPUs that no domain has "
			"were left out\n",
			result.odd);
	return result.odd || result.unknown ? STRATA_STATUS_PARTIAL : STRATA_STATUS_OK;
}

int write_trace_compass(const char *verb, const struct write_options *options, char *const *paths,
			size_t nr)
{
	struct strata_merge_options merge_options;
	struct strata_merge *merge = NULL;
	struct merge_report report;
	struct strata_error error;
	int status = -1;

	file_limit_raise();
	merge_report_init(&report, &merge_options);
	if (!check(options, nr, &error))
		merge = strata_merge_open(paths[0], &merge_options, &error);
	if (merge)
		status = write_merged(merge, options, &merge_options, &report, &error);
	if (status < 0) {
		progress_line_end(&report.line);
		fprintf(stderr, "strata: %s: %s\n", verb, error.text);
		status = STRATA_STATUS_FAILED;
	} else {
		merge_report_losses(&report, merge);
		if (merge_report_verdict(merge) != STRATA_STATUS_OK)
			status = STRATA_STATUS_PARTIAL;
	}
	strata_merge_close(merge);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_compass.c - see trace_compass.h. */
#include "strata/read/trace_compass.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_status.h"
#include "consumerd/host/file_limit.h"
#include "strata/read/host_checks.h"
#include "strata/read/merge_report.h"
#include "outputs/outputs.h"

/* Checks that the options are possible with this format. */
static int check_options(const struct write_options *options, size_t nr, struct strata_error *error)
{
	if (nr != 1)
		return strata_fail(error, "an experiment needs a single recording; name one");
	if (strcmp(options->out, "-") == 0)
		return strata_fail(error, "an experiment is a directory: name one with -o");
	if (options->from || options->to || !strata_filter_is_empty(options->filter))
		return strata_fail(error,
				   "an experiment needs the whole recording: omit --from, --to "
				   "and filters");
	return 0;
}

static void print_result(const char *dir, const struct strata_trace_compass_result *result)
{
	printf("Host:     from %" PRIu64 " events of the hypervisor\n", result->host_events);
	printf("Guests:   %" PRIu64 " kernels, dom0's included, with %" PRIu64 " events\n",
	       result->guests, result->guest_events);
	if (result->left_out)
		printf("Left out: %" PRIu64
		       " events of applications, which the analysis ignores; --format "
		       "ctf has them\n",
		       result->left_out);
	printf("Written:  %s; in Trace Compass, an experiment of all its traces, of type Virtual "
	       "Machine\n",
	       dir);
}

/* Reports the result; returns the exit status. */
static int report(const struct write_job *job, const struct traces *traces,
		  const struct strata_trace_compass_result *result,
		  const struct strata_host_figures *figures)
{
	const int verdict = merge_report_verdict(figures);

	if (job->result) {
		job->result->events = result->host_events + result->guest_events;
		job->result->tally = traces_tally_all(traces);
	} else {
		print_result(job->form->out, result);
	}
	traces_say_losses(traces, NULL);
	if (result->odd)
		fprintf(stderr,
			"strata: convert: %" PRIu64
			" records of vCPUs that do not exist were left out\n",
			result->odd);
	return result->odd || result->unknown || traces->complaints ? STRATA_STATUS_PARTIAL
								    : verdict;
}

/* Writes the output and checks the order in one pass. Returns 0, or -1 with the reason. */
static int write_all(struct traces *traces, struct strata_host_check *check,
		     struct strata_trace_compass *compass, struct strata_error *error)
{
	struct strata_slice_sink *const observers[] = { strata_host_check_observer(check),
							strata_trace_compass_observer(compass) };
	const struct strata_host_figures *figures = strata_host_check_figures(check);

	if (host_checks_observe(traces, observers, 2, error))
		return -1;
	strata_host_check_finish(check);
	return strata_trace_compass_finish(compass, &traces->set, figures->last_ns,
					   figures->bound_ns, error);
}

/* Returns the exit status, or -1 with the reason. */
static int write_recording(struct traces *traces, const struct write_job *job,
			   struct strata_error *error)
{
	const struct write_options *options = job->form;
	struct strata_recording_traces *recording = host_checks_recording(traces, error);
	struct strata_trace_compass *compass = NULL;
	struct strata_trace_compass_result result;
	struct strata_host_check *check = NULL;
	int status = -1;

	if (recording)
		check = strata_host_check_new(recording, &traces->set, error);
	if (check)
		compass = strata_trace_compass_new(recording, options->out, options->force,
						   traces_complain, traces, &result, error);
	if (compass && !write_all(traces, check, compass, error))
		status = report(job, traces, &result, strata_host_check_figures(check));
	strata_trace_compass_free(compass);
	strata_host_check_free(check);
	return status;
}

int write_trace_compass(const struct write_job *job)
{
	struct traces traces;
	struct strata_error error;
	int status;

	if (check_options(job->form, job->nr, &error)) {
		write_failed(job, &error);
		return STRATA_STATUS_FAILED;
	}
	status = traces_open(&traces, job->verb, NULL, NULL, job->paths, job->nr, &error);
	if (!status)
		status = write_recording(&traces, job, &error);
	if (status < 0) {
		write_failed(job, &error);
		status = STRATA_STATUS_FAILED;
	}
	traces_close(&traces);
	return status;
}

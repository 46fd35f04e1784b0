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

/* Whether what was asked for can be had. */
static int check(const struct write_options *options, size_t nr, struct strata_error *error)
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

/* What the sink is made from, and says. */
struct request {
	const struct write_options *options;
	struct traces *traces;
	struct strata_trace_compass_result result;
};

static struct strata_sink *make(void *data, const struct strata_merge *merge,
				struct strata_error *error)
{
	struct request *request = data;

	return strata_trace_compass_new(merge, request->options->out, request->options->force,
					traces_complain, request->traces, &request->result, error);
}

/* Says what came of it: the exit status. */
static int report(const struct request *request, const struct strata_merge *merge)
{
	const struct strata_trace_compass_result *result = &request->result;
	const int verdict = merge_report_verdict(merge);

	print_result(request->options->out, result);
	traces_say_losses(request->traces, NULL);
	if (result->odd)
		fprintf(stderr,
			"strata: convert: %" PRIu64
			" records of vCPUs that do not exist were left out\n",
			result->odd);
	return result->odd || result->unknown || request->traces->complaints ? STRATA_STATUS_PARTIAL
									     : verdict;
}

int write_trace_compass(const char *verb, const struct write_options *options, char *const *paths,
			size_t nr)
{
	struct traces traces;
	struct request request = { .options = options, .traces = &traces };
	struct strata_merge *merge = NULL;
	struct strata_error error;
	int status;

	if (check(options, nr, &error)) {
		fprintf(stderr, "strata: %s: %s\n", verb, error.text);
		return STRATA_STATUS_FAILED;
	}
	status = traces_open(&traces, verb, NULL, NULL, paths, nr, &error);
	if (!status)
		status = host_check_alone(&traces, &merge, make, &request, &error);
	if (status)
		fprintf(stderr, "strata: %s: %s\n", verb, error.text);
	status = status ? STRATA_STATUS_FAILED : report(&request, merge);
	strata_merge_close(merge);
	traces_close(&traces);
	return status;
}

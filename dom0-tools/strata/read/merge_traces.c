// SPDX-License-Identifier: GPL-2.0-or-later
/* merge_traces.c - see merge_traces.h. */
#include "strata/read/merge_traces.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "recording/recording.h"
#include "files/safe_dir.h"
#include "outputs/outputs.h"
#include "strata/read/merge_report.h"
#include "strata/read/traces_write.h"

#define PATH_BYTES 4096u

bool merge_is_of_recording(char *const *paths, size_t nr)
{
	char table[PATH_BYTES];

	return nr == 1 &&
	       snprintf(table, sizeof(table), "%s/" STRATA_RECORDING_FILE, paths[0]) <
		       (int)sizeof(table) &&
	       access(table, F_OK) == 0;
}

static int failed(const struct merge_request *request, const struct strata_error *error)
{
	write_failed(&(const struct write_job){ .verb = "merge", .result = request->result },
		     error);
	return STRATA_STATUS_FAILED;
}

static int failed_path(const struct merge_request *request, const char *path, const char *why)
{
	struct strata_error error;

	strata_fail(&error, "%s: %s; name another directory with -o", path, why);
	return failed(request, &error);
}

/* A merge in progress. */
struct merge_job {
	struct write_job write;
	const struct merge_request *request;
	char ctf[PATH_BYTES], text[PATH_BYTES]; /* empty: not requested */
};

static void print_outputs(const struct merge_job *job, bool has_summary, FILE *out)
{
	if (job->ctf[0])
		fprintf(out, "Trace:    %s (babeltrace2 opens it)\n", job->ctf);
	if (job->text[0] && strcmp(job->text, "-") != 0)
		fprintf(out, "Text:     %s\n", job->text);
	if (has_summary)
		fprintf(out, "Summary:  %s/summary.json\n", job->request->out);
}

/* Reports the results for each recording, and where the output is. */
static int report(const struct write_job *write, const struct host_checks *checks, uint64_t events,
		  struct strata_error *error)
{
	const struct merge_job *job = (const struct merge_job *)write;
	const struct merge_request *request = job->request;
	/* If the timeline goes to standard output, the report must not. */
	FILE *out = strcmp(request->out, "-") == 0 ? stderr : stdout;
	const bool has_summary = !request->format && checks->nr == 1;
	size_t i;

	if (events == 0)
		return strata_fail(error,
				   "%s: it contains no readable event; if messages above name bad "
				   "packets, record again",
				   request->paths[0]);
	if (has_summary && strata_summary_save(host_checks_figures(checks, 0), request->out, error))
		return -1;
	if (request->result) {
		for (i = 0; i < checks->nr; i++)
			json_object_array_add(
				request->recordings,
				strata_summary_to_json(host_checks_figures(checks, i)));
		return 0;
	}
	for (i = 0; i < checks->nr; i++)
		merge_report_print(host_checks_figures(checks, i), out);
	print_outputs(job, has_summary, out);
	fflush(out);
	return 0;
}

/* Writes the events in all requested formats, without a filter. */
static int write_forms(struct merge_job *job, struct write_options *forms, size_t nr_forms)
{
	struct strata_filter *none = strata_filter_new();
	int status;
	size_t i;

	if (!none)
		return failed_path(job->request, forms[0].out, "out of memory");
	for (i = 0; i < nr_forms; i++) {
		forms[i].filter = none;
		forms[i].colours = COLOURS_NEVER;
		forms[i].threads = traces_threads();
		forms[i].force = job->request->force;
		forms[i].tcp_map = job->request->tcp_map;
	}
	job->write = (struct write_job){
		.verb = "merge",
		.form = &forms[0],
		.ctf = nr_forms > 1 ? &forms[1] : NULL,
		.paths = job->request->paths,
		.nr = job->request->nr_paths,
		.shifts = &job->request->shifts,
		.done = report,
		.result = job->request->result,
	};
	status = write_traces(&job->write);
	strata_filter_free(none);
	return status;
}

/* Creates the directory of a merge in all formats, and removes files of an earlier one. */
static int make_out(const char *out, bool force, struct strata_error *error)
{
	static const char *const names[] = { "ctf", "timeline.txt", "summary.json" };
	struct strata_dir dir;
	int result = 0;
	size_t i;

	if (strata_dir_make(&dir, out, 0755, NULL, error))
		return -1;
	for (i = 0; i < sizeof(names) / sizeof(names[0]) && !force && !result; i++)
		if (strata_dir_has(&dir, names[i]))
			result = strata_fail(
				error,
				"%s: already holds a merge: %s (use --force, or another "
				"-o)",
				out, names[i]);
	strata_dir_close(&dir);
	return result;
}

/* Removes the summary of an earlier merge, which is not about this one. */
static void remove_summary(const char *out)
{
	struct strata_error ignored;
	struct strata_dir dir;

	if (strata_dir_open(&dir, out, &ignored))
		return;
	strata_dir_remove(&dir, "summary.json");
	strata_dir_close(&dir);
}

/* Removes the output directory if it is empty, after nothing could be merged. */
static void remove_out(const char *out)
{
	char name[STRATA_DIR_NAME_BYTES];
	struct strata_error ignored;
	struct strata_dir parent;

	if (strata_dir_walk_beside(&parent, out, name, &ignored))
		return;
	unlinkat(parent.fd, name, AT_REMOVEDIR);
	strata_dir_close(&parent);
}

int merge_traces(const struct merge_request *request)
{
	struct merge_job job = { .request = request };
	struct write_options forms[] = { { .format = "columns", .out = job.text },
					 { .format = "ctf", .out = job.ctf } };
	const char *out = request->out;
	struct strata_error error;
	int status;

	if (request->format) {
		const bool is_ctf = strcmp(request->format, "ctf") == 0;

		if (snprintf(is_ctf ? job.ctf : job.text, PATH_BYTES, "%s", out) >= (int)PATH_BYTES)
			return failed_path(request, out, "the path is too long");
		return write_forms(&job, &forms[is_ctf], 1);
	}
	if (snprintf(job.ctf, PATH_BYTES, "%s/ctf", out) >= (int)PATH_BYTES ||
	    snprintf(job.text, PATH_BYTES, "%s/timeline.txt", out) >= (int)PATH_BYTES)
		return failed_path(request, out, "the path is too long");
	if (make_out(out, request->force, &error))
		return failed(request, &error);
	remove_summary(out);
	status = write_forms(&job, forms, 2);
	if (status == STRATA_STATUS_FAILED)
		remove_out(out);
	return status;
}

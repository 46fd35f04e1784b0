// SPDX-License-Identifier: GPL-2.0-or-later
/* traces_write.c - see traces_write.h. */
#include "strata/read/traces_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "strata/read/loss_report.h"
#include "files/out_file.h"
#include "outputs/count.h"
#include "outputs/ctf/ctf_traces.h"
#include "outputs/json/json.h"
#include "outputs/perfetto/perfetto.h"
#include "outputs/text/text_lines.h"
#include "outputs/written.h"
#include "strata/read/trace_compass.h"

#define SLICE_BYTES (4u << 20) /* of input: each thread holds what one becomes */

static const char *const formats[] = { "columns", "babeltrace", "json",  "perfetto",
				       "chrome",  "ctf",        "count", "trace-compass" };

bool write_format_known(const char *format)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(format, formats[i]) == 0)
			return true;
	}
	return false;
}

#define WRONG_TIMES (-2) /* the command line asks for a range that is empty */

/* 0, -1, or WRONG_TIMES. */
static int set_times(struct traces *traces, const struct write_options *options,
		     struct strata_slice_options *slices, uint64_t *first_ns,
		     struct strata_error *error)
{
	if (strata_trace_set_first(&traces->set, first_ns, error) < 0)
		return -1;
	if (write_read_times(options, first_ns, &slices->from_ns, &slices->to_ns, error))
		return WRONG_TIMES;
	if (slices->from_ns > *first_ns)
		*first_ns = slices->from_ns;
	/* To seek without reading what lies before wants an index, as does to know how much it is.
	 */
	if (options->from || (options->to && traces->line.is_wanted))
		return strata_trace_set_make_index(&traces->set, error);
	return 0;
}

struct strata_event_writer *write_make_writer(const struct write_options *options,
					      uint64_t first_ns)
{
	const bool to_terminal = strcmp(options->out, "-") == 0 && isatty(STDOUT_FILENO);
	const struct strata_text_options text = {
		.gmt = options->gmt,
		.date = options->date,
		.colours = options->colours == COLOURS_ALWAYS ||
			   (options->colours == COLOURS_AUTO && to_terminal),
	};

	if (strcmp(options->format, "columns") == 0)
		return strata_text_columns_new(&text);
	if (strcmp(options->format, "json") == 0)
		return strata_json_lines_new();
	if (strcmp(options->format, "perfetto") == 0)
		return strata_perfetto_new();
	if (strcmp(options->format, "chrome") == 0)
		return strata_chrome_json_new(first_ns);
	return strata_text_babeltrace_new(&text);
}

static int count(struct traces *traces, const struct write_options *options,
		 const struct strata_slice_options *slices, uint64_t *events,
		 struct strata_error *error)
{
	struct strata_out_file *out = strata_out_open(options->out, options->force, error);
	struct strata_chain chain;

	if (!out)
		return -1;
	if (strata_count(&traces->set, slices, &chain, error)) {
		strata_out_abandon(out);
		return -1;
	}
	strata_out_print(out, "%" PRIu64 " %016" PRIx64 "\n", chain.events, chain.hash);
	*events = chain.events;
	return strata_out_close(out, error);
}

/* The names of sources; NULL: out of memory.  To be freed. */
static const char **source_names(const struct strata_shown *shown)
{
	const char **names = calloc(shown->nr_sources + 1, sizeof(*names));
	size_t i;

	for (i = 0; names && i < shown->nr_sources; i++)
		names[i] = shown->sources[i].name;
	return names;
}

static int write_ctf(struct traces *traces, const struct write_options *options,
		     const struct strata_shown *shown, const struct strata_slice_options *slices,
		     uint64_t *events, struct strata_error *error)
{
	const char **names;
	int status;

	if (strcmp(options->out, "-") == 0)
		return strata_fail(error, "CTF traces are directories: name one with -o");
	names = source_names(shown);
	if (!names)
		return strata_fail(error, "out of memory");
	status = strata_ctf_traces_write(&traces->set, names, options->out, options->force, slices,
					 events, error);
	free(names);
	return status;
}

int write_bind_filter(const struct write_options *options, const struct strata_trace_set *set,
		      const struct strata_shown *shown, struct strata_error *error)
{
	const char **names = source_names(shown);
	int status;

	if (!names)
		return strata_fail(error, "out of memory");
	status = strata_filter_bind(options->filter, set, names, error);
	free(names);
	return status;
}

/*
 * Sets the filter of the traces, if events are asked for.  Tells what of it no trace has; fails if
 * that leaves nothing.
 */
static int set_filter(struct traces *traces, const struct write_options *options,
		      const struct strata_shown *shown, struct strata_error *error)
{
	if (strata_filter_is_empty(options->filter))
		return 0;
	if (write_bind_filter(options, &traces->set, shown, error))
		return -1;
	strata_filter_tell_missing(options->filter, traces_remark, traces);
	if (!strata_filter_can_match(options->filter))
		return strata_fail(error, "nothing in these traces can match what is asked for; "
					  "`strata stat` names their sources");
	traces->set.filter = strata_filter_of_set(options->filter);
	return 0;
}

static int write_lines(struct traces *traces, const struct write_options *options,
		       const struct strata_shown *shown, struct strata_written_options *written,
		       uint64_t first_ns, uint64_t *events, struct strata_error *error)
{
	struct strata_event_writer *writer = write_make_writer(options, first_ns);
	int status;

	if (!writer)
		return strata_fail(error, "out of memory");
	written->path = options->out;
	written->force = options->force;
	status = strata_written(&traces->set, shown, writer, written, events, error);
	writer->free(writer);
	if (!status && strcmp(options->format, "chrome") == 0 && *events > STRATA_CHROME_EVENTS_MAX)
		traces_remark(traces,
			      "Chrome's viewer may give up on so many events: --format perfetto, "
			      "which https://ui.perfetto.dev opens, or less of them (--from, --to) "
			      "would do");
	return status;
}

/* Says that nothing was written.  Fails if that is because no trace has what is asked for. */
static int tell_of_nothing(struct traces *traces, const struct write_options *options,
			   struct strata_error *error)
{
	if (strata_filter_tell_unlikely(options->filter, !options->to, traces_remark, traces))
		return strata_fail(error, "no event matches what is asked for");
	if (options->from || options->to || !strata_filter_is_empty(options->filter))
		traces_remark(traces, "no event matches what is asked for");
	return 0;
}

/*
 * Writes CTF, which is done stream by stream: so recordings are checked in a pass of their own, in
 * order, which tells what is wrong.
 */
static int write_checked_ctf(struct traces *traces, const struct write_options *options,
			     const struct strata_shown *shown,
			     const struct strata_slice_options *slices, uint64_t *events,
			     struct strata_error *error)
{
	int status;
	size_t i;

	if (slices->nr_observers && strata_slices_run(&traces->set, slices, NULL, error) < 0)
		return -1;
	/* The streams are read once more: that is what counts. */
	for (i = 0; i < traces->set.nr_streams; i++)
		memset(&traces->set.streams[i].tally, 0, sizeof(traces->set.streams[i].tally));
	traces->all_was_told |= slices->nr_observers > 0;
	status = write_ctf(traces, options, shown, slices, events, error);
	traces->all_was_told &= slices->nr_observers == 0;
	return status;
}

static int write_events(struct traces *traces, const struct write_options *options,
			const struct strata_shown *shown, struct host_checks *checks,
			uint64_t *events, struct strata_error *error)
{
	const bool to_terminal = strcmp(options->out, "-") == 0 && isatty(STDOUT_FILENO);
	struct strata_written_options written = { 0 };
	struct strata_slice_options *slices = &written.slices;
	uint64_t first_ns = 0;
	int status;

	slices->threads = options->threads;
	slices->slice_bytes = SLICE_BYTES;
	status = set_times(traces, options, slices, &first_ns, error);
	if (!status)
		status = set_filter(traces, options, shown, error);
	if (status)
		return status;
	slices->observers = checks->observers;
	slices->nr_observers = checks->nr;
	/* What is read on a terminal shows by itself how far it is. */
	if (!to_terminal || strcmp(options->format, "count") == 0)
		traces_progress_begin(traces, strata_trace_set_bytes(&traces->set, slices->from_ns,
								     slices->to_ns));
	if (strcmp(options->format, "ctf") == 0)
		status = write_checked_ctf(traces, options, shown, slices, events, error);
	else if (strcmp(options->format, "count") == 0)
		status = count(traces, options, slices, events, error);
	else
		status = write_lines(traces, options, shown, &written, first_ns, events, error);
	traces_progress_end(traces);
	return status || *events ? status : tell_of_nothing(traces, options, error);
}

/* Recordings are checked if all of them is read. */
static bool is_checked(const struct write_options *options)
{
	return !options->from && !options->to && strata_filter_is_empty(options->filter);
}

/* What is shown of sources says whose events they are; a filter by source asks for that. */
static int show_events(struct traces *traces, const struct write_options *options,
		       struct host_checks *checks, uint64_t *events, struct strata_error *error)
{
	struct strata_shown shown;
	int status;

	if (strata_shown_init(&shown, &traces->set, error))
		return -1;
	status = write_events(traces, options, &shown, checks, events, error);
	strata_shown_clear(&shown);
	return status;
}

/* Says what is missing from the streams that the form was made from, as their tracers say. */
static void say_losses(const struct traces *traces, const struct write_options *options)
{
	struct loss_report report = { 0 };
	size_t i;

	for (i = 0; i < traces->set.nr_streams; i++) {
		const struct strata_set_stream *stream = &traces->set.streams[i];

		if (!traces->set.filter ||
		    strata_filter_may_match_stream(options->filter, stream->trace, stream->stream))
			loss_report_add(&report, stream->tally.discarded,
					stream->tally.missing_packets);
	}
	loss_report_print(&report, traces->verb);
}

/* The first form's pass, whose tallies are the traces'. */
static int write_first(const struct write_job *job, struct traces *traces,
		       struct host_checks *checks, uint64_t *events, struct strata_error *error)
{
	const struct write_options *form = &job->forms[0];
	int status = 0;

	if (is_checked(form))
		status = host_checks_begin(checks, traces, job->with_wakeup, error);
	if (!status)
		status = show_events(traces, form, checks, events, error);
	if (status < 0)
		return status;
	say_losses(traces, form);
	if (!form->from && !form->to)
		strata_trace_set_name_cut(&traces->set);
	return host_checks_finish(checks, error);
}

static int write_all(const struct write_job *job, struct traces *traces, struct host_checks *checks,
		     struct strata_error *error)
{
	struct host_checks none = { 0 };
	uint64_t events = 0, ignored;
	int status = write_first(job, traces, checks, &events, error);
	size_t i;

	for (i = 1; i < job->nr_forms && !status; i++) {
		traces->all_was_told = true;
		status = show_events(traces, &job->forms[i], &none, &ignored, error);
	}
	return status || !job->done ? status : job->done(job, checks, events, error);
}

int write_traces(const struct write_job *job)
{
	struct host_checks checks = { 0 };
	struct strata_error error;
	struct traces traces;
	int status;

	if (strcmp(job->forms[0].format, "trace-compass") == 0)
		return write_trace_compass(job->verb, job->forms, job->paths, job->nr);
	status = traces_open(&traces, job->verb, job->forms[0].tcp_map, job->shifts, job->paths,
			     job->nr, &error);
	if (!status)
		status = write_all(job, &traces, &checks, &error);
	if (status < 0) {
		progress_line_end(&traces.line);
		fprintf(stderr, "strata: %s: %s\n", job->verb, error.text);
		status = status == WRONG_TIMES ? STRATA_STATUS_USAGE : STRATA_STATUS_FAILED;
	} else {
		status = host_checks_verdict(&checks);
		if (traces.complaints)
			status = STRATA_STATUS_PARTIAL;
	}
	host_checks_clear(&checks);
	traces_close(&traces);
	return status;
}

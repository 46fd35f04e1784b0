// SPDX-License-Identifier: GPL-2.0-or-later
/* traces_write.c - see traces_write.h. */
#include "strata/read/traces_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "files/out_file.h"
#include "outputs/count.h"
#include "outputs/ctf/ctf_traces.h"
#include "outputs/json/json.h"
#include "outputs/output_directory.h"
#include "outputs/perfetto/perfetto.h"
#include "outputs/text/text_lines.h"
#include "outputs/written.h"
#include "strata/read/trace_compass.h"
#include "strata/read/traces_draw.h"
#include "strata/read/traces_symbols.h"

#define SLICE_BYTES (4u << 20) /* size of input; each thread buffers the output of one slice */

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

#define WRONG_TIMES (-2) /* the range of times on the command line is empty */

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
	/* The index is needed to seek without reading earlier events, and to know the amount to
	 * read. */
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

/* What the number of events is judged by. */
struct judge {
	struct traces *traces;
	const struct write_options *options;
};

/* Reports that nothing is written. Fails if no trace has the selected events. */
static int judge_events(void *data, uint64_t events, struct strata_error *error)
{
	const struct judge *judge = data;
	const struct write_options *options = judge->options;
	struct traces *traces = judge->traces;

	if (events)
		return 0;
	if (strata_filter_tell_unlikely(options->filter, !options->from, !options->to,
					traces_remark, traces))
		return strata_fail(error, "no event matches the selection");
	if (options->from || options->to || !strata_filter_is_empty(options->filter))
		traces_remark(traces, "no event matches the selection");
	return 0;
}

static int count(struct traces *traces, const struct write_options *options,
		 const struct strata_slice_options *slices, uint64_t *events,
		 struct strata_error *error)
{
	struct judge judge = { traces, options };
	struct strata_out_file *out = strata_out_open(options->out, options->force, error);
	struct strata_chain chain;

	if (!out)
		return -1;
	if (strata_count(&traces->set, slices, &chain, error)) {
		strata_out_abandon(out);
		return -1;
	}
	*events = chain.events;
	if (judge_events(&judge, chain.events, error)) {
		strata_out_discard(out);
		return -1;
	}
	strata_out_print(out, "%" PRIu64 " %016" PRIx64 "\n", chain.events, chain.hash);
	return strata_out_close(out, error);
}

/* Returns the names of sources; NULL: out of memory. The caller frees the array. */
static const char **source_names(const struct strata_shown *shown)
{
	const char **names = calloc(shown->nr_sources + 1, sizeof(*names));
	size_t i;

	for (i = 0; names && i < shown->nr_sources; i++)
		names[i] = shown->sources[i].name;
	return names;
}

/* Opens the CTF output. NULL with the reason. */
static struct strata_ctf_traces *open_ctf(struct traces *traces,
					  const struct write_options *options, const char **names,
					  struct strata_error *error)
{
	if (!names) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	return strata_ctf_traces_open(&traces->set, names, options->out, options->force, error);
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
 * Sets the filter of the traces, if there is one. Reports parts of it that no trace has; fails if
 * no event can match.
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
		return strata_fail(error,
				   "the selection cannot match anything in these traces; `strata "
				   "stat` lists their sources");
	traces->set.filter = strata_filter_of_set(options->filter);
	return 0;
}

static int write_lines(struct traces *traces, const struct write_options *options,
		       const struct strata_shown *shown, struct strata_written_options *written,
		       uint64_t first_ns, uint64_t *events, struct strata_error *error)
{
	struct strata_event_writer *writer = write_make_writer(options, first_ns);
	struct judge judge = { traces, options };
	int status;

	if (!writer)
		return strata_fail(error, "out of memory");
	written->path = options->out;
	written->force = options->force;
	written->accept = judge_events;
	written->accept_data = &judge;
	status = strata_written(&traces->set, shown, writer, written, events, error);
	writer->free(writer);
	if (!status && strcmp(options->format, "chrome") == 0 && *events > STRATA_CHROME_EVENTS_MAX)
		traces_remark(
			traces,
			"Chrome's viewer may fail on this many events: use --format perfetto and https://ui.perfetto.dev, or select fewer events (--from, --to)");
	return status;
}

/* Writes CTF traces without observers. */
static int write_ctf(struct traces *traces, const struct write_options *options,
		     const struct strata_shown *shown, const struct strata_slice_options *slices,
		     uint64_t *events, struct strata_error *error)
{
	const bool made = access(options->out, F_OK) != 0;
	const char **names = source_names(shown);
	struct judge judge = { traces, options };
	int status;

	if (!names)
		return strata_fail(error, "out of memory");
	status = strata_ctf_traces_write(&traces->set, names, options->out, options->force, slices,
					 events, error);
	free(names);
	if (status || !judge_events(&judge, *events, error))
		return status;
	strata_output_discard(options->out, made);
	return -1;
}

/*
 * Writes one format, and passes the events to the observers, in one pass.
 * @slices: threads, times and observers
 */
static int write_form(struct traces *traces, const struct write_options *options,
		      const struct strata_shown *shown, const struct strata_slice_options *slices,
		      uint64_t first_ns, uint64_t *events, struct strata_error *error)
{
	const bool to_terminal = strcmp(options->out, "-") == 0 && isatty(STDOUT_FILENO);
	struct strata_written_options written = { .slices = *slices };
	struct judge judge = { traces, options };
	int status;

	/* Output on a terminal is its own progress indication. */
	if (!to_terminal || strcmp(options->format, "count") == 0)
		traces_progress_begin(traces, strata_trace_set_bytes(&traces->set, slices->from_ns,
								     slices->to_ns));
	if (write_is_drawn(options)) {
		status = write_drawn(traces, options, shown, slices, first_ns, events, error);
		if (!status)
			status = judge_events(&judge, *events, error);
	} else if (strcmp(options->format, "ctf") != 0) {
		status = strcmp(options->format, "count") == 0
				 ? count(traces, options, slices, events, error)
				 : write_lines(traces, options, shown, &written, first_ns, events,
					       error);
	} else if (slices->nr_observers) {
		/* One of them writes it. */
		status = strata_slices_run(&traces->set, slices, NULL, error) < 0 ? -1 : 0;
	} else {
		status = write_ctf(traces, options, shown, slices, events, error);
	}
	traces_progress_end(traces);
	return status;
}

/*
 * Does the same, and writes CTF in the same pass.
 * @ctf: options of that format; NULL: none, or it is written without observers
 */
static int write_observed(struct traces *traces, const struct write_options *options,
			  const struct write_options *ctf, const struct strata_shown *shown,
			  struct strata_slice_options *slices, const struct host_checks *checks,
			  uint64_t first_ns, uint64_t *events, struct strata_error *error)
{
	struct strata_slice_sink **observers =
		calloc(checks->nr_observers + 1, sizeof(struct strata_slice_sink *));
	const char **names = ctf ? source_names(shown) : NULL;
	struct strata_ctf_traces *written = NULL;
	int status = observers ? 0 : strata_fail(error, "out of memory");

	if (!status && ctf && !(written = open_ctf(traces, ctf, names, error)))
		status = -1;
	if (!status) {
		slices->observers = observers;
		slices->nr_observers = checks->nr_observers;
		if (checks->nr_observers)
			memcpy(observers, checks->observers,
			       checks->nr_observers * sizeof(*observers));
		if (written)
			observers[slices->nr_observers++] = strata_ctf_traces_observer(written);
		status = write_form(traces, options, shown, slices, first_ns, events, error);
	}
	if (written)
		status = strata_ctf_traces_close(written, status, events, error);
	free(names);
	free(observers);
	return status;
}

/* @ctf: a further format to write; or NULL */
static int write_events(struct traces *traces, const struct write_options *options,
			const struct write_options *ctf, const struct strata_shown *shown,
			const struct host_checks *checks, uint64_t *events,
			struct strata_error *error)
{
	struct strata_slice_options slices = { .threads = options->threads,
					       .slice_bytes = SLICE_BYTES };
	const bool is_ctf = strcmp(options->format, "ctf") == 0;
	uint64_t first_ns = 0;
	int status;

	if (is_ctf && strcmp(options->out, "-") == 0)
		return strata_fail(error, "CTF traces are directories: name one with -o");
	status = set_times(traces, options, &slices, &first_ns, error);
	if (!status)
		status = set_filter(traces, options, shown, error);
	/* Streams of CTF are written in parallel if nothing needs all events in order. */
	if (is_ctf && checks->nr)
		ctf = options;
	if (!status)
		status = write_observed(traces, options, ctf, shown, &slices, checks, first_ns,
					events, error);
	return status;
}

/* Recordings are checked only if they are read completely. */
static bool is_checked(const struct write_options *options)
{
	return !options->from && !options->to && strata_filter_is_empty(options->filter);
}

static int write_all(const struct write_job *job, struct traces *traces,
		     const struct strata_shown *shown, struct host_checks *checks,
		     struct strata_error *error)
{
	const struct write_options *form = job->form;
	uint64_t events = 0;
	int status =
		traces_add_symbols(&traces->symbols, shown, form->symbols, form->nr_symbols, error);

	if (!status && is_checked(form))
		status = host_checks_begin(checks, traces, error);
	if (!status)
		status = write_events(traces, form, job->ctf, shown, checks, &events, error);
	if (status < 0)
		return status;
	traces_say_losses(traces, traces->set.filter ? form->filter : NULL);
	if (!form->from && !form->to)
		strata_trace_set_name_cut(&traces->set);
	host_checks_finish(checks);
	if (job->result) {
		job->result->events = events;
		job->result->tally = traces_tally_all(traces);
	}
	return job->done ? job->done(job, checks, events, error) : 0;
}

void write_failed(const struct write_job *job, const struct strata_error *error)
{
	if (job->result)
		job->result->error = *error;
	else
		fprintf(stderr, "strata: %s: %s\n", job->verb, error->text);
}

int write_traces(const struct write_job *job)
{
	struct strata_shown shown = { .sources = NULL };
	struct host_checks checks = { 0 };
	struct strata_error error;
	struct traces traces;
	int status;

	if (strcmp(job->form->format, "trace-compass") == 0)
		return write_trace_compass(job);
	status = traces_open(&traces, job->verb, job->form->tcp_map, job->shifts, job->paths,
			     job->nr, &error);
	/* The sources' names are needed for output, and for a filter by source. */
	if (!status)
		status = strata_shown_init(&shown, &traces.set, &error);
	if (!status)
		status = write_all(job, &traces, &shown, &checks, &error);
	if (status < 0) {
		progress_line_end(&traces.line);
		write_failed(job, &error);
		status = status == WRONG_TIMES ? STRATA_STATUS_USAGE : STRATA_STATUS_FAILED;
	} else {
		status = host_checks_verdict(&checks);
		if (traces.complaints)
			status = STRATA_STATUS_PARTIAL;
	}
	host_checks_clear(&checks);
	strata_shown_clear(&shown);
	traces_close(&traces);
	return status;
}

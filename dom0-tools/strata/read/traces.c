// SPDX-License-Identifier: GPL-2.0-or-later
/* traces.c - see traces.h. */
#include "strata/read/traces.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/identity.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "consumerd/host/file_limit.h"
#include "filter/filter.h"
#include "strata/read/copies.h"
#include "strata/read/loss_report.h"

#define THREADS_MAX 64

/* Whether a message was printed before; otherwise notes it. */
static bool was_told(struct traces *traces, const char *message)
{
	const uint64_t id = strata_identity_add_text(0, message, strlen(message));
	const unsigned int nr = traces->complaints < COMPLAINTS_MAX ? traces->complaints
								    : COMPLAINTS_MAX;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (traces->told[i] == id)
			return true;
	}
	if (nr < COMPLAINTS_MAX)
		traces->told[nr] = id;
	return false;
}

/* Prints a complaint, also if it is first found when the traces are read again. */
static void complain_always(void *data, const char *message)
{
	struct traces *traces = data;

	progress_line_hold(&traces->line);
	/* Several passes find the same damage. */
	if (was_told(traces, message)) {
		progress_line_release(&traces->line);
		return;
	}
	if (traces->complaints++ < COMPLAINTS_MAX)
		fprintf(stderr, "strata: %s: %s\n", traces->verb, message);
	else if (traces->complaints == COMPLAINTS_MAX + 1)
		fprintf(stderr, "strata: %s: further messages about it are suppressed\n",
			traces->verb);
	progress_line_release(&traces->line);
}

void traces_complain(void *data, const char *message)
{
	const struct traces *traces = data;

	if (!traces->is_silent)
		complain_always(data, message);
}

void traces_remark(void *data, const char *message)
{
	struct traces *traces = data;

	progress_line_hold(&traces->line);
	fprintf(stderr, "strata: %s: %s\n", traces->verb, message);
	progress_line_release(&traces->line);
}

void traces_progress_begin(struct traces *traces, uint64_t bytes)
{
	if (!traces->line.is_wanted)
		return;
	traces->progress.tell = progress_line_tell;
	traces->progress.data = &traces->line;
	traces->progress.bytes_total = bytes;
	atomic_store_explicit(&traces->progress.events, 0, memory_order_relaxed);
	atomic_store_explicit(&traces->progress.bytes, 0, memory_order_relaxed);
	traces->set.progress = &traces->progress;
	progress_line_restart(&traces->line);
}

void traces_progress_end(struct traces *traces)
{
	traces->set.progress = NULL;
	progress_line_end(&traces->line);
}

/* Adds an open trace to the set. NULL: it could not be opened, which was reported. Returns 0, or
 * -1: out of memory. */
static int add_trace(struct traces *traces, struct strata_ctf_trace *trace,
		     struct strata_error *error)
{
	if (trace)
		return strata_trace_set_add(&traces->set, trace, error);
	traces_complain(traces, error->text);
	return 0;
}

/* Adds the hypervisor's sources of a recording, or all others. Returns 0, or -1: out of memory. */
static int add_sources(struct traces *traces, struct strata_recording_traces *recording,
		       bool of_xen, struct strata_error *error)
{
	const struct strata_recording *table = strata_recording_traces_table(recording);
	size_t i;

	for (i = 0; i < table->nr_sources; i++) {
		const struct strata_source *source = &table->sources[i];

		if ((source->layer == STRATA_LAYER_XEN) != of_xen ||
		    !strata_recorded_host_can_order(strata_recording_traces_host(recording), i))
			continue;
		if (add_trace(traces, strata_recording_traces_trace(recording, i, error), error))
			return -1;
	}
	return 0;
}

/* Adds all sources of a recording: at equal ticks, the hypervisor's events come first. */
static int add_recording(struct traces *traces, struct strata_recording_traces *recording,
			 struct strata_error *error)
{
	return add_sources(traces, recording, true, error) ||
			       add_sources(traces, recording, false, error)
		       ? -1
		       : 0;
}

static int shift(const struct traces *traces, struct strata_recording_traces *recording,
		 struct strata_error *error)
{
	struct strata_recorded_host *host = strata_recording_traces_host(recording);
	size_t i;

	for (i = 0; traces->shifts && i < traces->shifts->nr; i++) {
		if (strata_recorded_host_shift(host, traces->shifts->of[i].source,
					       traces->shifts->of[i].ticks, error))
			return -1;
	}
	return 0;
}

/* Opens an input, or reports why it is left out. Returns 0, or -1: out of memory. */
static int open_input(struct traces *traces, const struct strata_input *input,
		      struct opened *opened, struct strata_error *error)
{
	struct strata_recording_traces **more;

	if (input->kind == STRATA_INPUT_CTF) {
		opened->trace = strata_ctf_trace_open(input->path, traces_complain, traces, error);
		if (!opened->trace)
			traces_complain(traces, error->text);
		return 0;
	}
	more = realloc(traces->recordings, (traces->nr_recordings + 1) * sizeof(*more));
	if (!more)
		return strata_fail(error, "out of memory");
	traces->recordings = more;
	opened->recording = strata_recording_traces_open(input->path, traces_complain,
							 traces_remark, traces, error);
	if (!opened->recording) {
		traces_complain(traces, error->text);
		return 0;
	}
	more[traces->nr_recordings++] = opened->recording;
	return shift(traces, opened->recording, error);
}

/* Whether two inputs are traces of one merge: `strata merge` writes them side by side.  The
 * environment alone proves nothing, because any trace may name the merge of others. */
static bool is_beside(const struct strata_input *a, const struct strata_input *b)
{
	const char *end_a = strrchr(a->path, '/'), *end_b = strrchr(b->path, '/');
	const size_t length = end_a ? (size_t)(end_a - a->path) : 0;

	return length == (end_b ? (size_t)(end_b - b->path) : 0) &&
	       memcmp(a->path, b->path, length) == 0;
}

/* Returns the merge to which an input belongs; NULL: none. */
static const char *merge_of(const struct opened *opened)
{
	return opened->trace ? strata_ctf_env_text(opened->trace, STRATA_CTF_MERGE) : NULL;
}

/* A trace of a merge, and its position in it. */
struct merged {
	struct strata_input input;
	struct opened opened;
	int64_t place;
	size_t at;
};

static int compare_places(const void *a, const void *b)
{
	const struct merged *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Sorts @nr traces, all of one merge, into the order in which they were merged. */
static int order_merge(struct strata_input *inputs, struct opened *opened, size_t nr,
		       struct strata_error *error)
{
	struct merged *merged = calloc(nr, sizeof(*merged));
	size_t i;

	if (!merged)
		return strata_fail(error, "out of memory for %zu traces", nr);
	for (i = 0; i < nr; i++) {
		merged[i] = (struct merged){ .input = inputs[i], .opened = opened[i], .at = i };
		strata_ctf_env_number(opened[i].trace, STRATA_CTF_PLACE, &merged[i].place);
	}
	qsort(merged, nr, sizeof(*merged), compare_places);
	for (i = 0; i < nr; i++) {
		inputs[i] = merged[i].input;
		opened[i] = merged[i].opened;
	}
	free(merged);
	return 0;
}

/* The order of a merge's traces decides the order at equal times, and the first trace's clock is
 * that of the timeline. Returns 0 or -1. */
static int order_merges(const struct strata_inputs *inputs, struct opened *opened,
			struct strata_error *error)
{
	size_t from = 0, to;

	for (; from < inputs->nr; from = to) {
		const char *merge = merge_of(&opened[from]), *next;

		for (to = from + 1; merge && to < inputs->nr; to++) {
			next = merge_of(&opened[to]);
			if (opened[to].path != opened[from].path || !next ||
			    strcmp(next, merge) != 0 ||
			    !is_beside(&inputs->inputs[from], &inputs->inputs[to]))
				break;
		}
		if (to - from > 1 &&
		    order_merge(&inputs->inputs[from], &opened[from], to - from, error))
			return -1;
	}
	return 0;
}

static int open_inputs(struct traces *traces, struct opened *opened, struct strata_error *error)
{
	const struct strata_inputs *inputs = &traces->inputs;
	int status = 0;
	size_t i;

	for (i = 0; i < inputs->nr && !status; i++)
		status = open_input(traces, &inputs->inputs[i], &opened[i], error);
	if (!status)
		status = copies_leave_out(traces, opened, error);
	if (!status)
		status = order_merges(inputs, opened, error);
	for (i = 0; i < inputs->nr; i++) {
		struct strata_ctf_trace *trace = opened[i].trace;

		if (status)
			strata_ctf_trace_close(trace);
		else if (trace)
			status = add_trace(traces, trace, error);
		else if (opened[i].recording)
			status = add_recording(traces, opened[i].recording, error);
	}
	return status;
}

/* Finds and opens the inputs under each path. Returns 0 or -1. */
static int find_and_open(struct traces *traces, char *const *paths, size_t nr,
			 struct strata_error *error)
{
	struct opened *opened = NULL, *more;
	size_t i, known = 0;
	int status = 0;

	for (i = 0; i < nr && !status; i++) {
		status = strata_inputs_find(&traces->inputs, paths[i], traces_complain, traces,
					    error);
		more = realloc(opened, (traces->inputs.nr + 1) * sizeof(*opened));
		if (!more) {
			status = strata_fail(error, "out of memory");
			break;
		}
		opened = more;
		for (; known < traces->inputs.nr; known++)
			opened[known] = (struct opened){ .path = i };
	}
	if (!status)
		status = open_inputs(traces, opened, error);
	free(opened);
	return status;
}

/* Says why there is no stream to read; what could not be opened was named before. */
static int fail_without_streams(const struct traces *traces, struct strata_error *error)
{
	char name[512];

	if (traces->complaints)
		return strata_fail(error,
				   "no readable trace was found; the messages above say why");
	if (traces->set.nr_traces == 0)
		return strata_fail(error,
				   "nothing was recorded: no source of the recording has events");
	return strata_fail(
		error,
		"%s: has metadata, but no stream file with events; if it is a copy, copy all files of the trace",
		strata_escape_name(name, sizeof(name), traces->set.traces[0]->path));
}

int traces_open(struct traces *traces, const char *verb, const char *tcp_map,
		const struct traces_shifts *shifts, char *const *paths, size_t nr,
		struct strata_error *error)
{
	struct strata_tcp_map map;
	int status;

	memset(traces, 0, sizeof(*traces));
	traces->verb = verb;
	traces->shifts = shifts;
	traces->symbols.told = (struct strata_symbols_told){ .damage = traces_remark,
							     .no_room = complain_always,
							     .data = traces };
	progress_line_init(&traces->line);
	file_limit_raise();
	if (find_and_open(traces, paths, nr, error))
		return -1;
	if (traces->set.nr_streams == 0)
		return fail_without_streams(traces, error);
	status = strata_tcp_map_load(&map, tcp_map, error);
	/* This may read much of them before anything is shown. */
	traces_progress_begin(traces, traces->set.bytes);
	if (!status)
		status = strata_machines_find_by(&traces->machines, &traces->set, &map,
						 traces_complain, traces, error);
	traces_progress_end(traces);
	strata_tcp_map_clear(&map);
	return status;
}

void traces_close(struct traces *traces)
{
	size_t i;

	strata_trace_set_clear(&traces->set);
	traces_symbols_clear(&traces->symbols);
	strata_machines_clear(&traces->machines);
	for (i = 0; i < traces->nr_recordings; i++)
		strata_recording_traces_close(traces->recordings[i]);
	free(traces->recordings);
	strata_inputs_clear(&traces->inputs);
	progress_line_clear(&traces->line);
}

int traces_finish(struct traces *traces, int status, const struct strata_error *error)
{
	const bool is_partial = traces->complaints > 0;

	if (status < 0 && error)
		fprintf(stderr, "strata: %s: %s\n", traces->verb, error->text);
	traces_close(traces);
	if (status)
		return STRATA_STATUS_FAILED;
	return is_partial ? STRATA_STATUS_PARTIAL : STRATA_STATUS_OK;
}

int traces_wrong(const char *verb, const char *what, const char *which)
{
	char shown[256];

	fprintf(stderr, "strata: %s: %s%s%s; `strata %s --help` says more\n", verb, what,
		which ? ": " : "", which ? strata_escape_name(shown, sizeof(shown), which) : "",
		verb);
	return STRATA_STATUS_USAGE;
}

void traces_read_again(struct traces *traces)
{
	size_t i;

	traces->is_silent = true;
	for (i = 0; i < traces->set.nr_streams; i++)
		memset(&traces->set.streams[i].tally, 0, sizeof(traces->set.streams[i].tally));
}

struct strata_ctf_tally traces_tally(const struct traces *traces, size_t trace)
{
	struct strata_ctf_tally sum = { 0 }, tally;
	size_t i;

	for (i = 0; i < traces->set.nr_streams; i++) {
		if (traces->set.streams[i].trace != trace)
			continue;
		tally = strata_recording_tally(&traces->set.streams[i]);
		strata_ctf_tally_add(&sum, &tally);
	}
	return sum;
}

void traces_say_losses(const struct traces *traces, const struct strata_filter *filter)
{
	struct loss_report report = { 0 };
	size_t i;

	for (i = 0; i < traces->set.nr_streams; i++) {
		const struct strata_set_stream *stream = &traces->set.streams[i];

		if (!filter ||
		    strata_filter_may_match_stream(filter, stream->trace, stream->stream))
			loss_report_add(&report, stream->tally.discarded,
					stream->tally.missing_packets);
	}
	loss_report_print(&report, traces->verb);
}

unsigned int traces_threads(void)
{
	cpu_set_t usable;
	long nr = sysconf(_SC_NPROCESSORS_ONLN);

	/* Fewer if the process has a CPU affinity. If there are more CPUs than the set can
	 * represent, all count. */
	if (sched_getaffinity(0, sizeof(usable), &usable) == 0)
		nr = CPU_COUNT(&usable);
	return nr < 1 ? 1 : nr > THREADS_MAX ? THREADS_MAX : (unsigned int)nr;
}

struct strata_ctf_tally traces_tally_all(const struct traces *traces)
{
	struct strata_ctf_tally sum = { 0 }, tally;
	size_t i;

	for (i = 0; i < traces->set.nr_traces; i++) {
		tally = traces_tally(traces, i);
		strata_ctf_tally_add(&sum, &tally);
	}
	return sum;
}

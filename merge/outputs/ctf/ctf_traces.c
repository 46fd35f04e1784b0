// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_traces.c - see ctf_traces.h: the traces' names, the directories, and the threads.
 * ctf_traces_stream.c writes the streams.
 */
#include "outputs/ctf/ctf_traces.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/reader/ctf_index_file.h"
#include "base/escape.h"
#include "outputs/ctf/ctf_identities.h"
#include "outputs/ctf/ctf_plan.h"
#include "outputs/ctf/ctf_traces_stream.h"
#include "outputs/output_directory.h"
#include "base/id_map.h"

#define NAME_BYTES 200u /* of a directory, without a number that may follow */

struct strata_ctf_traces {
	struct strata_slice_sink observer;
	struct strata_trace_set *set;
	const struct strata_slice_options *options;
	/* If an observer: parallel to the set's streams; and which of them ended early. */
	struct strata_ctf_stream_writer **writers;
	bool *has_ended;
	struct strata_dir dir;
	struct strata_ctf_plan *plans; /* parallel to the set's traces; without kinds: left out */
	char (*names)[NAME_BYTES + 24];
	char merge[STRATA_UUID_TEXT_BYTES];

	pthread_mutex_t lock;
	size_t next; /* next stream to write */
	uint64_t events;
	int status;
	struct strata_error *error;
};

/* Names ------------------------------------------------------------------------------------- */

/* Chooses a directory name that no earlier trace has. Returns 0, or -1: out of memory. */
static int set_name(struct strata_ctf_traces *job, size_t at, const char *wanted,
		    struct strata_id_map *taken)
{
	char name[NAME_BYTES];
	unsigned int number;
	uint64_t id;
	char *c;

	snprintf(name, sizeof(name), "%s", *wanted ? wanted : "trace");
	for (c = name; *c; c++) {
		if (*c == '/' || (c == name && *c == '.'))
			*c = '_';
	}
	snprintf(job->names[at], sizeof(job->names[at]), "%s", name);
	for (number = 2;; number++) {
		id = strata_identity_add_text(0, job->names[at], strlen(job->names[at]));
		if (!strata_id_map_find(taken, id))
			break;
		snprintf(job->names[at], sizeof(job->names[at]), "%s-%u", name, number);
	}
	job->plans[at].name = job->names[at];
	return strata_id_map_add(taken, id, job->names[at]);
}

static int set_names(struct strata_ctf_traces *job, const char *const *names)
{
	struct strata_id_map taken = { 0 };
	int status = 0;
	size_t i;

	for (i = 0; i < job->set->nr_traces && !status; i++) {
		status = set_name(job, i, names[i], &taken);
		job->plans[i].source = names[i];
	}
	strata_id_map_clear(&taken);
	return status;
}

/* Returns the known error of a trace's times before any event is read. */
static uint64_t own_precision_ns(const struct strata_ctf_trace *trace)
{
	const struct strata_ctf_clock *clock = trace->metadata.clocks;
	uint64_t ns;

	if (trace->metadata.nr_clocks == 0)
		return 0;
	ns = (uint64_t)((unsigned __int128)clock->precision * 1000000000u / clock->frequency);
	return ns > INT64_MAX ? INT64_MAX : ns;
}

/* Plans all traces; reports and omits those that cannot be written. Returns 0, or -1: none is
 * left. */
static int plan_all(struct strata_ctf_traces *job, const char *const *names)
{
	const struct strata_trace_set *set = job->set;
	size_t i, nr = 0;

	if (set_names(job, names) || strata_ctf_identify(job->plans, set, job->merge))
		return strata_fail(job->error, "out of memory for %zu traces", set->nr_traces);
	for (i = 0; i < set->nr_traces; i++) {
		struct strata_ctf_plan *plan = &job->plans[i];
		const struct strata_ctf_trace *trace = set->traces[i];

		plan->precision_ns = own_precision_ns(trace);
		/* Checks that the metadata can be written before anything is written. */
		if (!strata_ctf_plan_init(plan, trace, job->error) &&
		    !strata_ctf_plan_metadata(plan, NULL, job->error)) {
			nr++;
			continue;
		}
		strata_ctf_plan_clear(plan);
		strata_fail_in(job->error, "the trace is left out");
		if (trace->complain)
			trace->complain(trace->complain_data, job->error->text);
	}
	return nr ? 0 : -1;
}

/* Directories ------------------------------------------------------------------------------- */

/* Creates a trace's directory, and in it that of its index. */
static int make_trace_dir(const struct strata_ctf_traces *job, size_t at)
{
	struct strata_dir trace, index;
	int status;

	if (strata_dir_sub(&trace, &job->dir, job->names[at], 0755, job->error))
		return -1;
	status = strata_output_begin(&trace, job->error);
	if (!status &&
	    !(status = strata_dir_sub(&index, &trace, STRATA_CTF_INDEX_DIR, 0755, job->error)))
		strata_dir_close(&index);
	strata_dir_close(&trace);
	return status;
}

static int make_dirs(struct strata_ctf_traces *job, const char *dir, bool force)
{
	size_t i;

	if (strata_output_directory(&job->dir, dir, force, job->error))
		return -1;
	for (i = 0; i < job->set->nr_traces; i++)
		if (job->plans[i].kinds && make_trace_dir(job, i))
			return -1;
	return 0;
}

/* Not kept open: there may be more traces than file descriptors. Returns 0 or -1. */
static int open_trace_dir(const struct strata_ctf_traces *job, const char *name,
			  struct strata_dir *dir, struct strata_error *error)
{
	return strata_dir_find(dir, &job->dir, name)
		       ? 0
		       : strata_fail(error, "%s/%s: %s", job->dir.path, name, strerror(errno));
}

/* Streams ----------------------------------------------------------------------------------- */

static int write_stream(struct strata_ctf_traces *job, size_t at,
			struct strata_ctf_written *written, struct strata_error *error)
{
	const struct strata_ctf_plan *plan = &job->plans[job->set->streams[at].trace];
	struct strata_dir dir;
	int status;

	memset(written, 0, sizeof(*written));
	if (!plan->kinds)
		return 0;
	if (open_trace_dir(job, plan->name, &dir, error))
		return -1;
	status = strata_ctf_stream_write(job->set, at, plan, &dir, job->options, written, error);
	strata_dir_close(&dir);
	return status;
}

static void *work_on(void *data)
{
	struct strata_ctf_traces *job = data;
	struct strata_error error;

	pthread_mutex_lock(&job->lock);
	while (job->next < job->set->nr_streams && !job->status) {
		const size_t at = job->next++;
		struct strata_set_stream *stream = &job->set->streams[at];
		struct strata_ctf_plan *plan = &job->plans[stream->trace];
		struct strata_ctf_written written;
		int status;

		pthread_mutex_unlock(&job->lock);
		status = write_stream(job, at, &written, &error);
		pthread_mutex_lock(&job->lock);
		strata_ctf_tally_add(&stream->tally, &written.tally);
		job->events += written.tally.events;
		if (written.bound_ns > plan->precision_ns && written.bound_ns <= INT64_MAX)
			plan->precision_ns = written.bound_ns;
		if (status && !job->status) {
			job->status = status;
			*job->error = error;
		}
	}
	pthread_mutex_unlock(&job->lock);
	return NULL;
}

static int write_streams(struct strata_ctf_traces *job)
{
	pthread_t *threads = calloc(job->options->threads, sizeof(*threads));
	unsigned int i, nr = 0;

	if (!threads)
		return strata_fail(job->error, "out of memory");
	/* The calling thread takes part; if no other thread can be created, it does all the
	 * work. */
	for (; nr + 1 < job->options->threads && nr + 1 < job->set->nr_streams; nr++) {
		if (pthread_create(&threads[nr], NULL, work_on, job))
			break;
	}
	work_on(job);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return job->status;
}

static int write_metadata(const struct strata_ctf_traces *job)
{
	struct strata_dir dir;
	int status = 0;
	size_t i;

	for (i = 0; i < job->set->nr_traces && !status; i++) {
		if (!job->plans[i].kinds)
			continue;
		if (open_trace_dir(job, job->names[i], &dir, job->error))
			return -1;
		status = strata_ctf_plan_metadata(&job->plans[i], &dir, job->error);
		if (!status)
			strata_output_end(&dir);
		strata_dir_close(&dir);
	}
	return status;
}

/* Frees what the job owns. */
static void clear(struct strata_ctf_traces *job)
{
	size_t i;

	for (i = 0; job->plans && i < job->set->nr_traces; i++)
		strata_ctf_plan_clear(&job->plans[i]);
	free(job->plans);
	free(job->names);
	free(job->writers);
	free(job->has_ended);
	strata_dir_close(&job->dir);
	pthread_mutex_destroy(&job->lock);
}

/* Plans all traces and creates their directories. Returns 0 or -1; the caller must clear the job in
 * either case. */
static int begin(struct strata_ctf_traces *job, const char *const *names, const char *dir,
		 bool force)
{
	const struct strata_trace_set *set = job->set;

	job->dir.fd = -1;
	pthread_mutex_init(&job->lock, NULL);
	job->plans = calloc(set->nr_traces + 1, sizeof(*job->plans));
	job->names = calloc(set->nr_traces + 1, sizeof(*job->names));
	if (!job->plans || !job->names)
		return strata_fail(job->error, "out of memory for %zu traces", set->nr_traces);
	return plan_all(job, names) || make_dirs(job, dir, force) ? -1 : 0;
}

int strata_ctf_traces_write(struct strata_trace_set *set, const char *const *names, const char *dir,
			    bool force, const struct strata_slice_options *options,
			    uint64_t *events, struct strata_error *error)
{
	struct strata_ctf_traces job = { .set = set, .options = options, .error = error };
	int status = begin(&job, names, dir, force);

	if (!status)
		status = write_streams(&job);
	if (!status)
		status = write_metadata(&job);
	if (events)
		*events = job.events;
	clear(&job);
	return status;
}

/* As an observer ----------------------------------------------------------------------------- */

/* A stream that ends early does not end the others. */
static int note_end(struct strata_ctf_traces *job, size_t stream, int status)
{
	job->has_ended[stream] = status > 0;
	return status < 0 ? -1 : 0;
}

static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct strata_ctf_traces *job = (struct strata_ctf_traces *)sink;
	struct strata_slice_sink *one;

	if (!job->writers[stream] || job->has_ended[stream])
		return 0;
	one = strata_ctf_stream_sink(job->writers[stream]);
	job->events += nr;
	return note_end(job, stream, one->take(one, stream, reader, events, nr, error));
}

static int lose(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_loss *loss, struct strata_error *error)
{
	struct strata_ctf_traces *job = (struct strata_ctf_traces *)sink;
	struct strata_slice_sink *one;

	if (!job->writers[stream] || job->has_ended[stream])
		return 0;
	one = strata_ctf_stream_sink(job->writers[stream]);
	return note_end(job, stream, one->lose(one, stream, reader, loss, error));
}

static int open_writers(struct strata_ctf_traces *job)
{
	const struct strata_trace_set *set = job->set;
	struct strata_dir dir;
	size_t i;

	job->writers = calloc(set->nr_streams + 1, sizeof(struct strata_ctf_stream_writer *));
	job->has_ended = calloc(set->nr_streams + 1, sizeof(*job->has_ended));
	if (!job->writers || !job->has_ended)
		return strata_fail(job->error, "out of memory for %zu streams", set->nr_streams);
	for (i = 0; i < set->nr_streams; i++) {
		const struct strata_ctf_plan *plan = &job->plans[set->streams[i].trace];

		if (!plan->kinds)
			continue;
		if (open_trace_dir(job, plan->name, &dir, job->error))
			return -1;
		job->writers[i] = strata_ctf_stream_open(&set->streams[i], plan, &dir, job->error);
		strata_dir_close(&dir);
		if (!job->writers[i])
			return -1;
	}
	return 0;
}

struct strata_ctf_traces *strata_ctf_traces_open(struct strata_trace_set *set,
						 const char *const *names, const char *dir,
						 bool force, struct strata_error *error)
{
	struct strata_ctf_traces *job = calloc(1, sizeof(*job));

	if (!job) {
		strata_fail(error, "%s: out of memory", dir);
		return NULL;
	}
	job->observer.take = take;
	job->observer.lose = lose;
	job->observer.by_stream = true;
	job->set = set;
	job->error = error;
	if (!begin(job, names, dir, force) && !open_writers(job))
		return job;
	strata_ctf_traces_close(job, -1, NULL, &(struct strata_error){ "" });
	return NULL;
}

struct strata_slice_sink *strata_ctf_traces_observer(struct strata_ctf_traces *traces)
{
	return &traces->observer;
}

int strata_ctf_traces_close(struct strata_ctf_traces *traces, int status, uint64_t *events,
			    struct strata_error *error)
{
	size_t i;

	traces->error = error;
	for (i = 0; traces->writers && i < traces->set->nr_streams; i++) {
		struct strata_ctf_plan *plan = &traces->plans[traces->set->streams[i].trace];
		struct strata_error ignored;
		uint64_t bound_ns;

		if (!traces->writers[i])
			continue;
		if (strata_ctf_stream_close(traces->writers[i], status, &bound_ns,
					    status < 0 ? &ignored : error) < 0)
			status = -1;
		if (bound_ns > plan->precision_ns && bound_ns <= INT64_MAX)
			plan->precision_ns = bound_ns;
	}
	if (status >= 0)
		status = write_metadata(traces);
	if (events)
		*events = traces->events;
	clear(traces);
	free(traces);
	return status;
}

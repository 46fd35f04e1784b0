// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slices.c - see slices.h.  A thread takes the next slice, merges it, waits until
 * all slices before it are joined, and joins its own: so each thread keeps at most one slice's
 * result.  Messages about damage wait likewise, so their order does not depend on the threads.
 */
#include "timeline/slices.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/complaints.h"
#include "timeline/holders.h"
#include "timeline/in_order.h"

/* Each slice reads the packets in which it begins a second time, in every stream: more slices cost
 * more, and fewer make threads wait for the last one. */
#define SLICES_OF_A_THREAD 4u
#define SLICES_MAX         65536u
/* Least data of a slice for each stream: half of what its reader reads at once if there are many
 * streams.  The places for cuts may all be in a trace of many streams with little data each. */
#define SLICE_BYTES_OF_STREAM ((uint64_t)2 << 10)
/* Events that wait for observers are copied, up to ten times the input's bytes (in_order.c): so a
 * slice is limited to this size if there are observers, whatever the number of events. Packets read
 * twice are a small part of it. */
#define OBSERVED_BYTES           ((uint64_t)4 << 20)
#define OBSERVED_BYTES_OF_STREAM ((uint64_t)128 << 10)

/* Memory of these copies. A slice of few streams needs less than the part of its thread; one of
 * thousands waits for its turn when all is used. */
#define HELD_BYTES           ((size_t)512 << 20)
#define HELD_BYTES_OF_THREAD ((size_t)64 << 20)

/* Memory of the readers, of which each thread has one for each stream, and what such a one needs
 * if there are many: its window is small then (trace_set.c). */
#define READERS_BYTES ((size_t)256 << 20)
#define READER_BYTES  ((size_t)8 << 10)

struct slices {
	struct strata_trace_set *set;
	const struct strata_slice_options *options;
	unsigned int threads;
	struct strata_slice_work *work;
	uint64_t *cuts;
	size_t nr; /* slices */

	pthread_mutex_t lock;
	pthread_cond_t joined_one;
	size_t next;   /* next slice to take */
	size_t joined; /* slices */
	int status;    /* the first nonzero result */
	struct strata_error *error;
};

static void add_up(struct strata_trace_set *set, const struct strata_ctf_tally *tallies)
{
	size_t i;

	for (i = 0; i < set->nr_streams; i++)
		strata_ctf_tally_add(&set->streams[i].tally, &tallies[i]);
}

/* Waits until all slices before @at are joined. */
static void await_turn(void *data, size_t at)
{
	struct slices *slices = data;

	pthread_mutex_lock(&slices->lock);
	while (slices->joined < at)
		pthread_cond_wait(&slices->joined_one, &slices->lock);
	pthread_mutex_unlock(&slices->lock);
}

/* Merges a slice, and joins it when its turn has come.  @kept: IN/OUT, the thread's sink */
static int do_slice(struct slices *slices, size_t at, struct strata_slice_sink **kept,
		    struct strata_error *error)
{
	const struct strata_slice_options *options = slices->options;
	struct strata_slice_sink *sink = slices->work->begin(slices->work, at, *kept);
	struct strata_ctf_tally *tallies = calloc(slices->set->nr_streams + 1, sizeof(*tallies));
	struct strata_complaints held = { NULL, NULL };
	int status = -1;

	strata_fail(error, "out of memory for a slice");
	strata_complaints_hold(&held);
	if (sink && tallies)
		status = strata_trace_set_merge(
			slices->set, at ? slices->cuts[at - 1] : options->from_ns,
			at + 1 < slices->nr ? slices->cuts[at] : options->to_ns, sink, tallies,
			error);
	strata_complaints_hold(NULL);
	await_turn(slices, at);
	strata_complaints_tell(&held);
	/* No other thread joins now, though others may merge. */
	if (sink) {
		struct strata_error join_error;
		const int joined = slices->work->join(slices->work, sink, &join_error);

		if (joined && !status) {
			status = joined;
			*error = join_error;
		}
		*kept = sink;
	}
	if (tallies)
		add_up(slices->set, tallies);
	free(tallies);
	return status;
}

static void *work_on(void *data)
{
	struct slices *slices = data;
	struct strata_slice_sink *sink = NULL;
	struct strata_error error;

	pthread_mutex_lock(&slices->lock);
	while (slices->next < slices->nr && !slices->status) {
		const size_t at = slices->next++;
		int status;

		pthread_mutex_unlock(&slices->lock);
		status = do_slice(slices, at, &sink, &error);
		pthread_mutex_lock(&slices->lock);
		slices->joined++;
		if (status && !slices->status) {
			slices->status = status;
			*slices->error = error;
		}
		pthread_cond_broadcast(&slices->joined_one);
	}
	pthread_mutex_unlock(&slices->lock);
	if (sink)
		slices->work->end(slices->work, sink);
	return NULL;
}

/* Returns the number of slices to cut; needs the set's index.  It depends on the data that is there
 * to read: a file can claim any size. */
static uint64_t nr_slices(const struct slices *slices)
{
	const struct strata_slice_options *options = slices->options;
	const uint64_t streams = slices->set->nr_streams;
	const uint64_t data = strata_trace_set_data_bytes(slices->set);
	const uint64_t least = (uint64_t)slices->threads * SLICES_OF_A_THREAD;
	const uint64_t observed = data / (OBSERVED_BYTES + streams * OBSERVED_BYTES_OF_STREAM) + 1;
	uint64_t nr = options->slice_bytes ? data / options->slice_bytes + 1 : least;
	uint64_t most = data / ((streams + 1) * SLICE_BYTES_OF_STREAM);

	if (options->nr_observers && nr < observed)
		nr = observed;
	if (most < least)
		most = least;
	if (most > SLICES_MAX)
		most = SLICES_MAX;
	return nr < most ? nr : most;
}

/* Cuts the set into slices. */
static int cut(struct slices *slices)
{
	const struct strata_slice_options *options = slices->options;
	uint64_t nr;

	if (strata_trace_set_make_index(slices->set, slices->error))
		return -1;
	nr = nr_slices(slices);
	slices->cuts = malloc(nr * sizeof(*slices->cuts));
	if (!slices->cuts)
		return strata_fail(slices->error, "out of memory");
	slices->nr = 1 + strata_trace_set_cut(slices->set, nr, options->from_ns, options->to_ns,
					      slices->cuts);
	return 0;
}

/* As many threads as their readers have memory for. */
static unsigned int nr_threads(const struct strata_trace_set *set, unsigned int wanted)
{
	const size_t most = READERS_BYTES / ((set->nr_streams + 1) * READER_BYTES);

	if (wanted <= most)
		return wanted;
	return most ? (unsigned int)most : 1;
}

int strata_slices_run(struct strata_trace_set *set, const struct strata_slice_options *options,
		      struct strata_slice_work *work, struct strata_error *error)
{
	const unsigned int all = nr_threads(set, options->threads);
	struct slices slices = { .set = set,
				 .options = options,
				 .threads = all,
				 .work = work,
				 .nr = 1,
				 .lock = PTHREAD_MUTEX_INITIALIZER,
				 .joined_one = PTHREAD_COND_INITIALIZER,
				 .error = error };
	struct strata_in_order in_order = { .inner = work,
					    .observers = options->observers,
					    .nr_observers = options->nr_observers,
					    .nr_streams = set->nr_streams,
					    .held_bytes_max = options->held_bytes,
					    .await_turn = await_turn,
					    .await_data = &slices };
	pthread_t *threads = calloc(all, sizeof(*threads));
	unsigned int i, nr = 0;

	if (!threads || strata_holders_mark(set)) {
		free(threads);
		return strata_fail(error, "out of memory");
	}
	if (!in_order.held_bytes_max)
		in_order.held_bytes_max = all * HELD_BYTES_OF_THREAD > HELD_BYTES
						  ? all * HELD_BYTES_OF_THREAD
						  : HELD_BYTES;
	in_order.kept_bytes_max = in_order.held_bytes_max / all;
	if (options->nr_observers) {
		strata_in_order_init(&in_order);
		slices.work = &in_order.work;
	}
	if (all > 1 && cut(&slices)) {
		free(threads);
		return -1;
	}
	/* This thread is one of them; if no other can be created it does all the work. */
	for (; nr + 1 < all && nr + 1 < slices.nr; nr++) {
		if (pthread_create(&threads[nr], NULL, work_on, &slices))
			break;
	}
	work_on(&slices);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	free(slices.cuts);
	pthread_mutex_destroy(&slices.lock);
	pthread_cond_destroy(&slices.joined_one);
	return slices.status;
}

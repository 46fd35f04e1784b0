// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_set.c - see trace_set.h. */
#include "timeline/trace_set.h"

#include <stdlib.h>

#include "timeline/lanes.h"
#include "base/progress.h"
#include "timeline/event_names.h"

/* Memory of all windows together, and the smallest and largest size of one window. Smaller windows
 * cost more system calls. */
#define WINDOWS_BYTES    (4u << 20)
#define WINDOW_BYTES_MIN (4u << 10)
#define WINDOW_BYTES_MAX (64u << 10)

int strata_trace_set_add(struct strata_trace_set *set, struct strata_ctf_trace *trace,
			 struct strata_error *error)
{
	struct strata_set_stream *streams;
	struct strata_ctf_trace **traces;
	size_t i;

	if (strata_event_names_set(trace, error)) {
		strata_ctf_trace_close(trace);
		return -1;
	}
	traces = realloc(set->traces, (set->nr_traces + 1) * sizeof(*traces));
	if (!traces) {
		strata_ctf_trace_close(trace);
		return strata_fail(error, "out of memory");
	}
	set->traces = traces;
	/* A separate clock, unless more becomes known. */
	trace->clock_group = trace->machine = set->nr_traces;
	traces[set->nr_traces++] = trace;
	streams =
		realloc(set->streams, (set->nr_streams + trace->nr_streams + 1) * sizeof(*streams));
	if (!streams)
		return strata_fail(error, "out of memory");
	set->streams = streams;
	memset(streams + set->nr_streams, 0, trace->nr_streams * sizeof(*streams));
	for (i = 0; i < trace->nr_streams; i++) {
		streams[set->nr_streams].stream = &trace->streams[i];
		streams[set->nr_streams++].trace = set->nr_traces - 1;
	}
	set->bytes += trace->bytes;
	return 0;
}

int strata_trace_set_make_index(struct strata_trace_set *set, struct strata_error *error)
{
	size_t i;

	if (set->has_index)
		return 0;
	for (i = 0; i < set->nr_streams; i++) {
		if (strata_ctf_index_make(&set->streams[i].index, set->streams[i].stream, error))
			return -1;
	}
	set->has_index = true;
	return 0;
}

size_t strata_trace_set_name_cut(const struct strata_trace_set *set)
{
	size_t i, nr = 0;

	for (i = 0; i < set->nr_streams; i++) {
		const struct strata_ctf_tally *tally = &set->streams[i].tally;
		const struct strata_ctf_stream *stream = set->streams[i].stream;

		if (!strata_set_stream_is_cut(&set->streams[i]))
			continue;
		strata_ctf_complain(
			stream, "it ends after %llu packets, but the recording says %llu",
			(unsigned long long)tally->packets, (unsigned long long)stream->packets);
		nr++;
	}
	return nr;
}

void strata_trace_set_clear(struct strata_trace_set *set)
{
	size_t i;

	for (i = 0; i < set->nr_streams; i++)
		strata_ctf_index_clear(&set->streams[i].index);
	for (i = 0; i < set->nr_traces; i++)
		strata_ctf_trace_close(set->traces[i]);
	free(set->streams);
	free(set->traces);
	memset(set, 0, sizeof(*set));
}

/* One merge of a slice. */
struct strata_set_merge {
	const struct strata_trace_set *set;
	struct strata_ctf_reader *readers;
	size_t nr_readers; /* that are open */
	struct strata_lanes lanes;
	struct strata_lanes_merge *merge; /* NULL: it has not begun */
	void *filter_run;                 /* NULL: all events match */
	uint64_t from_ns, to_ns;
	uint64_t told_to_ns; /* faults from here on are not reported */
	struct strata_slice_sink *sink;
	struct strata_error *error;
};

/* Returns the first of a batch's events at @ns or later. */
static const struct strata_lane_event *first_from(const struct strata_lane_event *low,
						  const struct strata_lane_event *high, uint64_t ns)
{
	while (low < high) {
		const struct strata_lane_event *middle = low + (high - low) / 2;

		if (middle->ns < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Keeps only the events of a lane's batch that match the filter. */
static void leave_wanted(struct strata_set_merge *slice, size_t at)
{
	struct strata_ctf_reader *reader = &slice->readers[at];
	struct strata_lane *lane = &slice->lanes.lanes[at];
	const size_t trace = slice->set->streams[at].trace;

	lane->end = lane->next +
		    slice->set->filter->keep(slice->filter_run, trace, reader,
					     reader->events + (lane->next - reader->events),
					     (size_t)(lane->end - lane->next));
}

/* Moves to the first event of this slice. */
static void pass_earlier(struct strata_set_merge *slice, size_t at)
{
	struct strata_ctf_reader *reader = &slice->readers[at];
	struct strata_lane *lane = &slice->lanes.lanes[at];
	const struct strata_lane_event *earlier = lane->next;

	lane->next = first_from(lane->next, lane->end, slice->from_ns);
	if (slice->filter_run && slice->set->filter->from_start)
		slice->set->filter->pass(slice->filter_run, slice->set->streams[at].trace, reader,
					 earlier, (size_t)(lane->next - earlier));
}

/* Keeps the batch, a loss of this slice, in its lane if it is wanted. */
static void keep_loss(struct strata_set_merge *slice, size_t at)
{
	struct strata_ctf_reader *reader = &slice->readers[at];
	struct strata_lane *lane = &slice->lanes.lanes[at];
	const size_t trace = slice->set->streams[at].trace;

	if (slice->filter_run && slice->set->filter->from_start)
		slice->set->filter->lose(slice->filter_run, trace, reader);
	if (!slice->sink->lose || (slice->filter_run && !slice->set->filter->may_match(
								slice->set->filter, trace, reader)))
		lane->end = lane->next;
}

/* Passes the lane's batch to a sink that wants it before the merge. */
static int pass_batch(struct strata_set_merge *slice, size_t at)
{
	struct strata_ctf_reader *reader = &slice->readers[at];
	const struct strata_lane *lane = &slice->lanes.lanes[at];

	if (!slice->sink->read || lane->next == lane->end)
		return 0;
	if (lane->next->class == STRATA_LANE_LOSS)
		return slice->sink->read(slice->sink, at, reader, NULL, 0, &reader->loss,
					 slice->error);
	return slice->sink->read(slice->sink, at, reader, lane->next,
				 (size_t)(lane->end - lane->next), NULL, slice->error);
}

static int refill(void *data, size_t at)
{
	struct strata_set_merge *slice = data;
	struct strata_ctf_reader *reader = &slice->readers[at];
	struct strata_lane *lane = &slice->lanes.lanes[at];
	bool is_last, is_loss;

	do {
		const uint64_t bytes = reader->tally.bytes;
		const int got = strata_ctf_reader_next(reader);

		if (slice->set->stop &&
		    atomic_load_explicit(slice->set->stop, memory_order_relaxed))
			return strata_fail(slice->error, "interrupted");
		is_loss = got > 0 && reader->events[0].class == STRATA_LANE_LOSS;
		if (slice->set->progress)
			strata_progress_add(slice->set->progress, is_loss ? 0 : (uint64_t)got,
					    reader->tally.bytes - bytes);
		lane->next = reader->events;
		lane->end = reader->events + got;
		if (got == 0)
			return 0;
		if (is_loss) {
			keep_loss(slice, at);
			continue;
		}
		is_last = lane->end[-1].ns >= slice->to_ns;
		if (lane->next->ns < slice->from_ns)
			pass_earlier(slice, at);
		if (is_last)
			lane->end = first_from(lane->next, lane->end, slice->to_ns);
		if (slice->filter_run)
			leave_wanted(slice, at);
		reader->tally.events -= (size_t)got - (size_t)(lane->end - lane->next);
		if (is_last)
			break;
	} while (lane->next == lane->end);
	return pass_batch(slice, at);
}

static int take(void *data, size_t at, const struct strata_lane_event *events, size_t nr)
{
	struct strata_set_merge *slice = data;
	struct strata_ctf_reader *reader = &slice->readers[at];

	if (events->class == STRATA_LANE_LOSS)
		return slice->sink->lose(slice->sink, at, reader, &reader->loss, slice->error);
	strata_ctf_reader_prefetch(&slice->readers[slice->lanes.upcoming]);
	/* The lane's next event will be needed after those of all others. */
	if (events + nr < slice->lanes.lanes[at].end) {
		__builtin_prefetch(reader->base + events[nr].body / 8);
		__builtin_prefetch(reader->base + events[nr].body / 8 + 63);
	}
	return slice->sink->take(slice->sink, at, reader, events, nr, slice->error);
}

static size_t window_bytes(const struct strata_trace_set *set)
{
	const size_t each = WINDOWS_BYTES / (set->nr_streams + 1);

	if (each > WINDOW_BYTES_MAX)
		return WINDOW_BYTES_MAX;
	return each < WINDOW_BYTES_MIN ? WINDOW_BYTES_MIN : each / 4096 * 4096;
}

static bool must_begin_at_start(const struct strata_trace_set *set, size_t at)
{
	const struct strata_ctf_converter *converter = set->streams[at].stream->converter;

	return (converter && converter->from_start) || (set->filter && set->filter->from_start);
}

/* Opens a reader for each stream. Returns the number of open ones. */
static size_t open_readers(struct strata_set_merge *slice)
{
	const struct strata_trace_set *set = slice->set;
	size_t i;

	for (i = 0; i < set->nr_streams; i++) {
		if (strata_ctf_reader_open(&slice->readers[i], set->streams[i].stream,
					   window_bytes(set), slice->error))
			break;
		slice->readers[i].tells_losses = slice->sink->lose != NULL ||
						 (set->filter && set->filter->from_start);
		strata_ctf_reader_seek(
			&slice->readers[i],
			set->has_index && slice->from_ns && !must_begin_at_start(set, i)
				? strata_ctf_index_find(&set->streams[i].index, slice->from_ns)
				: 0,
			slice->from_ns, slice->told_to_ns);
	}
	return i;
}

/* @told_to_ns: faults from there on are not reported */
static struct strata_set_merge *begin(const struct strata_trace_set *set, uint64_t from_ns,
				      uint64_t to_ns, uint64_t told_to_ns,
				      struct strata_slice_sink *sink, struct strata_error *error)
{
	struct strata_set_merge *merge = calloc(1, sizeof(*merge));

	strata_fail(error, "out of memory for %zu streams", set->nr_streams);
	if (!merge)
		return NULL;
	*merge = (struct strata_set_merge){
		.set = set,
		.from_ns = from_ns,
		.to_ns = to_ns,
		.told_to_ns = told_to_ns,
		.sink = sink,
		.error = error,
		.readers = calloc(set->nr_streams + 1, sizeof(*merge->readers)),
		.filter_run = set->filter ? set->filter->begin(set->filter) : NULL,
	};
	merge->lanes = (struct strata_lanes){
		.lanes = calloc(set->nr_streams + 1, sizeof(*merge->lanes.lanes)),
		.nr = set->nr_streams,
		.refill = refill,
		.take = take,
		.data = merge,
	};
	if (merge->readers && merge->lanes.lanes && !set->filter == !merge->filter_run) {
		merge->nr_readers = open_readers(merge);
		if (merge->nr_readers == set->nr_streams)
			return merge;
	}
	strata_set_merge_end(merge, NULL);
	return NULL;
}

struct strata_set_merge *strata_set_merge_begin(const struct strata_trace_set *set,
						uint64_t from_ns, uint64_t to_ns,
						struct strata_slice_sink *sink,
						struct strata_error *error)
{
	return begin(set, from_ns, to_ns, to_ns, sink, error);
}

int strata_set_merge_go_on(struct strata_set_merge *merge, struct strata_error *error)
{
	merge->error = error;
	if (!merge->merge) {
		strata_fail(error, "out of memory for %zu streams", merge->set->nr_streams);
		merge->merge = strata_lanes_begin(&merge->lanes);
	}
	return merge->merge ? strata_lanes_go_on(merge->merge) : -1;
}

void strata_set_merge_tally(const struct strata_set_merge *merge, struct strata_ctf_tally *tallies)
{
	size_t i;

	for (i = 0; i < merge->nr_readers; i++)
		strata_ctf_tally_add(&tallies[i], &merge->readers[i].tally);
}

void strata_set_merge_end(struct strata_set_merge *merge, struct strata_ctf_tally *tallies)
{
	size_t i;

	if (!merge)
		return;
	if (tallies)
		strata_set_merge_tally(merge, tallies);
	for (i = 0; i < merge->nr_readers; i++)
		strata_ctf_reader_close(&merge->readers[i]);
	strata_lanes_end(merge->merge);
	if (merge->set->filter)
		merge->set->filter->end(merge->filter_run);
	free(merge->readers);
	free(merge->lanes.lanes);
	free(merge);
}

static int merge_all(const struct strata_trace_set *set, uint64_t from_ns, uint64_t to_ns,
		     uint64_t told_to_ns, struct strata_slice_sink *sink,
		     struct strata_ctf_tally *tallies, struct strata_error *error)
{
	struct strata_set_merge *merge = begin(set, from_ns, to_ns, told_to_ns, sink, error);
	const int status = merge ? strata_set_merge_go_on(merge, error) : -1;

	strata_set_merge_end(merge, tallies);
	return status;
}

int strata_trace_set_merge(const struct strata_trace_set *set, uint64_t from_ns, uint64_t to_ns,
			   struct strata_slice_sink *sink, struct strata_ctf_tally *tallies,
			   struct strata_error *error)
{
	return merge_all(set, from_ns, to_ns, to_ns, sink, tallies, error);
}

struct event_sink {
	struct strata_slice_sink sink;
	uint64_t ns;
	bool is_found;
};

static int take_first(struct strata_slice_sink *sink, size_t stream,
		      struct strata_ctf_reader *reader, const struct strata_lane_event *events,
		      size_t nr, struct strata_error *error)
{
	(void)stream;
	(void)reader;
	(void)nr;
	(void)error;
	((struct event_sink *)sink)->ns = events[0].ns;
	return 1;
}

int strata_trace_set_first(const struct strata_trace_set *set, uint64_t *ns,
			   struct strata_error *error)
{
	struct strata_ctf_tally *ignored = calloc(set->nr_streams + 1, sizeof(*ignored));
	struct event_sink first = { .sink = { .take = take_first } };
	struct strata_trace_set whole = *set;
	int status;

	if (!ignored)
		return strata_fail(error, "out of memory");
	/* Damage is reported by the merge, which reads the same packets. */
	whole.filter = NULL;
	whole.progress = NULL;
	status = merge_all(&whole, 0, UINT64_MAX, 0, &first.sink, ignored, error);
	free(ignored);
	*ns = first.ns;
	return status < 0 ? -1 : !status;
}

static int take_last(struct strata_slice_sink *sink, size_t stream,
		     struct strata_ctf_reader *reader, const struct strata_lane_event *events,
		     size_t nr, struct strata_error *error)
{
	(void)stream;
	(void)reader;
	(void)error;
	((struct event_sink *)sink)->ns = events[nr - 1].ns;
	((struct event_sink *)sink)->is_found = true;
	return 0;
}

int strata_trace_set_last(const struct strata_trace_set *set, size_t stream, uint64_t *ns,
			  struct strata_error *error)
{
	const struct strata_ctf_index *index = &set->streams[stream].index;
	struct event_sink last = { .sink = { .take = take_last } };
	struct strata_trace_set alone = *set;
	size_t back = 1, nr = set->has_index ? index->nr : 0;
	uint64_t from_ns;

	alone.streams = &set->streams[stream];
	alone.nr_streams = 1;
	alone.filter = NULL;
	alone.progress = NULL;
	/* The last packets may be empty. */
	do {
		struct strata_ctf_tally ignored = { 0 };

		from_ns = back < nr && !must_begin_at_start(&alone, 0)
				  ? index->places[nr - back].begin_ns
				  : 0;
		if (merge_all(&alone, from_ns, UINT64_MAX, 0, &last.sink, &ignored, error) < 0)
			return -1;
		back *= 4;
	} while (!last.is_found && from_ns != 0);
	*ns = last.ns;
	return !last.is_found;
}

/* Returns the content of a stream's packets, in bytes. */
static uint64_t content_bytes(const struct strata_set_stream *stream)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < stream->index.nr; i++)
		bytes = strata_ctf_add_clamped(bytes, stream->index.places[i].bytes);
	return bytes;
}

/* The same without its holes. */
static uint64_t data_bytes(const struct strata_set_stream *stream)
{
	const uint64_t content = content_bytes(stream);
	const uint64_t held = stream->stream->bytes - stream->stream->hole_bytes;

	return content < held ? content : held;
}

uint64_t strata_trace_set_data_bytes(const struct strata_trace_set *set)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < set->nr_streams; i++)
		bytes = strata_ctf_add_clamped(bytes, data_bytes(&set->streams[i]));
	return bytes;
}

/* Where a stream can be cut: its data from there to its next such place. */
struct cut_place {
	uint64_t ns;
	uint64_t bytes;
};

static int compare_places(const void *a, const void *b)
{
	const struct cut_place *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Of the index's places, those within the time.  Returns their number. */
static size_t find_cut_places(const struct strata_set_stream *stream, uint64_t from_ns,
			      uint64_t to_ns, struct cut_place *places)
{
	const struct strata_ctf_index *index = &stream->index;
	const uint64_t content = content_bytes(stream), data = data_bytes(stream);
	size_t i, nr = 0;

	for (i = 0; i < index->nr; i++) {
		const struct strata_ctf_index_place *place = &index->places[i];
		/* It is unknown which of the packets have the holes. */
		const uint64_t bytes =
			data == content
				? place->bytes
				: (uint64_t)((unsigned __int128)place->bytes * data / content);

		if (place->begin_ns > from_ns && place->begin_ns < to_ns)
			places[nr++] = (struct cut_place){ place->begin_ns, bytes };
	}
	return nr;
}

/* Cuts where each slice has as many bytes, not as many packets: a program can write as many small
 * ones as it likes, in whose times all cuts would then lie.  Returns the number of cuts. */
static size_t cut_places(const struct cut_place *places, size_t nr_places, size_t nr,
			 uint64_t *cuts)
{
	/* A file system may claim any size. */
	unsigned __int128 all = 0, bytes = 0;
	size_t i, slice, nr_cuts = 0, last = 0;

	for (i = 0; i < nr_places; i++)
		all += places[i].bytes;
	for (i = 0; all && i < nr_places && nr_cuts + 1 < nr; bytes += places[i++].bytes) {
		slice = (size_t)(bytes * nr / all);
		if (slice == last || (nr_cuts && places[i].ns == cuts[nr_cuts - 1]))
			continue;
		cuts[nr_cuts++] = places[i].ns;
		last = slice;
	}
	return nr_cuts;
}

size_t strata_trace_set_cut(const struct strata_trace_set *set, size_t nr, uint64_t from_ns,
			    uint64_t to_ns, uint64_t *cuts)
{
	size_t i, nr_places = 0, nr_cuts = 0, room = 0;
	struct cut_place *places;

	for (i = 0; i < set->nr_streams; i++) {
		const struct strata_ctf_index *index = &set->streams[i].index;

		/* Reading a stream from its beginning for each slice costs more than it gains. */
		if (index->nr && (!index->has_times || must_begin_at_start(set, i)))
			return 0;
		room += index->nr;
	}
	places = malloc((room + 1) * sizeof(*places));
	if (!places || nr < 2) {
		free(places);
		return 0;
	}
	for (i = 0; i < set->nr_streams; i++)
		nr_places += find_cut_places(&set->streams[i], from_ns, to_ns, places + nr_places);
	qsort(places, nr_places, sizeof(*places), compare_places);
	nr_cuts = cut_places(places, nr_places, nr, cuts);
	free(places);
	return nr_cuts;
}

static uint64_t stream_bytes(const struct strata_set_stream *stream, uint64_t from_ns,
			     uint64_t to_ns)
{
	const struct strata_ctf_index *index = &stream->index;
	uint64_t bytes = 0;
	size_t i;

	if (index->nr == 0 || !index->has_times)
		return stream->stream->bytes;
	for (i = 0; i < index->nr && index->places[i].begin_ns < to_ns; i++) {
		const bool is_last = i + 1 == index->nr;
		const uint64_t end = is_last ? stream->stream->bytes : index->places[i + 1].offset;

		if (is_last || index->places[i + 1].begin_ns > from_ns)
			bytes += end - index->places[i].offset;
	}
	return bytes;
}

uint64_t strata_trace_set_bytes(const struct strata_trace_set *set, uint64_t from_ns,
				uint64_t to_ns)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < set->nr_streams; i++)
		bytes += stream_bytes(&set->streams[i], from_ns, to_ns);
	return bytes;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* in_order.c - see in_order.h; slices.c wraps the work of slices in it. */
#include "timeline/in_order.h"

#include <stdlib.h>

#define BASE_ALIGN (STRATA_CTF_ALIGN_MAX / 8)

/* A run of events, or a loss, held back until its slice's turn. */
struct held_run {
	size_t stream;
	size_t reader; /* index in the slice's copies */
	size_t nr;     /* 0: this is a loss */
	size_t events; /* offsets into the slice's buffers */
	size_t base;
	bool by_stream; /* for the observers with by_stream, or for the others */
	struct strata_loss loss;
};

struct array {
	char *bytes;
	size_t used, room;
};

struct ordered_sink {
	struct strata_slice_sink sink;
	struct strata_in_order *in_order;
	struct strata_slice_sink *inner; /* or NULL */
	size_t at;
	bool is_its_turn;
	struct array runs;    /* struct held_run */
	struct array readers; /* struct strata_ctf_reader, without buffers */
	struct array events;  /* struct strata_lane_event, with positions in the bytes below */
	struct array bytes;
	size_t *last_readers; /* for each stream: the number of its last copy plus 1; 0: none */
};

/* Gives memory back to all slices. */
static void release(struct strata_in_order *in_order, struct array *array)
{
	/* A sum, which orders nothing; the other accesses are in enlarge(). */
	atomic_fetch_sub_explicit(&in_order->held_bytes, array->room, memory_order_relaxed);
	free(array->bytes);
	*array = (struct array){ NULL, 0, 0 };
}

/* False: no memory, or all slices together would keep too much. */
static bool enlarge(struct strata_in_order *in_order, struct array *array, size_t room)
{
	const size_t more = room - array->room;
	/* A sum, which orders nothing; the other access is in release(). */
	const size_t held =
		atomic_fetch_add_explicit(&in_order->held_bytes, more, memory_order_relaxed);
	char *bytes = more <= in_order->held_bytes_max && held <= in_order->held_bytes_max - more
			      ? realloc(array->bytes, room)
			      : NULL;

	if (!bytes) {
		atomic_fetch_sub_explicit(&in_order->held_bytes, more, memory_order_relaxed);
		return false;
	}
	array->bytes = bytes;
	array->room = room;
	return true;
}

/* Returns room for @bytes more, aligned to 8; NULL: no room or memory is left. */
static void *append(struct ordered_sink *sink, struct array *array, size_t bytes)
{
	const size_t rounded = (bytes + 7) & ~(size_t)7;
	void *place;

	if (array->room - array->used < rounded &&
	    !enlarge(sink->in_order, array, 2 * array->room + rounded + 4096))
		return NULL;
	place = array->bytes + array->used;
	array->used += rounded;
	return place;
}

static struct strata_ctf_reader *copy_at(const struct ordered_sink *sink, size_t number)
{
	return (struct strata_ctf_reader *)(void *)sink->readers.bytes + number;
}

/* Whether a copy still describes the reader's events. */
static bool is_same(const struct strata_ctf_reader *copy, const struct strata_ctf_reader *reader)
{
	return copy->kind == reader->kind && copy->packet.offset == reader->packet.offset &&
	       copy->tally.discarded == reader->tally.discarded &&
	       copy->tally.missing_packets == reader->tally.missing_packets;
}

/* Copies the parts of a reader that observers may use. False: no room. */
static bool hold_reader(struct ordered_sink *sink, size_t stream,
			const struct strata_ctf_reader *reader, size_t *number)
{
	struct strata_ctf_reader *copy;
	size_t *last = &sink->last_readers[stream];

	if (*last && is_same(copy_at(sink, *last - 1), reader)) {
		*number = *last - 1;
		return true;
	}
	copy = append(sink, &sink->readers, sizeof(*copy));
	if (!copy)
		return false;
	*copy = *reader;
	copy->window = NULL;
	copy->events = NULL;
	copy->conversion = NULL;
	*number = sink->readers.used / sizeof(*copy) - 1;
	*last = *number + 1;
	return true;
}

static bool hold_bytes(struct ordered_sink *sink, const struct strata_ctf_reader *reader,
		       const struct strata_lane_event *events, struct held_run *run)
{
	/* Positions count from a base less than BASE_ALIGN bytes before the first byte, so that
	 * fields keep their alignment. */
	const uint32_t from = events[0].head / 8, base = from / BASE_ALIGN * BASE_ALIGN;
	const size_t bytes = (events[run->nr - 1].end + 7) / 8 - from;
	struct strata_lane_event *copies;
	char *place;
	size_t i;

	run->events = sink->events.used;
	copies = append(sink, &sink->events, run->nr * sizeof(*copies));
	if (!copies)
		return false;
	for (i = 0; i < run->nr; i++) {
		copies[i] = events[i];
		copies[i].head -= base * 8;
		copies[i].body -= base * 8;
		copies[i].end -= base * 8;
	}
	/* There must be room for the base before the first byte. */
	if (!sink->bytes.used && !append(sink, &sink->bytes, BASE_ALIGN))
		return false;
	run->base = sink->bytes.used - (from - base);
	place = append(sink, &sink->bytes, bytes + STRATA_CTF_PADDING);
	if (!place)
		return false;
	memcpy(place, reader->base + from, bytes);
	memset(place + bytes, 0, STRATA_CTF_PADDING);
	return true;
}

/* Keeps a copy. @loss: NULL for a run of events. False: no room; what was copied before is whole.
 */
static bool hold(struct ordered_sink *sink, bool by_stream, size_t stream,
		 const struct strata_ctf_reader *reader, const struct strata_lane_event *events,
		 size_t nr, const struct strata_loss *loss)
{
	struct held_run run = { .stream = stream, .nr = nr, .by_stream = by_stream }, *place;

	if (loss)
		run.loss = *loss;
	if (hold_reader(sink, stream, reader, &run.reader) &&
	    (loss || hold_bytes(sink, reader, events, &run)) &&
	    (place = append(sink, &sink->runs, sizeof(run)))) {
		*place = run;
		return true;
	}
	return false;
}

/* Passes a run to all observers of one kind; @loss: as in hold(). */
static int tell(struct ordered_sink *sink, bool by_stream, size_t stream,
		struct strata_ctf_reader *reader, const struct strata_lane_event *events, size_t nr,
		const struct strata_loss *loss, struct strata_error *error)
{
	const struct strata_in_order *in_order = sink->in_order;
	int status = 0;
	size_t i;

	for (i = 0; i < in_order->nr_observers && !status; i++) {
		struct strata_slice_sink *observer = in_order->observers[i];

		if (observer->by_stream != by_stream)
			continue;
		if (!loss)
			status = observer->take(observer, stream, reader, events, nr, error);
		else if (observer->lose)
			status = observer->lose(observer, stream, reader, loss, error);
	}
	return status;
}

/* Forgets all copies. Their memory is kept for the next slice, whose pages are mapped then, if
 * other threads can keep as much. */
static void empty(struct ordered_sink *sink)
{
	struct array *arrays[] = { &sink->runs, &sink->readers, &sink->events, &sink->bytes };
	size_t i, room = 0;

	for (i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		arrays[i]->used = 0;
		room += arrays[i]->room;
	}
	for (i = 0; room > sink->in_order->kept_bytes_max && i < sizeof(arrays) / sizeof(arrays[0]);
	     i++)
		release(sink->in_order, arrays[i]);
}

/* Earlier slices were passed on: the runs held back for this one can follow. */
static int take_turn(struct ordered_sink *sink, struct strata_error *error)
{
	const size_t nr = sink->runs.used / sizeof(struct held_run);
	int status = 0;
	size_t i;

	sink->is_its_turn = true;
	for (i = 0; i < nr && !status; i++) {
		const struct held_run *run =
			(const struct held_run *)(const void *)sink->runs.bytes + i;
		struct strata_ctf_reader *reader = copy_at(sink, run->reader);

		reader->base = (const uint8_t *)sink->bytes.bytes + run->base;
		status = tell(sink, run->by_stream, run->stream, reader,
			      (const struct strata_lane_event *)(const void *)(sink->events.bytes +
									       run->events),
			      run->nr, run->nr ? NULL : &run->loss, error);
	}
	empty(sink);
	return status;
}

/* Returns 0, or an observer's result. */
static int look_for_turn(struct ordered_sink *sink, struct strata_error *error)
{
	/* Pairs with the release in join(): makes visible what observers did for earlier slices. */
	if (!sink->is_its_turn &&
	    atomic_load_explicit(&sink->in_order->joined, memory_order_acquire) == sink->at)
		return take_turn(sink, error);
	return 0;
}

/* Waits for the slice's turn. Returns 0, or an observer's result; 1: the merge has ended. */
static int await_turn(struct ordered_sink *sink, struct strata_error *error)
{
	const struct strata_in_order *in_order = sink->in_order;

	in_order->await_turn(in_order->await_data, sink->at);
	if (atomic_load_explicit(&in_order->joined, memory_order_acquire) != sink->at)
		return 1;
	return take_turn(sink, error);
}

/* Passes a run to the observers of one kind, or holds it back until it is the slice's turn; @loss:
 * as in hold(). */
static int pass(struct ordered_sink *sink, bool by_stream, size_t stream,
		struct strata_ctf_reader *reader, const struct strata_lane_event *events, size_t nr,
		const struct strata_loss *loss, struct strata_error *error)
{
	int status = look_for_turn(sink, error);

	if (status)
		return status;
	if (!sink->is_its_turn) {
		if (hold(sink, by_stream, stream, reader, events, nr, loss))
			return 0;
		status = await_turn(sink, error);
		if (status)
			return status;
	}
	return tell(sink, by_stream, stream, reader, events, nr, loss, error);
}

static int take(struct strata_slice_sink *slice_sink, size_t stream,
		struct strata_ctf_reader *reader, const struct strata_lane_event *events, size_t nr,
		struct strata_error *error)
{
	struct ordered_sink *sink = (struct ordered_sink *)slice_sink;
	int status = 0;

	if (sink->in_order->nr_by_time)
		status = pass(sink, false, stream, reader, events, nr, NULL, error);
	if (!status && sink->inner)
		status = sink->inner->take(sink->inner, stream, reader, events, nr, error);
	return status;
}

static int lose(struct strata_slice_sink *slice_sink, size_t stream,
		struct strata_ctf_reader *reader, const struct strata_loss *loss,
		struct strata_error *error)
{
	struct ordered_sink *sink = (struct ordered_sink *)slice_sink;
	int status = 0;

	if (sink->in_order->nr_by_time)
		status = pass(sink, false, stream, reader, NULL, 0, loss, error);
	if (!status && sink->inner && sink->inner->lose)
		status = sink->inner->lose(sink->inner, stream, reader, loss, error);
	return status;
}

static int take_batch(struct strata_slice_sink *slice_sink, size_t stream,
		      struct strata_ctf_reader *reader, const struct strata_lane_event *events,
		      size_t nr, const struct strata_loss *loss, struct strata_error *error)
{
	struct ordered_sink *sink = (struct ordered_sink *)slice_sink;

	return pass(sink, true, stream, reader, events, nr, loss, error);
}

static void end(struct strata_slice_work *work, struct strata_slice_sink *slice_sink)
{
	struct ordered_sink *sink = (struct ordered_sink *)slice_sink;

	(void)work;
	if (sink->inner)
		sink->in_order->inner->end(sink->in_order->inner, sink->inner);
	release(sink->in_order, &sink->runs);
	release(sink->in_order, &sink->readers);
	release(sink->in_order, &sink->events);
	release(sink->in_order, &sink->bytes);
	free(sink->last_readers);
	free(sink);
}

static struct ordered_sink *make_sink(struct strata_in_order *in_order)
{
	struct ordered_sink *sink = calloc(1, sizeof(*sink));

	if (!sink)
		return NULL;
	sink->sink.take = take;
	sink->sink.lose = lose;
	if (in_order->nr_by_time < in_order->nr_observers)
		sink->sink.read = take_batch;
	sink->in_order = in_order;
	sink->last_readers = calloc(in_order->nr_streams + 1, sizeof(*sink->last_readers));
	if (sink->last_readers)
		return sink;
	free(sink);
	return NULL;
}

/* A used sink keeps its arrays, whose pages are mapped. */
static struct strata_slice_sink *begin(struct strata_slice_work *work, size_t at,
				       struct strata_slice_sink *used)
{
	struct strata_in_order *in_order = (struct strata_in_order *)work;
	struct ordered_sink *sink = used ? (struct ordered_sink *)used : make_sink(in_order);
	struct strata_slice_sink *inner = NULL;

	if (!sink)
		return NULL;
	if (in_order->inner)
		inner = in_order->inner->begin(in_order->inner, at, sink->inner);
	if (in_order->inner && !inner) {
		if (!used)
			end(work, &sink->sink);
		return NULL;
	}
	sink->inner = inner;
	sink->at = at;
	sink->is_its_turn = false;
	memset(sink->last_readers, 0, in_order->nr_streams * sizeof(*sink->last_readers));
	return &sink->sink;
}

static int join(struct strata_slice_work *work, struct strata_slice_sink *slice_sink,
		struct strata_error *error)
{
	struct strata_in_order *in_order = (struct strata_in_order *)work;
	struct ordered_sink *sink = (struct ordered_sink *)slice_sink;
	struct strata_error inner_error;
	int status = look_for_turn(sink, error), joined = 0;

	if (sink->inner)
		joined = in_order->inner->join(in_order->inner, sink->inner, &inner_error);
	if (joined && !status) {
		status = joined;
		*error = inner_error;
	}
	/* Pairs with the acquire in look_for_turn(). */
	atomic_fetch_add_explicit(&in_order->joined, 1, memory_order_release);
	return status;
}

void strata_in_order_init(struct strata_in_order *in_order)
{
	size_t i;

	in_order->work.begin = begin;
	in_order->work.join = join;
	in_order->work.end = end;
	in_order->nr_by_time = 0;
	for (i = 0; i < in_order->nr_observers; i++)
		in_order->nr_by_time += !in_order->observers[i]->by_stream;
	atomic_init(&in_order->joined, 0);
	atomic_init(&in_order->held_bytes, 0);
}

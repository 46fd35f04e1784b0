// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * written.c - see written.h.
 *
 * A slice's output goes into its own buffer. Only its first event depends on earlier output, so
 * that event is retained as bytes until all earlier slices are in the file. From then on the slice
 * writes to the file directly: with one thread there is one slice, and its buffer stays small.
 */
#include "outputs/written.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "files/out_file.h"
#include "outputs/follow.h"

/* Written at once when it is a slice's turn: small enough to stay in a cache. */
#define WRITE_BYTES (256u << 10)

struct written {
	struct strata_slice_work work;
	const struct strata_written_options *options;
	const struct strata_shown *shown;
	struct strata_event_writer *writer;
	struct strata_out_file *file;
	atomic_size_t joined; /* number of slices in the file; then it is the next slice's turn */
	struct strata_shown_last last;
	uint64_t events;
};

/* An event that outlives its reader's batch. */
struct held {
	struct strata_shown_event event;
	uint8_t *bytes, *packet_bytes;
	uint64_t slots[STRATA_CTF_SLOTS_MAX];
};

struct written_sink {
	struct strata_slice_sink sink;
	struct written *written;
	size_t at;
	struct strata_buffer lead; /* of losses before the retained event */
	struct strata_buffer buffer;
	struct strata_shown_view view;
	struct strata_shown_last last; /* of the slice; if it is its turn, of the file */
	uint64_t events;
	bool is_its_turn;
	bool is_holding;
	struct held held;
};

/* Copies the bytes between a cursor and its end, and lets the cursor read the copy. Fields keep
 * their alignment. */
static uint8_t *hold_bytes(struct strata_ctf_cursor *cursor, uint64_t *slots)
{
	const uint64_t align = STRATA_CTF_ALIGN_MAX / 8;
	const uint64_t from = cursor->at / 8 / align * align;
	const size_t bytes = (size_t)((cursor->end + 7) / 8 - from) + STRATA_CTF_PADDING;
	uint8_t *copy = malloc(bytes);

	if (!copy)
		return NULL;
	memcpy(copy, cursor->bytes + from, bytes);
	cursor->bytes = copy;
	cursor->at -= from * 8;
	cursor->end -= from * 8;
	cursor->slots = slots;
	return copy;
}

static void free_held(struct held *held)
{
	free(held->bytes);
	free(held->packet_bytes);
	held->bytes = held->packet_bytes = NULL;
}

static bool hold(struct held *held, const struct strata_shown_event *event)
{
	free_held(held);
	held->event = *event;
	held->event.packet.memo = NULL; /* it will belong to another packet */
	memcpy(held->slots, event->cursor.slots, sizeof(held->slots));
	held->bytes = hold_bytes(&held->event.cursor, held->slots);
	if (event->packet.type)
		held->packet_bytes = hold_bytes(&held->event.packet.cursor, held->slots);
	return held->bytes && (!event->packet.type || held->packet_bytes);
}

/* Writes a slice's output so far to the file, if it is its turn. */
static void flush(struct written_sink *sink)
{
	strata_out_write(sink->written->file, sink->buffer.bytes, sink->buffer.used);
	sink->buffer.used = 0;
}

/* The earlier slices are in the file: writes the retained event, too. */
static void take_turn(struct written_sink *sink)
{
	struct written *written = sink->written;
	struct strata_buffer first = { 0 };

	sink->is_its_turn = true;
	strata_out_write(written->file, sink->lead.bytes, sink->lead.used);
	sink->buffer.no_memory |= sink->lead.no_memory;
	if (!sink->is_holding) {
		sink->last = written->last;
		return;
	}
	strata_shown_follow(&sink->held.event, &written->last);
	written->writer->event(written->writer, &first, &sink->held.event);
	strata_out_write(written->file, first.bytes, first.used);
	sink->buffer.no_memory |= first.no_memory;
	strata_buffer_free(&first);
	flush(sink);
}

static bool has_its_turn(struct written_sink *sink)
{
	if (!sink->is_its_turn &&
	    atomic_load_explicit(&sink->written->joined, memory_order_acquire) == sink->at)
		take_turn(sink);
	return sink->is_its_turn;
}

/* Takes one event.  0, or -1: out of memory. */
static int put(struct written_sink *sink, struct strata_shown_event *event)
{
	struct strata_event_writer *writer = sink->written->writer;

	if (__builtin_expect(!sink->last.any, 0) && !has_its_turn(sink)) {
		sink->is_holding = true;
		if (!hold(&sink->held, event))
			return -1;
	} else {
		strata_shown_follow(event, &sink->last);
		writer->event(writer, &sink->buffer, event);
	}
	sink->events++;
	sink->last = strata_shown_last_of(event);
	return 0;
}

static int check_memory(const struct written_sink *sink, struct strata_error *error)
{
	if (!sink->buffer.no_memory && !sink->lead.no_memory)
		return 0;
	return strata_fail(error, "out of memory for the output to %s; use fewer threads",
			   sink->written->options->path);
}

static int written_take(struct strata_slice_sink *slice_sink, size_t stream,
			struct strata_ctf_reader *reader, const struct strata_lane_event *events,
			size_t nr, struct strata_error *error)
{
	struct written_sink *sink = (struct written_sink *)slice_sink;
	struct strata_shown_event *event = strata_shown_run(&sink->view, stream, reader);
	size_t i;

	for (i = 0; i < nr; i++) {
		strata_shown_next(reader, &events[i], event);
		if (put(sink, event))
			return strata_fail(error, "out of memory for an event");
	}
	if (sink->buffer.used >= WRITE_BYTES && has_its_turn(sink))
		flush(sink);
	if (check_memory(sink, error))
		return -1;
	if (sink->is_its_turn && strata_out_failed(sink->written->file))
		return 1; /* closing it returns why */
	return 0;
}

static int written_lose(struct strata_slice_sink *slice_sink, size_t stream,
			struct strata_ctf_reader *reader, const struct strata_loss *loss,
			struct strata_error *error)
{
	struct written_sink *sink = (struct written_sink *)slice_sink;
	struct strata_event_writer *writer = sink->written->writer;
	const bool is_first = !sink->last.any && !has_its_turn(sink);
	struct strata_shown_loss lost;

	/* Damage has been reported already. */
	if (!strata_loss_is_counted(loss))
		return 0;
	strata_shown_lose(sink->written->shown, stream, reader, loss, &lost);
	writer->loss(writer, is_first ? &sink->lead : &sink->buffer, &lost);
	return check_memory(sink, error);
}

static struct written_sink *make_sink(struct written *written)
{
	struct written_sink *sink = calloc(1, sizeof(*sink));

	if (!sink)
		return NULL;
	sink->sink.take = written_take;
	sink->sink.lose = written_lose;
	sink->written = written;
	if (!strata_shown_view_init(&sink->view, written->shown))
		return sink;
	free(sink);
	return NULL;
}

/* A used sink keeps its buffers, whose pages are mapped, and its knowledge of packets. */
static struct strata_slice_sink *written_begin(struct strata_slice_work *work, size_t at,
					       struct strata_slice_sink *used)
{
	struct written_sink *sink = used ? (struct written_sink *)used
					 : make_sink((struct written *)work);

	if (!sink)
		return NULL;
	sink->at = at;
	sink->lead.used = sink->buffer.used = 0;
	sink->last.any = false;
	sink->events = 0;
	sink->is_its_turn = sink->is_holding = false;
	return &sink->sink;
}

static void written_end(struct strata_slice_work *work, struct strata_slice_sink *slice_sink)
{
	struct written_sink *sink = (struct written_sink *)slice_sink;

	(void)work;
	strata_buffer_free(&sink->lead);
	strata_buffer_free(&sink->buffer);
	strata_shown_view_clear(&sink->view);
	free_held(&sink->held);
	free(sink);
}

static int written_join(struct strata_slice_work *work, struct strata_slice_sink *slice_sink,
			struct strata_error *error)
{
	struct written *written = (struct written *)work;
	struct written_sink *sink = (struct written_sink *)slice_sink;
	int status = 0;

	if (has_its_turn(sink)) {
		flush(sink);
		if (sink->buffer.no_memory)
			status = strata_fail(error, "%s: out of memory", written->options->path);
		if (sink->last.any)
			written->last = sink->last;
		written->events += sink->events;
	}
	if (!status && strata_out_failed(written->file))
		status = 1;
	atomic_fetch_add_explicit(&written->joined, 1, memory_order_release);
	return status;
}

/* Writes the writer's start or end. */
static int put_frame(struct written *written, bool is_begin, struct strata_error *error)
{
	struct strata_event_writer *writer = written->writer;
	struct strata_buffer buffer = { 0 };
	int status = 0;

	if (is_begin && writer->begin)
		writer->begin(writer, &buffer, written->shown->sources, written->shown->nr_sources);
	else if (!is_begin && writer->end)
		writer->end(writer, &buffer);
	if (buffer.no_memory)
		status = strata_fail(error, "%s: out of memory", written->options->path);
	else if (buffer.used)
		strata_out_write(written->file, buffer.bytes, buffer.used);
	strata_buffer_free(&buffer);
	return status;
}

/* Closes the file of a merge that has ended with @status.  Returns 0, or -1. */
static int finish(const struct written *written, int status, struct strata_error *error)
{
	const struct strata_written_options *options = written->options;
	struct strata_error close_error;

	if (status < 0) {
		strata_out_abandon(written->file);
		return -1;
	}
	if (options->accept && options->accept(options->accept_data, written->events, error)) {
		strata_out_discard(written->file);
		return -1;
	}
	if (!strata_out_close(written->file, &close_error))
		return 0;
	*error = close_error;
	return -1;
}

int strata_written(struct strata_trace_set *set, const struct strata_shown *shown,
		   struct strata_event_writer *writer, const struct strata_written_options *options,
		   uint64_t *events, struct strata_error *error)
{
	struct written written = { .work = { written_begin, written_join, written_end },
				   .options = options,
				   .shown = shown,
				   .writer = writer };
	int status;

	written.file = strata_out_open(options->path, options->force, error);
	if (!written.file)
		return -1;
	status = put_frame(&written, true, error);
	if (!status)
		status = strata_slices_run(set, &options->slices, &written.work, error);
	if (!status)
		status = put_frame(&written, false, error);
	if (events)
		*events = written.events;
	return finish(&written, status, error);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_reader.c - see ctf_reader.h: the batches, and the windows that they are read
 * from.  ctf_reader_packet.c finds the packets.
 */
#include "ctf/reader/ctf_reader.h"

#include <stdlib.h>

#include "ctf/reader/ctf_reader_packet.h"
#include "ctf/reader/window_room.h"

#define EVENT_BYTES_MAX (1u << 24) /* no tracer writes larger ones */

/* Number of events per batch. With many streams, windows are small, and the events read ahead of
 * all streams must fit a cache. */
static size_t batch_of(size_t window_bytes)
{
	const size_t batch = window_bytes / 512;

	if (batch > STRATA_CTF_BATCH_EVENTS)
		return STRATA_CTF_BATCH_EVENTS;
	return batch < 32 ? 32 : batch;
}

int strata_ctf_reader_open(struct strata_ctf_reader *reader, const struct strata_ctf_stream *stream,
			   size_t window_bytes, struct strata_error *error)
{
	memset(reader, 0, sizeof(*reader));
	reader->stream = stream;
	/* Its stream may go on in another trace: what a holder took is given back to it. */
	reader->room_owner = stream->trace->holder ? stream->trace->holder : stream->trace;
	reader->file_bytes = stream->bytes;
	reader->mine_to_ns = UINT64_MAX;
	reader->least_room = window_bytes < 4096 ? 4096 : window_bytes;
	reader->window_room = reader->least_room;
	reader->batch = batch_of(reader->least_room);
	reader->window = malloc(STRATA_CTF_WINDOW_BYTES(reader->window_room));
	reader->events = malloc(reader->batch * sizeof(*reader->events));
	if (stream->converter)
		reader->conversion = stream->converter->begin(stream->converter);
	if (reader->window && reader->events && !stream->converter == !reader->conversion)
		return 0;
	strata_ctf_reader_close(reader);
	return strata_fail(error, "%s/%s: out of memory", stream->trace->path, stream->name);
}

void strata_ctf_reader_close(struct strata_ctf_reader *reader)
{
	if (reader->conversion)
		reader->stream->converter->end(reader->conversion);
	reader->conversion = NULL;
	if (reader->window)
		strata_window_room_give_back(reader->room_owner,
					     reader->window_room - reader->least_room);
	free(reader->window);
	free(reader->events);
	reader->window = NULL;
	reader->events = NULL;
}

void strata_ctf_reader_seek(struct strata_ctf_reader *reader, uint64_t offset, uint64_t from_ns,
			    uint64_t to_ns)
{
	reader->mine_from_ns = from_ns;
	reader->mine_to_ns = to_ns;
	reader->next_packet = offset;
	reader->doubt_at = 0;
	reader->in_packet = false;
	reader->last_ns = 0;
	reader->clock = 0;
	reader->knows_sequence = false;
	reader->knows_discarded = false;
	reader->has_loss = false;
	reader->has_damage = false;
}

/* The end of the packet's content, or of the part of it that is in the window: bits from base. */
static uint64_t readable_bits(const struct strata_ctf_reader *reader, bool *is_all)
{
	const uint64_t content = reader->packet.content_bits - reader->base_at * 8;
	const uint64_t held =
		(reader->window_bytes - (uint64_t)(reader->base - reader->window)) * 8;

	*is_all = held >= content;
	return *is_all ? content : held;
}

/* Counts an impossible time, and reports it. */
static void report_time(struct strata_ctf_reader *reader, bool wild, uint64_t at)
{
	if (strata_ctf_reader_owns(reader)) {
		reader->tally.wild_times += wild;
		reader->tally.clamped_times += !wild;
	}
	strata_ctf_reader_complain(reader, at,
				   "the event's time %s; the time of the event before is used",
				   !wild ? "goes back"
				   : reader->clock_limit < reader->kind->time.cycles_max
					   ? "lies far beyond its packet's end"
					   : "lies beyond the year 2262");
}

/* Returns the smallest error of any time of the stream, in addition to that of the event itself. */
static inline uint64_t known_bound(const struct strata_ctf_reader *reader)
{
	return reader->kind->header.has_bound ? 0 : reader->stream->bound_ns;
}

/* Sets a time by the stream's own clock; a step back is an error of the trace. */
static void own_time(struct strata_ctf_reader *reader, uint64_t cycles,
		     struct strata_ctf_when *when)
{
	when->ns = strata_ctf_ns(&reader->kind->time, cycles);
	when->tick = 0;
	when->is_doubtful = false;
	when->bound = known_bound(reader);
	when->is_wrong = strata_ctf_clamp(&reader->last_ns, &when->ns, &when->bound) > 0;
}

/* Sets the time of an event of a converted stream, or of one with an impossible time.
 * @before: as in set_time() */
static __attribute__((noinline)) void set_any_time(struct strata_ctf_reader *reader,
						   struct strata_lane_event *event, uint64_t clock,
						   uint64_t before)
{
	const bool wild = clock > reader->clock_limit;
	struct strata_ctf_when when;

	reader->clock = wild ? before : clock;
	if (reader->conversion)
		reader->stream->converter->convert(reader->conversion, &reader->kind->time,
						   reader->clock, &when);
	else
		own_time(reader, reader->clock, &when);
	reader->last_ns = when.ns;
	event->ns = when.ns;
	event->tick = when.tick & STRATA_TICK_MAX;
	event->is_doubtful = when.is_doubtful;
	event->bound = reader->last_bound = wild ? UINT64_MAX : when.bound;
	if (wild || when.is_wrong)
		report_time(reader, wild, reader->base_at * 8 + event->head);
}

/*
 * Sets the time of the event at the cursor; all times and bounds are made here.
 * @before: reading of the previous event, or of the packet's begin
 */
static inline void set_time(struct strata_ctf_reader *reader, struct strata_lane_event *event,
			    uint64_t clock, uint64_t before)
{
	if (__builtin_expect(!reader->conversion && clock <= reader->clock_limit, 1)) {
		const uint64_t ns = strata_ctf_ns(&reader->kind->time, clock);

		if (__builtin_expect(ns >= reader->last_ns, 1)) {
			reader->clock = clock;
			reader->last_ns = event->ns = ns;
			event->tick = 0;
			event->is_doubtful = false;
			event->bound = known_bound(reader);
			return;
		}
	}
	set_any_time(reader, event, clock, before);
}

/*
 * Adds the bound of an event of a merged trace, and orders the event by its tick.
 * @bytes: of its header
 */
static inline void add_bound(struct strata_ctf_reader *reader, struct strata_lane_event *event,
			     const uint8_t *bytes)
{
	const uint64_t carried = strata_ctf_header_bound(&reader->kind->header, bytes);
	const uint64_t bound = carried & STRATA_CTF_BOUND_UNKNOWN;
	const uint8_t ticks = bytes[reader->kind->header.bound_byte + sizeof(carried)];
	uint32_t tick = ticks & STRATA_TICK_MAX;

	event->bound = bound == STRATA_CTF_BOUND_UNKNOWN
			       ? UINT64_MAX
			       : strata_ctf_add_clamped(event->bound, bound);
	event->is_doubtful = (ticks & STRATA_CTF_DOUBTFUL) != 0;
	/* A converted time may combine the ticks of several ns. */
	if (reader->conversion)
		return;
	if (event->ns == reader->tick_ns && tick < reader->tick)
		tick = reader->tick;
	event->tick = tick & STRATA_TICK_MAX;
	reader->tick = tick;
	reader->tick_ns = event->ns;
}

enum decoded { DECODED, UNKNOWN_EVENT, EMPTY_EVENT, TOO_LONG, NO_ROOM };

/* Reads one event at the cursor into @event. */
static inline enum decoded decode(struct strata_ctf_reader *reader,
				  const struct strata_ctf_kind_of_stream *kind,
				  struct strata_ctf_cursor *cursor, struct strata_lane_event *event,
				  uint64_t *id)
{
	const struct strata_ctf_class *class;
	const uint64_t before = reader->clock;
	uint64_t clock = before;

	event->head = (uint32_t)cursor->at;
	if (!strata_ctf_header_read(&kind->header, cursor, &clock, id))
		return TOO_LONG;
	class = strata_ctf_class_of(kind, *id);
	if (!class)
		return UNKNOWN_EVENT;
	event->class = class->index & STRATA_LANE_LOSS;
	event->body = (uint32_t)cursor->at;
	if (!strata_ctf_program_skip(&class->program, cursor))
		return TOO_LONG;
	event->end = (uint32_t)cursor->at;
	set_time(reader, event, clock, before);
	if (kind->header.has_bound)
		add_bound(reader, event, strata_ctf_event_head(reader, event));
	return DECODED;
}

/* Moves the window to the next data to read, and enlarges it if necessary. False: an event cannot
 * be that large, or no memory is left for it. */
static bool move_window(struct strata_ctf_reader *reader)
{
	const uint64_t from = reader->at / 8, gap = from % STRATA_CTF_WINDOW_ALIGN;

	if (reader->packet.offset + from == reader->window_at + reader->window_gap) {
		if (reader->window_room >= EVENT_BYTES_MAX || !strata_ctf_reader_enlarge(reader))
			return false;
	}
	strata_ctf_reader_fetch(reader, reader->packet.offset + from, gap);
	reader->base = reader->window;
	reader->base_at = from - gap;
	strata_ctf_reader_hold_to_file(reader);
	return true;
}

/* Skips the rest of the packet, which is lost. */
static void give_up_packet(struct strata_ctf_reader *reader, enum decoded why, uint64_t id)
{
	const uint64_t left = (reader->packet.content_bits - reader->at + 7) / 8;

	reader->left_out_to = 0;
	if (strata_ctf_reader_owns(reader)) {
		/* One with a hole is counted already. */
		reader->tally.bad_packets += !reader->packet.has_hole;
		reader->tally.skipped_bytes += left;
		reader->left_out_to = reader->packet.offset + (reader->packet.content_bits + 7) / 8;
	}
	reader->in_packet = false;
	reader->has_damage = true;
	/* The size may be wrong: then the next packet begins before its end. Not in a recording:
	 * its recorder knew the size, and bytes that look like a packet may be part of an event's
	 * data. */
	if (!reader->stream->is_recorded)
		reader->doubt_at = reader->packet.offset + reader->at / 8;
	if (why == UNKNOWN_EVENT)
		strata_ctf_reader_complain(reader, reader->at,
					   "event id %llu is not in the metadata; the last %llu "
					   "bytes of its packet are left out",
					   (unsigned long long)id, (unsigned long long)left);
	else if (why == EMPTY_EVENT)
		strata_ctf_reader_complain(reader, reader->at,
					   "an event without any bits: its class needs a header or "
					   "fields; the last %llu bytes of its packet are left out",
					   (unsigned long long)left);
	else if (why == NO_ROOM)
		strata_ctf_reader_complain(
			reader, reader->at,
			"an event is larger than %zu bytes, and readers have no "
			"memory left for it (%u bytes for one event, %zu in "
			"all; --threads 1 takes less); the last %llu bytes of its packet "
			"are left out",
			reader->window_room, EVENT_BYTES_MAX, STRATA_WINDOW_ROOM_MAX,
			(unsigned long long)left);
	else
		strata_ctf_reader_complain(
			reader, reader->at,
			reader->packet.has_hole ? "the hole begins within an event; its %llu bytes "
						  "are left out"
			: reader->packet.cut    ? "the file ends within an event; its %llu bytes "
						  "are left out"
					     : "an event is longer than its packet, or has a tag "
					       "that means nothing; %llu bytes are left out",
			(unsigned long long)left);
}

/* Reads events of the current packet until the batch is full or the window is consumed. */
static void fill_batch(struct strata_ctf_reader *reader)
{
	const struct strata_ctf_kind_of_stream *kind = reader->kind;
	struct strata_ctf_cursor cursor = { .slots = reader->slots };
	enum decoded decoded = DECODED;
	uint64_t id = 0;
	bool is_all;

	for (;;) {
		cursor.bytes = reader->base;
		cursor.end = readable_bits(reader, &is_all);
		cursor.at = reader->at - reader->base_at * 8;
		while (cursor.at < cursor.end && reader->nr_events < reader->batch) {
			const uint64_t at = cursor.at;

			decoded = decode(reader, kind, &cursor, &reader->events[reader->nr_events],
					 &id);
			if (decoded != DECODED) {
				cursor.at = at;
				break;
			}
			/* An event of zero bits would repeat forever; CTF 2 forbids it. */
			if (cursor.at == at) {
				if (reader->stream->trace->metadata.major > 1) {
					decoded = EMPTY_EVENT;
					break;
				}
				cursor.at = cursor.end;
			}
			reader->nr_events++;
		}
		reader->at = reader->base_at * 8 + cursor.at;
		if (reader->nr_events > 0)
			return;
		if (is_all || decoded == UNKNOWN_EVENT || decoded == EMPTY_EVENT)
			break;
		decoded = move_window(reader) ? DECODED : NO_ROOM;
		if (decoded != DECODED)
			break;
	}
	if (decoded != DECODED)
		give_up_packet(reader, decoded, id);
	else
		reader->in_packet = false;
}

/* Makes a batch from a loss; its position is after the previous event. */
static int tell_loss(struct strata_ctf_reader *reader)
{
	reader->events[0] =
		(struct strata_lane_event){ .ns = reader->loss.from_ns, .class = STRATA_LANE_LOSS };
	reader->has_loss = false;
	return 1;
}

int strata_ctf_reader_next(struct strata_ctf_reader *reader)
{
	reader->nr_events = 0;
	while (reader->nr_events == 0) {
		if (!reader->in_packet) {
			const int found = strata_ctf_reader_next_packet(reader);

			if (found == 0)
				strata_ctf_reader_note_end(reader);
			if (reader->has_loss && reader->tells_losses)
				return tell_loss(reader);
			if (found == 0)
				return 0;
		}
		fill_batch(reader);
	}
	reader->tally.events += reader->nr_events;
	return (int)reader->nr_events;
}

void strata_ctf_tally_add(struct strata_ctf_tally *sum, const struct strata_ctf_tally *tally)
{
	sum->events += tally->events;
	sum->packets += tally->packets;
	sum->entered_packets += tally->entered_packets;
	sum->entered_bytes += tally->entered_bytes;
	sum->bytes += tally->bytes;
	sum->discarded += tally->discarded;
	sum->missing_packets += tally->missing_packets;
	sum->bad_packets += tally->bad_packets;
	sum->forged_packets += tally->forged_packets;
	sum->skipped_bytes += tally->skipped_bytes;
	sum->clamped_times += tally->clamped_times;
	sum->wild_times += tally->wild_times;
}

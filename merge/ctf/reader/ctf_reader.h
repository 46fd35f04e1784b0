/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_reader.h - reads a stream of a CTF trace: a batch of events at a time, in
 * the file's order, each with its time in ns.
 *
 * Bytes are copied out of the file piece by piece, so that a file which changes or
 * shrinks meanwhile does no harm, and memory is bounded: a reader holds a window,
 * which grows only for an event that is larger than it. Faults are reported, and as little as
 * possible is left out:
 *
 *     a bad packet                 reading goes on at the next place that looks like one
 *     an event that is unknown,    the rest of its packet is left out, because its length,
 *     or too long for its packet   and so the place of the next one, is not known
 *     a file that ends early, or   whole events are kept; those of further packets are read
 *     has a hole within a packet
 *     an event that is too large   the rest of its packet is left out
 *     for what memory is left
 *     a time that goes back,       is clamped to that of the event before; its bound is
 *                                  widened by as much, so that it stays true
 *     a time far beyond its packet is taken to be that of the event before; its bound is
 *                                  not known
 */
#ifndef STRATA_MERGE_CTF_READER_H
#define STRATA_MERGE_CTF_READER_H

#include "ctf/trace/ctf_trace.h"
#include "ctf/reader/lane_event.h"
#include "base/loss.h"

/* Largest number of events in a batch. */
#define STRATA_CTF_BATCH_EVENTS 128u

/* What a reader read, left out and repaired. */
struct strata_ctf_tally {
	uint64_t events;
	uint64_t packets;
	uint64_t bytes; /* of the packets read */
	/* Both include packets outside of the reader's part: they count everything that was
	 * read. */
	uint64_t entered_packets, entered_bytes;
	uint64_t discarded;       /* events that the tracer reports as lost */
	uint64_t missing_packets; /* gaps in the packets' sequence numbers */
	uint64_t bad_packets;
	/* Of these, intact packets with times that their source cannot have. */
	uint64_t forged_packets;
	uint64_t skipped_bytes; /* bytes in which no packet or event was found */
	uint64_t clamped_times; /* times that went back, */
	uint64_t wild_times;    /* or were far beyond their packet's end */
};

void strata_ctf_tally_add(struct strata_ctf_tally *sum, const struct strata_ctf_tally *tally);

struct strata_ctf_reader {
	/* The data used to read each event, kept together: with many streams, each one's data has
	 * left the nearest cache when its next event is read (strata_ctf_reader_prefetch()). */
	const struct strata_ctf_stream *stream;
	const struct strata_ctf_kind_of_stream *kind; /* of the current packet */
	const uint8_t *base; /* in the window: origin of the packet's alignment */
	struct strata_ctf_packet packet;

	bool in_packet;
	uint64_t next_packet; /* file offset */
	uint64_t doubt_at; /* of a bad packet: a packet may begin here if none follows it; or 0 */
	uint64_t left_out_to; /* bytes up to here are already counted as left out; 0: none */
	uint64_t file_bytes;

	uint8_t *window;    /* bytes of the file from window_at on, */
	size_t window_gap;  /* of which the first ones were not read */
	size_t window_room; /* for what is read */
	size_t least_room;
	size_t window_bytes;
	uint64_t window_at;

	uint64_t base_at; /* bytes into the packet: where base is */
	uint64_t at;      /* bits into the packet: next position to read */

	void *conversion; /* the converter's; NULL without a converter */

	uint64_t clock; /* cycles, of the previous event */
	uint64_t clock_limit;
	uint64_t last_ns;
	uint64_t last_bound; /* with a converter: of that time; strata_ctf_bound_ns() */
	uint64_t tick_ns;    /* of a merged trace: time and tick of the last event */
	uint32_t tick;
	uint64_t next_sequence;
	bool knows_sequence;
	uint64_t last_discarded;
	uint64_t last_lost[STRATA_NR_LOST];
	bool knows_discarded;
	bool tells_losses; /* set by the owner: each loss is a separate batch without events */
	bool is_silent;    /* set by the owner: damage is not reported */
	bool has_damage;   /* something was left out that no loss has reported yet */
	bool has_loss;     /* not reported yet */
	struct strata_loss loss;
	/* Another reader counts and reports faults outside of these times. */
	uint64_t mine_from_ns, mine_to_ns;

	struct strata_lane_event *events; /* the batch; their places are bits from base */
	size_t nr_events;
	size_t batch; /* capacity */
	uint64_t slots[STRATA_CTF_SLOTS_MAX];

	/* Owner of the window's room beyond least_room (window_room.h). */
	const struct strata_ctf_trace *room_owner;
	uint64_t dense_from, dense_to; /* the file has no hole between */

	struct strata_ctf_tally tally;
	unsigned int complaints;
};

/*
 * Begins to read a stream.
 * @window_bytes: least size of the window, 4096 or more
 * 0, or -1: out of memory.
 */
int strata_ctf_reader_open(struct strata_ctf_reader *reader, const struct strata_ctf_stream *stream,
			   size_t window_bytes, struct strata_error *error);

/*
 * Continues at the packet that begins at @offset, as if nothing had been read before.
 * @from_ns, @to_ns: the reader's part of the stream; faults elsewhere are neither counted nor
 * reported, because the reader of that part does that
 */
void strata_ctf_reader_seek(struct strata_ctf_reader *reader, uint64_t offset, uint64_t from_ns,
			    uint64_t to_ns);

/* Returns the largest error of an event's time; UINT64_MAX: unknown.
 * @bound: of an event, or the largest of several, of this reader */
static inline uint64_t strata_ctf_bound_ns(const struct strata_ctf_reader *reader, uint64_t bound)
{
	const struct strata_ctf_converter *converter = reader->stream->converter;

	return converter && converter->bound_ns ? converter->bound_ns(converter, bound) : bound;
}

/* Whether the current event is in the reader's part. */
static inline bool strata_ctf_reader_owns(const struct strata_ctf_reader *reader)
{
	return reader->last_ns >= reader->mine_from_ns && reader->last_ns < reader->mine_to_ns;
}

/*
 * Reads the next events into reader->events. They, and their bytes, stay valid until the next call.
 * Returns their number; 0: the stream is at its end.  What finds no memory is left out as damage.
 * With tells_losses: 1, of class STRATA_LANE_LOSS, is reader->loss.
 */
int strata_ctf_reader_next(struct strata_ctf_reader *reader);

/* The first byte of an event's header that is at least byte-aligned. */
static inline const uint8_t *strata_ctf_event_head(const struct strata_ctf_reader *reader,
						   const struct strata_lane_event *event)
{
	const uint64_t align = reader->kind->header.align;

	return reader->base + ((event->head + align - 1) & ~(align - 1)) / 8;
}

/* The physical CPU in a merged trace's header; UINT32_MAX: unknown. */
static inline uint32_t strata_ctf_event_pcpu(const struct strata_ctf_reader *reader,
					     const struct strata_lane_event *event)
{
	const uint64_t pcpu = strata_ctf_header_bound(&reader->kind->header,
						      strata_ctf_event_head(reader, event)) >>
			      STRATA_CTF_BOUND_BITS;

	return pcpu == STRATA_CTF_PCPU_UNKNOWN ? UINT32_MAX : (uint32_t)pcpu;
}

/* Puts a cursor after an event's header, with all slots filled that it may need. */
static inline void strata_ctf_event_open(struct strata_ctf_reader *reader,
					 const struct strata_lane_event *event,
					 struct strata_ctf_cursor *cursor)
{
	uint64_t clock = 0, id;

	cursor->bytes = reader->base;
	cursor->slots = reader->slots;
	cursor->end = event->end;
	if (reader->kind->header.tag_slot >= 0) {
		cursor->at = event->head;
		strata_ctf_header_read(&reader->kind->header, cursor, &clock, &id);
	}
	cursor->at = event->body;
}

/* Prefetches the data needed to read the next event of a reader. */
static inline void strata_ctf_reader_prefetch(const struct strata_ctf_reader *reader)
{
	__builtin_prefetch(reader);
	__builtin_prefetch((const char *)reader + 64);
}

void strata_ctf_reader_close(struct strata_ctf_reader *reader);

#endif /* STRATA_MERGE_CTF_READER_H */

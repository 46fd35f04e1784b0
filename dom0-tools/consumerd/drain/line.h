/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line.h - the four steps of a packet (drain.h) as step.c calls them, one after the other.  Only
 * the files of the steps include it.
 */
#ifndef STRATA_CONSUMERD_LINE_H
#define STRATA_CONSUMERD_LINE_H

#include <string.h>

#include "consumerd/drain/drain.h"

/* What may be taken. */
enum take {
	TAKE_READY, /* complete sub-buffers; of a single-store ring also a part, if that is due */
	TAKE_OPEN,  /* what is committed of a sub-buffer whose writer sleeps */
	TAKE_REST,  /* whatever there is: the ring is read for the last time */
};

/* A piece of a ring, which becomes a packet. */
struct piece {
	enum {
		PIECE_SUBBUF,  /* a complete sub-buffer, with its writer's packet header */
		PIECE_PREFIX,  /* what is committed of an open one, without a header */
		PIECE_RECORDS, /* of a single-store ring, without a header */
	} form;
	uint32_t bytes;                /* in drain->copy, header or the room for it included */
	uint32_t contexts;             /* of its records, says the writer (abi/guest_context.h) */
	uint64_t sequence;             /* of the packet */
	strata_count_t closed;         /* bytes of the sub-buffer */
	uint64_t before;               /* single-store rings: the position before it was taken */
	uint64_t lost[STRATA_NR_LOST]; /* up to its end, unless a header says so */
	/* From the check on: */
	struct strata_packet packet;
	uint64_t events;
};

/* The number of the packet that the sub-buffer at a position becomes. */
static inline uint64_t sequence_at(const struct ring_stream *stream, strata_count_t position)
{
	return (position >> stream->ring->reader.geo.subbuf_bits) + stream->nr_parts;
}

/* Another sub-buffer comes next. */
static inline void forget_part(struct ring_stream *stream)
{
	stream->part_bytes = 0;
	stream->part_ticks = 0;
}

static inline struct strata_stream *stream_counts(const struct drain *drain,
						  const struct ring_stream *stream)
{
	return strata_source_stream(stream_source(drain, stream), stream->ring->cpu);
}

/* look.c: whether it is time to take a part of the sub-buffer that a single-store ring's writer is
 * in. */
bool drain_is_part_due(const struct drain *drain, const struct ring_stream *stream);

/* take.c: copies the next piece into drain->copy.  Returns 1; 0 if no piece is left or the ring is
 * broken, which was reported; or -1 with @error. */
int drain_take(struct drain *drain, struct ring_stream *stream, enum take what, struct piece *piece,
	       struct strata_error *error);

/* take.c: releases a piece that is written, lost, or refused: reading continues after it. 0 or
 * -1. */
int drain_let_go(struct ring_stream *stream, const struct piece *piece, struct strata_error *error);

/* take.c: the piece could not be written: it is to be taken again. */
void drain_put_back(struct ring_stream *stream, const struct piece *piece);

/* check.c: makes a packet of the piece in drain->copy, which is as it was taken.  0, or -1: it is
 * no packet. */
int drain_check(struct drain *drain, const struct ring_stream *stream, struct piece *piece,
		struct strata_error *error);

/* check.c: counts a packet that is left out; prints why, for the first few of a ring. */
void drain_refuse(struct drain *drain, struct ring_stream *stream, const struct strata_error *why);

/*
 * check.c: stops draining a ring because its control words are invalid, or its memory cannot be
 * read. Prints that once for a source; the owner of the mapping sees that the ring is broken.
 */
void drain_disable(struct drain *drain, struct ring_stream *stream);

/*
 * write.c: appends the packet of a checked piece.
 * @may_wait: if the disk has no room the packet stays in its ring; else it is lost, and counted
 * 0: it is written or lost; 1: it waits; or -1.
 */
int drain_write(struct drain *drain, struct ring_stream *stream, struct piece *piece, bool may_wait,
		struct strata_error *error);

#endif /* STRATA_CONSUMERD_LINE_H */

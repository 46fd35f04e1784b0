/* SPDX-License-Identifier: MIT */
/*
 * ring_state.h - the counters of a ring and the four equations over them, as
 * pure functions (Desnoyers & Dagenais 2012, equations (1)-(4)).
 *
 * A ring is 2^nr_subbufs_bits sub-buffers of 2^subbuf_bits bytes.  Counters are
 * byte positions that only grow, modulo 2^wbits where wbits is the width of an
 * unsigned long; a position names a sub-buffer and a place in it by its low
 * bits.  A commit count counts the bytes committed to one sub-buffer in all of
 * its turns, so it grows by one sub-buffer where the position grows by one
 * buffer: position >> nr_subbufs_bits and commit count agree, in the bits that
 * the shift leaves, exactly when every turn so far was committed whole.
 *
 * Nothing here touches memory, so every function may be called in any context, also on
 * hostile values: no shift or mask can go wrong.
 */
#ifndef STRATA_RING_STATE_H
#define STRATA_RING_STATE_H

#include <strata/platform/platform.h>

typedef unsigned long strata_count_t;

#define STRATA_COUNT_BITS ((unsigned int)(sizeof(strata_count_t) * 8))

struct strata_ring_geometry {
	uint8_t subbuf_bits;     /* log2 of the bytes of a sub-buffer */
	uint8_t nr_subbufs_bits; /* log2 of the number of sub-buffers */
};

static inline strata_count_t strata_subbuf_bytes(struct strata_ring_geometry geo)
{
	return (strata_count_t)1 << geo.subbuf_bits;
}

static inline strata_count_t strata_nr_subbufs(struct strata_ring_geometry geo)
{
	return (strata_count_t)1 << geo.nr_subbufs_bits;
}

static inline strata_count_t strata_buffer_bytes(struct strata_ring_geometry geo)
{
	return (strata_count_t)1 << (geo.subbuf_bits + geo.nr_subbufs_bits);
}

/* Which sub-buffer a position lies in: 0 .. number of sub-buffers - 1. */
static inline unsigned int strata_subbuf_index(struct strata_ring_geometry geo,
					       strata_count_t position)
{
	return (unsigned int)((position >> geo.subbuf_bits) & (strata_nr_subbufs(geo) - 1));
}

/* Bytes between the start of its sub-buffer and a position. */
static inline strata_count_t strata_subbuf_offset(struct strata_ring_geometry geo,
						  strata_count_t position)
{
	return position & (strata_subbuf_bytes(geo) - 1);
}

/* Where a position's sub-buffer starts. */
static inline strata_count_t strata_subbuf_start(struct strata_ring_geometry geo,
						 strata_count_t position)
{
	return position & ~(strata_subbuf_bytes(geo) - 1);
}

/* Where the next sub-buffer starts; of a position at a start: that position. */
static inline strata_count_t strata_subbuf_align_up(struct strata_ring_geometry geo,
						    strata_count_t position)
{
	return strata_subbuf_start(geo, position + strata_subbuf_bytes(geo) - 1);
}

/* The commit count of a sub-buffer whose turn at @position begins: all turns before it whole. */
static inline strata_count_t strata_commit_at_turn(struct strata_ring_geometry geo,
						   strata_count_t position)
{
	return (position & ~(strata_buffer_bytes(geo) - 1)) >> geo.nr_subbufs_bits;
}

/* The bits of a commit count that the shift above leaves to compare. */
static inline strata_count_t strata_commit_mask(struct strata_ring_geometry geo)
{
	return ~(strata_count_t)0 >> geo.nr_subbufs_bits;
}

/*
 * Equation (1), buffer full: entering the sub-buffer at @write would overwrite one that
 * the reader at @read has not released. The difference is taken modulo 2^wbits, so it
 * survives the wrap; a @read that lies ahead of @write (only a hostile reader has one) is
 * a huge difference: full.
 */
static inline bool strata_buffer_full(struct strata_ring_geometry geo, strata_count_t write,
				      strata_count_t read)
{
	return strata_subbuf_start(geo, write) - strata_subbuf_start(geo, read) >=
	       strata_buffer_bytes(geo);
}

/*
 * Equation (2), sub-buffer ready: the sub-buffer at @position has been
 * committed whole in this turn.  @commit is its commit count, or the commit
 * seq that was published from it.
 */
static inline bool strata_subbuf_ready(struct strata_ring_geometry geo, strata_count_t position,
				       strata_count_t commit)
{
	return strata_commit_at_turn(geo, position) ==
	       ((commit - strata_subbuf_bytes(geo)) & strata_commit_mask(geo));
}

/*
 * Equation (3), fully committed: every turn of the sub-buffer at @position
 * before this one was committed whole, so this turn may begin.  False means
 * that a writer below us on this CPU still holds a slot one buffer behind.
 */
static inline bool strata_fully_committed(struct strata_ring_geometry geo, strata_count_t position,
					  strata_count_t commit)
{
	return strata_commit_at_turn(geo, position) == (commit & strata_commit_mask(geo));
}

/*
 * Whether a reader can stand at @read while the writer is at @write: at the
 * start of a sub-buffer, not ahead, and no more than one buffer behind. The writer does
 * not need this check, because equation (1) holds for any @read; it serves to report an
 * invalid word of the reader.
 */
static inline bool strata_read_count_possible(struct strata_ring_geometry geo, strata_count_t write,
					      strata_count_t read)
{
	return strata_subbuf_offset(geo, read) == 0 && write - read <= strata_buffer_bytes(geo);
}

/* Equation (4), sub-buffer being written: writer and reader are in the same one. */
static inline bool strata_subbuf_being_written(struct strata_ring_geometry geo,
					       strata_count_t write, strata_count_t read)
{
	return strata_subbuf_start(geo, write) == strata_subbuf_start(geo, read);
}

#endif /* STRATA_RING_STATE_H */

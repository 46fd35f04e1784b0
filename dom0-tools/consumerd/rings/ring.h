/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - one ring as the recorder sees it, wherever its writer lives.
 *
 * A kind of ring (hypervisor, guest, application) fills this in when it maps one.
 * The recorder calls get(), copies what strata_reader_subbuf() points to, checks
 * the copy, and calls put().  A ring that is written by single stores has no get and
 * put: the recorder takes what is there up to its position.
 */
#ifndef STRATA_CONSUMERD_RING_H
#define STRATA_CONSUMERD_RING_H

#include <strata/ring_reader.h>
#include <strata/ring_single.h>

#include "base/error.h"

/* What was taken of a single-store ring, for a reader that comes after us: a packet has this
 * number, and what is taken next begins at this position.  A packet is noted before it is written;
 * as there are two of these, the one before it stays noted until it is. */
struct ring_taken {
	uint64_t number; /* the packet's sequence number, plus 1; 0: none */
	uint64_t position;
};

struct ring {
	struct strata_ring_reader reader; /* of a single-store ring only its geometry */
	bool is_single;
	struct strata_single_reader single;
	uint32_t cpu;
	/* Finds the sub-buffer to be read next.  1: found, reader.read_count says its position;
	 * 0: none is ready; -1. */
	int (*get)(struct ring *ring, struct strata_error *error);
	/* Tells the writer that the sub-buffer at reader.read_count is its own again.  0 or -1. */
	int (*put)(struct ring *ring, struct strata_error *error);
	void *owner; /* of get() and put() */
	/* Are the writer's control words such as a ring can have?  NULL: its home sees to that. */
	bool (*sane)(const struct ring *ring);
	/* They were not: nothing more is taken from it. */
	bool broken;
	/* As strata_reader_copy_prefix(), where the writers leave more to know; NULL: that. */
	uint32_t (*copy_prefix)(const struct ring *ring, strata_count_t position, void *to);
	/* Whether there is anything in the sub-buffer at @position, complete or not; NULL: commit
	 * seq says it. */
	bool (*has_begun)(const struct ring *ring, strata_count_t position);
	struct ring_taken *taken;             /* two, in memory that outlives us; NULL */
	uint64_t lost_before[STRATA_NR_LOST]; /* before the recording began */
};

/* Losses of one kind up to now.  Hostile. */
static inline uint64_t ring_lost(const struct ring *ring, enum strata_lost kind)
{
	if (ring->is_single)
		return strata_read_once(&ring->single.area->lost[kind]);
	return strata_reader_lost(&ring->reader, kind);
}

#endif /* STRATA_CONSUMERD_RING_H */

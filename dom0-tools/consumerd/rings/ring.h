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
#include "consumerd/rings/ring_pages.h"

/* How far a single-store ring was read, for a later reader: up to this position when the packet of
 * this number was made.  A packet is noted before it is written; there are two notes, so that the
 * one of the packet before it stays until then. */
struct ring_taken {
	uint64_t number; /* the packet's sequence number, plus 1; 0: none */
	uint64_t position;
};

struct ring {
	struct strata_ring_reader reader; /* of a single-store ring only its geometry */
	bool is_single;
	struct strata_single_reader single;
	uint32_t cpu;
	/* Finds the sub-buffer to be read next.  1: reader.read_count is its position; 0: no
	 * sub-buffer is ready; -1. */
	int (*get)(struct ring *ring, struct strata_error *error);
	/* Gives the sub-buffer at reader.read_count back to the writer.  0 or -1. */
	int (*put)(struct ring *ring, struct strata_error *error);
	void *owner; /* of get() and put() */
	/* Whether the writer's control words are valid.  NULL: the writer is trusted to that
	 * extent. */
	bool (*sane)(const struct ring *ring);
	/* Locks the pages of a range. All but the control words may only be read after that; NULL:
	 * not needed. */
	struct ring_pages *pages;
	/* The control words were invalid: the recorder stops draining the ring. */
	bool broken;
	/* As strata_reader_copy_prefix(), for writers that mark each slot; NULL: use that. */
	uint32_t (*copy_prefix)(const struct ring *ring, strata_count_t position, void *to);
	/* Whether the sub-buffer at @position contains anything, complete or not; NULL: commit seq
	 * tells. */
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

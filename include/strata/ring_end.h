/* SPDX-License-Identifier: MIT */
/*
 * ring_end.h - ends a ring that threads write.  Once it is settled, no probe writes
 * to it, except a count of losses.  This is the grace period of a recording's stop
 * in a home that can neither interrupt its threads nor ask which of them are in a
 * probe.  The ring's own counters suffice, so a probe pays nothing for it.
 *
 *   end / writer
 *       `ended` is set before write_count is moved past a sub-buffer that nobody
 *       opened.  A writer that sampled write_count before that fails at its
 *       compare-and-swap; one that samples it after sees `ended` (pairs with
 *       strata_ring_may_open())
 *   settle / writer
 *       commit_seq, released by the last committer, is acquired here
 */
#ifndef STRATA_RING_END_H
#define STRATA_RING_END_H

#include <strata/ring_writer.h>

/*
 * Ends the ring for ever: closes the open sub-buffer; no slot is won from here on.
 * A later record is not counted as lost, unless it is too large or the ring was
 * full before.  Any thread, one at a time.
 */
static inline void strata_ring_end(struct strata_ring *ring)
{
	strata_count_t old;

	if (ring->ended)
		return;
	strata_write_once(&ring->ended, true);
	/* The loop turns again only for a writer that had sampled `ended` before it was set. */
	do {
		strata_ring_flush(ring);
		old = strata_read_once(&ring->write_count);
	} while (strata_subbuf_offset(ring->geo, old) != 0 ||
		 strata_local_cmpxchg(&ring->write_count, old,
				      old + strata_subbuf_bytes(ring->geo)) != old);
}

/* Whether every slot won in an ended ring is committed. Once true, it stays true. */
static inline bool strata_ring_settled(const struct strata_ring *ring)
{
	strata_count_t start =
		strata_read_once(&ring->write_count) - strata_subbuf_bytes(ring->geo);
	unsigned int i;

	for (i = 0; i < strata_nr_subbufs(ring->geo); i++) {
		/* Acquire: pairs with the release in strata_ring_publish(). */
		if (!strata_fully_committed(
			    ring->geo, start,
			    strata_load_acquire(&ring->subbuf[strata_subbuf_index(ring->geo, start)]
							 .commit_seq)))
			return false;
		start += strata_subbuf_bytes(ring->geo);
	}
	return true;
}

#endif /* STRATA_RING_END_H */

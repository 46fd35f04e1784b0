/* SPDX-License-Identifier: MIT */
/*
 * ring_end.h - the end of a ring that threads write: when it is settled, no probe
 * still writes to it, but a count of losses.  That is the grace period of a recording's stop, in a
 * home that can neither interrupt its threads nor ask which of them are in a probe; the ring knows
 * it by itself, so a probe pays nothing for it, not even RCU's price.
 *
 *   end / writer
 *       `ended` is set before write_count is moved past a sub-buffer that nobody
 *       opened: who sampled write_count before that fails at its compare-and-swap;
 *       who samples it after sees `ended` (pairs with strata_ring_may_open())
 *   settle / writer
 *       commit_seq, released by the last committer, is acquired here
 */
#ifndef STRATA_RING_END_H
#define STRATA_RING_END_H

#include <strata/ring_writer.h>

/*
 * Ends the ring: what is being written is closed, and no slot is won from here on.
 * A record that comes too late is not counted as lost, but if it is too large, or found
 * the ring full before.  Any thread, one at a time;
 * for ever.
 */
static inline void strata_ring_end(struct strata_ring *ring)
{
	strata_count_t old;

	if (ring->ended)
		return;
	strata_write_once(&ring->ended, true);
	/* A turn is lost only to a writer that had sampled `ended` before it was set. */
	do {
		strata_ring_flush(ring);
		old = strata_read_once(&ring->write_count);
	} while (strata_subbuf_offset(ring->geo, old) != 0 ||
		 strata_local_cmpxchg(&ring->write_count, old,
				      old + strata_subbuf_bytes(ring->geo)) != old);
}

/* Of a ring that was ended: is every slot that was won committed?  It stays so. */
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

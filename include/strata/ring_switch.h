/* SPDX-License-Identifier: MIT */
/*
 * ring_switch.h - the forced switch during a recording, which gives a reader the
 * contents of a sub-buffer that is not full (Desnoyers & Dagenais 2012, Algorithm 4,
 * which a timer of each CPU calls).
 *
 * The home chooses the time: at most once in a period, on the ring's own CPU, and
 * only while that is awake.  A timer that wakes a sleeping CPU would change what is
 * measured, so a home also checks when its CPU goes to sleep.  Records written
 * between that check and the sleep, less than a period after the last switch, stay
 * in the ring until the CPU is awake again.
 */
#ifndef STRATA_RING_SWITCH_H
#define STRATA_RING_SWITCH_H

#include <strata/ring_writer.h>

/*
 * Hands over the sub-buffer that is being written, if its reader waits for it.  A
 * reader with another sub-buffer to read does not wait: a ring that nobody reads must
 * not fill up with half-empty ones.  A flight recorder has no waiting reader.
 * Returns whether it switched; ring->delivered says if there is something to notify.
 * Context: as strata_ring_flush().
 */
static inline bool strata_ring_switch(struct strata_ring *ring)
{
	/* Any value of a hostile reader is safe: it costs that reader the hand-over, or a
	 * sub-buffer. */
	const strata_count_t read = strata_read_once(&ring->reader->read_count);
	const strata_count_t write = strata_read_once(&ring->write_count);

	if (ring->overwrite || strata_subbuf_offset(ring->geo, write) == 0 ||
	    !strata_subbuf_being_written(ring->geo, write, read))
		return false;
	strata_ring_flush(ring);
	return true;
}

#endif /* STRATA_RING_SWITCH_H */

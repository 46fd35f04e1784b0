/* SPDX-License-Identifier: MIT */
/*
 * ring_switch.h - the forced switch that is made while recording goes on, so that
 * a reader gets what is in a sub-buffer that is not full (Desnoyers & Dagenais
 * 2012, Algorithm 4, which a timer of each CPU calls).
 *
 * When it is made is the home's: at most once in a period, on the ring's own CPU,
 * and only while that is awake.  A timer that wakes a sleeping CPU would change
 * what is measured, so a home looks as well when its CPU goes to sleep.  What is
 * recorded between such a look and the sleep, when less than a period has passed
 * since the last switch, stays until the CPU is awake again.
 */
#ifndef STRATA_RING_SWITCH_H
#define STRATA_RING_SWITCH_H

#include <strata/ring_writer.h>

/*
 * Hands over what is in the sub-buffer that is being written, if its reader waits
 * for it: a reader that has another to read is left alone, as a ring that nobody
 * reads must not fill up with half empty ones.  A flight recorder has no reader
 * that waits.
 * Returns whether it did; ring->delivered says if there is something to notify.
 * Context: as strata_ring_flush().
 */
static inline bool strata_ring_switch(struct strata_ring *ring)
{
	/* Any value of a hostile reader will do: it costs him the hand-over, or a sub-buffer. */
	const strata_count_t read = strata_read_once(&ring->reader->read_count);
	const strata_count_t write = strata_read_once(&ring->write_count);

	if (ring->overwrite || strata_subbuf_offset(ring->geo, write) == 0 ||
	    !strata_subbuf_being_written(ring->geo, write, read))
		return false;
	strata_ring_flush(ring);
	return true;
}

#endif /* STRATA_RING_SWITCH_H */

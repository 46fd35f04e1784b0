/* SPDX-License-Identifier: MIT */
/*
 * ring_home.h - the reader's two steps where the writer's home runs them for it,
 * because it shares no word that the reader can write (the hypervisor): get and
 * put (Desnoyers & Dagenais 2012, Algorithms 5 and 6).  A reader that maps the
 * reader area has ring_reader.h instead.
 *
 *   get, put / writer     as reader and writer in ring_writer.h: any CPU
 *   get, put / get, put   outside: one caller at a time
 */
#ifndef STRATA_RING_HOME_H
#define STRATA_RING_HOME_H

#include <strata/ring_writer.h>

/*
 * Finds the next sub-buffer to read.
 * @spare: IN, OUT: the reader's page; in overwrite mode it is exchanged for the
 *         one that was found
 * Returns the page that holds it, or -1: none is ready.  ring->reader->read_count
 * is its position.
 */
static inline int strata_ring_get(struct strata_ring *ring, unsigned int *spare)
{
	strata_count_t read_count = ring->reader->read_count;
	const struct strata_ring_subbuf *subbuf =
		&ring->subbuf[strata_subbuf_index(ring->geo, read_count)];
	int page;

	if (!ring->overwrite) {
		/* Acquire: pairs with the release in strata_ring_publish(). */
		if (!strata_subbuf_ready(ring->geo, read_count,
					 strata_load_acquire(&subbuf->commit_seq)))
			return -1;
		return (int)subbuf->page;
	}
	page = strata_table_take(ring->geo, &ring->subbuf[0].commit_seq, sizeof(ring->subbuf[0]),
				 ring->reader->table, &read_count, *spare);
	strata_write_once(&ring->reader->read_count, read_count);
	if (page >= 0)
		*spare = (unsigned int)page;
	return page;
}

/* Lets the sub-buffer go that get found. */
static inline void strata_ring_put(const struct strata_ring *ring)
{
	/* Release: pairs with the acquire in strata_ring_plan(). */
	strata_store_release(&ring->reader->read_count,
			     ring->reader->read_count + strata_subbuf_bytes(ring->geo));
}

#endif /* STRATA_RING_HOME_H */

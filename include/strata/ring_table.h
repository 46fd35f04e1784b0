/* SPDX-License-Identifier: MIT */
/*
 * ring_table.h - the sub-buffer table: which page of memory is at which place of a
 * ring.  Through it, a reader takes a full sub-buffer out of a ring in overwrite mode and
 * puts its own spare in its place (Desnoyers & Dagenais 2012, "exchange").
 *
 * A ring of n sub-buffers has n + 1 pages of memory to put them in.  ("Page"
 * is the papers' word for the memory of one sub-buffer.)  The table has a word
 * for each place: the page there, the number of writers that hold it, and the turn
 * in which it was completed.  A writer into a sub-buffer holds it; the writer that
 * completes it releases all holds and stores the turn.  A reader may exchange a
 * page that nobody holds and whose turn is the expected one.
 *
 *   writer / nested writer   both hold; any number of holds count as one, and
 *                            end together when the sub-buffer is complete
 *   writer / reader          the writer holds by one fetch-and-add, the reader
 *                            exchanges by one compare-and-swap; the first wins
 *   reader / reader          outside: one reader owns the ring
 *
 * Where the table lies in memory that the reader can write (guests), it may
 * hold anything at any time.  The writer then loads a page's number once, in
 * the fetch-and-add, reduces it modulo the number of pages, and uses its own copy
 * until the sub-buffer is complete; it never loops on a word of the table.
 */
#ifndef STRATA_RING_TABLE_H
#define STRATA_RING_TABLE_H

#include <strata/ring_layout.h>

/* A word: the page in the low bits, then the holders, then the turn in the upper half. */
#define STRATA_TABLE_PAGE_BITS  9u
#define STRATA_TABLE_PAGE_MASK  (((strata_count_t)1 << STRATA_TABLE_PAGE_BITS) - 1)
#define STRATA_TABLE_HOLD       ((strata_count_t)1 << STRATA_TABLE_PAGE_BITS)
#define STRATA_TABLE_TURN_SHIFT (STRATA_COUNT_BITS / 2)

/* The word of a page that nobody holds and that was completed in the turn of @position. */
static inline strata_count_t strata_table_word(struct strata_ring_geometry geo,
					       strata_count_t position, unsigned int page)
{
	strata_count_t turn = position >> (geo.subbuf_bits + geo.nr_subbufs_bits);

	return turn << STRATA_TABLE_TURN_SHIFT | page;
}

/* The number of an existing page, from a word that may be anything. */
static inline unsigned int strata_table_page(struct strata_ring_geometry geo, strata_count_t word)
{
	strata_count_t page = word & STRATA_TABLE_PAGE_MASK;

	return page <= strata_nr_subbufs(geo) ? (unsigned int)page : 0;
}

/*
 * Begins to write at a place: from here on no reader takes the page away.
 * Returns its number.  Full barrier: our stores into the page come after it;
 * pairs with the compare-and-swap in strata_table_exchange().
 */
static inline unsigned int strata_table_hold(struct strata_ring_geometry geo, strata_count_t *table,
					     unsigned int index)
{
	return strata_table_page(geo, strata_fetch_add(&table[index], STRATA_TABLE_HOLD));
}

/* Ends all holds: the page is complete in the turn of @position.  Release: its bytes come before;
 * pairs with the compare-and-swap in strata_table_exchange(). */
static inline void strata_table_release(struct strata_ring_geometry geo, strata_count_t *table,
					strata_count_t position, unsigned int page)
{
	strata_store_release(&table[strata_subbuf_index(geo, position)],
			     strata_table_word(geo, position, page));
}

/*
 * Takes the page that was completed in the turn of @position, and leaves
 * @spare there.  Returns its number, or -1: a writer has it again, or had it since.
 * Full barrier on success: loads from the page come after.
 */
static inline int strata_table_exchange(struct strata_ring_geometry geo, strata_count_t *table,
					strata_count_t position, unsigned int spare)
{
	strata_count_t *place = &table[strata_subbuf_index(geo, position)];
	strata_count_t word = strata_read_once(place);
	unsigned int page = strata_table_page(geo, word);

	if (word != strata_table_word(geo, position, page))
		return -1;
	/* Marks the spare as completed in a turn that no reader will expect: all bits differ. */
	if (strata_cmpxchg(place, word, strata_table_word(geo, ~position, spare)) != word)
		return -1;
	return (int)page;
}

/*
 * Where the turn of a commit seq begins: of the complete turn, if the commit seq
 * ends one, else of the turn that is being written.
 */
static inline strata_count_t strata_table_turn_start(struct strata_ring_geometry geo,
						     unsigned int index, strata_count_t commit)
{
	strata_count_t turn = (commit - 1) & ~(strata_subbuf_bytes(geo) - 1);

	return (turn << geo.nr_subbufs_bits) + ((strata_count_t)index << geo.subbuf_bits);
}

/* The page that is in no place: the reader's. For a reader that begins where another ended. */
static inline unsigned int strata_table_spare(struct strata_ring_geometry geo,
					      const strata_count_t *table)
{
	unsigned int page, index;

	for (page = 0; page < strata_nr_subbufs(geo); page++) {
		for (index = 0; index < strata_nr_subbufs(geo); index++)
			if (strata_table_page(geo, strata_read_once(&table[index])) == page)
				break;
		if (index == strata_nr_subbufs(geo))
			return page;
	}
	return page;
}

/*
 * The reader's step in overwrite mode: takes the oldest complete sub-buffer
 * from @position on.  The turns show which sub-buffers the writer has overwritten;
 * these are skipped.
 * @commit_seq: of place 0; the next place's is @stride bytes further on.
 *              Hostile if it is a guest's
 * @position:   IN: next sub-buffer to read; OUT: the one taken
 * @spare:      the reader's page
 * Returns the page that the reader owns instead, or -1: nothing is ready.
 * The number of steps is bounded for any words; -1 also if the writer is faster.
 */
static inline int strata_table_take(struct strata_ring_geometry geo,
				    const strata_count_t *commit_seq, size_t stride,
				    strata_count_t *table, strata_count_t *position,
				    unsigned int spare)
{
	strata_count_t steps = 2 * strata_nr_subbufs(geo) + 2;

	while (steps--) {
		unsigned int index = strata_subbuf_index(geo, *position);
		/* Acquire: pairs with the release in strata_ring_deliver(). */
		strata_count_t commit = strata_load_acquire(
			(const strata_count_t *)((const unsigned char *)commit_seq +
						 index * stride));
		strata_count_t start = strata_table_turn_start(geo, index, commit);
		strata_count_t lapped = start - *position;
		int page;

		if (lapped == 0 && !strata_subbuf_ready(geo, start, commit))
			return -1;
		if (lapped == 0) {
			page = strata_table_exchange(geo, table, *position, spare);
			if (page >= 0)
				return page;
			*position += strata_subbuf_bytes(geo);
		} else if (lapped >> (STRATA_COUNT_BITS - 1)) {
			return -1; /* from an earlier turn: not written yet */
		} else {
			/* The oldest that may remain from the previous turn. */
			*position = start - strata_buffer_bytes(geo) + strata_subbuf_bytes(geo);
		}
	}
	return -1;
}

#endif /* STRATA_RING_TABLE_H */

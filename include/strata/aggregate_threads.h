/* SPDX-License-Identifier: MIT */
/*
 * aggregate_threads.h - remembers for each thread when it had the first of two events: a hash table
 * of fixed size, without locks, that all CPUs share (aggregate.h measures the time).
 *
 * A thread has a place from its begin to its end, one of STRATA_AGGREGATE_THREAD_PROBES.  If all of
 * these have another thread's begin, it takes the oldest one's: threads that never come to their
 * end (one that exits has no sys_exit) leave places behind.  Both are counted.
 *
 * Who takes a place first makes it BUSY, by compare-and-swap, and names itself when the time is in
 * it; who ends reads the time first, and has it only if the place was still its own.  So no thread
 * ever has another one's time.  An interrupt in between that belongs to the same thread finds
 * the place busy, and counts its own event as one without a place, or without a begin.
 */
#ifndef STRATA_AGGREGATE_THREADS_H
#define STRATA_AGGREGATE_THREADS_H

#include <strata/aggregate.h>

#define STRATA_AGGREGATE_THREAD_BITS   10u
#define STRATA_AGGREGATE_THREADS       (1u << STRATA_AGGREGATE_THREAD_BITS)
#define STRATA_AGGREGATE_THREAD_PROBES 8u

#define STRATA_AGGREGATE_THREAD_FREE 0ul
#define STRATA_AGGREGATE_THREAD_BUSY (~0ul)

struct strata_aggregate_place {
	unsigned long thread; /* its number, FREE or BUSY */
	uint64_t open;
};

/* The @probe-th place of a thread. */
static inline struct strata_aggregate_place *
strata_aggregate_place(struct strata_aggregate_place *places, unsigned long thread,
		       unsigned int probe)
{
	const uint64_t hash = thread * 0x9e3779b97f4a7c15ull;

	return &places[((hash >> (64u - STRATA_AGGREGATE_THREAD_BITS)) + probe) &
		       (STRATA_AGGREGATE_THREADS - 1u)];
}

/* The place that a thread has; NULL: none. */
static inline struct strata_aggregate_place *
strata_aggregate_find_place(struct strata_aggregate_place *places, unsigned long thread)
{
	unsigned int i;

	for (i = 0; i < STRATA_AGGREGATE_THREAD_PROBES; i++) {
		struct strata_aggregate_place *place = strata_aggregate_place(places, thread, i);

		if (strata_read_once(&place->thread) == thread)
			return place;
	}
	return NULL;
}

/* Takes a place that @was says what it is of.  False: somebody else did. */
static inline bool strata_aggregate_take_place(struct strata_aggregate_place *place,
					       unsigned long was, unsigned long thread,
					       uint64_t ticks)
{
	if (strata_cmpxchg(&place->thread, was, STRATA_AGGREGATE_THREAD_BUSY) != was)
		return false;
	strata_write_once(&place->open, ticks);
	/* Pairs with the compare-and-swap of who finds its thread here. */
	strata_store_release(&place->thread, thread);
	return true;
}

/* Of a thread that has no place: takes a free one, or the oldest.  Counts what is forgotten. */
static inline void strata_aggregate_begin_thread(struct strata_aggregate_place *places,
						 unsigned long *table, unsigned long thread,
						 uint64_t ticks)
{
	struct strata_aggregate_place *oldest = NULL;
	unsigned long oldest_thread = STRATA_AGGREGATE_THREAD_BUSY;
	uint64_t oldest_open = ~0ull;
	unsigned int i;

	for (i = 0; i < STRATA_AGGREGATE_THREAD_PROBES; i++) {
		struct strata_aggregate_place *place = strata_aggregate_place(places, thread, i);
		const unsigned long was = strata_read_once(&place->thread);
		const uint64_t open = strata_read_once(&place->open);

		if (was == STRATA_AGGREGATE_THREAD_FREE &&
		    strata_aggregate_take_place(place, was, thread, ticks))
			return;
		if (was != STRATA_AGGREGATE_THREAD_FREE && was != STRATA_AGGREGATE_THREAD_BUSY &&
		    open < oldest_open) {
			oldest = place;
			oldest_thread = was;
			oldest_open = open;
		}
	}
	/* Either the oldest one's begin is forgotten, or ours. */
	strata_aggregate_other(table, STRATA_AGGREGATE_NO_PLACE);
	if (oldest)
		strata_aggregate_take_place(oldest, oldest_thread, thread, ticks);
}

static inline void strata_aggregate_end_thread(const struct strata_aggregate *aggregate,
					       struct strata_aggregate_place *places,
					       unsigned long *table, uint32_t owner,
					       unsigned long thread, uint64_t ticks)
{
	struct strata_aggregate_place *place = strata_aggregate_find_place(places, thread);
	uint64_t open = place ? strata_read_once(&place->open) : 0;

	if (place && strata_cmpxchg(&place->thread, thread, STRATA_AGGREGATE_THREAD_FREE) != thread)
		open = 0;
	strata_aggregate_end(aggregate, table, owner, ticks, &open);
}

/*
 * As strata_aggregate_measure(), between two events of a thread.
 * @places: STRATA_AGGREGATE_THREADS, zeroed before the first event
 * @thread: neither FREE nor BUSY, and running on this CPU alone
 */
static inline void strata_aggregate_measure_thread(const struct strata_aggregate *aggregate,
						   struct strata_aggregate_place *places,
						   unsigned long *table, uint32_t owner,
						   unsigned long thread, uint32_t id,
						   uint64_t ticks)
{
	if (strata_aggregate_is(&aggregate->spec.end, id))
		strata_aggregate_end_thread(aggregate, places, table, owner, thread, ticks);
	if (strata_aggregate_is(&aggregate->spec.begin, id)) {
		struct strata_aggregate_place *place = strata_aggregate_find_place(places, thread);

		/* A lost race with who takes its place is a begin that is forgotten. */
		if (place && strata_aggregate_take_place(place, thread, thread, ticks))
			strata_aggregate_other(table, STRATA_AGGREGATE_REPEATED);
		else
			strata_aggregate_begin_thread(places, table, thread, ticks);
	}
}

#endif /* STRATA_AGGREGATE_THREADS_H */

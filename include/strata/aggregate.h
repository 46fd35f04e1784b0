/* SPDX-License-Identifier: MIT */
/*
 * aggregate.h - counts an event in the table of its CPU, in place of recording it; written once for
 * Xen, kernels and tests.  The layout is in abi/aggregate.h.
 *
 *   operation                   who, beside whom
 *   strata_aggregate_count(),   the CPU that owns the table; interrupts and NMIs may nest in it and
 *   strata_aggregate_measure()  count, too.  Other CPUs enter keys at the same time.
 *   strata_aggregate_add()      anybody, at any time
 *
 * Each counter changes by one instruction, which no interrupt splits; so no event is lost, however
 * probes nest.  A home whose threads may move to another CPU between two instructions defines
 * STRATA_AGGREGATE_TABLE before, with functions that change a word of it (libstrata/counts.c).
 *
 * A key is entered once, by compare-and-swap between CPUs, and never removed: later events only
 * read it.  A reader that comes in the middle of an update may miss the parts of that one which are
 * not done: a time in a bucket and not yet in the sum, for example.  An event that ends a time
 * while an NMI ends or begins the same is counted as STRATA_AGGREGATE_NO_BEGIN.
 */
#ifndef STRATA_AGGREGATE_H
#define STRATA_AGGREGATE_H

#include <strata/abi/aggregate.h>
#include <strata/platform/platform.h>

#if __SIZEOF_LONG__ != 8
#error "aggregation needs counters of 64 bits that one instruction changes"
#endif

/* How many rows are tried before an event has none. */
#define STRATA_AGGREGATE_PROBES 16u

struct strata_aggregate {
	unsigned long *keys;  /* a word for each row */
	uint64_t since_ticks; /* begins before that are forgotten */
	uint32_t owners;      /* mask of their numbers; 0: one owner */
	uint32_t row_shift;   /* of a hash of 64 bits */
	uint32_t last_row;
	struct strata_aggregate_spec spec;
};

static inline void strata_aggregate_init(struct strata_aggregate *aggregate,
					 const struct strata_aggregate_spec *spec,
					 unsigned long *keys)
{
	aggregate->keys = keys;
	aggregate->since_ticks = 0;
	aggregate->owners = spec->by_owner ? STRATA_AGGREGATE_OWNER_MAX : 0;
	aggregate->row_shift = 64u - spec->row_bits;
	aggregate->last_row = strata_aggregate_rows(spec) - 1u;
	aggregate->spec = *spec;
}

/* The row where a key is looked for first. */
static inline unsigned long strata_aggregate_hash(const struct strata_aggregate *aggregate,
						  uint64_t key)
{
	return (unsigned long)((key * 0x9e3779b97f4a7c15ull) >> aggregate->row_shift);
}

/* The row of a key, which is entered if it is new; one beyond the last row if there is no room. */
static inline unsigned long strata_aggregate_row(const struct strata_aggregate *aggregate,
						 uint64_t key)
{
	const unsigned long last = aggregate->last_row;
	unsigned long row = strata_aggregate_hash(aggregate, key);
	unsigned int i;

	for (i = 0; i < STRATA_AGGREGATE_PROBES; i++) {
		unsigned long found = strata_read_once(&aggregate->keys[row]);

		if (strata_unlikely(!found)) {
			found = strata_cmpxchg(&aggregate->keys[row], 0, (unsigned long)key);
			if (!found)
				return row;
		}
		if (strata_likely(found == key))
			return row;
		row = (row + 1u) & last;
	}
	return last + 1u;
}

#ifndef STRATA_AGGREGATE_TABLE
/* What an event counts in: the table of its CPU. */
#define STRATA_AGGREGATE_TABLE unsigned long

static inline void strata_aggregate_add_to(unsigned long *table, unsigned long word,
					   unsigned long value)
{
	strata_local_add_return(&table[word], value);
}

/* Raises a word to @value, unless it is higher. */
static inline void strata_aggregate_raise(unsigned long *table, unsigned long word,
					  unsigned long value)
{
	unsigned long old = strata_read_once(&table[word]), was;

	while (strata_unlikely(value > old)) {
		was = strata_local_cmpxchg(&table[word], old, value);
		if (was == old)
			return;
		old = was;
	}
}
#endif

static inline void strata_aggregate_other(STRATA_AGGREGATE_TABLE *table,
					  enum strata_aggregate_other other)
{
	strata_aggregate_add_to(table, other, 1);
}

/* Out of line: of a key that is new, or not where it is looked for first. */
static __attribute__((__noinline__, __unused__)) void
strata_aggregate_count_elsewhere(const struct strata_aggregate *aggregate,
				 STRATA_AGGREGATE_TABLE *table, uint64_t key)
{
	const unsigned long row = strata_aggregate_row(aggregate, key);

	if (strata_unlikely(row > aggregate->last_row))
		strata_aggregate_other(table, STRATA_AGGREGATE_NO_ROW);
	else
		strata_aggregate_add_to(table, STRATA_AGGREGATE_OTHERS + row, 1);
}

/*
 * Counts an event.
 * @table: of this CPU
 * @owner: the domain, or process; at most STRATA_AGGREGATE_OWNER_MAX
 * Any context, on the CPU that owns the table until it returns.
 */
static inline void strata_aggregate_count(const struct strata_aggregate *aggregate,
					  STRATA_AGGREGATE_TABLE *table, uint32_t owner,
					  uint32_t id)
{
	const uint64_t key = strata_aggregate_key(id, owner & aggregate->owners);
	const unsigned long row = strata_aggregate_hash(aggregate, key);

	if (strata_likely(strata_read_once(&aggregate->keys[row]) == key))
		strata_aggregate_add_to(table, STRATA_AGGREGATE_OTHERS + row, 1);
	else
		strata_aggregate_count_elsewhere(aggregate, table, key);
}

static inline void strata_aggregate_time(const struct strata_aggregate *aggregate,
					 STRATA_AGGREGATE_TABLE *table, uint64_t key,
					 uint64_t ticks)
{
	const unsigned long row = strata_aggregate_row(aggregate, key);
	const unsigned long words = STRATA_AGGREGATE_OTHERS + row * STRATA_AGGREGATE_TIME_WORDS;

	if (strata_unlikely(row > aggregate->last_row)) {
		strata_aggregate_other(table, STRATA_AGGREGATE_NO_ROW);
		return;
	}
	strata_aggregate_add_to(table,
				words + STRATA_AGGREGATE_BUCKET + 63u -
					(unsigned int)__builtin_clzll(ticks | 1u),
				1);
	strata_aggregate_add_to(table, words + STRATA_AGGREGATE_SUM, (unsigned long)ticks);
	strata_aggregate_raise(table, words + STRATA_AGGREGATE_MAX, (unsigned long)ticks);
	strata_aggregate_raise(table, words + STRATA_AGGREGATE_MIN_INVERTED, ~(unsigned long)ticks);
}

/* Ends what *@open began. */
static inline void strata_aggregate_end(const struct strata_aggregate *aggregate,
					STRATA_AGGREGATE_TABLE *table, uint32_t owner,
					uint64_t ticks, uint64_t *open)
{
	const uint64_t began = strata_read_once(open);

	if (!began || began < aggregate->since_ticks ||
	    strata_local_cmpxchg64(open, began, 0) != began)
		strata_aggregate_other(table, STRATA_AGGREGATE_NO_BEGIN);
	else if (ticks < began)
		strata_aggregate_other(table, STRATA_AGGREGATE_BACKWARDS);
	else
		strata_aggregate_time(aggregate, table,
				      strata_aggregate_key(0, owner & aggregate->owners),
				      ticks - began);
}

static inline bool strata_aggregate_is(const struct strata_aggregate_event *event, uint32_t id)
{
	return (id & event->mask) == event->value;
}

/*
 * Measures the time between two events.
 * @table, @owner: as above
 * @ticks: the clock, read in this probe
 * @open:  the time of the begin, of the vCPU or thread that runs; 0: none.  Only CPUs that run it
 *         change it
 * Same context.
 */
static inline void strata_aggregate_measure(const struct strata_aggregate *aggregate,
					    STRATA_AGGREGATE_TABLE *table, uint32_t owner,
					    uint32_t id, uint64_t ticks, uint64_t *open)
{
	if (strata_aggregate_is(&aggregate->spec.end, id))
		strata_aggregate_end(aggregate, table, owner, ticks, open);
	if (strata_aggregate_is(&aggregate->spec.begin, id)) {
		const uint64_t began = strata_read_once(open);

		if (began && began >= aggregate->since_ticks)
			strata_aggregate_other(table, STRATA_AGGREGATE_REPEATED);
		strata_write_once(open, ticks);
	}
}

/* The sum, or the largest number: the words may be a guest's. */
static inline uint64_t strata_aggregate_sum(uint64_t a, uint64_t b)
{
	return a + b >= a ? a + b : ~0ull;
}

/* Adds a row of one CPU to @sum, which has as many words.  Any context. */
static inline void strata_aggregate_add(enum strata_aggregate_kind kind, uint64_t *sum,
					const unsigned long *row)
{
	unsigned int i;

	if (kind == STRATA_AGGREGATE_COUNT) {
		sum[0] = strata_aggregate_sum(sum[0], strata_read_once(&row[0]));
		return;
	}
	for (i = 0; i < STRATA_AGGREGATE_TIME_WORDS; i++) {
		const uint64_t word = strata_read_once(&row[i]);

		if (i != STRATA_AGGREGATE_MAX && i != STRATA_AGGREGATE_MIN_INVERTED)
			sum[i] = strata_aggregate_sum(sum[i], word);
		else if (word > sum[i])
			sum[i] = word;
	}
}

#endif /* STRATA_AGGREGATE_H */

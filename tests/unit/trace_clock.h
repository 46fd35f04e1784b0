/* SPDX-License-Identifier: MIT */
/*
 * trace_clock.h - widens a counter of 8 to 63 bits to 64 bits by software
 * (Desnoyers & Dagenais 2010, 5.3, figures 1-5).
 *
 * Every clock that strata_clock() reads has 64 bits already (platform/platform.h lists
 * them; test_user_clock.c checks those of user space), so nothing of the product calls
 * this.  It waits here, with its proofs, for a kernel or hypervisor on a processor
 * whose counter is narrower.  It cannot serve user space: the bound on D below needs
 * preemption off, and a process may be stopped for longer than any wrap.
 *
 * A clock keeps, in two slots, what an update last read in 64 bits; one slot is
 * current.  A reader takes the current slot, reads the counter, and adds to the
 * slot what the counter has gone on since, modulo its width.  An update does the
 * same, puts the result into the other slot, and makes that one current.  No
 * loop, no lock: a reader is wait-free, and may nest anywhere, NMIs included.
 *
 * A clock belongs to one CPU and its counter; one clock may serve several CPUs if
 * all of them read the same counter.  Synchronisation, by who meets whom:
 *
 *   reader / reader
 *       nothing: readers store nothing
 *   reader nested in an update
 *       the update writes the slot that is not current, and publishes it with
 *       one store
 *   update nested in a reader (or on another CPU)
 *       @newest is released by the update and acquired by the reader.  The
 *       reader loads the slot before it reads the counter, so that the counter
 *       is never older than the slot
 *   update / update, resume
 *       outside: one context calls them, and none of them nests in another
 *   init / anything
 *       outside: before the first reader
 *
 * When the answer is exact.  Count the ticks without a limit; let U be the count
 * at which an update read the counter of @counter_bits = w bits, and T the count
 * at which a reader that took this update's slot did.  The answer is T if
 *
 *       -back_ticks <= T - U < 2^w - back_ticks
 *
 * and only then.  With back_ticks 0, that of figures 4 and 5, the left side says
 * that the counter never steps back.  The right side holds if
 *
 *       G + D < 2^w - back_ticks
 *
 * where G is the most that a counter shows to have passed from an update's reading
 * it to the next update's publishing itself, and D the most from a reader's load
 * of @newest to its reading the counter.  For a timer of period P whose handler
 * begins up to J late and ends within E, G is P + J + E.  So once per wrap is
 * never often enough, by J + E + D + back_ticks; twice per wrap leaves half a wrap
 * to them.  All that keeps the CPU counts: interrupts, NMIs, firmware, and a
 * hypervisor that runs somebody else.
 *
 * What is out of these bounds is not noticed.  Later by n whole wraps, an answer
 * is n wraps too small, and after an update so are all later ones; a counter that
 * steps further back than back_ticks makes one that is a wrap too large.
 * strata_trace_clock_resume() sets that right.
 *
 * Where a word has 32 bits, a slot is two of them, and a reader may mix an old and
 * a new one if its slot is written anew while it loads it: in a reader, from its
 * load of @newest to its loads of the slot, one update may publish itself, and no
 * other begin after that.
 * Where a word has 64 bits any number may come.  (One slot would do there; the two
 * are for the others.)
 */
#ifndef STRATA_TESTS_TRACE_CLOCK_H
#define STRATA_TESTS_TRACE_CLOCK_H

#include <strata/platform/platform.h>

#define STRATA_TRACE_CLOCK_BITS_MIN 8u
#define STRATA_TRACE_CLOCK_BITS_MAX 63u

/* What this machine loads in one access; a checker may name a smaller one. */
#ifndef STRATA_TRACE_CLOCK_WORD
#define STRATA_TRACE_CLOCK_WORD unsigned long
#endif

#define STRATA_TRACE_CLOCK_WORD_BITS (8 * sizeof(STRATA_TRACE_CLOCK_WORD))
#define STRATA_TRACE_CLOCK_WORDS     (64 / STRATA_TRACE_CLOCK_WORD_BITS)

/*
 * The counter, given to the functions below by name, so that the compiler can put
 * it in their place.  Returns what the counter shows; bits above @counter_bits are
 * ignored.  Any context that reads the clock, NMIs included.  It must not be read
 * ahead of the loads before it, if readers are on other CPUs than the update.
 */
typedef uint64_t (*strata_trace_clock_counter_t)(void);

struct strata_trace_clock_slot {
	STRATA_TRACE_CLOCK_WORD word[STRATA_TRACE_CLOCK_WORDS]; /* the lowest bits first */
};

struct strata_trace_clock {
	struct strata_trace_clock_slot slot[2];
	unsigned long newest; /* the slot to read: 0 or 1 */
	uint64_t mask;        /* 2^w - 1; this and the next never change */
	uint64_t forward;     /* 2^w - 1 - back_ticks */
};

static inline uint64_t strata_trace_clock_load(const struct strata_trace_clock_slot *slot)
{
	uint64_t ticks = 0;
	unsigned int i;

	for (i = 0; i < STRATA_TRACE_CLOCK_WORDS; i++)
		ticks |= (uint64_t)strata_read_once(&slot->word[i])
			 << (i * STRATA_TRACE_CLOCK_WORD_BITS);
	return ticks;
}

static inline void strata_trace_clock_store(struct strata_trace_clock_slot *slot, uint64_t ticks)
{
	STRATA_TRACE_CLOCK_WORD word;
	unsigned int i;

	for (i = 0; i < STRATA_TRACE_CLOCK_WORDS; i++) {
		word = (STRATA_TRACE_CLOCK_WORD)(ticks >> (i * STRATA_TRACE_CLOCK_WORD_BITS));
		strata_write_once(&slot->word[i], word);
	}
}

/*
 * The count that lies in [since - (mask - forward), since + forward] and of which
 * the counter shows @counter, modulo 2^64.  (Figure 4's sw_tsc_read() is the case
 * that forward is mask.)
 */
static inline uint64_t strata_trace_clock_widen(uint64_t since, uint64_t counter, uint64_t mask,
						uint64_t forward)
{
	uint64_t passed = (counter - since) & mask;

	if (strata_likely(passed <= forward))
		return since + passed;
	return since + passed - mask - 1;
}

/*
 * Now, in 64 bits, from the slot that is current.  A reader's D ends where the
 * counter is read.
 */
static inline uint64_t strata_trace_clock_now(const struct strata_trace_clock *clock,
					      unsigned long newest,
					      strata_trace_clock_counter_t counter)
{
	uint64_t since = strata_trace_clock_load(&clock->slot[newest]);

	/* A counter read first would be behind the slot of an update that comes between. */
	strata_barrier();
	return strata_trace_clock_widen(since, counter(), clock->mask, clock->forward);
}

/* Writes the slot that is not current, and makes it so. */
static inline void strata_trace_clock_publish(struct strata_trace_clock *clock, uint64_t ticks)
{
	unsigned long next = 1 - strata_read_once(&clock->newest);

	strata_trace_clock_store(&clock->slot[next], ticks);
	/* The slot before its number; pairs with the acquire in strata_trace_clock_read(). */
	strata_store_release(&clock->newest, next);
}

/*
 * Makes a clock.
 * @clock:        any memory, private to the side that traces
 * @counter_bits: how many bits of the counter count, 8 to 63
 * @back_ticks:   by how much the counter may step back below what an update read;
 *                0: never; at most half a wrap, 2^(counter_bits - 1) (the 31st bit
 *                of the paper's counter of 32).  Each such tick is one that the
 *                updates must come sooner
 * @counter:      reads the counter
 * @start:        time begins at the first value that is not less than @start and
 *                agrees with the counter, in ticks; at least @back_ticks keeps a
 *                step back at once from passing below 0
 * Returns false, and leaves the clock alone, if @counter_bits or @back_ticks is not
 * as said.  On the CPU that owns the clock, before its first reader.
 */
static inline bool strata_trace_clock_init(struct strata_trace_clock *clock,
					   unsigned int counter_bits, uint64_t back_ticks,
					   strata_trace_clock_counter_t counter, uint64_t start)
{
	uint64_t mask;

	if (counter_bits < STRATA_TRACE_CLOCK_BITS_MIN ||
	    counter_bits > STRATA_TRACE_CLOCK_BITS_MAX || back_ticks > 1ull << (counter_bits - 1))
		return false;
	mask = (1ull << counter_bits) - 1;
	clock->mask = mask;
	clock->forward = mask - back_ticks;
	clock->newest = 0;
	strata_trace_clock_store(&clock->slot[0],
				 strata_trace_clock_widen(start, counter(), mask, mask));
	return true;
}

/*
 * The time in ticks, 64 bits (figure 4); exact within the bounds that are stated at
 * the top.  If the counter steps back, within back_ticks, so does the time.
 * Wait-free; any context, NMIs included.  The caller stays on the CPU that owns
 * the clock (preemption off), or the clock serves all CPUs.
 */
static inline uint64_t strata_trace_clock_read(const struct strata_trace_clock *clock,
					       strata_trace_clock_counter_t counter)
{
	/* Pairs with the release in strata_trace_clock_publish(). */
	unsigned long newest = strata_load_acquire(&clock->newest);

	return strata_trace_clock_now(clock, newest, counter);
}

/*
 * Carries the high bits on (figure 5); to be called as often as is said at the top.
 * Wait-free.  On the CPU that owns the clock, from one context that does not nest in
 * itself or in strata_trace_clock_resume(): a timer's interrupt.
 */
static inline void strata_trace_clock_update(struct strata_trace_clock *clock,
					     strata_trace_clock_counter_t counter)
{
	/* Nobody else stores @newest: no order is needed. */
	unsigned long newest = strata_read_once(&clock->newest);

	strata_trace_clock_publish(clock, strata_trace_clock_now(clock, newest, counter));
}

/*
 * Sets the time from another clock, after a sleep in which no update came.
 * @estimate: the time in ticks, known to less than half a wrap: the time becomes
 *            that which agrees with the counter and lies in
 *            [estimate - 2^(w-1), estimate + 2^(w-1) - 1]
 * The context of strata_trace_clock_update().  A reader that comes before it is
 * wrong by the wraps that were slept through.
 */
static inline void strata_trace_clock_resume(struct strata_trace_clock *clock,
					     strata_trace_clock_counter_t counter,
					     uint64_t estimate)
{
	strata_trace_clock_publish(clock, strata_trace_clock_widen(estimate, counter(), clock->mask,
								   clock->mask >> 1));
}

#endif /* STRATA_TESTS_TRACE_CLOCK_H */

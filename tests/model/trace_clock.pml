/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_clock.pml - the trace clock of tests/unit/trace_clock.h, for Spin: an
 * update that readers interrupt at each place, one in the other; an update that
 * interrupts a reader; a reader on another CPU; without end.  Slots are two words,
 * loaded and stored one by one.  Loads and stores of what others store are steps of
 * their own; what one context alone can see is one step with them.
 *
 *   spin OPTIONS -search -DCOLLAPSE -m1000000 trace_clock.pml
 *
 * with each of the following as OPTIONS, as test_trace_clock_model.sh does (after -search they
 * would go to the C compiler alone).  It must find no error:
 *
 *   (nothing)                     a clock that is not told of steps back
 *   -DOTHER_CPU                   a reader on another CPU, too
 *   -DWHOLE_WORDS -DMANY_UPDATES  a slot is one word: any number of updates in a read
 *   -DSTEP=1 -DBACK=1             a counter that steps back, and updates sooner for it
 *   -DLOW=4, -DLOW=16             a counter of more bits than a word, and of fewer
 *
 * and time_is_exact violated with each of its twins:
 *
 *   -DONE_SLOT             updates overwrite the slot that is read
 *   -DPUBLISH_FIRST        the slot's number is stored before the slot
 *   -DCOUNTER_FIRST        a reader reads the counter before the slot
 *   -DMANY_UPDATES         any number of updates within a read, and slots of two words
 *   -DGAP=6                updates come one tick too late: GAP + READ = WRAP
 *   -DSTEP=1               the counter steps back, and the clock was not told
 *   -DSTEP=1 -DBACK=1 -DGAP=4  it was told, but updates come one tick too late for it
 *
 * The contract is an assumption here: time passes only where it leaves every gap
 * between updates at most GAP, and every read at most READ long.  Memory is
 * sequentially consistent: what acquire and release are for is not looked at.
 */

#ifndef WRAP
#define WRAP 8 /* ticks until the counter shows the same again */
#endif
#ifndef LOW
#define LOW 8 /* what the low word of a slot can count */
#endif
#ifndef READ
#define READ 2 /* ticks from a reader's load of newest to its reading the counter */
#endif
#ifndef GAP
#define GAP (WRAP - 1 - BACK - STEP - READ) /* ticks that pass from one update to the next */
#endif
#ifndef BACK
#define BACK 0 /* what the clock was told of steps back */
#endif
#ifndef STEP
#define STEP 0 /* how far the counter steps back */
#endif

#include "properties.pmh"

#define START WRAP
#define END   (START + 2 * WRAP + 1) /* time ends there */

/* Contexts.  On the CPU of the clock the higher interrupts the lower, and ends first. */
#define TASK  0
#define TIMER 1
#define IRQ   2
#define NMI   3
#define OTHER 4 /* on another CPU */
#define NR    5

byte slot_low[2], slot_high[2], newest;

byte now = START;     /* without a limit; what an answer is compared with */
byte updated = START; /* when the update that is published read the counter */
byte running = TASK;  /* of the CPU's contexts */
bool reading[NR];     /* a read is under way, and has not read the counter */
byte since[NR];       /* when it began */
bool loading[NR];     /* it has not loaded all of its slot */
byte taken[NR];       /* which */

/* Before each step of a context; the first of one that interrupts is begins(). */
#define RUNS(ctx) (ctx == OTHER || running == ctx)

#define MAY_BEGIN(ctx) (ctx == OTHER || ctx == TASK && running == TASK || running < ctx)

inline begins(ctx)
{
	if
	:: ctx != OTHER -> interrupted = running; running = ctx
	:: else
	fi
}

inline ends(ctx)
{
	if
	:: ctx != OTHER -> running = interrupted; interrupted = 0
	:: else
	fi
}

/* The counter shows what it shows: now, or a little less. */
inline reads_counter(shown)
{
	shown = now;
	if
	:: skip
#if STEP > 0
	:: shown = now - STEP
#endif
	fi
}

#define PASSED(lo, hi, shown) ((shown + 4 * WRAP - (hi * LOW + lo)) % WRAP)

/* strata_trace_clock_widen() of what the counter shows of a count gives that count. */
inline widens(lo, hi, shown)
{
	PROPERTY(time_is_exact,
		 hi * LOW + lo + PASSED(lo, hi, shown) -
		 (PASSED(lo, hi, shown) <= WRAP - 1 - BACK -> 0 : WRAP) == shown)
}

inline takes_slot(ctx)
{
	n = newest;
	loading[ctx] = true;
	taken[ctx] = n
}

inline forgets(ctx)
{
	n = 0; low = 0; high = 0; count = 0;
	since[ctx] = 0; taken[ctx] = 0
}

proctype reader(byte me)
{
	byte n, low, high, count, interrupted;

	do
	:: atomic {
		MAY_BEGIN(me) ->
		begins(me);
		reading[me] = true;
		since[me] = now;
#ifdef COUNTER_FIRST
		reads_counter(count)
	   };
	   atomic {
		RUNS(me);
#endif
		takes_slot(me)
	   };
#ifdef WHOLE_WORDS
	   atomic { RUNS(me); low = slot_low[n]; high = slot_high[n]; loading[me] = false };
#else
	   atomic { RUNS(me); low = slot_low[n] };
	   atomic { RUNS(me); high = slot_high[n]; loading[me] = false };
#endif
	   atomic {
		RUNS(me);
#ifndef COUNTER_FIRST
		reads_counter(count);
#endif
		reading[me] = false;
		widens(low, high, count);
		forgets(me);
		ends(me)
	   }
	od
}

/* In words, no update may begin once another has published itself within a load. */
#ifdef MANY_UPDATES
#define MAY_UPDATE true
#else
#define LEFT_ALONE(ctx) (!loading[ctx] || taken[ctx] == newest)
#define MAY_UPDATE      (LEFT_ALONE(TASK) && LEFT_ALONE(OTHER))
#endif

inline stores_slot(which)
{
#ifdef WHOLE_WORDS
	atomic { RUNS(TIMER); slot_low[which] = count % LOW; slot_high[which] = count / LOW };
#else
	atomic { RUNS(TIMER); slot_low[which] = count % LOW };
	atomic { RUNS(TIMER); slot_high[which] = count / LOW };
#endif
}

inline publishes(which)
{
	newest = which;
	updated = begun;
	begun = 0
}

/* Nobody else stores: what it loads is as good as its own. */
proctype timer()
{
	byte n, count, begun, interrupted;

	do
	:: atomic {
		MAY_BEGIN(TIMER) && MAY_UPDATE ->
		begins(TIMER);
		n = newest;
		begun = now;
		reads_counter(count);
		widens(slot_low[n], slot_high[n], count)
	   };
#if defined(ONE_SLOT)
	   stores_slot(n);
	   atomic { RUNS(TIMER); publishes(n); n = 0; count = 0; ends(TIMER) }
#elif defined(PUBLISH_FIRST)
	   atomic { RUNS(TIMER); publishes(1 - n) };
	   stores_slot(1 - n);
	   atomic { RUNS(TIMER); n = 0; count = 0; ends(TIMER) }
#else
	   stores_slot(1 - n);
	   atomic { RUNS(TIMER); publishes(1 - n); n = 0; count = 0; ends(TIMER) }
#endif
	od
}

#define READ_ALLOWS(ctx) (!reading[ctx] || now < since[ctx] + READ)

proctype time()
{
end:
	do
	:: atomic {
		now < END && now < updated + GAP && READ_ALLOWS(TASK) && READ_ALLOWS(IRQ) &&
		READ_ALLOWS(NMI) && READ_ALLOWS(OTHER) -> now = now + 1
	   }
	od
}

init {
	atomic {
		slot_low[0] = START % LOW;
		slot_high[0] = START / LOW;
		run time();
		run timer();
#ifdef OTHER_CPU
		run reader(OTHER);
#else
		run reader(TASK);
		run reader(NMI);
#endif
		run reader(IRQ)
	}
}

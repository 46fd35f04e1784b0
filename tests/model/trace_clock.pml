/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_clock.pml - the trace clock of include/strata/trace_clock.h, for Spin: an
 * update that readers interrupt at each place, an update that interrupts a reader,
 * and a reader on another CPU; slots of two words, loaded and stored one by one.
 *
 *   spin -search trace_clock.pml                        no error: the clock is right
 *   spin -search -DWHOLE_WORDS -DMANY_UPDATES ...       no error: a slot is one word
 *   spin -search -DSTEP=1 -DBACK=1 -DGAP=3 ...          no error: a counter that steps back
 *
 * and its twins, each of which must end with an assertion violated:
 *
 *   -DONE_SLOT       updates overwrite the slot that is read
 *   -DPUBLISH_FIRST  the slot's number is stored before the slot
 *   -DCOUNTER_FIRST  a reader reads the counter before the slot
 *   -DMANY_UPDATES   more than one update within a read, and words
 *   -DGAP=6          updates one tick too late: GAP + READ = WRAP
 *   -DSTEP=1         a counter that steps back, and a clock that was not told
 *   -DSTEP=1 -DBACK=1  the same, told, but without updates that come sooner for it
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
#define GAP (WRAP - 1 - READ) /* ticks from an update's reading the counter to the next's publishing */
#endif
#ifndef BACK
#define BACK 0 /* what the clock was told of steps back */
#endif
#ifndef STEP
#define STEP 0 /* how far the counter steps back */
#endif

#define START WRAP
#define END   (START + 2 * WRAP + 1) /* time ends there */

/* Contexts.  On the CPU of the clock the higher interrupts the lower, and ends first. */
#define TASK   0
#define TIMER  1
#define IRQ    2
#define NMI    3
#define REMOTE 4 /* on another CPU */
#define NR     5

byte slot_low[2], slot_high[2], newest;

byte now = START;     /* without a limit; what an answer is compared with */
byte updated = START; /* when the update that is published read the counter */
byte running = TASK;  /* of the CPU's contexts */
bool updating;
bool before_counter[NR]; /* a read is under way, and has not read the counter */
byte since[NR];          /* when it began */
bool loading[NR];        /* it has not loaded all of its slot */
byte taken[NR];

#define RUNS(me) (me == REMOTE || running == me)

/* The counter shows what it shows: now, or a little less. */
inline reads_counter(ctx, shown)
{
	atomic {
		RUNS(ctx);
		shown = now;
		if
		:: skip
#if STEP > 0
		:: shown = now - STEP
#endif
		fi;
		before_counter[ctx] = false
	}
}

inline loads_slot(ctx, which, lo, hi)
{
#ifdef WHOLE_WORDS
	atomic {
		RUNS(ctx);
		lo = slot_low[which];
		hi = slot_high[which];
		loading[ctx] = false
	}
#else
	atomic { RUNS(ctx); lo = slot_low[which] };
	atomic { RUNS(ctx); hi = slot_high[which]; loading[ctx] = false }
#endif
}

inline stores_slot(ctx, which, ticks)
{
#ifdef WHOLE_WORDS
	atomic { RUNS(ctx); slot_low[which] = ticks % LOW; slot_high[which] = ticks / LOW }
#else
	atomic { RUNS(ctx); slot_low[which] = ticks % LOW };
	atomic { RUNS(ctx); slot_high[which] = ticks / LOW }
#endif
}

/* strata_trace_clock_widen(): what the counter shows of count, and the slot, to 64 bits. */
inline widens(lo, hi, shown, to)
{
	to = hi * LOW + lo;
	if
	:: (shown + 4 * WRAP - to) % WRAP <= WRAP - 1 - BACK ->
		to = to + (shown + 4 * WRAP - to) % WRAP
	:: else ->
		to = to + (shown + 4 * WRAP - to) % WRAP - WRAP
	fi
}

inline reads(context)
{
	atomic {
		RUNS(context);
		before_counter[context] = true;
		since[context] = now;
#ifndef COUNTER_FIRST
	};
#else
	};
	reads_counter(me, count);
#endif
	atomic { RUNS(me); n = newest; loading[me] = true; taken[me] = n };
	loads_slot(me, n, low, high);
#ifndef COUNTER_FIRST
	reads_counter(me, count);
#endif
	d_step {
		widens(low, high, count, answer);
		assert(answer == count);
		n = 0; low = 0; high = 0; count = 0; answer = 0;
		since[me] = 0; taken[me] = 0
	}
}

/* In words, an update may not begin once another has published itself within a load. */
#ifdef MANY_UPDATES
#define MAY_UPDATE true
#else
#define LEFT_ALONE(r) (!loading[r] || taken[r] == newest)
#define MAY_UPDATE    (LEFT_ALONE(TASK) && LEFT_ALONE(REMOTE))
#endif

inline updates(context)
{
	atomic { RUNS(context); n = newest };
	loads_slot(context, n, low, high);
	reads_counter(context, count);
	d_step {
		RUNS(context);
		widens(low, high, count, answer);
		low = 0; high = 0
	};
#if defined(ONE_SLOT)
	stores_slot(context, n, answer);
	atomic { RUNS(context); updated = count };
#elif defined(PUBLISH_FIRST)
	atomic { RUNS(context); newest = 1 - n; updated = count };
	stores_slot(context, 1 - n, answer);
#else
	stores_slot(context, 1 - n, answer);
	atomic { RUNS(context); newest = 1 - n; updated = count };
#endif
	d_step { n = 0; count = 0; answer = 0 }
}

/* A context of the CPU begins on top of what runs, and gives back to it. */
inline interrupts(context)
{
	interrupted = running;
	running = context
}

inline returns()
{
	d_step { running = interrupted; interrupted = 0 }
}

proctype reader(byte me)
{
	byte n, low, high, count, answer, interrupted;

	do
	:: me == TASK || me == REMOTE -> reads(me)
	:: else ->
		atomic { running < me -> interrupts(me) };
		reads(me);
		returns()
	od
}

proctype timer()
{
	byte n, low, high, count, answer, interrupted;

	do
	:: atomic { running < TIMER && MAY_UPDATE -> interrupts(TIMER) };
	   updates(TIMER);
	   returns()
	od
}

#define READ_ALLOWS(r) (!before_counter[r] || now - since[r] < READ)

proctype time()
{
end:
	do
	:: atomic {
		now < END && now < updated + GAP && READ_ALLOWS(TASK) && READ_ALLOWS(IRQ) &&
		READ_ALLOWS(NMI) && READ_ALLOWS(REMOTE) -> now = now + 1
	   }
	od
}

init {
	atomic {
		slot_low[0] = START % LOW;
		slot_high[0] = START / LOW;
		run time();
		run timer();
		run reader(TASK);
		run reader(IRQ);
		run reader(NMI);
		run reader(REMOTE)
	}
}

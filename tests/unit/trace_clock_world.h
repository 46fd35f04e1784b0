/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_clock_world.h - a CPU on which a trace clock is read and updated, by
 * contexts that interrupt each other at every place where they can.
 *
 * The world counts its ticks in 64 bits and without the clock's help; the counter
 * shows their lowest bits.  An answer is right if it is what the world had counted
 * when that reader read the counter.  (The world's count never goes back nor jumps,
 * so neither do right answers.)
 *
 * Time passes where a test says so, and no more of it than the clock's contract
 * allows: gap_max ticks from an update's reading the counter to the end of the
 * next, read_max from a reader's start to its reading the counter.
 */
#ifndef STRATA_TESTS_TRACE_CLOCK_WORLD_H
#define STRATA_TESTS_TRACE_CLOCK_WORLD_H

#include "interruptible_platform.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "trace_clock.h"

#define DEPTH_MAX 3u
#define MOST      UINT64_MAX /* as many ticks as may pass */

static uint64_t counter_shows(void)
{
	return strata_clock();
}

/* The clock as it is; tests put in others, to see that they are refuted. */
struct clock_variant {
	uint64_t (*read)(const struct strata_trace_clock *clock);
	void (*update)(struct strata_trace_clock *clock);
};

static uint64_t reads_the_clock(const struct strata_trace_clock *clock)
{
	return strata_trace_clock_read(clock, counter_shows);
}

static void updates_the_clock(struct strata_trace_clock *clock)
{
	strata_trace_clock_update(clock, counter_shows);
}

static const struct clock_variant the_clock = { reads_the_clock, updates_the_clock };

struct world_rules {
	const struct clock_variant *variant;
	unsigned int counter_bits;
	uint64_t back_ticks; /* of the clock */
	uint64_t step_back;  /* every other reading of the counter is that much lower */
	unsigned int first_reading;
	uint64_t gap_max, read_max;
	unsigned int updates_in_read_max;
};

#define ANY_NUMBER 1000u
/* The contract of trace_clock.h. */
#define UPDATES_IN_READ_MAX (STRATA_TRACE_CLOCK_WORDS == 1 ? ANY_NUMBER : 1u)

/* One that interrupts the level below it. */
struct interruption {
	unsigned int at; /* point of the level below */
	uint64_t ticks;  /* pass before it */
	void (*happens)(void);
	unsigned int passed;
	bool came;
};

static struct world_rules rules;
static struct {
	struct strata_trace_clock clock;
	uint64_t now; /* ticks, without a limit */
	uint64_t last_update;
	unsigned int readings;
	bool updating;
	/* By level: what it saw the counter show, and since when it is before that. */
	uint64_t shown[DEPTH_MAX + 1], since[DEPTH_MAX + 1], read_at[DEPTH_MAX + 1];
	bool before_counter[DEPTH_MAX + 1];
	unsigned int updates_in_read[DEPTH_MAX + 1];
	struct interruption interruptions[DEPTH_MAX];
	unsigned int nr_interruptions, level;
	bool interruptible;
} world;

static unsigned long lives, reads_done, updates_done, ahead, behind;
static char first_error[160];

static uint64_t clock_shows(void)
{
	uint64_t shown = world.now;

	if (world.readings++ & 1)
		shown -= rules.step_back;
	world.shown[world.level] = shown;
	world.read_at[world.level] = world.now;
	world.before_counter[world.level] = false;
	/* What lies above the counter's bits is not the counter's. */
	return shown ^ (0xa5a5a5a5a5a5a5a5ull << rules.counter_bits);
}

static void let_pass(uint64_t ticks)
{
	uint64_t left = world.last_update + rules.gap_max - world.now;
	unsigned int i;

	if (left < ticks)
		ticks = left;
	for (i = 0; i <= DEPTH_MAX; i++) {
		left = world.since[i] + rules.read_max - world.now;
		if (world.before_counter[i] && left < ticks)
			ticks = left;
	}
	world.now += ticks;
}

static void interruption_point(void)
{
	struct interruption *next = &world.interruptions[world.level];

	if (!world.interruptible || world.level >= world.nr_interruptions || next->came ||
	    next->passed++ != next->at)
		return;
	next->came = true;
	world.level++;
	let_pass(next->ticks);
	next->happens();
	world.level--;
}

static void reads(void)
{
	unsigned int level = world.level;
	uint64_t answer;

	world.since[level] = world.now;
	world.before_counter[level] = true;
	world.updates_in_read[level] = 0;
	answer = rules.variant->read(&world.clock);
	world.before_counter[level] = false;
	reads_done++;
	if (answer == world.shown[level])
		return;
	if (!first_error[0])
		snprintf(first_error, sizeof(first_error), "read at level %u: %#llx, not %#llx",
			 level, (unsigned long long)answer, (unsigned long long)world.shown[level]);
	if ((int64_t)(answer - world.shown[level]) > 0)
		ahead++;
	else
		behind++;
}

static void updates(void)
{
	unsigned int i;

	if (world.updating)
		return;
	for (i = 0; i < world.level; i++)
		if (world.before_counter[i] &&
		    world.updates_in_read[i] >= rules.updates_in_read_max)
			return;
	for (i = 0; i < world.level; i++)
		world.updates_in_read[i]++;
	world.updating = true;
	rules.variant->update(&world.clock);
	world.last_update = world.read_at[world.level];
	world.updating = false;
	updates_done++;
}

static void updates_and_reads(void)
{
	updates();
	let_pass(MOST);
	reads();
}

static void updates_twice(void)
{
	updates();
	let_pass(MOST);
	updates();
}

static void (*const happenings[])(void) = { reads, updates, updates_and_reads, updates_twice };

#define NR_HAPPENINGS (sizeof(happenings) / sizeof(happenings[0]))

/* A new world at @start. */
static void begin(const struct world_rules *its_rules, uint64_t start)
{
	rules = *its_rules;
	memset(&world, 0, sizeof(world));
	world.now = world.last_update = start;
	world.readings = rules.first_reading;
	/* Half a wrap before: what is stepped back is not before time began. */
	assert_true(strata_trace_clock_init(&world.clock, rules.counter_bits, rules.back_ticks,
					    counter_shows,
					    start - (1ull << (rules.counter_bits - 1))));
}

/* What is to come in the next life: at each level, what interrupts the one below. */
static struct interruption plan[DEPTH_MAX];
static unsigned int nr_planned;

static bool came(unsigned int level)
{
	return world.interruptions[level].came;
}

/* One life of a clock, whose last update is @age ticks old when @interrupted begins. */
static void live_through(const struct world_rules *its_rules, uint64_t start, uint64_t age,
			 void (*interrupted)(void))
{
	lives++;
	begin(its_rules, start);
	/* By now both slots were written once. */
	updates();
	let_pass(age);
	memcpy(world.interruptions, plan, sizeof(plan));
	world.nr_interruptions = nr_planned;
	world.interruptible = true;
	interrupted();
	world.interruptible = false;
	/* What came must leave the clock fit for what follows. */
	let_pass(MOST);
	reads();
	updates();
	let_pass(MOST);
	reads();
	updates();
	reads();
}

/* How many places there are at which @interrupted may be interrupted. */
static inline unsigned int places_of(const struct world_rules *its_rules, void (*interrupted)(void))
{
	plan[0] = (struct interruption){ .at = UINT_MAX, .happens = reads };
	nr_planned = 1;
	live_through(its_rules, 1000, 0, interrupted);
	return world.interruptions[0].passed;
}

struct enumeration {
	struct world_rules rules;
	void (*interrupted)(void);
	uint64_t start, age;
	unsigned int depth, nr_happenings;
};

/*
 * Whatever may happen, at each point of level @level and after each choice of
 * time, until that level has no more points; and in it the same, down to the depth.
 */
static void enumerate_level(const struct enumeration *what, unsigned int level)
{
	static const uint64_t passing[] = { 0, 1, MOST };
	size_t h, t;
	unsigned int at;

	for (h = 0; h < what->nr_happenings; h++) {
		for (t = 0; t < sizeof(passing) / sizeof(passing[0]); t++) {
			for (at = 0;; at++) {
				plan[level] = (struct interruption){ .at = at,
								     .ticks = passing[t],
								     .happens = happenings[h] };
				nr_planned = level + 1;
				live_through(&what->rules, what->start, what->age,
					     what->interrupted);
				if (!came(level))
					break;
				if (level + 1 < what->depth)
					enumerate_level(what, level + 1);
			}
		}
	}
}

/*
 * A read and an update, interrupted at every point up to @depth deep, with a slot
 * that is new, old, and as old as can be; for a clock that was made every @apart
 * ticks of the 256 before time carries into a second word of 32 bits.
 */
static void interrupt_everywhere(const struct world_rules *its_rules, unsigned int depth,
				 unsigned int apart)
{
	const uint64_t ages[] = { 0, its_rules->gap_max / 2, MOST };
	struct enumeration what = { .rules = *its_rules, .depth = depth };
	unsigned int before;
	size_t a;

	/* Three deep, one thing at a time: what two at one level do, two levels do too. */
	what.nr_happenings = depth < DEPTH_MAX ? NR_HAPPENINGS : 2;
	for (before = apart / 2; before < 256; before += apart) {
		for (a = 0; a < sizeof(ages) / sizeof(ages[0]); a++) {
			what.start = (1ull << 32) - before;
			what.age = ages[a];
			what.interrupted = reads;
			enumerate_level(&what, 0);
			what.interrupted = updates;
			enumerate_level(&what, 0);
		}
	}
}

/* For each test that counts: before, and after it. */
static int forget_figures(void **state)
{
	(void)state;
	lives = reads_done = updates_done = ahead = behind = 0;
	first_error[0] = 0;
	return 0;
}

static int tell_figures(void **state)
{
	(void)state;
	print_message("           %lu lives, %lu reads (%lu behind, %lu ahead), %lu updates\n",
		      lives, reads_done, behind, ahead, updates_done);
	return 0;
}

#define COUNTING_TEST(test) cmocka_unit_test_setup_teardown(test, forget_figures, tell_figures)

static void no_answer_was_wrong(void)
{
	if (ahead + behind)
		fail_msg("%lu answers of %lu are wrong: %s", ahead + behind, reads_done,
			 first_error);
}

static inline void every_answer_is_right(const struct world_rules *its_rules, unsigned int depth,
					 unsigned int apart)
{
	interrupt_everywhere(its_rules, depth, apart);
	no_answer_was_wrong();
}

/* The same with a counter that steps back at each other reading: at the even, and at the odd. */
static inline void every_answer_is_right_either_way(struct world_rules its_rules,
						    unsigned int depth, unsigned int apart)
{
	its_rules.first_reading = 0;
	every_answer_is_right(&its_rules, depth, apart);
	its_rules.first_reading = 1;
	every_answer_is_right(&its_rules, depth, apart);
}

static inline void some_answer_is_wrong(const struct world_rules *its_rules)
{
	unsigned long before = ahead + behind;

	interrupt_everywhere(its_rules, 1, 8);
	assert_true(ahead + behind > before);
}

/* A counter of @bits bits, and a wrap that gaps and reads share to the last tick. */
static struct world_rules rules_of(unsigned int bits, uint64_t read_max, uint64_t back_ticks,
				   uint64_t step_back)
{
	struct world_rules its_rules = {
		.variant = &the_clock,
		.counter_bits = bits,
		.back_ticks = back_ticks,
		.step_back = step_back,
		/* The counter shows step_back more if it had shown that much less before. */
		.gap_max = (1ull << bits) - 1 - back_ticks - step_back - read_max,
		.read_max = read_max,
		.updates_in_read_max = UPDATES_IN_READ_MAX,
	};

	return its_rules;
}

/* A clock with one slot, which an update overwrites under its readers. */
static void updates_its_only_slot(struct strata_trace_clock *clock)
{
	strata_trace_clock_store(&clock->slot[0], strata_trace_clock_now(clock, 0, counter_shows));
}

static const struct clock_variant clock_of_one_slot = { reads_the_clock, updates_its_only_slot };

#endif /* STRATA_TESTS_TRACE_CLOCK_WORLD_H */

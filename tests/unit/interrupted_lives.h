/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupted_lives.h - tries interruptions on lives of a ring (interrupted_ring.h), and balances
 * the books after each.
 *
 * One interruption is tried exhaustively (situation x what is interrupted x what comes x where),
 * two and three at places drawn from a fixed seed.
 */
#ifndef STRATA_TESTS_INTERRUPTED_LIVES_H
#define STRATA_TESTS_INTERRUPTED_LIVES_H

#include "interrupted_ring.h"

/* Draws of each kind: as many as the environment says, but fewer where the processor is emulated.
 */
#ifdef LIVES_DRAWN
#define lives_drawn() ((unsigned long)LIVES_DRAWN)
#else
static inline unsigned long lives_drawn(void)
{
	const char *wish = getenv("LIVES_DRAWN");

	return wish ? strtoul(wish, NULL, 10) : 15000;
}
#endif

/* One life of a ring.  Returns whether every interruption that was planned came. */
static inline bool live_through(const struct situation *situation,
				void (*interrupted)(uint32_t level))
{
	uint64_t interrupted_at;
	uint32_t first;
	unsigned int i;

	clock_now = clock_peak = 10000;
	level_now = 0;
	ring_fixture_reset(&fixture, two_small, wraps_after(two_small, 1));
	fixture.ring->overwrite = overwriting;
	fixture.reader.overwrite = overwriting;
	audit_reset(&audit, fixture.ring);
	audit.clock_steps_back = true;
	situation->make();
	interrupted_at = clock_now;
	first = audit.next[0];

	interruptible = true;
	interrupted(0);
	interruptible = false;

	audit_commit_counts(&audit, &fixture);
	/* Where there is room before and after, a view that was overtaken is no loss. */
	if (nr_interruptions == 1 && interruptions[0].happens == laps_the_ring &&
	    situation->make != a_full_buffer && interrupted == writes_small &&
	    audit.fate[0][first] != RECORD_WRITTEN)
		audit_complain(&audit, "a record is lost though there is room");
	/* What came must leave the ring fit for what follows, also if time falls in between. */
	reader_drains(0);
	clock_now = interrupted_at + 1;
	writes_small(0);
	fills_the_subbuffer(0);
	reader_drains(0);
	clock_now = clock_peak;
	writes_small(0);
	if (audit.fate[0][audit.next[0] - 1] != RECORD_WRITTEN)
		audit_complain(&audit, "the ring takes no more records");
	audit_balance(&audit, &fixture);

	for (i = 0; i < nr_interruptions; i++)
		if (!interruptions[i].came)
			return false;
	return true;
}

static inline void plan(unsigned int level, const struct happening *happening, unsigned int at)
{
	interruptions[level].at = at;
	interruptions[level].happens = happening->happens;
	interruptions[level].passed = 0;
	interruptions[level].came = false;
}

static unsigned long lives, lives_as_planned;

static char fault[512];

/* Every situation x every happening x every point, until there are no more points.  True: something
 * went wrong, and @fault says what. */
static inline bool finds_fault(void (*interrupted)(uint32_t level))
{
	unsigned int s, h, at;

	nr_interruptions = 1;
	for (s = 0; s < nr_situations(); s++) {
		for (h = 0; h < nr_happenings(); h++) {
			bool came = true;

			for (at = 0; came; at++) {
				plan(0, &happenings[h], at);
				came = live_through(&situations[s], interrupted);
				lives++;
				if (!audit.errors)
					continue;
				snprintf(fault, sizeof(fault), "%s; %s at point %u: %s",
					 situations[s].name, happenings[h].name, at,
					 audit.first_error);
				return true;
			}
			if (at < (interrupted == reader_drains ? 3 : 8))
				fail_msg("%s has only %u points", situations[s].name, at);
		}
	}
	return false;
}

static inline void interrupt_once(void (*interrupted)(uint32_t level))
{
	if (finds_fault(interrupted))
		fail_msg("%s", fault);
}

static inline uint32_t draw(uint32_t limit)
{
	static uint32_t state = 2463534242u;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state % limit;
}

static inline void interrupt_the_interruptions(unsigned int levels, unsigned long times)
{
	const struct happening *drawn[DEPTH_MAX];
	const struct situation *situation;
	unsigned int level;

	nr_interruptions = levels;
	while (times--) {
		situation = &situations[draw(nr_situations())];
		for (level = 0; level < levels; level++) {
			drawn[level] = &happenings[draw(nr_happenings())];
			plan(level, drawn[level], draw(level || draw(4) ? 60 : 200));
		}
		lives++;
		lives_as_planned += live_through(situation, draw(4) ? writes_small : flushes);
		if (audit.errors)
			fail_msg("%s; %s at %u, in it %s at %u, in it %s at %u: %s",
				 situation->name, drawn[0]->name, interruptions[0].at,
				 drawn[1]->name, interruptions[1].at,
				 levels > 2 ? drawn[2]->name : "nothing", interruptions[2].at,
				 audit.first_error);
	}
}

static inline void interruptions_at_drawn_places(void)
{
	lives = lives_as_planned = 0;
	for (reader_calls = false;; reader_calls = true) {
		interrupt_the_interruptions(2, lives_drawn());
		interrupt_the_interruptions(3, lives_drawn());
		if (reader_calls)
			break;
	}
	/* The places are drawn: enough of them must exist. */
	assert_in_range(lives_as_planned, lives / 10, lives);
}

static inline int open_the_ring(void **state)
{
	(void)state;
	ring_fixture_open(&fixture, two_small, 0);
	audit_open(&audit, fixture.ring, 1024);
	return 0;
}

static inline int close_the_ring(void **state)
{
	(void)state;
	audit_close(&audit);
	ring_fixture_close(&fixture);
	return 0;
}

#endif /* STRATA_TESTS_INTERRUPTED_LIVES_H */

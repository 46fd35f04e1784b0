/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupted_ring.h - a writer that can be interrupted at each place where an interrupt may come:
 * what may come there, and the states of the ring in which it comes.
 *
 * One thread plays the CPU: the platform calls interruption_point() around each operation of the
 * core, and there a nested writer, a flush, a reader or a clock that jumps may come in; in it, at
 * each of its own points, the next.
 *
 * A header, because the core is compiled against this platform.  interrupted_lives.h tries the
 * interruptions.
 */
#ifndef STRATA_TESTS_INTERRUPTED_RING_H
#define STRATA_TESTS_INTERRUPTED_RING_H

#include <stdint.h>

static uint64_t clock_showed(void);
static void *source_of(const void *word);

#define AUDIT_TICKS()           clock_showed()
#define INTERRUPTIBLE_SOURCE(p) source_of(p)

#include "interruptible_platform.h"
#include "record_audit.h"

#define RECORD_WORDS 2u   /* of the record that is interrupted */
#define LARGE_WORDS  480u /* two records of this size and a bit fill a sub-buffer */
#define TOO_BIG      600u
#define DEPTH_MAX    3u

static const struct strata_ring_geometry two_small = { 12, 1 };

static struct ring_fixture fixture;
static struct record_audit audit;
static uint64_t clock_now, clock_peak;
static uint64_t shown[DEPTH_MAX + 1];   /* to each level, last */
static bool decides_against_the_newest; /* a control: see source_of() */
static bool reader_calls; /* the reader goes through the writer's home, as Xen's does */
static bool overwriting;

struct interruption {
	unsigned int at; /* point of the level that is interrupted */
	void (*happens)(uint32_t level);
	unsigned int passed;
	bool came;
};

static struct interruption interruptions[DEPTH_MAX];
static unsigned int nr_interruptions, level_now;
static bool interruptible;

static uint64_t clock_shows(void)
{
	if (clock_now > clock_peak)
		clock_peak = clock_now;
	shown[level_now] = clock_now;
	return clock_now++;
}

static uint64_t clock_showed(void)
{
	return shown[level_now];
}

/* Where the core finds a word that it acquires.  The control has it take the marks of all attempts
 * for the times of those that won. */
static void *source_of(const void *word)
{
	unsigned int i;

	for (i = 0; decides_against_the_newest && i < strata_nr_subbufs(two_small); i++)
		if (word == &fixture.ring->subbuf[i].last_ticks)
			return &fixture.ring->subbuf[i].newest_ticks;
	return (void *)(uintptr_t)word;
}

/* Bytes of a record besides its words, with the shortest possible header. */
static inline uint32_t head_bytes(void)
{
	return strata_header_bytes(fixture.form, 0, 0) + (uint32_t)sizeof(struct audit_payload);
}

static void interruption_point(void)
{
	struct interruption *next = &interruptions[level_now];

	if (!interruptible || level_now >= nr_interruptions || next->came ||
	    next->passed++ != next->at)
		return;
	next->came = true;
	level_now++;
	next->happens(level_now);
	level_now--;
}

static inline uint32_t room_left(void)
{
	strata_count_t offset = strata_subbuf_offset(two_small, fixture.ring->write_count);

	return (uint32_t)(strata_subbuf_bytes(two_small) - offset);
}

static inline bool gets_by_call(struct strata_ring_reader *reader)
{
	int page = strata_ring_get(fixture.ring, &fixture.spare);

	if (page < 0)
		return false;
	reader->page = (unsigned int)page;
	return true;
}

/* The actions of the reader on another CPU: each is instantaneous, as seen from this one. */
static inline void reader_drains(uint32_t level)
{
	static bool reading;
	struct strata_ring_reader *reader = &fixture.reader;

	(void)level;
	/* There is one reader. */
	if (reading)
		return;
	reading = true;
	while (reader_calls ? gets_by_call(reader) : strata_reader_get(reader)) {
		audit_packet(&audit, strata_reader_subbuf(reader));
		if (reader_calls)
			strata_ring_put(fixture.ring);
		strata_reader_put(reader);
	}
	reading = false;
}

static inline void writes_small(uint32_t level)
{
	audited_write(&audit, fixture.ring, level, RECORD_WORDS);
}

static inline void fills_the_subbuffer(uint32_t level)
{
	strata_count_t start = strata_subbuf_start(two_small, fixture.ring->write_count);
	unsigned int i;

	for (i = 0; i < 3 && strata_subbuf_start(two_small, fixture.ring->write_count) == start;
	     i++)
		audited_write(&audit, fixture.ring, level, LARGE_WORDS);
}

static inline void ends_where_the_subbuffer_does(uint32_t level)
{
	const uint32_t head = head_bytes();
	uint32_t room;

	while ((room = room_left()) - head > 4 * LARGE_WORDS)
		if (!audited_write(&audit, fixture.ring, level, RECORD_WORDS + 100))
			return;
	if (room >= head)
		audited_write(&audit, fixture.ring, level, (room - head) / 4);
}

static inline void fills_the_buffer(uint32_t level)
{
	unsigned int i;

	/* A ring that overwrites is full once each of its sub-buffers was. */
	for (i = 0; i < 5 && audited_write(&audit, fixture.ring, level, LARGE_WORDS); i++)
		;
}

static inline void laps_the_ring(uint32_t level)
{
	unsigned int i;

	for (i = 0; i < 12; i++) {
		audited_write(&audit, fixture.ring, level, LARGE_WORDS);
		reader_drains(level);
	}
}

static inline void flushes(uint32_t level)
{
	(void)level;
	strata_ring_flush(fixture.ring);
}

static inline void loses_a_record_too_big(uint32_t level)
{
	audited_write(&audit, fixture.ring, level, TOO_BIG);
}

static inline void steps_the_clock_back(uint32_t level)
{
	clock_now -= 40;
	writes_small(level);
}

static inline void brings_the_clock_back_to_its_peak(uint32_t level)
{
	clock_now = clock_peak;
	writes_small(level);
}

static inline void steps_the_clock_back_and_laps(uint32_t level)
{
	clock_now -= 40;
	laps_the_ring(level);
}

static inline void pauses_for_long(uint32_t level)
{
	clock_now += 1ull << (STRATA_COMPACT_TICKS_BITS + 6);
	writes_small(level);
}

/* The longest pause that a compact header spans, and one tick more. */
static inline void pauses_up_to_the_bound(uint32_t level)
{
	clock_now += (1u << STRATA_COMPACT_TICKS_BITS) - 2;
	writes_small(level);
	clock_now += (1u << STRATA_COMPACT_TICKS_BITS) - 1;
	writes_small(level);
}

static const struct happening {
	const char *name;
	void (*happens)(uint32_t level);
} happenings[] = {
	{ "a small record", writes_small },
	{ "a full sub-buffer", fills_the_subbuffer },
	{ "a record up to the boundary", ends_where_the_subbuffer_does },
	{ "a full buffer", fills_the_buffer },
	{ "laps", laps_the_ring },
	{ "a flush", flushes },
	{ "a reader", reader_drains },
	{ "a record too big", loses_a_record_too_big },
	{ "a clock that steps back", steps_the_clock_back },
	{ "a clock at its peak again", brings_the_clock_back_to_its_peak },
	{ "a clock that steps back, and laps", steps_the_clock_back_and_laps },
	{ "a long pause", pauses_for_long },
	{ "pauses up to the bound", pauses_up_to_the_bound },
};

#define NR_HAPPENINGS (sizeof(happenings) / sizeof(happenings[0]))
#define NR_PAUSES     2u /* the last two, which are nothing to a full header */

static inline void nothing_before(void)
{
}

static inline void some_records(void)
{
	writes_small(0);
	writes_small(0);
}

static inline void room_for_exactly_one(void)
{
	audited_write(&audit, fixture.ring, 0, LARGE_WORDS);
	audited_write(&audit, fixture.ring, 0,
		      (room_left() - 2 * head_bytes() - 4 * RECORD_WORDS) / 4);
}

static inline void room_for_none(void)
{
	audited_write(&audit, fixture.ring, 0, LARGE_WORDS);
	audited_write(&audit, fixture.ring, 0, (room_left() - 2 * head_bytes() - 4) / 4);
}

static inline void a_boundary(void)
{
	audited_write(&audit, fixture.ring, 0, LARGE_WORDS);
	audited_write(&audit, fixture.ring, 0, (room_left() - head_bytes()) / 4);
}

static inline void a_full_buffer(void)
{
	fills_the_buffer(0);
}

static inline void a_clock_behind_the_packet(void)
{
	some_records();
	clock_now -= 100;
}

static inline void a_clock_behind_at_a_boundary(void)
{
	a_boundary();
	clock_now -= 100;
}

static inline void a_pause(void)
{
	some_records();
	clock_now += 1ull << (STRATA_COMPACT_TICKS_BITS + 6);
}

static inline void a_pause_up_to_the_bound(void)
{
	some_records();
	clock_now += (1u << STRATA_COMPACT_TICKS_BITS) - 2;
}

static const struct situation {
	const char *name;
	void (*make)(void);
} situations[] = {
	{ "an empty ring", nothing_before },
	{ "some records", some_records },
	{ "room for exactly one", room_for_exactly_one },
	{ "room for none", room_for_none },
	{ "a boundary", a_boundary },
	{ "a full buffer", a_full_buffer },
	{ "a clock behind the packet", a_clock_behind_the_packet },
	{ "a clock behind at a boundary", a_clock_behind_at_a_boundary },
	{ "a pause", a_pause },
	{ "a pause up to the bound", a_pause_up_to_the_bound },
};

#define NR_SITUATIONS (sizeof(situations) / sizeof(situations[0]))

static inline uint32_t nr_happenings(void)
{
	return NR_HAPPENINGS - (fixture.form == STRATA_HEADER_FULL ? NR_PAUSES : 0);
}

static inline uint32_t nr_situations(void)
{
	return NR_SITUATIONS - (fixture.form == STRATA_HEADER_FULL ? NR_PAUSES : 0);
}

#endif /* STRATA_TESTS_INTERRUPTED_RING_H */

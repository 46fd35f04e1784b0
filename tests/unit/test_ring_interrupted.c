// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_interrupted.c - a writer that is interrupted at each place where it
 * can be, by each thing that can happen there.
 *
 * One thread plays the CPU: the platform calls interruption_point() around each
 * operation of the core, and there a nested writer, a flush, a reader or a clock
 * that jumps may come in; in it, at each of its own points, the next.  One
 * interruption is tried exhaustively (situation x what is interrupted x what
 * comes x where), two and three at places drawn from a fixed seed.
 */
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

/* Draws of each kind: as many as the environment says, but fewer where the processor is emulated.
 */
#ifdef LIVES_DRAWN
#define lives_drawn() ((unsigned long)LIVES_DRAWN)
#else
static unsigned long lives_drawn(void)
{
	const char *wish = getenv("LIVES_DRAWN");

	return wish ? strtoul(wish, NULL, 10) : 15000;
}
#endif

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

/* What a record takes beside its words, if its header is as short as can be. */
static uint32_t head_bytes(void)
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

static uint32_t room_left(void)
{
	strata_count_t offset = strata_subbuf_offset(two_small, fixture.ring->write_count);

	return (uint32_t)(strata_subbuf_bytes(two_small) - offset);
}

static bool gets_by_call(struct strata_ring_reader *reader)
{
	int page = strata_ring_get(fixture.ring, &fixture.spare);

	if (page < 0)
		return false;
	reader->page = (unsigned int)page;
	return true;
}

/* What the reader does, on another CPU: at once, as seen from this one. */
static void reader_drains(uint32_t level)
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

static void writes_small(uint32_t level)
{
	audited_write(&audit, fixture.ring, level, RECORD_WORDS);
}

static void fills_the_subbuffer(uint32_t level)
{
	strata_count_t start = strata_subbuf_start(two_small, fixture.ring->write_count);
	unsigned int i;

	for (i = 0; i < 3 && strata_subbuf_start(two_small, fixture.ring->write_count) == start;
	     i++)
		audited_write(&audit, fixture.ring, level, LARGE_WORDS);
}

static void ends_where_the_subbuffer_does(uint32_t level)
{
	const uint32_t head = head_bytes();
	uint32_t room;

	while ((room = room_left()) - head > 4 * LARGE_WORDS)
		if (!audited_write(&audit, fixture.ring, level, RECORD_WORDS + 100))
			return;
	if (room >= head)
		audited_write(&audit, fixture.ring, level, (room - head) / 4);
}

static void fills_the_buffer(uint32_t level)
{
	unsigned int i;

	/* A ring that overwrites is full once each of its sub-buffers was. */
	for (i = 0; i < 5 && audited_write(&audit, fixture.ring, level, LARGE_WORDS); i++)
		;
}

static void laps_the_ring(uint32_t level)
{
	unsigned int i;

	for (i = 0; i < 12; i++) {
		audited_write(&audit, fixture.ring, level, LARGE_WORDS);
		reader_drains(level);
	}
}

static void flushes(uint32_t level)
{
	(void)level;
	strata_ring_flush(fixture.ring);
}

static void loses_a_record_too_big(uint32_t level)
{
	audited_write(&audit, fixture.ring, level, TOO_BIG);
}

static void steps_the_clock_back(uint32_t level)
{
	clock_now -= 40;
	writes_small(level);
}

static void brings_the_clock_back_to_its_peak(uint32_t level)
{
	clock_now = clock_peak;
	writes_small(level);
}

static void steps_the_clock_back_and_laps(uint32_t level)
{
	clock_now -= 40;
	laps_the_ring(level);
}

static void pauses_for_long(uint32_t level)
{
	clock_now += 1ull << (STRATA_COMPACT_TICKS_BITS + 6);
	writes_small(level);
}

/* The longest pause that a compact header spans, and one tick more. */
static void pauses_up_to_the_bound(uint32_t level)
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

static void nothing_before(void)
{
}

static void some_records(void)
{
	writes_small(0);
	writes_small(0);
}

static void room_for_exactly_one(void)
{
	audited_write(&audit, fixture.ring, 0, LARGE_WORDS);
	audited_write(&audit, fixture.ring, 0,
		      (room_left() - 2 * head_bytes() - 4 * RECORD_WORDS) / 4);
}

static void room_for_none(void)
{
	audited_write(&audit, fixture.ring, 0, LARGE_WORDS);
	audited_write(&audit, fixture.ring, 0, (room_left() - 2 * head_bytes() - 4) / 4);
}

static void a_boundary(void)
{
	audited_write(&audit, fixture.ring, 0, LARGE_WORDS);
	audited_write(&audit, fixture.ring, 0, (room_left() - head_bytes()) / 4);
}

static void a_full_buffer(void)
{
	fills_the_buffer(0);
}

static void a_clock_behind_the_packet(void)
{
	some_records();
	clock_now -= 100;
}

static void a_clock_behind_at_a_boundary(void)
{
	a_boundary();
	clock_now -= 100;
}

static void a_pause(void)
{
	some_records();
	clock_now += 1ull << (STRATA_COMPACT_TICKS_BITS + 6);
}

static void a_pause_up_to_the_bound(void)
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

static uint32_t nr_happenings(void)
{
	return NR_HAPPENINGS - (fixture.form == STRATA_HEADER_FULL ? NR_PAUSES : 0);
}

static uint32_t nr_situations(void)
{
	return NR_SITUATIONS - (fixture.form == STRATA_HEADER_FULL ? NR_PAUSES : 0);
}

/* One life of a ring.  Returns whether every interruption that was planned came. */
static bool live_through(const struct situation *situation, void (*interrupted)(uint32_t level))
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

static void plan(unsigned int level, const struct happening *happening, unsigned int at)
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
static bool finds_fault(void (*interrupted)(uint32_t level))
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

static void interrupt_once(void (*interrupted)(uint32_t level))
{
	if (finds_fault(interrupted))
		fail_msg("%s", fault);
}

static uint32_t draw(uint32_t limit)
{
	static uint32_t state = 2463534242u;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state % limit;
}

static void interrupt_the_interruptions(unsigned int levels, unsigned long times)
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

static void a_writer_interrupted_anywhere_loses_nothing_uncounted(void **state)
{
	(void)state;
	reader_calls = false;
	interrupt_once(writes_small);
}

static void a_switching_writer_interrupted_anywhere_loses_nothing_uncounted(void **state)
{
	(void)state;
	reader_calls = false;
	interrupt_once(fills_the_subbuffer);
}

static void a_flush_interrupted_anywhere_loses_nothing_uncounted(void **state)
{
	(void)state;
	reader_calls = false;
	interrupt_once(flushes);
}

static void a_loss_interrupted_anywhere_is_counted_for_the_reader(void **state)
{
	(void)state;
	reader_calls = false;
	interrupt_once(loses_a_record_too_big);
}

static void a_reader_by_calls_sees_what_a_reader_by_memory_does(void **state)
{
	(void)state;
	reader_calls = true;
	interrupt_once(writes_small);
	interrupt_once(fills_the_subbuffer);
	interrupt_once(flushes);
}

static void interruptions_at_drawn_places(void)
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

static void interruptions_of_interruptions_lose_nothing_uncounted(void **state)
{
	(void)state;
	interruptions_at_drawn_places();
}

static void a_ring_that_overwrites_interrupted_anywhere_loses_whole_packets_only(void **state)
{
	(void)state;
	overwriting = true;
	for (reader_calls = false;; reader_calls = true) {
		interrupt_once(writes_small);
		interrupt_once(fills_the_subbuffer);
		interrupt_once(fills_the_buffer);
		interrupt_once(flushes);
		interrupt_once(reader_drains);
		if (reader_calls)
			break;
	}
	interruptions_at_drawn_places();
	overwriting = false;
}

static void short_headers_interrupted_anywhere_tell_the_time(void **state)
{
	(void)state;
	reader_calls = false;
	fixture.form = STRATA_HEADER_LARGE;
	interrupt_once(writes_small);
	fixture.form = STRATA_HEADER_COMPACT;
	interrupt_once(writes_small);
	assert_true(audit.short_headers > 0);
	overwriting = true;
	interrupt_once(writes_small);
	interruptions_at_drawn_places();
	overwriting = false;
	fixture.form = STRATA_HEADER_FULL;
}

/* The control: a mark that an attempt left and that became no record's is no time to count from. */
static void headers_shortened_against_the_newest_mark_are_found_out(void **state)
{
	(void)state;
	reader_calls = false;
	decides_against_the_newest = true;
	for (fixture.form = STRATA_HEADER_COMPACT; fixture.form < STRATA_NR_HEADER_FORMS;
	     fixture.form++) {
		assert_true(finds_fault(writes_small));
		print_message("# found: %s\n", fault);
	}
	decides_against_the_newest = false;
	fixture.form = STRATA_HEADER_FULL;
}

static int open_the_ring(void **state)
{
	(void)state;
	ring_fixture_open(&fixture, two_small, 0);
	audit_open(&audit, fixture.ring, 1024);
	return 0;
}

static int close_the_ring(void **state)
{
	(void)state;
	audit_close(&audit);
	ring_fixture_close(&fixture);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_writer_interrupted_anywhere_loses_nothing_uncounted),
		cmocka_unit_test(a_switching_writer_interrupted_anywhere_loses_nothing_uncounted),
		cmocka_unit_test(a_flush_interrupted_anywhere_loses_nothing_uncounted),
		cmocka_unit_test(a_loss_interrupted_anywhere_is_counted_for_the_reader),
		cmocka_unit_test(a_reader_by_calls_sees_what_a_reader_by_memory_does),
		cmocka_unit_test(interruptions_of_interruptions_lose_nothing_uncounted),
		cmocka_unit_test(
			a_ring_that_overwrites_interrupted_anywhere_loses_whole_packets_only),
		cmocka_unit_test(short_headers_interrupted_anywhere_tell_the_time),
		cmocka_unit_test(headers_shortened_against_the_newest_mark_are_found_out),
	};

	return cmocka_run_group_tests_name("ring_interrupted", tests, open_the_ring,
					   close_the_ring);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * checked_ring.h - a ring of two sub-buffers under the explorer: writer and reader as
 * they are in include/strata, on memory whose accesses are steps, with the books of
 * tests/unit/record_audit.h.
 *
 * A case says what the ring holds when it begins, who writes and who reads; what is
 * wrong after any order of their steps is a violation.
 */
#ifndef STRATA_TESTS_CHECKED_RING_H
#define STRATA_TESTS_CHECKED_RING_H

#include <time.h>

#include "record_audit.h"

#include "explore.h"
#include "weaken.h"

/* Records of what was there before are of this level; others of one more than their context,
 * so that no byte of theirs is what an empty page holds. */
#define LEVEL_BEFORE 7u
#define SMALL_WORDS  1u
#define HEAD_BYTES   (STRATA_RECORD_HEADER_BYTES + (uint32_t)sizeof(struct audit_payload))
#define SMALL_BYTES  (HEAD_BYTES + 4 * SMALL_WORDS)
#define RECORDS_MAX  16u
#define CLOCK_START  10000u

static const struct strata_ring_geometry two_small = { 12, 1 };

static struct ring_fixture fixture;
static struct record_audit audit;

/* Ring, writer area, reader area and data, one behind the other. */
#define ARENA_PAGES (3u + 3u)
static unsigned char *arena;

/* What a case begins with. */
static struct {
	unsigned char arena[ARENA_PAGES * STRATA_PAGE_BYTES];
	struct ring_fixture fixture;
	struct record_audit audit;
	uint8_t fate[AUDIT_LEVELS][RECORDS_MAX];
	strata_count_t went_to[AUDIT_LEVELS][RECORDS_MAX];
	strata_count_t write_count;
	bool roomy; /* the next sub-buffer can be entered, and holds whatever a case writes */
	uint64_t ticks;
} start;

static void complain_of_the_books(void)
{
	if (audit.errors)
		explore_complain("%s", audit.first_error);
}

static uint32_t room_left(void)
{
	strata_count_t offset = strata_subbuf_offset(two_small, fixture.ring->write_count);

	return (uint32_t)(strata_subbuf_bytes(two_small) - offset);
}

/* Writes records until the sub-buffer has room for @bytes. */
static void leave_room(uint32_t bytes)
{
	const uint32_t most = STRATA_PAYLOAD_BYTES_MAX - (uint32_t)sizeof(struct audit_payload);
	uint32_t room, words;

	do {
		if (room_left() == strata_subbuf_bytes(two_small))
			room = room_left() - STRATA_PACKET_HEADER_BYTES - bytes;
		else
			room = room_left() - bytes;
		words = (room - HEAD_BYTES) / 4;
		if (words > most / 4)
			words = most / 4 - HEAD_BYTES;
		audited_write(&audit, fixture.ring, LEVEL_BEFORE, words);
	} while (room_left() != bytes &&
		 !(bytes == 0 && room_left() == strata_subbuf_bytes(two_small)));
}

static uint32_t my_level(void)
{
	return (uint32_t)explore_context() + 1;
}

static void writes(void)
{
	weaken_forget();
	audited_write(&audit, fixture.ring, my_level(), SMALL_WORDS);
}

static void writes_twice(void)
{
	writes();
	writes();
}

static void flushes(void)
{
	weaken_forget();
	strata_ring_flush(fixture.ring);
}

static void loses(void)
{
	struct strata_slot slot;
	uint32_t level = my_level();

	weaken_forget();
	if (strata_ring_reserve(fixture.ring, level, STRATA_PAYLOAD_BYTES_MAX + 1, &slot))
		explore_complain("a record that is too big was taken");
	audit.fate[level][audit.next[level]++] = RECORD_LOST;
}

/* Looks as often as said for a packet, and takes what there is. */
static void reads(unsigned int looks)
{
	static unsigned char copy[1u << 12];

	while (looks--) {
		if (!strata_reader_get(&fixture.reader))
			continue;
		strata_copy(copy, strata_reader_subbuf(&fixture.reader), sizeof(copy));
		audit_packet(&audit, copy);
		complain_of_the_books();
		strata_reader_put(&fixture.reader);
	}
}

static void reads_once(void)
{
	reads(1);
}

static void reads_twice(void)
{
	reads(2);
}

/* Checks what lies between a packet's header and @bytes: whole records, known ones. */
static void check_prefix(const unsigned char *copy, uint32_t bytes)
{
	uint32_t offset = STRATA_PACKET_HEADER_BYTES, i;

	while (offset < bytes) {
		const struct audit_payload *payload =
			(const struct audit_payload *)(copy + offset + STRATA_RECORD_HEADER_BYTES);
		const struct strata_record_header *header =
			(const struct strata_record_header *)(copy + offset);

		if (bytes - offset < HEAD_BYTES || header->id >= AUDIT_LEVELS ||
		    header->id != payload->level || header->ticks < CLOCK_START ||
		    payload->words > (bytes - offset - HEAD_BYTES) / 4) {
			explore_complain("a prefix of %u bytes: no record at %u", bytes, offset);
			return;
		}
		if (payload->number >= audit.next[payload->level])
			explore_complain("a prefix of %u bytes: a record of no writer", bytes);
		for (i = 0; i < payload->words; i++)
			if (payload->word[i] != audit_word(payload->level, payload->number, i))
				explore_complain(
					"a prefix of %u bytes: word %u of the record at %u", bytes,
					i, offset);
		offset += HEAD_BYTES + 4 * payload->words;
	}
}

/* Of the sub-buffer that is written when the case begins. */
static void copies_the_prefix(void)
{
	static unsigned char copy[1u << 12];
	strata_count_t position = strata_subbuf_start(two_small, start.write_count);
	uint32_t bytes;

	bytes = strata_reader_copy_prefix(&fixture.reader, position, copy);
	if (bytes)
		check_prefix(copy, bytes);
}

/* The names of what is shared. */
static void name_of(uintptr_t at, char *name, size_t bytes)
{
	const unsigned char *byte = (const unsigned char *)at;
	size_t offset, i;

#define NAMED(area, type, member)                                                               \
	if (offset - offsetof(type, member) < sizeof(((type *)0)->member)) {                    \
		snprintf(name, bytes, area "%s+%zu", #member, offset - offsetof(type, member)); \
		return;                                                                         \
	}
	if (byte >= arena + sizeof(start.arena)) {
		snprintf(name, bytes, "the clock");
	} else if (byte >= fixture.data) {
		offset = (size_t)(byte - fixture.data);
		snprintf(name, bytes, "page %zu+%zu", offset >> two_small.subbuf_bits,
			 offset & (strata_subbuf_bytes(two_small) - 1));
	} else if (byte >= (unsigned char *)fixture.reader_area) {
		offset = (size_t)(byte - (unsigned char *)fixture.reader_area);
		NAMED("", struct strata_ring_reader_area, read_count)
		snprintf(name, bytes, "table[%zu]",
			 (offset - offsetof(struct strata_ring_reader_area, table)) /
				 sizeof(strata_count_t));
	} else if (byte >= (unsigned char *)fixture.writer_area) {
		offset = (size_t)(byte - (unsigned char *)fixture.writer_area);
		NAMED("shared ", struct strata_ring_writer_area, lost)
		NAMED("shared ", struct strata_ring_writer_area, page)
		snprintf(name, bytes, "shared commit_seq[%zu]",
			 (offset - offsetof(struct strata_ring_writer_area, commit_seq)) /
				 sizeof(strata_count_t));
	} else {
		offset = (size_t)(byte - (unsigned char *)fixture.ring);
		NAMED("", struct strata_ring, write_count)
		NAMED("", struct strata_ring, lost)
		NAMED("", struct strata_ring, delivered)
		i = (offset - offsetof(struct strata_ring, subbuf)) /
		    sizeof(struct strata_ring_subbuf);
		offset -= offsetof(struct strata_ring, subbuf) +
			  i * sizeof(struct strata_ring_subbuf);
		snprintf(name, bytes, "subbuf[%zu]", i);
		name += strlen(name);
		bytes -= 9;
		NAMED(".", struct strata_ring_subbuf, commit_count)
		NAMED(".", struct strata_ring_subbuf, commit_seq)
		NAMED(".", struct strata_ring_subbuf, held)
		NAMED(".", struct strata_ring_subbuf, newest_ticks)
		NAMED(".", struct strata_ring_subbuf, begin_ticks)
		NAMED(".", struct strata_ring_subbuf, end_ticks)
		NAMED(".", struct strata_ring_subbuf, lost)
		NAMED(".", struct strata_ring_subbuf, content_bytes)
		NAMED(".", struct strata_ring_subbuf, page)
	}
#undef NAMED
}

/* Which words are meant by a weakness. */
static bool is_write_count(const volatile void *at)
{
	return at == &fixture.ring->write_count;
}

static bool is_commit_count(const volatile void *at)
{
	return at == &fixture.ring->subbuf[0].commit_count ||
	       at == &fixture.ring->subbuf[1].commit_count;
}

static bool is_commit_seq(const volatile void *at)
{
	return at == &fixture.ring->subbuf[0].commit_seq ||
	       at == &fixture.ring->subbuf[1].commit_seq;
}

static bool is_shared_commit_seq(const volatile void *at)
{
	return at == &fixture.writer_area->commit_seq[0] ||
	       at == &fixture.writer_area->commit_seq[1];
}

static bool is_newest_ticks(const volatile void *at)
{
	return at == &fixture.ring->subbuf[0].newest_ticks ||
	       at == &fixture.ring->subbuf[1].newest_ticks;
}

static bool is_table(const volatile void *at)
{
	return at == &fixture.reader_area->table[0] || at == &fixture.reader_area->table[1];
}

static const volatile void *commit_count_beside(const volatile void *at)
{
	return (const volatile unsigned char *)at -
	       offsetof(struct strata_ring_subbuf, commit_seq) +
	       offsetof(struct strata_ring_subbuf, commit_count);
}

struct ring_case {
	struct explore_plan plan;
	void (*prepare)(void);
	bool overwrite;
	bool clock_steps_back; /* packets may overlap in time */
	bool may_lose;         /* though the next sub-buffer is free */
	bool deep;             /* takes long: only where CHECK_DEEP is in the environment */
};

static int open_the_ring(void **state)
{
	(void)state;
	arena = guarded_pages(ARENA_PAGES);
	fixture.ring = (struct strata_ring *)arena;
	fixture.writer_area = (struct strata_ring_writer_area *)(arena + STRATA_PAGE_BYTES);
	fixture.reader_area = (struct strata_ring_reader_area *)(arena + 2 * STRATA_PAGE_BYTES);
	fixture.data = arena + 3 * STRATA_PAGE_BYTES;
	explore_share(arena, ARENA_PAGES * STRATA_PAGE_BYTES);
	ring_fixture_reset(&fixture, two_small, 0);
	audit_open(&audit, fixture.ring, RECORDS_MAX);
	return 0;
}

static int close_the_ring(void **state)
{
	(void)state;
	audit_close(&audit);
	guarded_free(arena, ARENA_PAGES);
	return 0;
}

/* Makes what the case begins with, one buffer before the counters wrap, and keeps it. */
static void prepare(const struct ring_case *one)
{
	unsigned int i;

	memset(fixture.data, 0, strata_data_bytes(two_small));
	explore_set_clock(CLOCK_START);
	ring_fixture_reset(&fixture, two_small, wraps_after(two_small, 1));
	fixture.ring->overwrite = one->overwrite;
	fixture.reader.overwrite = one->overwrite;
	audit_reset(&audit, fixture.ring);
	audit.clock_steps_back = one->clock_steps_back;
	one->prepare();
	if (audit.errors)
		fail_msg("%s: before it begins: %s", one->plan.name, audit.first_error);

	memcpy(start.arena, arena, sizeof(start.arena));
	start.fixture = fixture;
	start.audit = audit;
	start.write_count = fixture.ring->write_count;
	start.roomy = !one->overwrite && !one->may_lose &&
		      strata_subbuf_align_up(two_small, start.write_count) != 0;
	for (i = 0; i < AUDIT_LEVELS; i++) {
		memcpy(start.fate[i], audit.fate[i], RECORDS_MAX);
		memcpy(start.went_to[i], audit.went_to[i], sizeof(start.went_to[i]));
	}
	start.ticks = strata_clock();
}

static void begin(void)
{
	unsigned int i;

	memset(audit.read, 0, audit_place(&audit, audit.sequence) + 1);
	memcpy(arena, start.arena, sizeof(start.arena));
	fixture = start.fixture;
	audit = start.audit;
	for (i = 0; i < AUDIT_LEVELS; i++) {
		memcpy(audit.fate[i], start.fate[i], RECORDS_MAX);
		memset(audit.found[i], 0, RECORDS_MAX);
		memcpy(audit.went_to[i], start.went_to[i], sizeof(start.went_to[i]));
	}
	explore_set_clock(start.ticks);
}

/* The states that memory was in at the end: a set of their hashes. */
#define OUTCOMES_MAX (1u << 16)

static struct {
	bool wanted;
	uint64_t hash[OUTCOMES_MAX];
	unsigned long nr;
} outcomes;

static void enter_outcome(void)
{
	const uint64_t *word = (const uint64_t *)arena;
	uint64_t hash = 14695981039346656037u;
	size_t i, at;

	for (i = 0; i < sizeof(start.arena) / sizeof(*word); i++)
		hash = (hash ^ word[i]) * 1099511628211u;
	for (i = 0; i < AUDIT_LEVELS * RECORDS_MAX; i++)
		hash = (hash ^ audit.found[i / RECORDS_MAX][i % RECORDS_MAX]) * 1099511628211u;
	hash |= 1;
	for (at = hash >> 48; outcomes.hash[at] && outcomes.hash[at] != hash; at++)
		at %= OUTCOMES_MAX - 1;
	outcomes.nr += outcomes.hash[at] != hash;
	outcomes.hash[at] = hash;
}

/* Everybody is done: nothing is left undelivered, and all records have their fate. */
static void end(void)
{
	if (outcomes.wanted)
		enter_outcome();
	audit_commit_counts(&audit, &fixture);
	audit_balance(&audit, &fixture);
	complain_of_the_books();
	if (start.roomy &&
	    fixture.ring->lost[STRATA_LOST_FULL] + fixture.ring->lost[STRATA_LOST_NESTED])
		explore_complain("a record is lost though there is room");
}

static void search(const struct ring_case *one, struct explore_result *result)
{
	struct explore_plan plan = one->plan;

	prepare(one);
	plan.begin = begin;
	plan.end = end;
	plan.name_of = name_of;
	explore(&plan, result);
}

static const char *memory_name(enum explore_memory memory)
{
	static const char *const names[] = { "stores land at once", "x86's store buffers, of 4",
					     "one store at a time is held back" };

	return names[memory];
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The case holds in each order of its steps. */
static void assert_holds(const struct ring_case *one)
{
	struct explore_result result;
	double began = seconds();

	if (one->deep && !getenv("CHECK_DEEP"))
		return;
	weakened = NULL;
	search(one, &result);
	printf("# %s (%s): %lu interleavings, %lu prefixes left off, %s; at most %u steps; %.2f s\n",
	       one->plan.name, memory_name(one->plan.memory), result.complete, result.left_off,
	       result.exhaustive ? "exhaustive" : "bounded", result.most_steps, seconds() - began);
	if (result.violation[0]) {
		explore_print();
		fail_msg("%s: %s", one->plan.name, result.violation);
	}
	if (result.complete < 2)
		fail_msg("%s: %lu interleavings are no search", one->plan.name, result.complete);
}

/* All orders lead to no more states than those that are not left off. */
static void assert_nothing_missed(const struct ring_case *one)
{
	struct ring_case searched = *one;
	struct explore_result result[2];
	unsigned long nr;

	memset(&outcomes, 0, sizeof(outcomes));
	outcomes.wanted = true;
	search(&searched, &result[0]);
	nr = outcomes.nr;
	searched.plan.all = true;
	search(&searched, &result[1]);
	outcomes.wanted = false;
	printf("# %s: %lu states after %lu interleavings, and %lu after all %lu\n", one->plan.name,
	       nr, result[0].complete, outcomes.nr, result[1].complete);
	assert_true(result[0].exhaustive && result[1].exhaustive);
	assert_true(nr > 1 && result[1].complete > result[0].complete);
	assert_int_equal(outcomes.nr, nr);
}

/* With one operation weakened there is an order in which this goes wrong. */
static void assert_refuted(const struct ring_case *one, const struct weakness *weakness,
			   const char *violation)
{
	struct explore_result result;

	weakened = weakness;
	search(one, &result);
	weakened = NULL;
	printf("# %s; %s: after %lu interleavings: %s\n", one->plan.name, weakness->name,
	       result.complete, result.violation[0] ? result.violation : "no violation");
	if (!result.violation[0] || !strstr(result.violation, violation))
		fail_msg("%s: %s: expected \"%s\", found \"%s\"", one->plan.name, weakness->name,
			 violation, result.violation);
	explore_print();
}

#endif /* STRATA_TESTS_CHECKED_RING_H */

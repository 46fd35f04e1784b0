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

#include "record_audit.h"

#include "explore.h"
#include "weaken.h"

/* Records from before the case have this level, and others one more than their context, so that
 * none of their bytes equals an empty page's. */
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

/* The state in which a case begins. */
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

static inline void complain_of_the_books(void)
{
	if (audit.errors)
		explore_complain("%s", audit.first_error);
}

static inline uint32_t room_left(void)
{
	strata_count_t offset = strata_subbuf_offset(two_small, fixture.ring->write_count);

	return (uint32_t)(strata_subbuf_bytes(two_small) - offset);
}

/* Writes records until the sub-buffer has room for @bytes. */
static inline void leave_room(uint32_t bytes)
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

static inline void empty(void)
{
}

static inline void room_for_one(void)
{
	leave_room(SMALL_BYTES);
}

static inline void room_for_two(void)
{
	leave_room(2 * SMALL_BYTES);
}

static inline void room_for_three(void)
{
	leave_room(3 * SMALL_BYTES);
}

static inline void a_boundary(void)
{
	leave_room(0);
}

static inline void full_but_for_one(void)
{
	leave_room(0);
	leave_room(SMALL_BYTES);
}

/* The reader has the first sub-buffer's page, and its spare lies there instead. */
static inline void full_and_a_page_taken(void)
{
	leave_room(0);
	audit_drain(&audit, &fixture.reader);
	leave_room(0);
}

static inline uint32_t my_level(void)
{
	return (uint32_t)explore_context() + 1;
}

static inline void writes(void)
{
	weaken_forget();
	audited_write(&audit, fixture.ring, my_level(), SMALL_WORDS);
}

/* An event of several channels: its clock is read before the ring is looked at. */
static inline void writes_at_a_time(void)
{
	uint64_t ticks;

	weaken_forget();
	ticks = strata_clock();
	audited_write_at(&audit, fixture.ring, my_level(), SMALL_WORDS, ticks);
}

static inline void writes_twice(void)
{
	writes();
	writes();
}

static inline void flushes(void)
{
	weaken_forget();
	strata_ring_flush(fixture.ring);
}

static inline void loses(void)
{
	struct strata_slot slot;
	uint32_t level = my_level();

	weaken_forget();
	if (strata_ring_reserve(fixture.ring, level, STRATA_PAYLOAD_BYTES_MAX + 1, &slot))
		explore_complain("a record that is too big was taken");
	audit.fate[level][audit.next[level]++] = RECORD_LOST;
}

/* Polls for a packet as often as the case demands, and takes those that are ready. */
static inline void reads(unsigned int looks)
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

static inline void reads_once(void)
{
	reads(1);
}

static inline void reads_twice(void)
{
	reads(2);
}

/* Checks the bytes between a packet's header and @bytes: they are whole, known records. */
static inline void check_prefix(const unsigned char *copy, uint32_t bytes)
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
static inline void copies_the_prefix(void)
{
	static unsigned char copy[1u << 12];
	strata_count_t position = strata_subbuf_start(two_small, start.write_count);
	uint32_t bytes;

	bytes = strata_reader_copy_prefix(&fixture.reader, position, copy);
	if (bytes)
		check_prefix(copy, bytes);
}

#endif /* STRATA_TESTS_CHECKED_RING_H */

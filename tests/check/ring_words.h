/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_words.h - the words of the ring that is checked: their names in the print of
 * an interleaving, and those that weaknesses are about.
 */
#ifndef STRATA_TESTS_RING_WORDS_H
#define STRATA_TESTS_RING_WORDS_H

#include "checked_ring.h"

static inline void name_of(uintptr_t at, char *name, size_t bytes)
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
		NAMED("", struct strata_ring, open)
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
		NAMED(".", struct strata_ring_subbuf, base)
		NAMED(".", struct strata_ring_subbuf, full)
		NAMED(".", struct strata_ring_subbuf, ahead)
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
static inline bool is_write_count(const volatile void *at)
{
	return at == &fixture.ring->write_count;
}

static inline bool is_commit_count(const volatile void *at)
{
	return at == &fixture.ring->subbuf[0].commit_count ||
	       at == &fixture.ring->subbuf[1].commit_count;
}

static inline bool is_commit_seq(const volatile void *at)
{
	return at == &fixture.ring->subbuf[0].commit_seq ||
	       at == &fixture.ring->subbuf[1].commit_seq;
}

static inline bool is_shared_commit_seq(const volatile void *at)
{
	return at == &fixture.writer_area->commit_seq[0] ||
	       at == &fixture.writer_area->commit_seq[1];
}

static inline bool is_newest_ticks(const volatile void *at)
{
	return at == &fixture.ring->subbuf[0].newest_ticks ||
	       at == &fixture.ring->subbuf[1].newest_ticks;
}

static inline bool is_held(const volatile void *at)
{
	return at == &fixture.ring->subbuf[0].held || at == &fixture.ring->subbuf[1].held;
}

static inline bool is_base(const volatile void *at)
{
	return at == &fixture.ring->subbuf[0].base || at == &fixture.ring->subbuf[1].base;
}

static inline bool is_lost(const volatile void *at)
{
	return at == &fixture.ring->lost[STRATA_LOST_BIG];
}

static inline bool is_table(const volatile void *at)
{
	return at == &fixture.reader_area->table[0] || at == &fixture.reader_area->table[1];
}

static inline const volatile void *read_count_instead(const volatile void *at)
{
	(void)at;
	return &fixture.reader_area->read_count;
}

/* Every sub-buffer is taken for the one that write_count is in.  The word is one that nobody else
 * uses. */
static inline const volatile void *start_of_the_open(const volatile void *at)
{
	uint64_t *word = &fixture.writer_area->reserved1[0];

	(void)at;
	*word = strata_subbuf_start(two_small, fixture.ring->write_count);
	return word;
}

static inline const volatile void *commit_count_beside(const volatile void *at)
{
	return (const volatile unsigned char *)at -
	       offsetof(struct strata_ring_subbuf, commit_seq) +
	       offsetof(struct strata_ring_subbuf, commit_count);
}

#endif /* STRATA_TESTS_RING_WORDS_H */

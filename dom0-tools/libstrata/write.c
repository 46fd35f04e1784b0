// SPDX-License-Identifier: MIT
/*
 * write.c - records an event in the channels of a process: in reserve/commit rings, and in all
 * cases that tracepoint.h has no instructions for.
 *
 * An event of one channel finds its rings by a pointer of the tracepoint, as the channel wrote it
 * last.  With several channels, or when that ring takes no record, it goes by the tracepoint's
 * bits: the clock is read once, and each channel gets a record of that time.  Channels that count
 * the event come first (counts.c).
 */
#include "libstrata/libstrata.h"

#include <sched.h>
#include <string.h>

#include <strata/ring_writer.h>

#include "libstrata/counts.h"
#include "libstrata/wake.h"

/* The CPU that we are on.  Any thread may write to any ring, even after a migration: operations are
 * atomic.  @here: of any channel that reserves and commits */
static inline __attribute__((__always_inline__)) uint32_t
cpu_here(const struct strata_app_shared_rings *here)
{
#ifdef STRATA_HAS_RSEQ
	const ptrdiff_t rseq = here->rseq;

	if (strata_likely(rseq)) {
		/* The section of tracepoint.h may have been left before its end. */
		strata_rseq_clear(rseq);
		return strata_rseq_cpu(rseq);
	}
#else
	(void)here;
#endif
	return (uint32_t)sched_getcpu();
}

static inline __attribute__((__always_inline__)) const struct shared_ring *
ring_of(const struct rings *rings, uint32_t cpu)
{
	return &rings->ring[strata_likely(cpu < rings->seen.nr) ? cpu : 0];
}

/* Marks a slot that is to be written.  Returns its mark. */
static inline __attribute__((__always_inline__)) uint64_t *open_slot(const struct shared_ring *ring,
								     const struct strata_slot *slot)
{
	uint64_t *mark = &ring->marks[strata_app_mark_at(ring->mark_mask, slot->position)];

	strata_write_once(mark, (slot->position + slot->bytes) | STRATA_APP_MARK_OPEN);
	return mark;
}

/* Commits a slot that is written. */
static inline __attribute__((__always_inline__)) void
close_slot(struct strata_ring *books, const struct strata_slot *slot, uint64_t *mark)
{
	/* Release: after header and payload; a recorder that reads the mark after our death sees
	 * them. */
	strata_store_release(mark, slot->position + slot->bytes);
	strata_ring_commit(books, slot);
}

/* One attempt to reserve, in the form of the ring, at a time that was read before. */
static bool try_at(struct strata_ring *books, uint32_t id, uint32_t body_bytes,
		   const uint64_t *clock, struct strata_slot *slot)
{
	const uint8_t form = books->form;

	if (form == STRATA_HEADER_FULL)
		return strata_ring_try(books, STRATA_HEADER_FULL, id, body_bytes, clock, slot);
	if (form == STRATA_HEADER_COMPACT)
		return strata_ring_try(books, STRATA_HEADER_COMPACT, id, body_bytes, clock, slot);
	return strata_ring_try(books, STRATA_HEADER_LARGE, id, body_bytes, clock, slot);
}

/* Records in a reserve/commit ring, however long it is, and where a sub-buffer begins.
 * @clock: NULL, or what the clock was read as for all channels: if a sub-buffer begins here, or
 *         another thread has a later record, it is read again */
static __attribute__((__noinline__)) void commit_any(const struct shared_ring *ring, uint32_t id,
						     const uint64_t *body, uint32_t body_bytes,
						     const uint64_t *clock)
{
	struct strata_slot slot;
	uint64_t *mark;

	if (body_bytes > STRATA_SINGLE_BODY_MAX) {
		strata_ring_count_lost(ring->books, STRATA_LOST_BIG);
		return;
	}
	if (!(clock && try_at(ring->books, id, body_bytes, clock, &slot)) &&
	    !strata_ring_reserve(ring->books, id, body_bytes, &slot))
		return;
	mark = open_slot(ring, &slot);
	memcpy(slot.payload, body, body_bytes);
	close_slot(ring->books, &slot, mark);
}

/* A short body in registers; the context is its first word. */
struct short_body {
	uint32_t bytes;
	uint64_t word0, word1, word2, word3;
};

/* Half a word may be behind the whole ones.  Most bodies have one word behind the context. */
static inline __attribute__((__always_inline__)) void store_body(unsigned char *to,
								 struct short_body body)
{
	memcpy(to, &body.word0, 8);
	if (strata_likely(body.bytes == 16)) {
		memcpy(to + 8, &body.word1, 8);
		return;
	}
	if (body.bytes < 16) {
		if (body.bytes > 8)
			memcpy(to + 8, &body.word1, 4);
		return;
	}
	memcpy(to + 8, &body.word1, 8);
	if (body.bytes < 24) {
		if (body.bytes > 16)
			memcpy(to + 16, &body.word2, 4);
		return;
	}
	memcpy(to + 16, &body.word2, 8);
	if (body.bytes < 32) {
		if (body.bytes > 24)
			memcpy(to + 24, &body.word3, 4);
		return;
	}
	memcpy(to + 24, &body.word3, 8);
}

/* Records in a reserve/commit ring, within a sub-buffer.  @clock: as of strata_ring_try().  False:
 * nothing is recorded, nor lost. */
static inline __attribute__((__always_inline__)) bool
commit_short(const struct shared_ring *ring, enum strata_header_form form, uint32_t id,
	     struct short_body body, const uint64_t *clock)
{
	struct strata_ring *books = ring->books;
	struct strata_slot slot;
	uint64_t *mark;

	if (!strata_ring_try(books, form, id, body.bytes, clock, &slot))
		return false;
	mark = open_slot(ring, &slot);
	store_body(slot.payload, body);
	close_slot(books, &slot, mark);
	return true;
}

/* The same, in the form of the ring. */
static inline __attribute__((__always_inline__)) bool commit_formed(const struct shared_ring *ring,
								    uint32_t id,
								    struct short_body body,
								    const uint64_t *clock)
{
	const uint8_t form = ring->books->form;

	if (strata_likely(form == STRATA_HEADER_FULL))
		return commit_short(ring, STRATA_HEADER_FULL, id, body, clock);
	if (form == STRATA_HEADER_COMPACT)
		return commit_short(ring, STRATA_HEADER_COMPACT, id, body, clock);
	return commit_short(ring, STRATA_HEADER_LARGE, id, body, clock);
}

/* Records an event in one channel, unless it counts, out of the path of nearly every event.
 * @clock: NULL, or what the clock was read as for all channels
 * @body:  context and payload; room for STRATA_SINGLE_SHORT_BODY bytes */
static void write_one(uint32_t channel, uint32_t id, const uint64_t *body, uint32_t body_bytes,
		      const uint64_t *clock)
{
	const struct strata_app_shared_rings *here = &rings_shared_of[channel];
	const struct rings *rings = strata_load_acquire(&here->rings);

	/* This channel has tables: rings that are still here belong to an earlier recorder. */
	if (counts_has(channel)) {
		rings_leave_section();
		return;
	}
	if (rings) {
		commit_any(ring_of(rings, cpu_here(here)), id, body, body_bytes, clock);
		return;
	}
#ifdef STRATA_HAS_RSEQ
	if (strata_load_acquire(&rings_single_of[channel]->nr)) {
		const uint64_t sleep = strata_single_write_slow(rings_single_of[channel], id, body,
								body_bytes, clock);

		if (strata_unlikely(sleep))
			wake_ask(channel, sleep);
		return;
	}
#endif
	rings_leave_section();
}

/* Records or counts an event in each of its channels. */
static __attribute__((__noinline__, __cold__)) void
write_each(const struct strata_tracepoint *tracepoint, const uint64_t *body, uint32_t body_bytes)
{
	uint32_t channels = strata_read_once(&tracepoint->enabled);
	const bool several = channels & (channels - 1);
	const uint64_t ticks = strata_clock();

	if (!channels)
		rings_leave_section();
	counts_event(channels, tracepoint->id);
	for (; channels; channels &= channels - 1)
		write_one((uint32_t)__builtin_ctz(channels), tracepoint->id, body, body_bytes,
			  several ? &ticks : NULL);
}

static __attribute__((__noinline__, __cold__)) void
write_short_slowly(const struct strata_tracepoint *tracepoint, uint32_t body_bytes, uint64_t word1,
		   uint64_t word2, uint64_t word3)
{
	const uint64_t body[STRATA_SINGLE_SHORT_BODY / 8] = { registry_context(), word1, word2,
							      word3 };

	write_each(tracepoint, body, body_bytes);
}

/* Records a short body in the channels of an event from @channel on, which takes more than the
 * usual path.  @bytes: of the record with a full header */
static __attribute__((__noinline__)) void write_rest(const struct strata_tracepoint *tracepoint,
						     uint32_t channel, uint64_t bytes,
						     uint64_t word0, uint64_t word1, uint64_t word2,
						     uint64_t word3, uint64_t ticks)
{
	const uint64_t words[] = { word0, word1, word2, word3 };
	uint32_t channels = strata_read_once(&tracepoint->enabled) >> channel << channel;

	for (; channels; channels &= channels - 1)
		write_one((uint32_t)__builtin_ctz(channels), tracepoint->id, words,
			  (uint32_t)(bytes - STRATA_RECORD_HEADER_BYTES), &ticks);
}

/* The same, of at most one word behind the context. */
static __attribute__((__noinline__)) void
write_rest_of_2(const struct strata_tracepoint *tracepoint, uint32_t channel, uint64_t bytes,
		uint64_t word0, uint64_t word1, uint64_t ticks)
{
	write_rest(tracepoint, channel, bytes, word0, word1, 0, 0, ticks);
}

/*
 * The functions below record an event in each of several channels.  Their parameters are those of
 * strata_app_write_short(), so that the values stay where they are, in registers.  For the same
 * reason they call others at their end only, and there are some for the shortest bodies.
 * @set: of the channels; only threads that have just been directed to others find one of before
 */

/* Not inlined, and with all parameters, also those that are not used. */
#ifdef __clang__
#define AS_IT_IS __attribute__((__noinline__))
#else
#define AS_IT_IS __attribute__((__noipa__))
#endif

#ifdef STRATA_HAS_RSEQ
/* The clock as a section reads it, without a fence (ring_single.h). */
static inline uint64_t read_clock(void)
{
	return __builtin_ia32_rdtsc();
}

static AS_IT_IS void store_2_in_each(const struct strata_tracepoint *tracepoint,
				     uint32_t body_bytes, uint64_t word1, uint64_t word2,
				     uint64_t word3, const struct strata_app_shared_rings *set)
{
	const struct strata_single_rings *const *stores = set->stores;
	const struct strata_single_rings *single = *stores;
	const uint64_t context = registry_context_word;
	const uint64_t words[] = { context, word1 };
	const uint64_t bytes = STRATA_RECORD_HEADER_BYTES + (uint64_t)body_bytes;
	const uint32_t id = tracepoint->id;
	uint64_t ticks;

	if (strata_unlikely(!context)) {
		write_short_slowly(tracepoint, body_bytes, word1, word2, word3);
		return;
	}
	ticks = read_clock();
	do {
		if (strata_unlikely(strata_single_section_2_at(single, id, words, bytes, ticks) !=
				    STRATA_SINGLE_WRITTEN)) {
			write_rest_of_2(tracepoint, single->number, bytes, context, word1, ticks);
			return;
		}
		single = *++stores;
	} while (single);
}

static AS_IT_IS void store_4_in_each(const struct strata_tracepoint *tracepoint,
				     uint32_t body_bytes, uint64_t word1, uint64_t word2,
				     uint64_t word3, const struct strata_app_shared_rings *set)
{
	const struct strata_single_rings *const *stores = set->stores;
	const struct strata_single_rings *single = *stores;
	const uint64_t context = registry_context_word;
	const uint64_t words[] = { context, word1, word2, word3 };
	const uint64_t bytes = STRATA_RECORD_HEADER_BYTES + (uint64_t)body_bytes;
	const uint32_t id = tracepoint->id;
	uint64_t ticks;

	if (strata_unlikely(!context)) {
		write_short_slowly(tracepoint, body_bytes, word1, word2, word3);
		return;
	}
	ticks = read_clock();
	do {
		if (strata_unlikely(strata_single_section_4_at(single, id, words, bytes, ticks) !=
				    STRATA_SINGLE_WRITTEN)) {
			write_rest(tracepoint, single->number, bytes, context, word1, word2, word3,
				   ticks);
			return;
		}
		single = *++stores;
	} while (single);
}

#endif

/* By reserve and commit.  Which CPU we are on is asked once.  Returns where it has to go on: the
 * first channel that has no record yet.  NULL: all have it. */
static inline __attribute__((__always_inline__)) const struct strata_app_shared_rings *
commit_in_each(const struct strata_app_shared_rings *set, uint32_t id, struct short_body body,
	       uint64_t *ticks)
{
	const struct strata_app_shared_rings *const *commits = set->commits;
	const struct strata_app_shared_rings *one = *commits;
	const uint32_t cpu = cpu_here(set);

	*ticks = strata_clock();
	do {
		const struct rings *rings = strata_load_acquire(&one->rings);

		if (strata_unlikely(!rings || !commit_formed(ring_of(rings, cpu), id, body, ticks)))
			return one;
		one = *++commits;
	} while (one);
	return NULL;
}

static uint32_t channel_of(const struct strata_app_shared_rings *one)
{
	return (uint32_t)(one - rings_shared_of);
}

/* A body of 16 bytes. */
static AS_IT_IS void commit_16_in_each(const struct strata_tracepoint *tracepoint,
				       uint32_t body_bytes, uint64_t word1, uint64_t word2,
				       uint64_t word3, const struct strata_app_shared_rings *set)
{
	const struct short_body body = { 16, registry_context_word, word1, 0, 0 };
	const struct strata_app_shared_rings *left;
	uint64_t ticks;

	if (strata_unlikely(!body.word0)) {
		write_short_slowly(tracepoint, body_bytes, word1, word2, word3);
		return;
	}
	left = commit_in_each(set, tracepoint->id, body, &ticks);
	if (strata_unlikely(left))
		write_rest_of_2(tracepoint, channel_of(left), STRATA_RECORD_HEADER_BYTES + 16,
				body.word0, word1, ticks);
}

static AS_IT_IS void commit_any_in_each(const struct strata_tracepoint *tracepoint,
					uint32_t body_bytes, uint64_t word1, uint64_t word2,
					uint64_t word3, const struct strata_app_shared_rings *set)
{
	const struct short_body body = { body_bytes, registry_context_word, word1, word2, word3 };
	const struct strata_app_shared_rings *left;
	uint64_t ticks;

	if (strata_unlikely(!body.word0)) {
		write_short_slowly(tracepoint, body_bytes, word1, word2, word3);
		return;
	}
	left = commit_in_each(set, tracepoint->id, body, &ticks);
	if (strata_unlikely(left))
		write_rest(tracepoint, channel_of(left),
			   STRATA_RECORD_HEADER_BYTES + (uint64_t)body_bytes, body.word0, word1,
			   word2, word3, ticks);
}

/* Records an event of one channel by reserve and commit.  If the tracepoint's channels have just
 * changed, only the CPU is taken from the new one. */
static AS_IT_IS void commit_in_one(const struct strata_tracepoint *tracepoint, uint32_t body_bytes,
				   uint64_t word1, uint64_t word2, uint64_t word3,
				   const struct rings *rings)
{
	const struct short_body body = { body_bytes, registry_context_word, word1, word2, word3 };
	const uint32_t cpu = cpu_here(tracepoint->shared);

	if (strata_likely(body.word0) &&
	    strata_likely(commit_formed(ring_of(rings, cpu), tracepoint->id, body, NULL)))
		return;
	write_short_slowly(tracepoint, body_bytes, word1, word2, word3);
}

/* Counts an event, and records it in the channels that record. */
static AS_IT_IS void count_and_write(const struct strata_tracepoint *tracepoint,
				     uint32_t body_bytes, uint64_t word1, uint64_t word2,
				     uint64_t word3, const struct strata_app_shared_rings *here)
{
	const struct strata_app_shared_rings *set = strata_load_acquire(&here->recording);
	const struct count_tables *counts = strata_load_acquire(&here->counts);

	if (strata_likely(counts))
		counts_event_alone(counts, tracepoint->id);
	else
		counts_event(strata_read_once(&here->counting), tracepoint->id);
	/* A recorder has just ended. */
	if (strata_unlikely(!set))
		return;
	/* Without it, the event would begin again, and be counted again. */
	registry_context();
#ifdef STRATA_HAS_RSEQ
	if (strata_likely(set->stores[0])) {
		if (body_bytes <= 16)
			store_2_in_each(tracepoint, body_bytes, word1, word2, word3, set);
		else
			store_4_in_each(tracepoint, body_bytes, word1, word2, word3, set);
		return;
	}
#endif
	commit_any_in_each(tracepoint, body_bytes, word1, word2, word3, set);
}

void strata_app_write_short(const struct strata_tracepoint *tracepoint, uint32_t body_bytes,
			    uint64_t word1, uint64_t word2, uint64_t word3)
{
	const struct strata_app_shared_rings *here = strata_load_acquire(&tracepoint->shared);
	const struct rings *rings = strata_load_acquire(&here->rings);
#ifdef STRATA_HAS_RSEQ
	const struct count_tables *counts;
#endif

	if (strata_likely(rings)) {
		commit_in_one(tracepoint, body_bytes, word1, word2, word3, rings);
		return;
	}
#ifdef STRATA_HAS_RSEQ
	if (strata_likely(here->stores[0])) {
		if (strata_likely(body_bytes <= 16))
			store_2_in_each(tracepoint, body_bytes, word1, word2, word3, here);
		else
			store_4_in_each(tracepoint, body_bytes, word1, word2, word3, here);
		return;
	}
	counts = strata_load_acquire(&here->counts_only);
	if (strata_likely(counts)) {
		counts_event_alone(counts, tracepoint->id);
		return;
	}
#endif
	if (strata_likely(here->commits[0])) {
		if (strata_likely(body_bytes == 16))
			commit_16_in_each(tracepoint, body_bytes, word1, word2, word3, here);
		else
			commit_any_in_each(tracepoint, body_bytes, word1, word2, word3, here);
		return;
	}
	if (strata_likely(here->counting)) {
		if (strata_likely(!here->recording))
			counts_event(strata_read_once(&here->counting), tracepoint->id);
		else
			count_and_write(tracepoint, body_bytes, word1, word2, word3, here);
		return;
	}
	/* One channel, whose ring is full or absent. */
	write_short_slowly(tracepoint, body_bytes, word1, word2, word3);
}

void strata_app_write_long(const struct strata_tracepoint *tracepoint, uint64_t *body,
			   uint32_t body_bytes)
{
	const struct strata_app_shared_rings *here = strata_load_acquire(&tracepoint->shared);

	if (here->counting && !here->recording) {
		counts_event(strata_read_once(&here->counting), tracepoint->id);
		return;
	}
	body[0] = registry_context();
	write_each(tracepoint, body, body_bytes);
}

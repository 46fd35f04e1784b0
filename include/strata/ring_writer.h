/* SPDX-License-Identifier: MIT */
/*
 * ring_writer.h - the writer's half of a ring: reserve, commit, sub-buffer
 * switch and forced switch (Desnoyers & Dagenais 2012, Algorithms 1-4).
 *
 * In discard mode a full ring loses the newest records, and counts them; in
 * overwrite mode it loses the oldest sub-buffer, and a gap in the packets'
 * sequence shows that. The writer's path is the same; in overwrite mode it ignores the
 * reader's position.
 *
 * A ring belongs to one CPU.  Synchronisation, by the parties that meet:
 *
 *   writer / nested writer (interrupt, NMI), one CPU
 *       lock-free: a slot is won by one local compare-and-swap on write_count;
 *       a writer that fails was interrupted by one that succeeded
 *   writer / flush, one CPU
 *       the same compare-and-swap; a flush must run on the ring's own CPU
 *   writer / reader, two CPUs or two domains
 *       commit_seq is released by the writer and acquired by the reader;
 *       read_count is released by the reader and acquired by the writer (discard);
 *       the sub-buffer table decides which of them owns a page (ring_table.h)
 *   writer / reader that may come after the writer's death
 *       commit_seq also says, while a sub-buffer is being written, how much of
 *       it is committed without a gap; released at each commit that closes the
 *       last gap
 *   reader / reader
 *       outside the ring: one reader owns it
 *   create, destroy / anything
 *       outside the ring: the home's grace period
 *
 * Each sub-buffer field is written by one party at a time: begin_ticks by the
 * writer that opened the sub-buffer; end_ticks, content_bytes and lost by the
 * writer that closed it.  The two may be different writers, nested in one
 * another, so neither may touch the other's.  Each writes before it commits its
 * own bytes, and only the commit that completes the count reads them.
 *
 * newest_ticks is raised by each writer before it wins its slot, and is never
 * lowered while its packet is open: a clock that steps back opens the next
 * packet, which has a newest_ticks of its own.  Lowering one word for all packets
 * would go wrong where the clock shows the same value twice.
 *
 * last_ticks is for headers that have the low bits of the ticks only (packet.h).
 * They may be used if less than 2^n ticks have passed since the preceding record in the
 * packet. newest_ticks does not say when that was: an abandoned attempt may have raised
 * it above every record's ticks, and then more ticks may have passed than it suggests.
 * last_ticks is at most the preceding record's ticks:
 *
 *   - each writer stores its own ticks there once it has won its slot, so it holds those
 *     of a record of this packet, or 0 if none was stored yet: deliver resets it before
 *     the next turn can begin, and every writer of this turn stored before it committed
 *   - an attempt loads write_count first.  If that is still the same when the
 *     slot is won, the ticks that the attempt found belong to a slot below it; and in
 *     a packet time does not go back from slot to slot
 *   - a writer that others nested in, or overtook, between its slot and its store
 *     lowers the word. It still holds a record's ticks; the pause before the next record
 *     only seems longer than it is, which costs a few bytes at most
 *
 * Among threads the store is a release and the load an acquire, so that a thread that
 * finds the ticks of a slot also finds write_count after it; and write_count is
 * acquired, so that these ticks are not from the previous turn.
 *
 * The path of every event takes its sub-buffer from `open`, which is a guess that nothing
 * keeps in step with write_count: a writer that was interrupted while it opened a sub-buffer
 * may store it late.  `held` proves or refutes it.  Each sub-buffer holds turns that start
 * where no other sub-buffer's do, so write_count lies less than a sub-buffer past `held` if
 * and only if it is in that sub-buffer, in that turn; and then what the turn's first writer
 * noted beside it is valid for as long as a slot in the turn is not committed.  Whoever finds
 * the guess wrong takes the slow path, which guesses again.
 *
 * Nothing here locks, allocates, faults, sleeps or wakes a task, and no loop waits for
 * another CPU or domain: reader memory may hold anything.
 */
#ifndef STRATA_RING_WRITER_H
#define STRATA_RING_WRITER_H

#include <strata/ring_books.h>

/* For code that runs once per sub-buffer, kept out of the path of every event. */
#define STRATA_SLOW_PATH static __attribute__((__unused__, __noinline__, __cold__))

/* A reserved slot, for commit(). */
struct strata_slot {
	unsigned char *payload; /* the caller writes @payload_bytes of it */
	struct strata_ring_subbuf *subbuf;
	strata_count_t position;
	uint32_t bytes;
};

/*
 * Publishes @commit: everything reserved in the sub-buffer below it is committed.
 * The shared word comes first: once our own is stored, the next turn may begin and
 * overwrite bytes that an older shared word still announces as this turn's.  A nested
 * writer publishes its own, newer value: neither word may stay behind it, or a
 * sub-buffer that it completed would never be read.
 */
static inline void strata_ring_publish(struct strata_ring_subbuf *subbuf, strata_count_t commit)
{
	strata_count_t published;

	do {
		published = commit;
		/* Release all bytes below @commit.  The shared word pairs with the acquire in
		 * strata_reader_commit_seq() and strata_table_take(); our own, behind it, with
		 * that in strata_ring_plan() and, in the hypervisor, in strata_ring_get(). */
		strata_store_release(subbuf->shared_seq, commit);
		strata_store_release(&subbuf->commit_seq, commit);
		strata_barrier();
		/* Nested writers are done when we run again, so what they added has no gap. */
		if (!STRATA_WRITERS_SHARE_CPU ||
		    strata_likely(strata_equals(&subbuf->commit_count, published)))
			return;
		commit = strata_read_once(&subbuf->commit_count);
	} while (true);
}

/* Which sub-buffer a position lies in. */
static inline struct strata_ring_subbuf *strata_ring_subbuf_at(struct strata_ring *ring,
							       strata_count_t position)
{
	return &ring->subbuf[strata_subbuf_index(ring->geo, position)];
}

/*
 * Holds the page of a sub-buffer, which stays there until the sub-buffer is complete.
 * The first writer of a turn reads it from the table; a writer nested in that one
 * reads it again and gets the same answer.
 */
STRATA_SLOW_PATH void strata_ring_hold(struct strata_ring *ring, strata_count_t start)
{
	unsigned int index = strata_subbuf_index(ring->geo, start);
	struct strata_ring_subbuf *subbuf = &ring->subbuf[index];
	unsigned int page = strata_table_hold(ring->geo, ring->reader->table, index);
	/* The caller's slot is not committed: the count is below the end of the turn. */
	strata_count_t commit = strata_read_once(&subbuf->commit_count) & ~(ring->subbuf_bytes - 1);

	strata_write_once(&ring->shared->page[index], (uint16_t)page);
	strata_ring_note_turn(ring, subbuf, start, commit, page);
}

/* Returns the memory of a position that the caller has won. */
static inline unsigned char *strata_ring_memory(struct strata_ring *ring, strata_count_t position)
{
	struct strata_ring_subbuf *subbuf = strata_ring_subbuf_at(ring, position);
	strata_count_t start = strata_subbuf_start(ring->geo, position);

	/* Acquire: pairs with the release in strata_ring_note_turn(). */
	if (strata_load_acquire(&subbuf->held) != start)
		strata_ring_hold(ring, start);
	return strata_read_once(&subbuf->base) + (position - start);
}

/*
 * Delivers a complete sub-buffer to the reader (Algorithm 2, the last committer).
 * Its count reached the end of the turn by one add of this CPU, so exactly one
 * writer comes here for each turn.
 */
STRATA_SLOW_PATH void strata_ring_deliver(struct strata_ring *ring,
					  struct strata_ring_subbuf *subbuf)
{
	/* This turn's, until what is published below lets the next one begin. */
	strata_count_t start = subbuf->held, commit = subbuf->full;
	struct strata_packet packet;
	unsigned int i;

	packet.begin_ticks = subbuf->begin_ticks;
	packet.end_ticks = subbuf->end_ticks;
	packet.content_bytes = subbuf->content_bytes;
	packet.packet_bytes = (uint32_t)ring->subbuf_bytes;
	packet.sequence = start >> ring->geo.subbuf_bits;
	for (i = 0; i < STRATA_NR_LOST; i++)
		packet.lost[i] = subbuf->lost[i];
	packet.cpu = ring->cpu;
	packet.form = (enum strata_header_form)ring->form;
	packet.layer_word = ring->contexts;
	strata_packet_header_build((struct strata_packet_header *)subbuf->base, &packet);
	/* For the next turn, which cannot begin before commit_seq says that this one is whole. */
	strata_write_once(&subbuf->newest_ticks, 0);
	strata_write_once(&subbuf->last_ticks, 0);
	/* Before commit_seq: a reader that sees the turn complete and finds another turn in the
	 * table knows that it was overwritten. */
	strata_table_release(ring->geo, ring->reader->table, start, subbuf->page);
	strata_ring_publish(subbuf, commit);
	/* Threads may set it at once. */
	strata_write_once(&ring->delivered, true);
}

/*
 * Adds @bytes committed in the sub-buffer.  True: they were its last, and strata_ring_deliver()
 * must follow.
 *
 * `full` and `ahead` may be those of another turn, and then neither test holds:
 *
 *   - of an earlier one, while no writer of this turn holds the page yet: its `full` is not above
 *     the commit count at which this turn starts, and with its `ahead` write_count would be below
 *     this turn
 *   - of a later one, if nested writers, or threads, completed this turn since the add: its `full`
 *     is above all commit counts of this turn, and with its `ahead`, which is read first,
 *     write_count would be below that turn
 */
static inline __attribute__((__always_inline__)) bool
strata_ring_completes(struct strata_ring *ring, struct strata_ring_subbuf *subbuf,
		      strata_count_t bytes)
{
	/* The bytes before the count: compiler barrier, for nested writers of this CPU. */
	strata_count_t commit = strata_local_add_return(&subbuf->commit_count, bytes);
	strata_count_t ahead;

	if (strata_unlikely(strata_equals(&subbuf->full, commit)))
		return true;
	if (STRATA_WRITERS_SHARE_CPU) {
		ahead = strata_read_once(&subbuf->ahead);
		/* Nothing that was reserved lacks its commit: what is counted has no gap. */
		if (strata_likely(strata_equals(&ring->write_count, commit + ahead)))
			strata_ring_publish(subbuf, commit);
	}
	return false;
}

/* Adds @bytes committed in the sub-buffer; delivers it when they were the last. */
static inline void strata_ring_commit_bytes(struct strata_ring *ring,
					    struct strata_ring_subbuf *subbuf, strata_count_t bytes)
{
	if (strata_unlikely(strata_ring_completes(ring, subbuf, bytes)))
		strata_ring_deliver(ring, subbuf);
}

/*
 * One attempt to reserve or to flush: the sampled state, and what remains to be done
 * once the compare-and-swap on write_count succeeds.
 */
struct strata_ring_attempt {
	strata_count_t old;    /* write_count when the attempt began */
	strata_count_t begin;  /* of the record */
	strata_count_t end;    /* the new write_count */
	uint64_t newest_ticks; /* of the sub-buffer at @old */
	uint64_t opened_ticks; /* newest_ticks of the sub-buffer to be opened, if any */
	uint64_t last_ticks;   /* of the sub-buffer at @old */
	uint64_t ticks;
	uint32_t header_bytes; /* of the record */
	strata_count_t lost[STRATA_NR_LOST];
	bool close_old; /* ENDSWITCHCURRENT: pad the sub-buffer that we leave */
	bool open_new;  /* SWITCHNEWSUBBUF: a packet header comes before the record */
	bool close_new; /* the record ends exactly where its sub-buffer does */
};

/*
 * Samples the state that an attempt depends on.  write_count first: if it is
 * still the same at the compare-and-swap, no writer of this CPU got in between,
 * so neither clock nor losses can go backwards from packet to packet.
 */
static inline void strata_ring_sample(struct strata_ring *ring, struct strata_ring_attempt *attempt)
{
	struct strata_ring_subbuf *subbuf;
	unsigned int i;

	/* Acquire: for last_ticks, see above. */
	attempt->old = strata_load_acquire(&ring->write_count);
	subbuf = strata_ring_subbuf_at(ring, attempt->old);
	attempt->last_ticks = strata_load_acquire(&subbuf->last_ticks);
	attempt->newest_ticks = strata_read_once(&subbuf->newest_ticks);
	for (i = 0; i < STRATA_NR_LOST; i++)
		attempt->lost[i] = strata_read_once(&ring->lost[i]);
	strata_barrier();
	attempt->ticks = strata_clock();
	attempt->close_old = false;
	attempt->open_new = false;
	attempt->close_new = false;
}

/* Whether the clock stepped back behind a record of the open packet. */
static inline bool strata_ring_stepped_back(const struct strata_ring_attempt *attempt)
{
	return strata_unlikely((int64_t)(attempt->ticks - attempt->newest_ticks) < 0);
}

/*
 * Raises newest_ticks of the record's sub-buffer before the slot is won, so that
 * every nested writer finds it at or above every timestamp of the packet.
 * Returns false if a nested writer got in between; sample again.
 */
static inline bool strata_ring_raise_ticks(struct strata_ring *ring,
					   const struct strata_ring_attempt *attempt)
{
	uint64_t *newest = &strata_ring_subbuf_at(ring, attempt->begin)->newest_ticks;
	uint64_t sampled = attempt->open_new ? attempt->opened_ticks : attempt->newest_ticks;

	/* Only an opener that a nested writer overtook leaves too high a mark.  The mark stays, and
	 * costs at most one switch: lowered, it could miss a record of the nested writer. */
	if (strata_unlikely(sampled != 0 && (int64_t)(attempt->ticks - sampled) < 0))
		return true;
	return strata_local_cmpxchg64(newest, sampled, attempt->ticks) == sampled;
}

/* Moves write_count to the end of the attempt.  False: a nested writer got in between. */
static inline bool strata_ring_advance(struct strata_ring *ring,
				       const struct strata_ring_attempt *attempt)
{
	return strata_local_cmpxchg(&ring->write_count, attempt->old, attempt->end) == attempt->old;
}

/* Stores the ticks of a won slot for the next record's header: see above. */
static inline void strata_ring_note_ticks(struct strata_ring_subbuf *subbuf,
					  enum strata_header_form form, uint64_t ticks)
{
	/* Release: after the slot was won; pairs with the acquires of last_ticks. */
	if (form != STRATA_HEADER_FULL)
		strata_store_release(&subbuf->last_ticks, ticks);
}

/* Stores the contents of the packet header of the sub-buffer; called by the writer that closes it.
 */
static inline void strata_ring_close(struct strata_ring_subbuf *subbuf,
				     const struct strata_ring_attempt *attempt,
				     uint32_t content_bytes)
{
	unsigned int i;

	subbuf->end_ticks = attempt->ticks;
	subbuf->content_bytes = content_bytes;
	for (i = 0; i < STRATA_NR_LOST; i++)
		subbuf->lost[i] = attempt->lost[i];
}

/* SWITCHOLDSUBBUF: closes the old sub-buffer and commits its padding. */
static inline void strata_ring_switch_old(struct strata_ring *ring,
					  struct strata_ring_attempt *attempt)
{
	struct strata_ring_subbuf *subbuf = strata_ring_subbuf_at(ring, attempt->old);
	strata_count_t offset = strata_subbuf_offset(ring->geo, attempt->old);
	uint64_t ticks = attempt->ticks;

	/* Stepped back: the packet ends with its newest record, not before it. */
	if (strata_ring_stepped_back(attempt))
		attempt->ticks = attempt->newest_ticks;
	strata_ring_close(subbuf, attempt, (uint32_t)offset);
	attempt->ticks = ticks;
	strata_ring_commit_bytes(ring, subbuf, ring->subbuf_bytes - offset);
}

/* SWITCHNEWSUBBUF: opens the new sub-buffer and commits its header. */
static inline void strata_ring_switch_new(struct strata_ring *ring,
					  const struct strata_ring_attempt *attempt)
{
	struct strata_ring_subbuf *subbuf = strata_ring_subbuf_at(ring, attempt->begin);

	/* Hold the page before the header is committed: the writer that completes the sub-buffer
	 * must know its page. */
	strata_ring_memory(ring, strata_subbuf_start(ring->geo, attempt->begin));
	subbuf->begin_ticks = attempt->ticks;
	strata_ring_commit_bytes(ring, subbuf, STRATA_PACKET_HEADER_BYTES);
}

/* Fills in the slot that was won at @position, and writes the record's header into @record, its
 * memory. */
static inline void strata_ring_fill_slot(struct strata_slot *slot,
					 struct strata_ring_subbuf *subbuf, strata_count_t position,
					 unsigned char *record, uint32_t header_bytes,
					 uint32_t padded_bytes, uint32_t id, uint64_t ticks)
{
	strata_header_write(record, header_bytes, id, ticks);
	slot->payload = record + header_bytes;
	slot->subbuf = subbuf;
	slot->position = position;
	slot->bytes = header_bytes + padded_bytes;
}

/* Whether a sub-buffer may still be opened; the caller has just sampled write_count. */
static inline bool strata_ring_may_open(const struct strata_ring *ring)
{
	/* After the load of write_count; pairs with the compare-and-swap in strata_ring_end(). */
	strata_read_barrier();
	return strata_likely(!strata_read_once(&ring->ended));
}

/*
 * Plans the record of an attempt that was just sampled: @padded_bytes after a header.
 * The header's form is decided here, before the slot is won.  Returns false when the
 * record is lost, with the kind in @kind; STRATA_NR_LOST: it came after the ring's end
 * and is not counted.  A loss counts only if write_count is still the sampled one.
 */
static inline bool strata_ring_plan(struct strata_ring *ring, struct strata_ring_attempt *attempt,
				    uint32_t id, uint32_t padded_bytes, enum strata_lost *kind)
{
	enum strata_header_form form = (enum strata_header_form)ring->form;
	strata_count_t offset = strata_subbuf_offset(ring->geo, attempt->old);
	strata_count_t start, commit;

	attempt->begin = attempt->old;
	attempt->header_bytes = strata_header_bytes(form, id, attempt->ticks - attempt->last_ticks);
	if (offset == 0) {
		attempt->open_new = true;
	} else if (offset + attempt->header_bytes + padded_bytes > ring->subbuf_bytes ||
		   strata_ring_stepped_back(attempt)) {
		attempt->close_old = true;
		attempt->open_new = true;
	}
	if (attempt->open_new) {
		if (!strata_ring_may_open(ring)) {
			*kind = STRATA_NR_LOST;
			return false;
		}
		start = strata_subbuf_align_up(ring->geo, attempt->old);
		/* Check what was delivered, not what was committed: we may have interrupted the
		 * last committer of the previous turn, about to deliver it. */
		commit = strata_load_acquire(&strata_ring_subbuf_at(ring, start)->commit_seq);
		if (strata_unlikely(!strata_fully_committed(ring->geo, start, commit))) {
			*kind = STRATA_LOST_NESTED;
			return false;
		}
		/* Acquire: the reader's loads from that sub-buffer come before our stores to it.
		 * Pairs with the store-release in strata_reader_put(), or in the hypervisor
		 * in strata_ring_put(). */
		if (!ring->overwrite &&
		    strata_unlikely(strata_buffer_full(
			    ring->geo, start, strata_load_acquire(&ring->reader->read_count)))) {
			*kind = STRATA_LOST_FULL;
			return false;
		}
		attempt->opened_ticks =
			strata_read_once(&strata_ring_subbuf_at(ring, start)->newest_ticks);
		attempt->begin = start + STRATA_PACKET_HEADER_BYTES;
		attempt->header_bytes = strata_whole_header_bytes(form);
	}
	attempt->end = attempt->begin + attempt->header_bytes + padded_bytes;
	attempt->close_new = strata_subbuf_offset(ring->geo, attempt->end) == 0;
	return true;
}

/* Reserves where a sub-buffer begins or ends, or a nested writer got in between. */
STRATA_SLOW_PATH bool strata_ring_reserve_slow(struct strata_ring *ring, uint32_t id,
					       uint32_t padded_bytes, struct strata_slot *slot)
{
	struct strata_ring_attempt attempt;
	struct strata_ring_subbuf *subbuf;
	enum strata_lost kind = STRATA_LOST_BIG;

	if (strata_unlikely(padded_bytes > ring->subbuf_bytes - STRATA_PACKET_HEADER_BYTES -
						   STRATA_EXTENDED_HEADER_BYTES)) {
		strata_ring_count_lost(ring, STRATA_LOST_BIG);
		return false;
	}
	/* The loop turns again only if a nested writer finished; never because of a reader. */
	do {
		strata_ring_sample(ring, &attempt);
		if (strata_unlikely(!strata_ring_plan(ring, &attempt, id, padded_bytes, &kind))) {
			if (strata_read_once(&ring->write_count) != attempt.old)
				continue;
			if (kind != STRATA_NR_LOST)
				strata_ring_count_lost(ring, kind);
			return false;
		}
		if (strata_likely(strata_ring_raise_ticks(ring, &attempt) &&
				  strata_ring_advance(ring, &attempt)))
			break;
	} while (true);

	subbuf = strata_ring_subbuf_at(ring, attempt.begin);
	strata_ring_note_ticks(subbuf, (enum strata_header_form)ring->form, attempt.ticks);
	if (attempt.close_old)
		strata_ring_switch_old(ring, &attempt);
	if (attempt.open_new)
		strata_ring_switch_new(ring, &attempt);
	if (attempt.close_new)
		strata_ring_close(subbuf, &attempt, (uint32_t)ring->subbuf_bytes);
	strata_ring_fill_slot(slot, subbuf, attempt.begin, strata_ring_memory(ring, attempt.begin),
			      attempt.header_bytes, padded_bytes, id, attempt.ticks);
	/* A guess: see above. */
	strata_write_once(&ring->open, subbuf);
	return true;
}

/*
 * Reserves elsewhere: one attempt (Algorithm 1).  Returns false, with no slot won and no loss
 * counted, where another attempt is needed: the slow path, or strata_ring_reserve().  It passes
 * @slot to no function out of line, so the compiler can keep it in registers.
 * @clock: NULL, or what the clock has just been read as, before write_count.  A writer that nested
 *         in the caller since then raised newest_ticks above it, or moved write_count.
 */
static inline __attribute__((__always_inline__)) bool
strata_ring_try(struct strata_ring *ring, enum strata_header_form form, uint32_t id,
		uint32_t padded_bytes, const uint64_t *clock, struct strata_slot *slot)
{
	uint32_t header_bytes = STRATA_RECORD_HEADER_BYTES;
	struct strata_ring_subbuf *subbuf;
	strata_count_t held, old;
	uint64_t newest, ticks;

	/* The same order as strata_ring_sample(): position, newest ticks, clock. */
	old = strata_load_acquire(&ring->write_count);
	subbuf = strata_read_once(&ring->open);
	/* Acquire: pairs with the release in strata_ring_note_turn(). */
	held = strata_load_acquire(&subbuf->held);
	newest = strata_read_once(&subbuf->newest_ticks);
	strata_barrier();
	ticks = clock ? *clock : strata_clock();
	if (form != STRATA_HEADER_FULL)
		header_bytes = strata_header_bytes(
			form, id, ticks - strata_load_acquire(&subbuf->last_ticks));
	/* Where the guess is wrong, the difference is a sub-buffer or more; or a writer nested in
	 * us opened this one, and write_count is not @old any more.  It is not 0: who holds a
	 * sub-buffer has moved write_count into it. */
	if (strata_unlikely(old - held + header_bytes + padded_bytes >= ring->subbuf_bytes ||
			    (int64_t)(ticks - newest) < 0))
		return false;
	if (strata_unlikely(strata_local_cmpxchg64(&subbuf->newest_ticks, newest, ticks) !=
				    newest ||
			    strata_local_cmpxchg(&ring->write_count, old,
						 old + header_bytes + padded_bytes) != old))
		return false;
	strata_ring_note_ticks(subbuf, form, ticks);
	strata_ring_fill_slot(slot, subbuf, old, strata_read_once(&subbuf->base) + (old - held),
			      header_bytes, padded_bytes, id, ticks);
	return true;
}

static inline __attribute__((__always_inline__)) bool
strata_ring_reserve_fast(struct strata_ring *ring, enum strata_header_form form, uint32_t id,
			 uint32_t padded_bytes, const uint64_t *clock, struct strata_slot *slot)
{
	return strata_likely(strata_ring_try(ring, form, id, padded_bytes, clock, slot)) ||
	       strata_ring_reserve_slow(ring, id, padded_bytes, slot);
}

/* Out of line: there are many probes, and each contains the path of full headers. */
static __attribute__((__unused__, __noinline__)) bool
strata_ring_reserve_short(struct strata_ring *ring, uint32_t id, uint32_t padded_bytes,
			  struct strata_slot *slot)
{
	if (ring->form == STRATA_HEADER_COMPACT)
		return strata_ring_reserve_fast(ring, STRATA_HEADER_COMPACT, id, padded_bytes, NULL,
						slot);
	return strata_ring_reserve_fast(ring, STRATA_HEADER_LARGE, id, padded_bytes, NULL, slot);
}

/*
 * Reserves a slot for one record and writes its header (Algorithm 1).
 * @ring:          the ring of the current CPU
 * @id:            the event's id
 * @payload_bytes: of the record; more than STRATA_PAYLOAD_BYTES_MAX is refused
 * @slot:          OUT, for strata_ring_commit()
 * Returns false when the record is lost; it has been counted.
 * Any context, NMI included; the caller stays on the CPU until it has committed.
 */
static inline bool strata_ring_reserve(struct strata_ring *ring, uint32_t id,
				       uint32_t payload_bytes, struct strata_slot *slot)
{
	uint32_t padded_bytes = strata_padded_bytes(payload_bytes);

	if (strata_unlikely(payload_bytes > STRATA_PAYLOAD_BYTES_MAX)) {
		strata_ring_count_lost(ring, STRATA_LOST_BIG);
		return false;
	}
	if (ring->form != STRATA_HEADER_FULL)
		return strata_ring_reserve_short(ring, id, padded_bytes, slot);
	return strata_ring_reserve_fast(ring, STRATA_HEADER_FULL, id, padded_bytes, NULL, slot);
}

/*
 * The same with full headers, for an event that may go to several rings of this CPU: its clock is
 * read once, as @ticks, before the first of them is tried.
 */
static inline __attribute__((__always_inline__)) bool
strata_ring_reserve_at(struct strata_ring *ring, uint32_t id, uint32_t payload_bytes,
		       uint64_t ticks, struct strata_slot *slot)
{
	return strata_ring_reserve_fast(ring, STRATA_HEADER_FULL, id,
					strata_padded_bytes(payload_bytes), &ticks, slot);
}

/*
 * The same, unless it takes more than one attempt: false says nothing about the record, and
 * strata_ring_reserve_at() must follow.
 */
static inline __attribute__((__always_inline__)) bool
strata_ring_try_at(struct strata_ring *ring, uint32_t id, uint32_t payload_bytes, uint64_t ticks,
		   struct strata_slot *slot)
{
	return strata_ring_try(ring, STRATA_HEADER_FULL, id, strata_padded_bytes(payload_bytes),
			       &ticks, slot);
}

/*
 * Commits a slot whose payload has been written (Algorithm 2).  If ring->delivered is
 * true afterwards, a sub-buffer is ready: notify the reader later, from elsewhere.
 * Any context, on the CPU that reserved.
 */
static inline void strata_ring_commit(struct strata_ring *ring, const struct strata_slot *slot)
{
	strata_ring_commit_bytes(ring, slot->subbuf, slot->bytes);
}

/*
 * The same, without the delivery of a sub-buffer that the slot completes, for a home that keeps it
 * out of the path of every event: true: call strata_ring_deliver() with the slot's sub-buffer.
 */
static inline __attribute__((__always_inline__)) bool
strata_ring_commit_completes(struct strata_ring *ring, const struct strata_slot *slot)
{
	return strata_unlikely(strata_ring_completes(ring, slot->subbuf, slot->bytes));
}

/*
 * Forced switch (Algorithms 3 and 4): closes the sub-buffer that is being
 * written, unless it is empty, so that a reader gets it.  On the ring's own
 * CPU; nests with writers as a writer does.
 */
static inline void strata_ring_flush(struct strata_ring *ring)
{
	struct strata_ring_attempt attempt;

	do {
		strata_ring_sample(ring, &attempt);
		if (strata_subbuf_offset(ring->geo, attempt.old) == 0)
			return;
		attempt.end = strata_subbuf_align_up(ring->geo, attempt.old);
	} while (!strata_ring_advance(ring, &attempt));
	strata_ring_switch_old(ring, &attempt);
}

#endif /* STRATA_RING_WRITER_H */

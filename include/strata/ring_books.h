/* SPDX-License-Identifier: MIT */
/*
 * ring_books.h - the writer's private state of a ring; initialises a ring, counts losses,
 * and marks a probe as under way. The synchronisation of each word is in ring_writer.h.
 */
#ifndef STRATA_RING_BOOKS_H
#define STRATA_RING_BOOKS_H

#include <strata/packet.h>
#include <strata/ring_layout.h>
#include <strata/ring_state.h>
#include <strata/ring_table.h>

/* Task, softirq, interrupt and NMI may nest on one CPU; deeper nesting is a probe within a
 * probe. */
#define STRATA_RING_NESTING_MAX 4ul

/*
 * The writer's books of one sub-buffer, in memory that is its own.  @held says to which turn
 * @page, @base, @full and @ahead belong: the path of every event uses them as they are, and
 * computes nothing from the geometry.
 *
 * With words of 64 bits it is two cache lines, and an event with a full header touches the first
 * one alone.
 */
struct strata_ring_subbuf {
	strata_count_t held;         /* start of the turn */
	unsigned char *base;         /* the memory of the page */
	strata_count_t commit_count; /* bytes committed, in all turns; this CPU only */
	strata_count_t full;         /* commit_count when the turn is complete */
	/* write_count less commit_count, while every byte reserved in the turn is committed. */
	strata_count_t ahead;
	/* No timestamp of this turn is greater; 0: none yet.  Aligned explicitly, because it is
	 * loaded in one access, and i386 aligns 64-bit members to 32 bits. */
	uint64_t newest_ticks __attribute__((aligned(8)));
	strata_count_t *shared_seq; /* @commit_seq, as the reader sees it */
	strata_count_t commit_seq;  /* value of commit_count when there was last no gap below it */
	/* Ticks of the newest record of this turn, except for nesting; 0: none yet.  For short
	 * headers. */
	uint64_t last_ticks __attribute__((aligned(8)));
	uint64_t begin_ticks;
	uint64_t end_ticks;
	uint64_t lost[STRATA_NR_LOST];
	uint32_t content_bytes;
	uint32_t page; /* the page of memory, once a writer holds it */
	uint64_t reserved;
};

/* A ring, in memory that is the writer's own; of it, too, an event touches the first cache line. */
struct strata_ring {
	strata_count_t write_count; /* where the next record goes; this CPU only */
	/* Usually the sub-buffer that write_count is in; its @held tells (ring_writer.h). */
	struct strata_ring_subbuf *open;
	strata_count_t subbuf_bytes;            /* of @geo */
	unsigned char *data;                    /* the pages, contiguous; shared read-only */
	struct strata_ring_reader_area *reader; /* hostile, where a guest shares it with dom0 */
	struct strata_ring_writer_area *shared; /* written, never read */
	struct strata_ring_geometry geo;
	bool overwrite;    /* set by the home while no probe is under way */
	bool ended;        /* no sub-buffer is opened any more (ring_end.h) */
	uint8_t form;      /* enum strata_header_form: strata_ring_set_form() */
	uint32_t contexts; /* of the records: strata_ring_set_contexts() */
	uint32_t cpu;
	strata_count_t nesting; /* probes under way on this CPU */
	strata_count_t lost[STRATA_NR_LOST];
	bool delivered; /* a sub-buffer became ready; the home clears it and notifies */
	uint64_t reserved[3];
	struct strata_ring_subbuf subbuf[]; /* strata_nr_subbufs(geo) of them */
};

/* Bytes of a struct strata_ring for this geometry. */
static inline size_t strata_ring_bytes(struct strata_ring_geometry geo)
{
	return sizeof(struct strata_ring) +
	       strata_nr_subbufs(geo) * sizeof(struct strata_ring_subbuf);
}

/*
 * Notes what writers of a turn need to know of it, and last, with a release, that it is this
 * turn's.
 * @start: of the turn
 * @commit: the sub-buffer's commit count where the turn starts
 * Writers nested in one another, or threads, may note the same turn at once: the values are the
 * same.
 */
static inline void strata_ring_note_turn(struct strata_ring *ring,
					 struct strata_ring_subbuf *subbuf, strata_count_t start,
					 strata_count_t commit, unsigned int page)
{
	strata_write_once(&subbuf->page, page);
	strata_write_once(&subbuf->base, ring->data + ((size_t)page << ring->geo.subbuf_bits));
	strata_write_once(&subbuf->full, commit + ring->subbuf_bytes);
	strata_write_once(&subbuf->ahead, start - commit);
	/* Pairs with the acquires of @held in ring_writer.h. */
	strata_store_release(&subbuf->held, start);
}

/*
 * Initialises an empty ring.
 * @ring:       strata_ring_bytes(geo) zeroed bytes, private to the writer
 * @geo:        accepted by strata_geometry_valid()
 * @data:       strata_data_bytes(geo) zeroed bytes
 * @shared:     zeroed
 * @reader:     zeroed; written by the reader, or by its home for it
 * @cpu:        the CPU that owns the ring
 * @first:      initial value of the counters, a multiple of the buffer's size; 0
 *              except in tests of the wrap
 * Any context, before the first probe.
 */
static inline void strata_ring_init(struct strata_ring *ring, struct strata_ring_geometry geo,
				    void *data, struct strata_ring_writer_area *shared,
				    struct strata_ring_reader_area *reader, uint32_t cpu,
				    strata_count_t first)
{
	unsigned int i;

	ring->geo = geo;
	ring->subbuf_bytes = strata_subbuf_bytes(geo);
	ring->open = &ring->subbuf[0];
	ring->data = data;
	ring->shared = shared;
	ring->reader = reader;
	ring->cpu = cpu;
	ring->write_count = first;
	reader->read_count = first;
	for (i = 0; i < strata_nr_subbufs(geo); i++) {
		strata_count_t before =
			first - strata_buffer_bytes(geo) + ((strata_count_t)i << geo.subbuf_bits);

		ring->subbuf[i].commit_count = strata_commit_at_turn(geo, first);
		ring->subbuf[i].commit_seq = ring->subbuf[i].commit_count;
		ring->subbuf[i].shared_seq = &shared->commit_seq[i];
		strata_ring_note_turn(ring, &ring->subbuf[i], before,
				      ring->subbuf[i].commit_count - ring->subbuf_bytes, i);
		shared->commit_seq[i] = ring->subbuf[i].commit_count;
		shared->page[i] = (uint16_t)i;
		reader->table[i] = strata_table_word(geo, before, i);
	}
	shared->magic = STRATA_RING_MAGIC;
	shared->version = STRATA_RING_LAYOUT_VERSION;
	shared->subbuf_bits = geo.subbuf_bits;
	shared->nr_subbufs_bits = geo.nr_subbufs_bits;
	shared->count_bits = (uint8_t)STRATA_COUNT_BITS;
	shared->cpu = cpu;
}

/* Sets the form of record headers; full ones until then.  Call it after a flush, while no probe is
 * under way: a packet has records of one form. */
static inline void strata_ring_set_form(struct strata_ring *ring, enum strata_header_form form)
{
	ring->form = (uint8_t)form;
	strata_write_once(&ring->shared->form, (uint8_t)form);
}

/* Sets which contexts the records have; none until then.  Call it as strata_ring_set_form(): a
 * packet has records with the same contexts.  @contexts: STRATA_CONTEXT_BIT()s */
static inline void strata_ring_set_contexts(struct strata_ring *ring, uint32_t contexts)
{
	ring->contexts = contexts;
	strata_write_once(&ring->shared->contexts, contexts);
}

/*
 * Counts one lost record.  The copy for the reader is written until it holds
 * the newest value, because a nested writer may have counted in between; the loop
 * turns at most once for each nested writer. The check that ends the loop is an add of
 * zero, not a load: where threads share a ring, our store to the copy could otherwise
 * wait in the store buffer and overwrite another thread's newer one.
 */
static inline void strata_ring_count_lost(struct strata_ring *ring, enum strata_lost kind)
{
	strata_count_t now;

	strata_local_add_return(&ring->lost[kind], 1);
	do {
		now = strata_read_once(&ring->lost[kind]);
		strata_write_once(&ring->shared->lost[kind], (uint64_t)now);
	} while (now != strata_local_add_return(&ring->lost[kind], 0));
}

/*
 * Brackets a probe in a home whose probes stay on their CPU (Xen, Linux).
 * Returns false if probes nest too deep: the record is counted as lost, and enter()
 * is undone.  Stop and flush read `nesting` in an interrupt of the same CPU: zero
 * there means that no probe is under way.
 */
static inline bool strata_ring_enter(struct strata_ring *ring)
{
	strata_count_t depth = strata_read_once(&ring->nesting) + 1;

	/* Plain stores: a nested probe restores the value that it found. */
	strata_write_once(&ring->nesting, depth);
	strata_barrier();
	if (strata_likely(depth <= STRATA_RING_NESTING_MAX))
		return true;
	strata_ring_count_lost(ring, STRATA_LOST_NESTED);
	strata_barrier();
	strata_write_once(&ring->nesting, depth - 1);
	return false;
}

static inline void strata_ring_exit(struct strata_ring *ring)
{
	strata_barrier();
	strata_write_once(&ring->nesting, strata_read_once(&ring->nesting) - 1);
}

#endif /* STRATA_RING_BOOKS_H */

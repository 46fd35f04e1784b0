/* SPDX-License-Identifier: MIT */
/*
 * ring_single.h - a ring of an application, written by single stores: a record is
 * built aside, and one restartable section of the CPU's (platform/rseq.h) copies
 * it behind the last one and publishes it by its final store, of the position.
 *
 * There is no reserve and no commit: all records below the position are complete, nothing
 * above it is valid, and a killed process leaves no gap. No LOCK prefix, and no fence.
 * Discard mode: a full ring loses the newest, counted. Overwrite mode: it loses the
 * oldest sub-buffer. A reader owns nothing then: it copies, and reads the position again
 * to see whether the copy is valid.
 *
 *   writer / writer          sections of one CPU never overlap, and each checks
 *                            that it runs on the ring's CPU: threads, signal
 *                            handlers, and processes that share the ring
 *   writer / reader          the position is released by the writer (x86: any
 *                            store) and acquired by the reader; read_count is
 *                            released by the reader and acquired by the writer
 *   flush / anything         no flush exists: the reader takes a sub-buffer up to the
 *                            position at any time, so no CPU must be woken
 *   stop / writer            fit_mask is set to all ones, then the home aborts all
 *                            sections (membarrier): none commits after that
 *   reader / reader          outside: one reader owns a ring
 *   sleeping reader / writer each stores, passes a full barrier and then loads what the other
 *                            stores: the reader `asleep` and then the position, a writer that
 *                            left a sub-buffer the position and then `asleep`.  So the reader
 *                            finds that sub-buffer, or the writer that it has to wake the reader
 *
 * Time: the TSC is read inside the section, without a fence; for an event that goes to
 * several rings once before their sections, with one.  Two sections of a
 * CPU are in program order, with a return from the kernel (serialising) between
 * those of two threads; so only two readings of one thread that are a few
 * instructions apart could come out of order.  newest_ticks guards against that:
 * a section that reads less, or was given less, is run again.  A counter that was set back (the
 * machine slept) closes the sub-buffer, so that no packet holds time that runs
 * backwards.
 *
 * The reader builds packet headers: the writer leaves room for one at the start of each
 * sub-buffer.
 *
 * This file has the layout and the reader's half; ring_single_writer.h has the writer's
 * half.
 */
#ifndef STRATA_RING_SINGLE_H
#define STRATA_RING_SINGLE_H

#include <strata/packet.h>
#include <strata/ring_poll.h>

#define STRATA_SINGLE_MAGIC   0x53525453u /* "STRS" */
#define STRATA_SINGLE_VERSION 1u

/* Context and payload of the largest record; larger ones are counted as STRATA_LOST_BIG. */
#define STRATA_SINGLE_BODY_MAX 1024u

/* Bodies up to this are copied without a loop: as many words as they take. */
#define STRATA_SINGLE_SHORT_BODY 32u

/* Rings that a process writes: one for each CPU. */
#define STRATA_SINGLE_RINGS_MAX 4096u

/* The writer's description of a sub-buffer that it left. */
struct strata_single_closed {
	uint64_t lost[STRATA_NR_LOST]; /* until then */
	uint32_t content_bytes;        /* the room for the header included */
	uint32_t reserved;
};

/* The writer's part; the reader maps it read-only. An event touches only the first cache line. */
struct strata_single_area {
	uint32_t magic;
	uint16_t version;
	uint8_t subbuf_bits;
	uint8_t nr_subbufs_bits;
	uint32_t cpu;
	uint32_t overwrite;
	uint64_t position;     /* where the next record goes; never at a sub-buffer's start */
	uint64_t newest_ticks; /* of the last record, or more */
	uint64_t fit_mask;     /* ones from subbuf_bits on; all ones: nothing may be written */
	uint64_t data_mask;    /* bytes of the data, less one */
	uint64_t reserved1[2];
	uint64_t lost[STRATA_NR_LOST]; /* up to now; any CPU may add */
	uint64_t reserved2[5];
	struct strata_single_closed closed[STRATA_NR_SUBBUFS_MAX];
};

/* A ring in memory: the writer's part, a page that the reader writes, the data. */
#define STRATA_SINGLE_AREA_BYTES   (3u * STRATA_PAGE_BYTES)
#define STRATA_SINGLE_READER_BYTES STRATA_PAGE_BYTES
#define STRATA_SINGLE_HEAD_BYTES   (STRATA_SINGLE_AREA_BYTES + STRATA_SINGLE_READER_BYTES)

/* The reader's page. */
struct strata_single_reader_area {
	uint64_t read_count; /* start of the first sub-buffer that is not the writer's yet */
	uint64_t asleep;     /* number of the reader's sleep; 0: it looks at the ring by itself */
	uint64_t reserved[6];
};

static inline uint64_t strata_single_bytes(struct strata_ring_geometry geo)
{
	return STRATA_SINGLE_HEAD_BYTES + (uint64_t)strata_buffer_bytes(geo);
}

static inline struct strata_single_reader_area *
strata_single_reader_area(struct strata_single_area *area)
{
	return (struct strata_single_reader_area *)((unsigned char *)area +
						    STRATA_SINGLE_AREA_BYTES);
}

/* Makes an empty ring of strata_single_bytes(geo) zeroed bytes.  The writer, before its first
 * record. */
static inline void strata_single_init(struct strata_single_area *area,
				      struct strata_ring_geometry geo, uint32_t cpu, bool overwrite)
{
	area->version = STRATA_SINGLE_VERSION;
	area->subbuf_bits = geo.subbuf_bits;
	area->nr_subbufs_bits = geo.nr_subbufs_bits;
	area->cpu = cpu;
	area->overwrite = overwrite;
	area->position = STRATA_PACKET_HEADER_BYTES;
	area->data_mask = strata_buffer_bytes(geo) - 1;
	area->fit_mask = ~(uint64_t)(strata_subbuf_bytes(geo) - 1);
	strata_store_release(&area->magic, STRATA_SINGLE_MAGIC);
}

/* Forbids writing. Sections under way may still write: abort them. */
static inline void strata_single_stop(struct strata_single_area *area)
{
	strata_write_once(&area->fit_mask, ~(uint64_t)0);
}

static inline void strata_single_count_lost(struct strata_single_area *area, enum strata_lost kind)
{
	__atomic_fetch_add(&area->lost[kind], 1, __ATOMIC_RELAXED);
}

/*
 * The reader's state.  The writer's memory is hostile: every word is loaded once, and
 * checked before it determines where to read.
 */
struct strata_single_reader {
	struct strata_ring_geometry geo;
	uint64_t position; /* position to read next; the reader's own */
	bool overwrite;    /* set by the caller after init() */
	const struct strata_single_area *area;
	struct strata_single_reader_area *shared;
	const unsigned char *data;
};

/* Whether @reader's area, mapped with its data by @geo, is a ring of that size. */
static inline bool strata_single_reader_init(struct strata_single_reader *reader,
					     struct strata_ring_geometry geo,
					     const struct strata_single_area *area,
					     struct strata_single_reader_area *shared,
					     const void *data)
{
	reader->geo = geo;
	reader->position = STRATA_PACKET_HEADER_BYTES;
	reader->overwrite = false;
	reader->area = area;
	reader->shared = shared;
	reader->data = (const unsigned char *)data;
	return strata_load_acquire(&area->magic) == STRATA_SINGLE_MAGIC &&
	       strata_read_once(&area->version) == STRATA_SINGLE_VERSION &&
	       strata_read_once(&area->subbuf_bits) == geo.subbuf_bits &&
	       strata_read_once(&area->nr_subbufs_bits) == geo.nr_subbufs_bits;
}

enum strata_single_take {
	STRATA_SINGLE_NOTHING, /* if the reader moved, the next sub-buffer may have more */
	STRATA_SINGLE_TAKEN,
	STRATA_SINGLE_LIES, /* no ring can have these words; reading resumes at the position */
	STRATA_SINGLE_OVERWRITTEN, /* the next records were overwritten; reading resumes after
				    * them */
};

/* Whether the sub-buffer at @start was overwritten, given the writer's position @written. */
static inline bool strata_single_overwrites(const struct strata_single_reader *reader,
					    uint64_t start, uint64_t written)
{
	return reader->overwrite && strata_subbuf_start(reader->geo, written) - start >=
					    strata_buffer_bytes(reader->geo);
}

/* Resumes at the oldest sub-buffer in the ring, or @spared sub-buffers after it. */
static inline enum strata_single_take
strata_single_skip_overwritten(struct strata_single_reader *reader, unsigned int spared)
{
	uint64_t written = strata_load_acquire(&reader->area->position);
	uint64_t kept = strata_nr_subbufs(reader->geo) - 1 - spared;

	reader->position = strata_subbuf_start(reader->geo, written) -
			   (kept << reader->geo.subbuf_bits) + STRATA_PACKET_HEADER_BYTES;
	return STRATA_SINGLE_OVERWRITTEN;
}

/*
 * Copies the next records, up to the end of their sub-buffer, and advances past them.
 * strata_single_put() releases them to the writer.
 * @partly: also from the sub-buffer that is being written, up to its position
 * @to:     strata_subbuf_bytes(geo); the room of a packet header comes first
 * @bytes:  OUT, that room included
 * @lost:   OUT: losses until the writer left the sub-buffer, or until now
 */
static inline enum strata_single_take strata_single_take(struct strata_single_reader *reader,
							 bool partly, void *to, uint32_t *bytes,
							 uint64_t lost[STRATA_NR_LOST])
{
	const uint64_t subbuf_bytes = strata_subbuf_bytes(reader->geo);
	/* Acquire: the records below it; pairs with the store that published them. */
	const uint64_t written = strata_load_acquire(&reader->area->position);
	const uint64_t begin = strata_subbuf_offset(reader->geo, reader->position);
	const uint64_t start = reader->position - begin;
	const uint64_t last = strata_subbuf_start(reader->geo, written);
	const uint64_t *lost_from = reader->area->lost;
	uint64_t end = written - last;
	unsigned int i;

	if (written == reader->position)
		return STRATA_SINGLE_NOTHING;
	if (strata_single_overwrites(reader, start, written))
		return strata_single_skip_overwritten(reader, 0);
	if (written - start > strata_buffer_bytes(reader->geo))
		goto lies;
	if (start != last) {
		const struct strata_single_closed *closed =
			&reader->area->closed[strata_subbuf_index(reader->geo, start)];

		end = strata_read_once(&closed->content_bytes);
		lost_from = closed->lost;
	} else if (!partly) {
		return STRATA_SINGLE_NOTHING;
	}
	if (end < begin || end > subbuf_bytes || end % 4)
		goto lies;
	for (i = 0; i < STRATA_NR_LOST; i++)
		lost[i] = strata_read_once(&lost_from[i]);
	*bytes = (uint32_t)(STRATA_PACKET_HEADER_BYTES + end - begin);
	strata_copy((unsigned char *)to + STRATA_PACKET_HEADER_BYTES,
		    reader->data + (start & (strata_buffer_bytes(reader->geo) - 1)) + begin,
		    end - begin);
	if (reader->overwrite) {
		/* The loads of the copy come before the load that proves it valid; a writer moves
		 * the position before it writes where the copy comes from.  One sub-buffer later:
		 * the oldest would be overwritten again while it is copied. */
		strata_read_barrier();
		if (strata_single_overwrites(reader, start,
					     strata_read_once(&reader->area->position)))
			return strata_single_skip_overwritten(reader, 1);
	}
	reader->position = start == last ? written
					 : start + subbuf_bytes + STRATA_PACKET_HEADER_BYTES;
	return end == begin ? STRATA_SINGLE_NOTHING : STRATA_SINGLE_TAKEN;
lies:
	/* The description may already be of the sub-buffer that has overwritten this one. */
	strata_read_barrier();
	if (strata_single_overwrites(reader, start, strata_read_once(&reader->area->position)))
		return strata_single_skip_overwritten(reader, 1);
	reader->position = last + STRATA_PACKET_HEADER_BYTES;
	return STRATA_SINGLE_LIES;
}

/*
 * Returns whether there is something to read, and how urgent it is (Algorithm 5).
 * @partly: as for strata_single_take()
 * @gone:   the caller knows that the writer will never write again; then all that it
 *          published is to be read, including the last sub-buffer
 */
static inline enum strata_poll strata_single_poll(const struct strata_single_reader *reader,
						  bool partly, bool gone)
{
	const uint64_t written = strata_load_acquire(&reader->area->position);
	const uint64_t start = strata_subbuf_start(reader->geo, reader->position);
	const uint64_t closed = strata_subbuf_start(reader->geo, written) - start;

	if (written == reader->position)
		return gone ? STRATA_POLL_HANGUP : STRATA_POLL_NOTHING;
	if (written - start > strata_buffer_bytes(reader->geo) ||
	    (closed == 0 && written < reader->position))
		return STRATA_POLL_ERROR;
	if (closed == 0)
		return partly || gone ? STRATA_POLL_DATA : STRATA_POLL_NOTHING;
	return closed >> reader->geo.subbuf_bits >= strata_poll_priority_subbufs(reader->geo)
		       ? STRATA_POLL_PRIORITY
		       : STRATA_POLL_DATA;
}

/* Returns the whole sub-buffers that were taken to the writer. */
static inline void strata_single_put(struct strata_single_reader *reader)
{
	/* Release: our loads come before the writer's next stores; pairs with the acquire in
	 * strata_single_make_room(). */
	strata_store_release(&reader->shared->read_count,
			     strata_subbuf_start(reader->geo, reader->position));
}

/*
 * Has the writer wake the reader when it leaves a sub-buffer.
 * @sleep: a number other than that of the last sleep; not 0
 * The caller then polls the ring, and does not sleep if there is something to read.
 */
static inline void strata_single_sleep(struct strata_single_reader *reader, uint64_t sleep)
{
	strata_write_once(&reader->shared->asleep, sleep);
	/* Our store before the poll's load of the position; pairs with
	 * strata_single_sleeping(). */
	strata_full_barrier();
}

/* The reader looks at the ring by itself again. */
static inline void strata_single_awake(struct strata_single_reader *reader)
{
	strata_write_once(&reader->shared->asleep, 0);
}

/* For a writer that has left a sub-buffer, or found the ring full: the number of the sleep from
 * which it has to wake the reader; 0: the reader is awake. */
static inline uint64_t strata_single_sleeping(struct strata_single_area *area)
{
	/* The position's store before the load; pairs with strata_single_sleep(). */
	strata_full_barrier();
	return strata_read_once(&strata_single_reader_area(area)->asleep);
}

#endif /* STRATA_RING_SINGLE_H */

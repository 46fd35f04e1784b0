/* SPDX-License-Identifier: MIT */
/*
 * ring_reader.h - the reader's half of a ring, in another domain than its
 * writer: poll, get and put a sub-buffer (Desnoyers & Dagenais 2012, Algorithms
 * 5 and 6, without the IPI: a reader in another domain cannot send one, so the
 * writer orders its stores when it publishes commit seq).
 *
 * The writer's memory is hostile: every word is loaded once, and nothing that
 * it says can lead outside the mapped areas, because place and size of a
 * sub-buffer come from the reader's own geometry and counter.  What a
 * sub-buffer holds is the caller's to copy first and to check then.
 *
 * One reader a ring; the caller sees to that.
 */
#ifndef STRATA_RING_READER_H
#define STRATA_RING_READER_H

#include <strata/ring_layout.h>
#include <strata/ring_state.h>

struct strata_ring_reader {
	struct strata_ring_geometry geo;
	strata_count_t read_count; /* ours; the shared word is only written */
	const struct strata_ring_writer_area *writer;
	struct strata_ring_reader_area *shared; /* NULL: the writer's home is told by hypercall */
	const unsigned char *data;
};

/* Why a writer area cannot be read. */
enum strata_reader_refusal {
	STRATA_READER_OK,
	STRATA_READER_BAD_MAGIC,
	STRATA_READER_OTHER_VERSION,
	STRATA_READER_OTHER_WIDTH,    /* counters of another width than ours */
	STRATA_READER_OTHER_GEOMETRY, /* it contradicts what was announced */
};

/*
 * Begins to read a ring at @read_count.
 * @geo:    as announced, valid; the areas are mapped by it
 * @writer: mapped, STRATA_WRITER_AREA_PAGES
 * @shared: mapped writable, or NULL
 * @data:   mapped, strata_buffer_bytes(geo)
 * Returns why not, or STRATA_READER_OK.
 */
static inline enum strata_reader_refusal
strata_reader_init(struct strata_ring_reader *reader, struct strata_ring_geometry geo,
		   const struct strata_ring_writer_area *writer,
		   struct strata_ring_reader_area *shared, const void *data,
		   strata_count_t read_count)
{
	if (strata_read_once(&writer->magic) != STRATA_RING_MAGIC)
		return STRATA_READER_BAD_MAGIC;
	if (strata_read_once(&writer->version) != STRATA_RING_LAYOUT_VERSION)
		return STRATA_READER_OTHER_VERSION;
	if (strata_read_once(&writer->count_bits) != STRATA_COUNT_BITS)
		return STRATA_READER_OTHER_WIDTH;
	if (strata_read_once(&writer->subbuf_bits) != geo.subbuf_bits ||
	    strata_read_once(&writer->nr_subbufs_bits) != geo.nr_subbufs_bits)
		return STRATA_READER_OTHER_GEOMETRY;
	reader->geo = geo;
	reader->read_count = strata_subbuf_start(geo, read_count);
	reader->writer = writer;
	reader->shared = shared;
	reader->data = data;
	return STRATA_READER_OK;
}

/* Is a sub-buffer complete and not yet read (Algorithm 5)?  Any thread of the reader. */
static inline bool strata_reader_ready(const struct strata_ring_reader *reader)
{
	unsigned int index = strata_subbuf_index(reader->geo, reader->read_count);

	/* Acquire: pairs with the release in strata_ring_deliver(). */
	return strata_subbuf_ready(reader->geo, reader->read_count,
				   strata_load_acquire(&reader->writer->commit_seq[index]));
}

/* The sub-buffer to be read next; its bytes are settled once strata_reader_ready() said so. */
static inline const void *strata_reader_subbuf(const struct strata_ring_reader *reader)
{
	return reader->data + (size_t)strata_subbuf_index(reader->geo, reader->read_count) *
				      strata_subbuf_bytes(reader->geo);
}

/* Lets the sub-buffer go (Algorithm 6); its memory is the writer's again. */
static inline void strata_reader_put(struct strata_ring_reader *reader)
{
	reader->read_count += strata_subbuf_bytes(reader->geo);
	/* Release: our loads come before the writer's next stores; pairs with the acquire in
	 * strata_ring_plan(). */
	if (reader->shared)
		strata_store_release(&reader->shared->read_count, reader->read_count);
}

/* Losses of one kind up to now, also behind the last packet.  Hostile, like all of it. */
static inline uint64_t strata_reader_lost(const struct strata_ring_reader *reader,
					  enum strata_lost kind)
{
	return strata_read_once(&reader->writer->lost[kind]);
}

#endif /* STRATA_RING_READER_H */

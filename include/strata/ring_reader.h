/* SPDX-License-Identifier: MIT */
/*
 * ring_reader.h - the reader's half of a ring, in another domain than its
 * writer: get and put a sub-buffer in both modes, and look at one that is not
 * complete (Desnoyers & Dagenais 2012, Algorithms 5-7, without the IPI: a reader
 * in another domain cannot send one, so the writer orders its stores when it
 * publishes commit seq).
 *
 * The writer's memory is hostile: every word is loaded once, and nothing that
 * it says can lead outside the mapped areas, because place and size of a
 * sub-buffer come from the reader's own geometry and counter, and the number of
 * its page is held to those that there are.  What a sub-buffer holds is the
 * caller's to copy first and to check then.
 *
 * One reader a ring; the caller sees to that.
 */
#ifndef STRATA_RING_READER_H
#define STRATA_RING_READER_H

#include <strata/ring_layout.h>
#include <strata/ring_poll.h>
#include <strata/ring_state.h>
#include <strata/ring_table.h>

struct strata_ring_reader {
	struct strata_ring_geometry geo;
	bool overwrite;
	strata_count_t read_count; /* ours; the shared word is only written */
	unsigned int page;         /* of the sub-buffer that get found */
	unsigned int spare;        /* overwrite mode: the page that is ours */
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
 * Begins to read a ring.
 * @geo:    as announced, valid; the areas are mapped by it
 * @writer: mapped, STRATA_WRITER_AREA_PAGES
 * @shared: mapped writable, or NULL
 * @data:   mapped, strata_data_bytes(geo)
 * Returns why not, or STRATA_READER_OK.  Then strata_reader_resume() or the
 * caller says where reading begins; until then it is at 0.
 */
static inline enum strata_reader_refusal
strata_reader_init(struct strata_ring_reader *reader, struct strata_ring_geometry geo,
		   const struct strata_ring_writer_area *writer,
		   struct strata_ring_reader_area *shared, const void *data)
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
	reader->overwrite = false;
	reader->read_count = 0;
	reader->page = 0;
	reader->spare = (unsigned int)strata_nr_subbufs(geo);
	reader->writer = writer;
	reader->shared = shared;
	reader->data = data;
	return STRATA_READER_OK;
}

/* The commit seq of the sub-buffer at a position.  Acquire: pairs with the release in
 * strata_ring_publish(). */
static inline strata_count_t strata_reader_commit_seq(const struct strata_ring_reader *reader,
						      strata_count_t position)
{
	return strata_load_acquire(
		&reader->writer->commit_seq[strata_subbuf_index(reader->geo, position)]);
}

/* Where the sub-buffer begins that the writer is in, or was in last: the newest of all turns. */
static inline strata_count_t strata_reader_newest(const struct strata_ring_reader *reader)
{
	strata_count_t newest = 0;
	unsigned int i;

	for (i = 0; i < strata_nr_subbufs(reader->geo); i++) {
		strata_count_t start = strata_table_turn_start(
			reader->geo, i, strata_load_acquire(&reader->writer->commit_seq[i]));

		if (i == 0 || (start - newest) >> (STRATA_COUNT_BITS - 1) == 0)
			newest = start;
	}
	return newest;
}

/*
 * Goes on where the reader before us ended, in a ring whose reader area is
 * mapped: takes over its spare page, and its position if that is one that the
 * ring may still hold; else the oldest such.
 */
static inline void strata_reader_resume(struct strata_ring_reader *reader)
{
	strata_count_t end = strata_reader_newest(reader) + strata_subbuf_bytes(reader->geo);
	strata_count_t position = strata_read_once(&reader->shared->read_count);

	position = strata_subbuf_start(reader->geo, position);
	if (end - position > strata_buffer_bytes(reader->geo))
		position = end - strata_buffer_bytes(reader->geo);
	reader->read_count = position;
	reader->spare = strata_table_spare(reader->geo, reader->shared->table);
	/* Release: as in strata_reader_put(). */
	strata_store_release(&reader->shared->read_count, position);
}

/*
 * Is a sub-buffer complete and not yet read (Algorithm 5)?  In overwrite mode:
 * is there any sign of one; get may find that it was overwritten since.
 */
static inline bool strata_reader_ready(const struct strata_ring_reader *reader)
{
	strata_count_t commit = strata_reader_commit_seq(reader, reader->read_count);
	unsigned int index = strata_subbuf_index(reader->geo, reader->read_count);
	strata_count_t lapped;

	if (strata_subbuf_ready(reader->geo, reader->read_count, commit))
		return true;
	lapped = strata_table_turn_start(reader->geo, index, commit) - reader->read_count;
	return reader->overwrite && lapped != 0 && lapped >> (STRATA_COUNT_BITS - 1) == 0;
}

/*
 * Says whether there is something to read, and how urgent it is (Algorithm 5).
 * @gone: the writer will never write again, as the caller knows from elsewhere.
 *        What it left of a sub-buffer that it did not complete is behind a
 *        hang-up: strata_reader_copy_prefix()
 * Two words are loaded, and nothing is taken; get may still find that a ring which
 * is overwritten was written on since.
 */
static inline enum strata_poll strata_reader_poll(const struct strata_ring_reader *reader,
						  bool gone)
{
	const strata_count_t position = reader->read_count;
	const strata_count_t many = position + ((strata_poll_priority_subbufs(reader->geo) - 1)
						<< reader->geo.subbuf_bits);
	const strata_count_t commit = strata_reader_commit_seq(reader, position);
	const strata_count_t lapped =
		strata_table_turn_start(reader->geo, strata_subbuf_index(reader->geo, position),
					commit) -
		position;
	const enum strata_poll none = gone ? STRATA_POLL_HANGUP : STRATA_POLL_NOTHING;

	/* Of the turn before, whole, or of this one: the writer cannot be further without us. */
	if (lapped == 0 - strata_buffer_bytes(reader->geo))
		return none;
	if (lapped != 0)
		return reader->overwrite && lapped >> (STRATA_COUNT_BITS - 1) == 0
			       ? STRATA_POLL_PRIORITY
			       : STRATA_POLL_ERROR;
	if (!strata_subbuf_ready(reader->geo, position, commit))
		return none;
	return strata_subbuf_ready(reader->geo, many, strata_reader_commit_seq(reader, many))
		       ? STRATA_POLL_PRIORITY
		       : STRATA_POLL_DATA;
}

/*
 * Finds the sub-buffer to be read next, and in overwrite mode takes it out of
 * the ring; read_count says its position.  False: none is ready.
 * For rings whose reader area is mapped; a home that is told by hypercall finds it for us.
 */
static inline bool strata_reader_get(struct strata_ring_reader *reader)
{
	unsigned int index;
	int page;

	if (!reader->overwrite) {
		if (!strata_reader_ready(reader))
			return false;
		index = strata_subbuf_index(reader->geo, reader->read_count);
		reader->page = strata_table_page(reader->geo,
						 strata_read_once(&reader->writer->page[index]));
		return true;
	}
	page = strata_table_take(reader->geo, reader->writer->commit_seq,
				 sizeof(reader->writer->commit_seq[0]), reader->shared->table,
				 &reader->read_count, reader->spare);
	if (page < 0)
		return false;
	reader->spare = reader->page = (unsigned int)page;
	return true;
}

/* The sub-buffer that get found; its bytes are settled until put. */
static inline const void *strata_reader_subbuf(const struct strata_ring_reader *reader)
{
	return reader->data + ((size_t)reader->page << reader->geo.subbuf_bits);
}

/* Lets the sub-buffer go (Algorithm 6): in discard mode its memory is the writer's again. */
static inline void strata_reader_put(struct strata_ring_reader *reader)
{
	reader->read_count += strata_subbuf_bytes(reader->geo);
	/* Release: our loads come before the writer's next stores; pairs with the acquire in
	 * strata_ring_plan(). */
	if (reader->shared)
		strata_store_release(&reader->shared->read_count, reader->read_count);
}

/*
 * Copies what is committed without a gap of the sub-buffer at @position, which
 * its writer has not completed and perhaps never will.
 * @to: strata_subbuf_bytes(geo); the packet header in it is yet to be made
 * Returns the bytes that are valid, that header included; 0: there is none, or
 * the sub-buffer was completed or overwritten meanwhile.
 */
static inline uint32_t strata_reader_copy_prefix(const struct strata_ring_reader *reader,
						 strata_count_t position, void *to)
{
	unsigned int index = strata_subbuf_index(reader->geo, position);
	strata_count_t commit = strata_reader_commit_seq(reader, position);
	strata_count_t bytes = strata_subbuf_offset(reader->geo, commit);
	unsigned int page;

	if (bytes == 0 || strata_table_turn_start(reader->geo, index, commit) != position)
		return 0;
	page = strata_table_page(reader->geo, strata_read_once(&reader->writer->page[index]));
	strata_copy(to, reader->data + ((size_t)page << reader->geo.subbuf_bits), bytes);
	/* The loads of the copy come before the look that says that it is valid. */
	strata_read_barrier();
	commit = strata_read_once(&reader->writer->commit_seq[index]);
	if (strata_subbuf_offset(reader->geo, commit) == 0 ||
	    strata_table_turn_start(reader->geo, index, commit) != position)
		return 0;
	return (uint32_t)bytes;
}

/* Losses of one kind up to now, also behind the last packet.  Hostile, like all of it. */
static inline uint64_t strata_reader_lost(const struct strata_ring_reader *reader,
					  enum strata_lost kind)
{
	return strata_read_once(&reader->writer->lost[kind]);
}

#endif /* STRATA_RING_READER_H */

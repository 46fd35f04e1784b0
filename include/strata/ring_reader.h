/* SPDX-License-Identifier: MIT */
/*
 * ring_reader.h - the reader's half of a ring whose writer is in another domain: get
 * and put a sub-buffer in both modes, and copy the valid part of an incomplete one
 * (Desnoyers & Dagenais 2012, Algorithms 5-7, without the IPI: a reader in another
 * domain cannot send one, so the writer orders its stores when it publishes commit
 * seq).
 *
 * The writer's memory is hostile: every word is loaded once, and no value leads
 * outside the mapped areas.  Place and size of a sub-buffer come from the reader's
 * own geometry and counter, and the number of its page is clamped to existing
 * pages.  The caller copies the contents of a sub-buffer first, and checks the copy.
 *
 * The caller ensures that a ring has one reader.
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
	unsigned int spare;        /* overwrite mode: the page that the reader owns */
	const struct strata_ring_writer_area *writer;
	/* NULL: the reader communicates with the writer by hypercalls */
	struct strata_ring_reader_area *shared;
	const unsigned char *data;
};

/* Why a writer area cannot be read. */
enum strata_reader_refusal {
	STRATA_READER_OK,
	STRATA_READER_BAD_MAGIC,
	STRATA_READER_OTHER_VERSION,
	STRATA_READER_OTHER_WIDTH,    /* counters of another width than ours */
	STRATA_READER_OTHER_GEOMETRY, /* its words contradict the announced geometry */
};

/*
 * Begins to read a ring.
 * @geo:    as announced, valid; the areas are mapped by it
 * @writer: mapped, STRATA_WRITER_AREA_PAGES
 * @shared: mapped writable, or NULL
 * @data:   mapped, strata_data_bytes(geo)
 * Returns STRATA_READER_OK, or the reason against.  strata_reader_resume() or the
 * caller sets the position where reading begins; until then it is 0.
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

/* Start of the sub-buffer that the writer is in, or was in last: the newest of all turns. */
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
 * Resumes where the previous reader ended, in a ring whose reader area is mapped:
 * takes over its spare page, and its position if the ring can still hold that one,
 * otherwise the oldest possible position.
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
 * Whether a sub-buffer is complete and not yet read (Algorithm 5).  In overwrite
 * mode this is a hint: get may find that it was overwritten since.
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
 * Returns whether there is something to read, and how urgent it is (Algorithm 5).
 * @gone: the caller knows that the writer will never write again.  An incomplete
 *        sub-buffer then counts as a hang-up: strata_reader_copy_prefix() reads it
 * Loads two words and takes nothing.  In overwrite mode, get may find that the ring
 * was written further since.
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

	/* Of the previous turn, complete, or of this one: the writer cannot be further without
	 * us. */
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
 * Finds the next sub-buffer to read, and in overwrite mode takes it out of the ring;
 * read_count is its position.  Returns false while no sub-buffer is ready.
 * For rings whose reader area is mapped; for others a hypercall finds it.
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

/* Releases the sub-buffer (Algorithm 6): in discard mode its memory belongs to the writer again. */
static inline void strata_reader_put(struct strata_ring_reader *reader)
{
	reader->read_count += strata_subbuf_bytes(reader->geo);
	/* Release: our loads come before the writer's next stores; pairs with the acquire in
	 * strata_ring_plan(). */
	if (reader->shared)
		strata_store_release(&reader->shared->read_count, reader->read_count);
}

/*
 * Copies the contiguous committed part of the sub-buffer at @position, which its writer
 * has not completed and may never complete.
 * @to: strata_subbuf_bytes(geo); the packet header in it is yet to be made
 * Returns the valid bytes, that header included; 0: it holds no data, or the sub-buffer
 * was completed or overwritten meanwhile.
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
	/* The loads of the copy come before the load that proves it valid. */
	strata_read_barrier();
	commit = strata_read_once(&reader->writer->commit_seq[index]);
	if (strata_subbuf_offset(reader->geo, commit) == 0 ||
	    strata_table_turn_start(reader->geo, index, commit) != position)
		return 0;
	return (uint32_t)bytes;
}

/* Losses of one kind up to now, including those after the last packet.  Hostile, like every
 * word. */
static inline uint64_t strata_reader_lost(const struct strata_ring_reader *reader,
					  enum strata_lost kind)
{
	return strata_read_once(&reader->writer->lost[kind]);
}

#endif /* STRATA_RING_READER_H */

// SPDX-License-Identifier: GPL-2.0-or-later
/* app_ring.c - see app_ring.h; app.c calls it for live processes, and `strata recover` for the
 * rings that processes left. */
#include "consumerd/rings/app_ring.h"

#include <string.h>

#include "consumerd/rings/ring_shared.h"

/* In the reader's page of a single-store ring, after the words that its writer reads. */
#define TAKEN_OFFSET sizeof(struct strata_single_reader_area)

size_t app_ring_reader_offset(enum strata_app_mode mode)
{
	return mode == STRATA_APP_SINGLE_STORE ? STRATA_SINGLE_AREA_BYTES
					       : STRATA_WRITER_AREA_PAGES * STRATA_PAGE_BYTES;
}

size_t app_ring_always_read(const struct ring_file_header *header)
{
	const enum strata_app_mode mode = (enum strata_app_mode)header->mode;

	/* The writer of an overwritten ring says which page a sub-buffer is in, and may change that
	 * at any moment. */
	return mode == STRATA_APP_RESERVE_COMMIT && header->overwrite
		       ? header->ring_bytes
		       : app_ring_reader_offset(mode) + STRATA_PAGE_BYTES;
}

/* The writer overwrites nothing, so at our next position it is in our turn or in the previous
 * one. */
static bool is_sane(const struct ring *ring)
{
	const struct strata_ring_reader *reader = &ring->reader;
	const struct strata_ring_writer_area *writer = reader->writer;
	unsigned int index = strata_subbuf_index(reader->geo, reader->read_count);
	strata_count_t start = strata_table_turn_start(
		reader->geo, index, strata_reader_commit_seq(reader, reader->read_count));

	return strata_read_once(&writer->magic) == STRATA_RING_MAGIC &&
	       strata_read_once(&writer->version) == STRATA_RING_LAYOUT_VERSION &&
	       strata_read_once(&writer->subbuf_bits) == reader->geo.subbuf_bits &&
	       strata_read_once(&writer->nr_subbufs_bits) == reader->geo.nr_subbufs_bits &&
	       strata_read_once(&writer->page[index]) == index &&
	       (start == reader->read_count ||
		start == reader->read_count - strata_buffer_bytes(reader->geo));
}

static const uint64_t *marks_of(const struct ring *ring)
{
	return (const uint64_t *)((const unsigned char *)ring->reader.writer +
				  strata_app_marks_offset(ring->reader.geo));
}

/* The end of a slot, from @start of its sub-buffer; 0: @mark is not of this turn. */
static uint32_t slot_end(struct strata_ring_geometry geo, strata_count_t start, uint64_t mark)
{
	uint64_t end = (mark & ~(uint64_t)3) - start;

	return end <= strata_subbuf_bytes(geo) ? (uint32_t)end : 0;
}

/*
 * Follows the marks from slot to slot.  Returns where the first slot begins, from the
 * start of the sub-buffer at @start, that is not known to be whole.
 * @slot: OUT, the bytes of that slot, if it has a mark; else 0
 */
static uint32_t follow_marks(const struct ring *ring, strata_count_t start, uint32_t *slot)
{
	struct strata_ring_geometry geo = ring->reader.geo;
	const uint64_t *marks = marks_of(ring);
	uint32_t at = STRATA_PACKET_HEADER_BYTES, end;
	uint64_t mark;

	*slot = 0;
	if (!ring_pages_hold(ring->pages, &marks[strata_app_mark(geo, start)],
			     strata_subbuf_bytes(geo) / STRATA_APP_MARK_SPACING * sizeof(*marks)))
		return 0;
	while (at < strata_subbuf_bytes(geo)) {
		/* Acquire: the slot's bytes; pairs with the release of the mark that makes it
		 * whole. */
		mark = strata_load_acquire(&marks[strata_app_mark(geo, start + at)]);
		end = slot_end(geo, start, mark);
		/* Any other value is a mark of an earlier turn, or forged. */
		if (end < at + STRATA_APP_MARK_SPACING)
			break;
		if (mark & STRATA_APP_MARK_OPEN) {
			*slot = end - at;
			break;
		}
		at = end;
	}
	return at;
}

/* No page is ever taken out of such a ring: a sub-buffer lies in the page of its number. */
static const unsigned char *subbuf_memory(const struct ring *ring, strata_count_t start)
{
	return ring->reader.data + (start & (strata_buffer_bytes(ring->reader.geo) - 1));
}

static uint32_t copy_prefix(const struct ring *ring, strata_count_t position, void *to)
{
	uint32_t slot;
	uint32_t bytes = follow_marks(ring, position, &slot);

	if (!ring_pages_hold(ring->pages, subbuf_memory(ring, position), bytes))
		return 0;
	if (bytes > STRATA_PACKET_HEADER_BYTES)
		strata_copy(to, subbuf_memory(ring, position), bytes);
	return bytes;
}

static bool has_begun(const struct ring *ring, strata_count_t position)
{
	const struct strata_ring_geometry geo = ring->reader.geo;
	const strata_count_t first = position + STRATA_PACKET_HEADER_BYTES;
	const uint64_t *mark = &marks_of(ring)[strata_app_mark(geo, first)];

	/* An open mark means that something was reserved.  Acquire: as in follow_marks(). */
	return ring_pages_hold(ring->pages, mark, sizeof(*mark)) &&
	       slot_end(geo, position, strata_load_acquire(mark)) > STRATA_PACKET_HEADER_BYTES;
}

bool app_ring_open(struct ring *ring, const struct ring_file_header *header, uint32_t cpu,
		   unsigned char *memory)
{
	const enum strata_app_mode mode = (enum strata_app_mode)header->mode;
	const struct strata_ring_geometry geo = { header->subbuf_bits, header->nr_subbufs_bits };
	unsigned char *reader = memory + app_ring_reader_offset(mode);
	unsigned char *data = reader + STRATA_PAGE_BYTES;

	memset(ring, 0, sizeof(*ring));
	ring->reader.geo = geo;
	ring->cpu = cpu;
	if (mode == STRATA_APP_SINGLE_STORE) {
		ring->is_single = true;
		ring->taken = (struct ring_taken *)(reader + TAKEN_OFFSET);
		if (!strata_single_reader_init(&ring->single, geo,
					       (const struct strata_single_area *)memory,
					       (struct strata_single_reader_area *)reader, data))
			return false;
		ring->single.overwrite = header->overwrite;
		return true;
	}
	ring->get = ring_get_shared;
	ring->put = ring_put_shared;
	/* A reader that takes pages out of the ring finds them at other places. */
	if (!header->overwrite) {
		ring->sane = is_sane;
		ring->copy_prefix = copy_prefix;
		ring->has_begun = has_begun;
	}
	if (strata_reader_init(&ring->reader, geo, (const struct strata_ring_writer_area *)memory,
			       (struct strata_ring_reader_area *)reader, data) != STRATA_READER_OK)
		return false;
	ring->reader.overwrite = header->overwrite;
	return true;
}

static bool resume_single(struct ring *ring, uint64_t next_sequence)
{
	struct strata_single_reader *reader = &ring->single;
	uint64_t first =
		strata_subbuf_start(reader->geo, strata_read_once(&reader->shared->read_count)) +
		STRATA_PACKET_HEADER_BYTES;
	const struct ring_taken *taken = &ring->taken[(next_sequence - 1) % 2];
	uint64_t position = strata_read_once(&taken->position);

	reader->position = first;
	if (next_sequence == 0)
		return true;
	if (strata_read_once(&taken->number) != next_sequence || position % 4)
		return false;
	/* The sub-buffers released since then held no valid packet. */
	if ((int64_t)(position - first) <= 0)
		return true;
	if (position - first > strata_buffer_bytes(reader->geo))
		return false;
	reader->position = position;
	return true;
}

bool app_ring_resume(struct ring *ring, uint64_t next_sequence)
{
	struct strata_ring_reader *reader = &ring->reader;
	strata_count_t next = (strata_count_t)next_sequence << reader->geo.subbuf_bits;

	if (ring->is_single)
		return resume_single(ring, next_sequence);
	strata_reader_resume(reader);
	if (next - reader->read_count <= strata_buffer_bytes(reader->geo))
		reader->read_count = next;
	/* Beyond the last packet: the sub-buffers in between were not valid packets. */
	return (reader->read_count - next) >> (STRATA_COUNT_BITS - 1) == 0;
}

/* The end of the last slot that has a mark, from @start of its sub-buffer; 0: no slot has one. */
static uint32_t last_marked(const struct ring *ring, strata_count_t start)
{
	struct strata_ring_geometry geo = ring->reader.geo;
	const uint64_t *marks = marks_of(ring) + strata_app_mark(geo, start);
	uint32_t last = 0, end;
	size_t i;

	for (i = 0; i < strata_subbuf_bytes(geo) / STRATA_APP_MARK_SPACING; i++) {
		end = slot_end(geo, start, strata_read_once(&marks[i]));
		last = end > last ? end : last;
	}
	return last;
}

static bool is_complete(const struct ring *ring, strata_count_t start)
{
	return strata_subbuf_ready(ring->reader.geo, start,
				   strata_reader_commit_seq(&ring->reader, start));
}

bool app_ring_next_hole(const struct ring *ring, unsigned int *turn, struct app_ring_hole *hole)
{
	struct strata_ring_geometry geo = ring->reader.geo;
	strata_count_t first, start, next, bytes = strata_subbuf_bytes(geo);
	uint32_t last;

	if (ring->is_single)
		return false;
	first = strata_subbuf_start(geo, strata_read_once(&ring->reader.shared->read_count));
	for (; *turn < strata_nr_subbufs(geo); ++*turn) {
		start = first + ((strata_count_t)*turn << geo.subbuf_bits);
		next = start + bytes;
		if (is_complete(ring, start))
			continue;
		memset(hole, 0, sizeof(*hole));
		hole->sequence = start >> geo.subbuf_bits;
		hole->at = follow_marks(ring, start, &hole->reserved);
		hole->is_left = *turn + 1 < strata_nr_subbufs(geo) &&
				(is_complete(ring, next) || last_marked(ring, next));
		last = hole->is_left ? (uint32_t)bytes : last_marked(ring, start);
		if (last <= hole->at)
			continue;
		hole->behind = last - hole->at - hole->reserved;
		++*turn;
		return true;
	}
	return false;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* ring_peek.c - see ring_peek.h. */
#include "consumerd/rings/ring_peek.h"

#include <stdlib.h>
#include <string.h>

#include "consumerd/rings/ring_shared.h"

/*
 * Sub-buffers next to the writer that are left out.  The writer may be ahead of what it published:
 * it opens a sub-buffer some time before commit seq shows it, and a writer that was interrupted
 * there may have been overtaken by another in the next sub-buffer.
 */
#define NEAR_SUBBUFS 3u

struct peek {
	struct ring ring;                        /* first: they are converted */
	struct strata_single_reader_area unread; /* our read count, which the writer does not see */
	struct strata_ring_reader of;            /* with the writer's data */
	unsigned char copy[];                    /* of one sub-buffer */
};

/* How far a sub-buffer may lie behind the newest one and still be whole. */
static strata_count_t reach(struct strata_ring_geometry geo)
{
	const strata_count_t nr = strata_nr_subbufs(geo);

	return nr > NEAR_SUBBUFS ? (nr - NEAR_SUBBUFS) << geo.subbuf_bits : 0;
}

/* Whether the writer may have come back to @position; @newest: OUT, where it was seen. */
static bool is_overtaken(const struct strata_ring_reader *reader, strata_count_t position,
			 strata_count_t *newest)
{
	strata_count_t behind;

	*newest = strata_reader_newest(reader);
	behind = *newest - position;
	return behind >> (STRATA_COUNT_BITS - 1) == 0 && behind > reach(reader->geo);
}

/* Copies the sub-buffer at the reader's position. False: it was overwritten meanwhile. */
static bool copy_subbuf(struct peek *peek, const struct strata_ring_reader *reader)
{
	const unsigned int index = strata_subbuf_index(reader->geo, reader->read_count);
	const unsigned int page =
		strata_table_page(reader->geo, strata_read_once(&reader->writer->page[index]));
	strata_count_t ignored;

	memcpy(peek->copy, peek->of.data + ((size_t)page << reader->geo.subbuf_bits),
	       strata_subbuf_bytes(reader->geo));
	/* The loads of the copy come before the load that proves it valid. */
	strata_read_barrier();
	return !is_overtaken(reader, reader->read_count, &ignored);
}

static int get(struct ring *ring, struct strata_error *error)
{
	struct peek *peek = (struct peek *)ring;
	struct strata_ring_reader *reader = &ring->reader;
	unsigned int tries = (unsigned int)strata_nr_subbufs(reader->geo);
	strata_count_t newest;

	(void)error;
	while (tries--) {
		if (is_overtaken(reader, reader->read_count, &newest))
			reader->read_count = newest - reach(reader->geo);
		if (reader->read_count > RING_READ_COUNT_MAX ||
		    !strata_subbuf_ready(reader->geo, reader->read_count,
					 strata_reader_commit_seq(reader, reader->read_count)))
			return 0;
		if (copy_subbuf(peek, reader))
			return 1;
	}
	return 0;
}

static int put(struct ring *ring, struct strata_error *error)
{
	(void)error;
	strata_reader_put(&ring->reader);
	return 0;
}

struct ring *ring_peek_make(const struct ring *ring)
{
	struct peek *peek = malloc(sizeof(*peek) +
				   (ring->is_single ? 0 : strata_subbuf_bytes(ring->reader.geo)));

	if (!peek)
		return NULL;
	memset(peek, 0, sizeof(*peek));
	peek->ring = *ring;
	/* No note for `strata recover`: the ring's own reader has yet to read all of this. */
	peek->ring.taken = NULL;
	/* A single-store ring is read by copying, and the position is the reader's own. */
	peek->ring.single.shared = &peek->unread;
	if (ring->is_single)
		return &peek->ring;
	peek->of = ring->reader;
	/* All pages of an overwritten ring are locked (app_ring.c), and we read our copy. */
	peek->ring.pages = NULL;
	peek->ring.reader.shared = NULL;
	peek->ring.reader.data = peek->copy;
	peek->ring.reader.page = 0;
	peek->ring.get = get;
	peek->ring.put = put;
	peek->ring.sane = NULL;
	peek->ring.copy_prefix = NULL;
	peek->ring.has_begun = NULL;
	return &peek->ring;
}

void ring_peek_free(struct ring *ring)
{
	free(ring);
}

/* SPDX-License-Identifier: MIT */
/*
 * ring_layout.h - the layout of the memory that a writer shares with a reader in
 * another domain.
 *
 * A ring has three areas of whole pages, so that each can have its own access rights:
 *
 *   writer area  the writer writes, the reader maps it read-only
 *   reader area  both write: the read count and the sub-buffer table (guests);
 *                the hypervisor shares none: its reader uses hypercalls
 *   data         the memory of the sub-buffers, and of one more: the spare of a
 *                reader in overwrite mode; read-only to the reader
 *
 * The layout is versioned: a reader refuses an unknown version.  Reserved bytes are
 * zero.
 */
#ifndef STRATA_RING_LAYOUT_H
#define STRATA_RING_LAYOUT_H

#include <strata/ring_state.h>

#define STRATA_PAGE_BYTES 4096u

#define STRATA_RING_MAGIC          0x47525453u /* "STRG" */
#define STRATA_RING_LAYOUT_VERSION 3u

/* Limits that both sides enforce, so that no size computed from them can overflow. */
#define STRATA_SUBBUF_BITS_MIN     12u
#define STRATA_SUBBUF_BITS_MAX     22u
#define STRATA_NR_SUBBUFS_BITS_MIN 1u
#define STRATA_NR_SUBBUFS_BITS_MAX 8u
#define STRATA_NR_SUBBUFS_MAX      (1u << STRATA_NR_SUBBUFS_BITS_MAX)

/* The three kinds of loss; each counter only grows. */
enum strata_lost {
	STRATA_LOST_FULL,   /* the reader still owned the next sub-buffer */
	STRATA_LOST_NESTED, /* a wrap onto a slot of an interrupted writer, or nested too deep */
	STRATA_LOST_BIG,    /* the record does not fit into a sub-buffer */
	STRATA_NR_LOST
};

struct strata_ring_writer_area {
	uint32_t magic;
	uint16_t version;
	uint8_t subbuf_bits;
	uint8_t nr_subbufs_bits;
	uint32_t cpu;
	uint8_t count_bits; /* width of the writer's counters; a reader of another width refuses */
	uint8_t form;       /* enum strata_header_form of the records that are written now */
	uint16_t reserved0;
	/* The contexts of the records that are written now, STRATA_CONTEXT_BIT()s and
	 * STRATA_COUNTER_BIT()s (abi/guest_context.h); zero, except in kernels. */
	uint32_t contexts;
	uint32_t reserved3;
	uint64_t reserved1[5];
	/* Losses up to now, including those after the last packet that could be written. */
	uint64_t lost[STRATA_NR_LOST];
	uint64_t reserved2[5];
	/* Commit seq of each sub-buffer: the reader's half of equation (2), and while one is
	 * being written, how much of it is committed without a gap (ring_writer.h). */
	strata_count_t commit_seq[STRATA_NR_SUBBUFS_MAX];
	/* Which page each sub-buffer lies in (ring_table.h), in the turn of its commit seq. */
	uint16_t page[STRATA_NR_SUBBUFS_MAX];
};

struct strata_ring_reader_area {
	strata_count_t read_count; /* start of the sub-buffer that is to be read next */
	uint8_t reserved[64 - sizeof(strata_count_t)];
	strata_count_t table[STRATA_NR_SUBBUFS_MAX]; /* ring_table.h */
};

static inline bool strata_geometry_valid(struct strata_ring_geometry geo)
{
	return geo.subbuf_bits >= STRATA_SUBBUF_BITS_MIN &&
	       geo.subbuf_bits <= STRATA_SUBBUF_BITS_MAX &&
	       geo.nr_subbufs_bits >= STRATA_NR_SUBBUFS_BITS_MIN &&
	       geo.nr_subbufs_bits <= STRATA_NR_SUBBUFS_BITS_MAX;
}

/* Pages of each area. Allocators and mappers both use these functions. */
#define STRATA_WRITER_AREA_PAGES 1u
#define STRATA_READER_AREA_PAGES 1u

/* The sub-buffers and the spare. */
static inline size_t strata_data_bytes(struct strata_ring_geometry geo)
{
	return (size_t)(strata_buffer_bytes(geo) + strata_subbuf_bytes(geo));
}

static inline uint32_t strata_data_pages(struct strata_ring_geometry geo)
{
	return (uint32_t)(strata_data_bytes(geo) / STRATA_PAGE_BYTES);
}

#endif /* STRATA_RING_LAYOUT_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app_ring.h - reads a ring of an application (strata/abi/app.h): while its process lives, after it
 * was killed, and as the successor of another reader.
 *
 * The application can write to all of it at any time, including the reader's page.
 */
#ifndef STRATA_CONSUMERD_APP_RING_H
#define STRATA_CONSUMERD_APP_RING_H

#include <strata/abi/app.h>

#include "consumerd/rings/ring.h"
#include "consumerd/rings/ring_file.h"

/* Where the page lies in a ring that its reader writes. */
size_t app_ring_reader_offset(enum strata_app_mode mode);

/* How many bytes from its start must stay locked while it is read (ring_pages.h). */
size_t app_ring_always_read(const struct ring_file_header *header);

/*
 * Begins to read a ring.
 * @header: its mode, geometry, and whether it overwrites
 * @memory: strata_app_ring_bytes(), mapped; the reader's page writable
 * False: the memory does not begin like such a ring.
 */
bool app_ring_open(struct ring *ring, const struct ring_file_header *header, uint32_t cpu,
		   unsigned char *memory);

/*
 * Resumes where another reader ended.  The ring has no writer any more, or it is a copy.
 * @next_sequence: one more than the sequence number of the last packet written; 0: none was
 * False: the other reader's notes contradict the ring; sub-buffers that it had not released are
 * read again in full.
 */
bool app_ring_resume(struct ring *ring, uint64_t next_sequence);

/* The unknown part of an incomplete sub-buffer; all in bytes. */
struct app_ring_hole {
	uint64_t sequence;
	uint32_t at;       /* from its start: end of the last record known to be complete */
	uint32_t reserved; /* of the slot there, whose writer did not finish; 0: unknown */
	uint32_t behind;   /* of other slots reserved after it, as far as known */
	bool is_left;      /* writers had entered the next sub-buffer */
};

/*
 * Finds such sub-buffers, from the first unreleased one on, even if it was read. @turn: IN, OUT:
 * the turn to examine first; begins at 0. False: no more holes.
 */
bool app_ring_next_hole(const struct ring *ring, unsigned int *turn, struct app_ring_hole *hole);

#endif /* STRATA_CONSUMERD_APP_RING_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app_ring.h - how a ring of an application is read (strata/abi/app.h), while its
 * process lives, when it was killed, and by a reader that comes after another one.
 *
 * The application writes all of it at any time, the reader's page included.
 */
#ifndef STRATA_CONSUMERD_APP_RING_H
#define STRATA_CONSUMERD_APP_RING_H

#include <strata/abi/app.h>

#include "ring.h"
#include "ring_file.h"

/* Where the page lies in a ring that its reader writes. */
size_t app_ring_reader_offset(enum strata_app_mode mode);

/*
 * Begins to read a ring.
 * @header: its mode, geometry, and whether it overwrites
 * @memory: strata_app_ring_bytes(), mapped; the reader's page writable
 * False: it does not begin as such a ring does.
 */
bool app_ring_open(struct ring *ring, const struct ring_file_header *header, uint32_t cpu,
		   unsigned char *memory);

/*
 * Goes on where another reader ended.  Nobody writes the ring any more, or it is a copy.
 * @next_sequence: one more than the number of the last packet that was written; 0: none was
 * False: what that reader noted does not fit; what it had not let go is read again, as a whole.
 */
bool app_ring_resume(struct ring *ring, uint64_t next_sequence);

/* What is not known of a sub-buffer that was not completed; all in bytes. */
struct app_ring_hole {
	uint64_t sequence;
	uint32_t at;       /* from its start: behind the last record that is known to be whole */
	uint32_t reserved; /* of the slot there, whose writer did not come to its end; 0: unknown */
	uint32_t behind;   /* of what else was reserved behind it, as far as that is known */
	bool is_left;      /* writers had gone on to the next sub-buffer */
};

/*
 * Finds such sub-buffers, from the first on that was not let go, also if it was read.
 * @turn: which one from there on is looked at first: 0; IN, OUT
 * False: there are no more.
 */
bool app_ring_next_hole(const struct ring *ring, unsigned int *turn, struct app_ring_hole *hole);

#endif /* STRATA_CONSUMERD_APP_RING_H */

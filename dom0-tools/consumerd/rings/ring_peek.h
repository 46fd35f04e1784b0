/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_peek.h - reads what a ring that is overwritten holds, and leaves it there: for the last
 * moments of one domain, which take no history from the others.
 *
 * A peeking ring is a second reader of a ring whose reader waits meanwhile.  It exchanges no page
 * and tells the writer nothing.  So it reads complete sub-buffers alone, copies each one, and looks
 * afterwards whether the writer had come near.
 */
#ifndef STRATA_CONSUMERD_RING_PEEK_H
#define STRATA_CONSUMERD_RING_PEEK_H

#include "consumerd/rings/ring.h"

/*
 * Makes a ring that reads on from where @ring's reader is; @ring is not changed.
 * @ring: stays mapped, and nobody reads it, until ring_peek_free()
 * NULL: out of memory.
 */
struct ring *ring_peek_make(const struct ring *ring);

/* NULL is fine. */
void ring_peek_free(struct ring *ring);

#endif /* STRATA_CONSUMERD_RING_PEEK_H */

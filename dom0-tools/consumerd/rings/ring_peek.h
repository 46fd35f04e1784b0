/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_peek.h - reads a flight recorder's ring and takes nothing out of it: for the last moments of
 * one domain, which must not take the history of the others.
 *
 * A peeking ring is a second reader of a ring whose reader waits meanwhile.  It exchanges no page
 * and tells the writer nothing.  So it reads only complete sub-buffers, copies each one, and then
 * checks that the writer has not come near.
 */
#ifndef STRATA_CONSUMERD_RING_PEEK_H
#define STRATA_CONSUMERD_RING_PEEK_H

#include "consumerd/rings/ring.h"

/*
 * Makes a ring that reads on from where @ring's reader is; @ring is not changed.
 * @ring: must stay mapped and unread until ring_peek_free()
 * NULL: out of memory.
 */
struct ring *ring_peek_make(const struct ring *ring);

/* NULL is fine. */
void ring_peek_free(struct ring *ring);

#endif /* STRATA_CONSUMERD_RING_PEEK_H */

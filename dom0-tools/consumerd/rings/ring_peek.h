/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_peek.h - reads a flight recorder's ring without removing anything: to save the final events
 * of one domain without losing the history of the others.
 *
 * A peeking ring is a second reader of a ring whose reader waits meanwhile. It exchanges no page
 * and does not signal the writer. So it reads only complete sub-buffers, copies each one, and then
 * checks that the writer has not overtaken it.
 */
#ifndef STRATA_CONSUMERD_RING_PEEK_H
#define STRATA_CONSUMERD_RING_PEEK_H

#include "consumerd/rings/ring.h"

/*
 * Makes a ring that reads from the position of @ring's reader on; @ring is not changed.
 * @ring: must stay mapped and unread until ring_peek_free()
 * NULL: out of memory.
 */
struct ring *ring_peek_make(const struct ring *ring);

/* NULL is fine. */
void ring_peek_free(struct ring *ring);

#endif /* STRATA_CONSUMERD_RING_PEEK_H */

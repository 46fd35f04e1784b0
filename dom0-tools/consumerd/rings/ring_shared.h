/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring_shared.h - reads rings whose reader area is mapped: those of guests and
 * applications. */
#ifndef STRATA_CONSUMERD_RING_SHARED_H
#define STRATA_CONSUMERD_RING_SHARED_H

#include "consumerd/rings/ring.h"

/* No ring reaches this position in its life; packets' sequence numbers, which follow from it, would
 * wrap. */
#define RING_READ_COUNT_MAX (~(strata_count_t)0 >> 1)

/* A ring's get() and put() if its reader area is mapped. */
int ring_get_shared(struct ring *ring, struct strata_error *error);
int ring_put_shared(struct ring *ring, struct strata_error *error);

#endif /* STRATA_CONSUMERD_RING_SHARED_H */

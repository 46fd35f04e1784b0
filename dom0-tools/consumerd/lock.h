/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.h - one recorder a host.  The lock is a file lock, so it goes when its
 * holder dies; the file says who holds it.
 */
#ifndef STRATA_CONSUMERD_LOCK_H
#define STRATA_CONSUMERD_LOCK_H

#include "error.h"

/* Takes the lock.  A descriptor to keep open, or -1 with who records already. */
int recorder_lock(struct strata_error *error);

#endif /* STRATA_CONSUMERD_LOCK_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.h - ensures a single recorder per host.  The kernel releases a file lock when its holder
 * dies; the file names the holder.
 */
#ifndef STRATA_CONSUMERD_LOCK_H
#define STRATA_CONSUMERD_LOCK_H

#include "base/error.h"

/* Takes the lock.  Returns a descriptor to keep open, or -1 and the name of the recorder that holds
 * it. */
int recorder_lock(struct strata_error *error);

#endif /* STRATA_CONSUMERD_LOCK_H */

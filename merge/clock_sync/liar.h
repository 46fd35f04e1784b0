/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * liar.h - finds the clock of a component whose trace is proven to lie.
 */
#ifndef STRATA_CLOCK_SYNC_LIAR_H
#define STRATA_CLOCK_SYNC_LIAR_H

#include "clock_sync/clash.h"

/*
 * Finds the liar of a component whose clashes are known; -1: undecided.  Chooses paths on trial,
 * and restores them.  False: out of memory.
 */
bool strata_liar_find(struct strata_clock_sync *sync, int root, int *liar);

#endif /* STRATA_CLOCK_SYNC_LIAR_H */

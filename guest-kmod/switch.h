/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * switch.h - hands over what is in half full sub-buffers while recording goes on,
 * without waking a CPU for it.
 */
#ifndef STRATA_KMOD_SWITCH_H
#define STRATA_KMOD_SWITCH_H

#include <linux/types.h>

/*
 * From now on each CPU hands over what it has recorded once in @period_ms, as
 * strata/ring_switch.h says; 0: no longer.  Another period replaces the one that
 * holds.  The rings exist.  0, or a negative error after a message, and nothing is
 * handed over.  May sleep.
 */
int strata_switch_start(u32 period_ms);

/* No longer.  When it returns nothing of it runs.  Also if it was never started.  May sleep. */
void strata_switch_stop(void);

#endif /* STRATA_KMOD_SWITCH_H */

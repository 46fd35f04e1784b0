/* SPDX-License-Identifier: GPL-2.0-only */
/* switch.h - hands over open sub-buffers during a recording, without waking a CPU for it. */
#ifndef STRATA_KMOD_SWITCH_H
#define STRATA_KMOD_SWITCH_H

#include <linux/types.h>

/*
 * Makes each CPU hand over its records of a channel once in @period_ms
 * (strata/ring_switch.h); 0: never.  Replaces the channel's current period.  The rings
 * exist.  Returns 0, or a negative error after a message; then no CPU hands over.  May
 * sleep.
 */
int strata_switch_set(unsigned int channel, u32 period_ms);

#endif /* STRATA_KMOD_SWITCH_H */

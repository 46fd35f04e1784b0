/* SPDX-License-Identifier: GPL-2.0-only */
/* switch.h - hands over open sub-buffers during a recording, without waking a CPU for it. */
#ifndef STRATA_KMOD_SWITCH_H
#define STRATA_KMOD_SWITCH_H

#include <linux/types.h>

/*
 * Makes each CPU hand over its records once in @period_ms (strata/ring_switch.h); 0:
 * never.  Replaces the current period.  The rings exist.  Returns 0, or a negative
 * error after a message; then no CPU hands over.  May sleep.
 */
int strata_switch_start(u32 period_ms);

/* Stops that; on return no timer runs.  May be called if it was never started.  May sleep. */
void strata_switch_stop(void);

#endif /* STRATA_KMOD_SWITCH_H */

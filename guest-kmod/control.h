/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control.h - domain 0 starts and stops the recording.
 */
#ifndef STRATA_KMOD_CONTROL_H
#define STRATA_KMOD_CONTROL_H

#include <linux/types.h>

/* Begins to obey data/strata/ctl.  0 or a negative error after a message.  May sleep. */
int strata_control_open(void);

/* Stops obeying commands, and ends a recording in progress.  When it returns, no probe runs and all
 * rings are flushed.  May sleep. */
void strata_control_close(void);

/* Whether the probes record now. Any context. */
bool strata_control_recording(void);

#endif /* STRATA_KMOD_CONTROL_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control.h - domain 0 starts and stops the recording.
 */
#ifndef STRATA_KMOD_CONTROL_H
#define STRATA_KMOD_CONTROL_H

/* Begins to obey the ctl nodes of all channels.  0 or a negative error after a message.  May sleep.
 */
int strata_control_open(void);

/* Stops obeying commands, and ends recordings in progress.  When it returns, no probe runs and all
 * rings are flushed.  May sleep. */
void strata_control_close(void);

/* After that: removes all channels but 0, except for their nodes.  May sleep. */
void strata_control_clear(void);

#endif /* STRATA_KMOD_CONTROL_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * evtchn.h - records an event for each upcall of an event channel, for which the kernel
 * has no trace point: here arrives what Xen calls "sent".
 */
#ifndef STRATA_KMOD_EVTCHN_H
#define STRATA_KMOD_EVTCHN_H

/* Enters the event, if this kernel has the function that it hooks.  May sleep. */
void strata_evtchn_open(void);

/* Removes the hook; the event must be detached.  Sleeps for seconds in a busy kernel. */
void strata_evtchn_close(void);

#endif /* STRATA_KMOD_EVTCHN_H */

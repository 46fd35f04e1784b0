/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * evtchn.h - an event for each upcall of an event channel, of which the kernel
 * has no trace point: what Xen calls "sent" here arrives.
 */
#ifndef STRATA_KMOD_EVTCHN_H
#define STRATA_KMOD_EVTCHN_H

/* Enters the event, if this kernel has the function that it hooks.  May sleep. */
void strata_evtchn_open(void);

/* Takes the hook away, the event being detached.  May sleep. */
void strata_evtchn_close(void);

#endif /* STRATA_KMOD_EVTCHN_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xen_events.h - describes the hypervisor's records: Xen's own trace points by
 * name and fields, and Strata's own events.
 *
 * recording.c calls it for ids that a source's table lacks.
 */
#ifndef STRATA_MERGE_XEN_EVENTS_H
#define STRATA_MERGE_XEN_EVENTS_H

#include <strata/event.h>

#include "base/number_names.h"

/* Xen's RUNSTATE_*, as in runstate events. */
enum strata_runstate {
	STRATA_RUNSTATE_RUNNING = 0,
	STRATA_RUNSTATE_RUNNABLE = 1,
	STRATA_RUNSTATE_BLOCKED = 2,
	STRATA_RUNSTATE_OFFLINE = 3,
};

/* A runstate change; its payload begins with u16 vcpu, u16 domain. */
struct strata_runstate_change {
	enum strata_runstate before;
	enum strata_runstate after;
};

extern const struct strata_number_names strata_xen_runstates;

/* "running", "runnable", "blocked", "offline"; any other number gives "unknown". */
const char *strata_runstate_name(unsigned int state);

/* True, and @change filled, if the record id is a runstate change that carries its vCPU. */
bool strata_xen_runstate_change(uint32_t id, struct strata_runstate_change *change);

/* True, and @entry filled, if the record id says that a vCPU enters guest mode, or has left it: the
 * vCPU of the record's context. */
bool strata_xen_guest_mode(uint32_t id, bool *entry);

/* True, and @issue filled, if the record id says that a PV guest issues a hypercall, or that one
 * returns to it: the vCPU of the record's context. */
bool strata_xen_pv_hypercall(uint32_t id, bool *issue);

/*
 * Describes the record id (STRATA_HV_ID_*) of the hypervisor. An id of Xen's that the table lacks
 * gets plain words as fields. False: one of Strata's own events, unknown to this version.
 */
bool strata_xen_event(uint32_t id, struct strata_event_desc *event);

/* The id that stands for an event of Xen's whose own has no place (guest_numbers.h): as many words,
 * and the name trc_guest_other if a guest chose the number, else trc_other. */
uint32_t strata_xen_other_id(uint32_t id);

#endif /* STRATA_MERGE_XEN_EVENTS_H */

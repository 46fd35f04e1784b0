/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_class.h - what the merge knows of an event beyond its description.
 *
 * A source's event table may move when an unknown id is added; a class stays
 * where it is for as long as its table lives, so heads of streams and outputs
 * can point to it.
 */
#ifndef STRATA_MERGE_EVENT_CLASS_H
#define STRATA_MERGE_EVENT_CLASS_H

#include "recording/recording.h"
#include "xen/xen_events.h"

enum strata_event_role {
	STRATA_ROLE_OTHER,
	STRATA_ROLE_RUNSTATE,    /* the hypervisor: a vCPU changes state */
	STRATA_ROLE_VCPU_STATE,  /* the hypervisor: a vCPU's state when recording started */
	STRATA_ROLE_GUEST_ENTRY, /* the hypervisor: the current vCPU enters guest mode */
	STRATA_ROLE_GUEST_EXIT,  /* the hypervisor: it has left it */
	STRATA_ROLE_BUDGET,      /* the hypervisor: events of a domain are refused */
	STRATA_ROLE_SELECTION,   /* the hypervisor: other events are recorded from now on */
};

struct strata_event_class {
	struct strata_event_desc desc;
	enum strata_layer layer;
	enum strata_event_role role;
	struct strata_runstate_change change; /* of a runstate event */
	uint32_t fixed_bytes;                 /* of a payload, if its length is the same for all */
	bool is_variable;                     /* it is not */
	uint32_t number; /* within the source: 0, 1, ... in order of appearance */
	uint32_t index;  /* within the merge: likewise */
};

/* Zero-initialised is empty. */
struct strata_event_classes {
	struct strata_event_class **by_number;
	struct strata_event_class **by_hash; /* open addressing; a power of two */
	uint32_t nr;
	uint32_t capacity;
};

/*
 * The class for a record of @source.
 * @next_index: counts the classes of the whole merge
 * NULL: out of memory.
 */
const struct strata_event_class *strata_event_class_get(struct strata_event_classes *classes,
							const struct strata_source *source,
							const struct strata_event_desc *desc,
							uint32_t *next_index);

void strata_event_classes_clear(struct strata_event_classes *classes);

#endif /* STRATA_MERGE_EVENT_CLASS_H */

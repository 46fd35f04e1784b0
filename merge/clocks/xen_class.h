/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xen_class.h - what the hypervisor's events say about vCPUs: determined once per event class, then
 * read from the bytes of each event.
 */
#ifndef STRATA_MERGE_XEN_CLASS_H
#define STRATA_MERGE_XEN_CLASS_H

#include <strata/abi/hypervisor.h>

#include "ctf/reader/ctf_reader.h"
#include "recording/recording.h"
#include "xen/xen_events.h"

enum strata_xen_tells {
	STRATA_XEN_TELLS_NOTHING,
	STRATA_XEN_RUNSTATE,    /* a vCPU changes state: strata_xen_read_changed() */
	STRATA_XEN_VCPU_STATE,  /* its state when recording started: struct strata_hv_vcpu_state */
	STRATA_XEN_GUEST_ENTRY, /* the context's vCPU enters guest mode */
	STRATA_XEN_GUEST_EXIT,  /* it has left it */
	STRATA_XEN_BUDGET,      /* events of a domain are refused: struct strata_hv_budget */
	/* The hypervisor records other events from now on: struct strata_hv_selection. */
	STRATA_XEN_SELECTION,
};

struct strata_xen_class {
	uint32_t id; /* of its records: STRATA_HV_ID_*; 0: unknown */
	enum strata_xen_tells tells;
	struct strata_runstate_change change; /* of a runstate event */
};

/* The classes of a trace of the hypervisor, by strata_ctf_event_class.index.  NULL: out of
 * memory. */
struct strata_xen_class *strata_xen_classes_new(const struct strata_source *source,
						const struct strata_ctf_metadata *metadata);

/*
 * Returns the first byte of a recorded event's payload. Hostile metadata may describe fewer bytes
 * than the event's structure has.
 * @context_bytes: of its layer, before the payload
 */
static inline const uint8_t *strata_recorded_payload(const struct strata_ctf_reader *reader,
						     const struct strata_lane_event *event,
						     uint32_t context_bytes, uint32_t *bytes)
{
	const uint32_t all = (event->end - event->body) / 8;

	*bytes = event->body % 8 || all < context_bytes ? 0 : all - context_bytes;
	return reader->base + event->body / 8 + context_bytes;
}

/* Copies the structure at the start of a hypervisor event. False: the event is shorter. */
static inline bool strata_xen_read(const struct strata_ctf_reader *reader,
				   const struct strata_lane_event *event, void *to, size_t bytes)
{
	uint32_t available;
	const uint8_t *from = strata_recorded_payload(reader, event,
						      sizeof(struct strata_hv_context), &available);

	if (available < bytes)
		return false;
	memcpy(to, from, bytes);
	return true;
}

/* The vCPU that ran when the hypervisor recorded the event.  False: the event is too short. */
static inline bool strata_xen_read_context(const struct strata_ctf_reader *reader,
					   const struct strata_lane_event *event,
					   struct strata_hv_context *context)
{
	if (event->body % 8 || (event->end - event->body) / 8 < sizeof(*context))
		return false;
	memcpy(context, reader->base + event->body / 8, sizeof(*context));
	return true;
}

/* Reads the vCPU that a runstate event is about. False: the event is too short. */
static inline bool strata_xen_read_changed(const struct strata_ctf_reader *reader,
					   const struct strata_lane_event *event,
					   struct strata_hv_context *changed)
{
	uint16_t vcpu_domain[2];

	if (!strata_xen_read(reader, event, vcpu_domain, sizeof(vcpu_domain)))
		return false;
	changed->vcpu = vcpu_domain[0];
	changed->domain = vcpu_domain[1];
	return true;
}

#endif /* STRATA_MERGE_XEN_CLASS_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_place.h - where events happened, as far as their trace tells: in which layer, on
 * which physical CPU, in which domain, on which of its vCPUs.
 *
 * Strata's traces say it: the hypervisor's in each event's context (who ran on the CPU),
 * a kernel's or an application's for the trace as a whole; a merged timeline's in
 * each context.  Others' know their layer at most.
 */
#ifndef STRATA_MERGE_EVENT_PLACE_H
#define STRATA_MERGE_EVENT_PLACE_H

#include "ctf/ctf_access.h"
#include "ctf/ctf_trace.h"

#define STRATA_PLACE_UNKNOWN UINT32_MAX

/* Where a number is to be found. */
struct strata_place_number {
	enum {
		STRATA_PLACE_NOWHERE,
		STRATA_PLACE_FIXED, /* the same for all events */
		STRATA_PLACE_CPU,   /* the number of the stream's CPU */
		STRATA_PLACE_FIELD, /* of each event's context */
	} in;
	uint32_t fixed;
	struct strata_ctf_access access;
};

/* Of the events of one kind of stream. */
struct strata_place {
	const char *layer; /* "xen", "kernel", "app"; "": not known */
	struct strata_place_number domain, vcpu, pcpu;
	bool has_fields; /* of one of the three */
};

/* The layer that a name stands for, which lives for ever; "": it is none. */
const char *strata_place_layer(const char *name);

/*
 * Finds it out for one kind of a trace's streams.
 * @arena: what it is made in
 * 0, or -1: out of memory.
 */
int strata_place_find(struct strata_place *place, const struct strata_ctf_trace *trace, size_t kind,
		      struct strata_ctf_arena *arena);

/*
 * A number of an event.
 * @cpu:    of its packet; STRATA_PLACE_UNKNOWN: it says none
 * @cursor: where the event's contexts begin
 */
uint32_t strata_place_read(const struct strata_place_number *number, uint32_t cpu,
			   const struct strata_ctf_cursor *cursor);

#endif /* STRATA_MERGE_EVENT_PLACE_H */

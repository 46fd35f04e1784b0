/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_place.h - the place of events, as far as their trace contains it: layer, physical CPU,
 * domain and vCPU.
 *
 * Strata's traces contain it: the hypervisor's in each event's context (the vCPU that ran on the
 * CPU), a kernel's or an application's for the trace as a whole. Traces of other tracers contain at
 * most the layer.
 */
#ifndef STRATA_MERGE_EVENT_PLACE_H
#define STRATA_MERGE_EVENT_PLACE_H

#include "ctf/values/ctf_plain.h"
#include "ctf/trace/ctf_trace.h"

#define STRATA_PLACE_UNKNOWN UINT32_MAX

/* Where a number is found. */
struct strata_place_number {
	enum {
		STRATA_PLACE_NOWHERE,
		STRATA_PLACE_FIXED, /* the same for all events */
		STRATA_PLACE_CPU,   /* the number of the stream's CPU */
		STRATA_PLACE_FIELD, /* of each event's context */
	} in;
	uint32_t fixed;
	struct strata_ctf_access access;
	struct strata_ctf_plain plain;
};

/* Of the events of one kind of stream. */
struct strata_place {
	const char *layer; /* "xen", "kernel", "app"; "": not known */
	struct strata_place_number domain, vcpu, pcpu;
	bool has_fields; /* one of the three is in each event */
	bool knows_any;  /* of the three */
};

/*
 * Determines it for one kind of a trace's streams. @arena: for its memory. 0, or -1: out of memory.
 */
int strata_place_find(struct strata_place *place, const struct strata_ctf_trace *trace, size_t kind,
		      struct strata_ctf_arena *arena);

/* Returns the number, or STRATA_PLACE_UNKNOWN if it is larger than any domain's or CPU's. */
static inline uint32_t strata_place_known(uint64_t value)
{
	return value > UINT16_MAX ? STRATA_PLACE_UNKNOWN : (uint32_t)value;
}

/* Returns the number of a packet's or a stream's CPU, if it has one. */
static inline uint32_t strata_place_cpu(bool has_cpu, uint64_t cpu)
{
	return has_cpu && cpu < STRATA_PLACE_UNKNOWN ? (uint32_t)cpu : STRATA_PLACE_UNKNOWN;
}

/* Does the same as strata_place_read_field(), for any field. */
uint32_t strata_place_read_any(const struct strata_place_number *number,
			       const struct strata_ctf_cursor *cursor);

/* Reads a number that is in each event. @cursor: at the start of the event's contexts */
static inline uint32_t strata_place_read_field(const struct strata_place_number *number,
					       const struct strata_ctf_cursor *cursor)
{
	uint64_t value;

	if (number->plain.width == 0)
		return strata_place_read_any(number, cursor);
	return strata_ctf_plain_read(&number->plain, cursor, &value) ? strata_place_known(value)
								     : STRATA_PLACE_UNKNOWN;
}

/*
 * Reads any number of an event.
 * @cpu: of its packet; STRATA_PLACE_UNKNOWN: none
 * @cursor: at the start of the event's contexts; NULL if no number is in events
 */
static inline uint32_t strata_place_read(const struct strata_place_number *number, uint32_t cpu,
					 const struct strata_ctf_cursor *cursor)
{
	switch (number->in) {
	case STRATA_PLACE_FIXED:
		return number->fixed;
	case STRATA_PLACE_CPU:
		return cpu;
	case STRATA_PLACE_FIELD:
		return cursor ? strata_place_read_field(number, cursor) : STRATA_PLACE_UNKNOWN;
	case STRATA_PLACE_NOWHERE:
		break;
	}
	return STRATA_PLACE_UNKNOWN;
}

#endif /* STRATA_MERGE_EVENT_PLACE_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * happening.h - the inside of the state of hosts (host_state.h): its parts, an event with its
 * meaning, and the functions that hand an event of each layer to the parts.
 */
#ifndef STRATA_MERGE_STATE_HAPPENING_H
#define STRATA_MERGE_STATE_HAPPENING_H

#include "state/evtchns.h"
#include "state/grants.h"
#include "state/host_state.h"
#include "state/trace_ends.h"
#include "timeline/event_place.h"

#define STRATA_STATE_RECENT 32u

/* The meanings of one kind of a trace's streams. */
struct strata_state_kind {
	struct strata_place place;
	struct strata_meaning *meanings; /* as its classes */
	bool means_anything, has_runstates;
	/* Domain and vCPU of an event's context, read as one number where they are adjacent, and
	 * the vCPUs that were last found by it. */
	struct strata_ctf_plain vcpu_pair;
	struct strata_state_recent {
		uint32_t pair;
		struct strata_vcpu *vcpu; /* NULL: none */
	} recent[STRATA_STATE_RECENT];
};

struct strata_happening;

/* Applies an event that has a meaning. */
typedef void strata_state_take(struct strata_host_state *state,
			       const struct strata_happening *event);

struct strata_host_state {
	struct strata_slice_sink sink;
	const struct strata_trace_set *set;
	struct strata_spans spans;
	const struct strata_request_forms *request_forms;
	struct strata_ctf_arena *arena;
	struct strata_state_kind **kinds; /* of each trace */
	struct strata_id_map names; /* names of meanings, which the state keeps; by their ids */
	struct strata_vcpus vcpus;
	struct strata_tasks tasks;
	struct strata_evtchns evtchns;
	struct strata_grants grants;
	struct strata_requests requests;
	struct strata_state_facts facts;
	strata_state_take *takes[STRATA_NR_MEANINGS];
	struct strata_moment now;
	struct strata_trace_ends ends;
};

/* An event, opened. */
struct strata_happening {
	size_t trace;
	const struct strata_ctf_trace *of;
	struct strata_state_kind *kind;
	const struct strata_meaning *meaning;
	uint32_t cpu; /* of its stream */
	struct strata_ctf_cursor cursor;
};

/* Finds the meaning of each event of the set, in place of those of the set before.  0, or -1: out
 * of memory. */
int strata_state_find_kinds(struct strata_host_state *state);

/* By an event's meaning: the functions for events of the hypervisor, and for those of kernels and
 * applications.  NULL in one of the two. */
extern strata_state_take *const strata_state_takes_xen[STRATA_NR_MEANINGS];
extern strata_state_take *const strata_state_takes_kernel[STRATA_NR_MEANINGS];

/* Reads a number of an event; false: the event does not have it. */
static inline bool strata_happening_number(const struct strata_happening *event, size_t field,
					   uint64_t *value)
{
	return strata_named_field_number(&event->meaning->fields[field], &event->cursor, value);
}

/* Reads a number that fits into 32 bits; else returns @otherwise. */
static inline uint32_t strata_happening_number_or(const struct strata_happening *event,
						  size_t field, uint32_t otherwise)
{
	uint64_t value;

	return strata_happening_number(event, field, &value) && value < UINT32_MAX ? (uint32_t)value
										   : otherwise;
}

#endif /* STRATA_MERGE_STATE_HAPPENING_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host_state.h - the state of hosts over time: an observer (timeline/in_order.h) that makes spans
 * (span.h) of the events of a set of traces, in one pass, in memory for vCPUs and tasks.
 *
 *     strata_host_state_new       before the pass
 *     strata_host_state_observer  to be handed all events
 *     strata_host_state_finish    after it: tells what goes on
 *     strata_host_state_free
 *
 * It sees hypervisors, kernels and applications, as far as there are traces of them: guests
 * without one have vCPUs only, kernels without a hypervisor have tasks only.
 */
#ifndef STRATA_MERGE_STATE_HOST_STATE_H
#define STRATA_MERGE_STATE_HOST_STATE_H

#include "state/meaning.h"
#include "state/requests.h"
#include "state/tasks.h"
#include "state/vcpus.h"
#include "timeline/trace_set.h"

struct strata_host_state;

/* What there was to make the state of. */
struct strata_state_facts {
	uint64_t events;
	uint64_t first_ns, last_ns;
	uint64_t seen[STRATA_NR_MEANINGS]; /* events of each meaning */
	uint64_t losses;                   /* in streams that tell of the state */
	uint64_t contradictions;           /* see struct strata_vcpus */
	uint64_t switches_missing;         /* see struct strata_tasks */
	uint64_t not_followed;             /* events of more tasks or CPUs than are followed */
	uint64_t grants_without_map, grants_still_mapped;
	uint64_t requests_without_begin, requests_without_end, requests_not_followed;
};

/*
 * @set:       stays as it is, and outlives it; with its index, only the ends of
 *              its streams are read for when they end, and not all of them
 * @requests:  which events begin and end a request besides those whose names say it; outlives it
 * @listeners: likewise
 * NULL with @error.
 */
struct strata_host_state *strata_host_state_new(const struct strata_trace_set *set,
						const struct strata_request_forms *requests,
						struct strata_span_listener *const *listeners,
						size_t nr_listeners, struct strata_error *error);

/*
 * The same for a recording that goes on: traces end when strata_host_state_end_trace() says it.
 *
 * strata_host_state_change_set(): the traces are open anew; each keeps its number, one that holds
 * no more events may have no metadata, and others may follow.  0, or -1 with @error.
 */
struct strata_host_state *strata_host_state_new_live(const struct strata_trace_set *set,
						     const struct strata_request_forms *requests,
						     struct strata_span_listener *const *listeners,
						     size_t nr_listeners,
						     struct strata_error *error);
int strata_host_state_change_set(struct strata_host_state *state,
				 const struct strata_trace_set *set, struct strata_error *error);

/* Nobody knows what happens where a trace has ended: from @ns on, or, if that is past, from now on.
 * 0, or -1: out of memory. */
int strata_host_state_end_trace(struct strata_host_state *state, size_t trace, uint64_t ns);

/* The recording has ended: finds when each of its traces does.  Its set has an index.  0 or -1. */
int strata_host_state_find_ends(struct strata_host_state *state, struct strata_error *error);

struct strata_slice_sink *strata_host_state_observer(struct strata_host_state *state);

/* Tells @spans what goes on, up to the last event, and sums up the facts.  The state stays as it
 * is, and goes on. */
void strata_host_state_tell_open(struct strata_host_state *state, const struct strata_spans *spans);

/* 0, or -1: there was not enough memory for all of it. */
int strata_host_state_finish(struct strata_host_state *state, struct strata_error *error);

const struct strata_state_facts *strata_host_state_facts(const struct strata_host_state *state);

void strata_host_state_free(struct strata_host_state *state);

#endif /* STRATA_MERGE_STATE_HOST_STATE_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host_state.h - the state of hosts over time: an observer (timeline/in_order.h) that makes spans
 * (span.h) of the events of a set of traces, in one pass, in memory for vCPUs and tasks.
 *
 *     strata_host_state_new       before the pass
 *     strata_host_state_observer  to be handed all events
 *     strata_host_state_finish    after it: ends what goes on
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
	uint64_t not_followed;             /* events of more tasks or CPUs than are followed */
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

struct strata_slice_sink *strata_host_state_observer(struct strata_host_state *state);

/* 0, or -1: there was not enough memory for all of it. */
int strata_host_state_finish(struct strata_host_state *state, struct strata_error *error);

const struct strata_state_facts *strata_host_state_facts(const struct strata_host_state *state);

void strata_host_state_free(struct strata_host_state *state);

#endif /* STRATA_MERGE_STATE_HOST_STATE_H */

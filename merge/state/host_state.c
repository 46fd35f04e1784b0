// SPDX-License-Identifier: GPL-2.0-or-later
/* host_state.c - see host_state.h: finds what each event means, and tells the part of the state. */
#include "state/host_state.h"

#include <stdlib.h>
#include <string.h>

#include "state/happening.h"

/* The part of the bounds that is the same for all events of a trace.  A machine whose clock is tied
 * to no other one has none: its times are compared with its own only. */
static uint64_t trace_bound(const struct strata_ctf_trace *trace)
{
	return trace->times_are_tied ? trace->own_bound_ns : 0;
}

/* Nobody knows what happens where a trace has ended. */
static void end_trace(struct strata_host_state *state, size_t trace, uint64_t ns)
{
	const struct strata_moment moment = { .ns = ns };

	if (state->tasks.kernels[trace])
		strata_tasks_end(&state->tasks, state->tasks.kernels[trace], &moment);
	strata_vcpus_end(&state->vcpus, trace, &moment);
}

static void end_traces(struct strata_host_state *state, uint64_t now_ns)
{
	const struct strata_trace_end *end;

	while ((end = strata_trace_ends_take(&state->ends, now_ns)))
		end_trace(state, end->trace, end->ns);
}

int strata_host_state_end_trace(struct strata_host_state *state, size_t trace, uint64_t ns)
{
	if (ns >= state->now.ns)
		return strata_trace_ends_add(&state->ends, trace, ns);
	/* What is to come of its name is another trace's. */
	end_trace(state, trace, state->now.ns);
	strata_requests_lose(&state->requests, trace);
	return 0;
}

static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct strata_host_state *state = (struct strata_host_state *)sink;
	struct strata_happening event;
	uint64_t of_trace;
	size_t i;

	(void)error;
	event.trace = state->set->streams[stream].trace;
	event.of = state->set->traces[event.trace];
	event.kind = &state->kinds[event.trace][reader->kind->class->index];
	if (!reader->kind->has_time)
		return 0;
	end_traces(state, events[0].ns);
	if (state->facts.events == 0)
		state->facts.first_ns = events[0].ns;
	state->facts.events += nr;
	state->now.ns = state->facts.last_ns = events[nr - 1].ns;
	if (!event.kind->means_anything)
		return 0;
	event.cpu = strata_place_cpu(reader->packet.has_cpu, reader->packet.cpu);
	of_trace = trace_bound(event.of);
	for (i = 0; i < nr; i++) {
		enum strata_meaning_of of;

		event.meaning = &event.kind->meanings[events[i].class];
		of = event.meaning->of;
		if (of == STRATA_MEANS_NOTHING)
			continue;
		state->facts.seen[of]++;
		state->now.ns = events[i].ns;
		state->now.bound_ns = strata_ctf_add_clamped(
			strata_ctf_bound_ns(reader, events[i].bound), of_trace);
		strata_ctf_event_open(reader, &events[i], &event.cursor);
		state->takes[of](state, &event);
	}
	return 0;
}

/* Events of a kernel are missing: what is known of other domains stays. */
static void lose_kernel(struct strata_host_state *state, size_t trace, size_t machine,
			const struct strata_place_number *domain, const struct strata_moment *now)
{
	if (state->tasks.kernels[trace])
		strata_tasks_lose(&state->tasks, state->tasks.kernels[trace], now);
	if (domain->in == STRATA_PLACE_FIXED)
		strata_evtchns_lose_domain(&state->evtchns, machine, domain->fixed);
}

static int lose(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_loss *loss, struct strata_error *error)
{
	struct strata_host_state *state = (struct strata_host_state *)sink;
	const size_t at = state->set->streams[stream].trace;
	const struct strata_ctf_trace *trace = state->set->traces[at];
	const struct strata_state_kind *kind =
		&state->kinds[at][reader->kind ? reader->kind->class->index : 0];
	const struct strata_moment now = { .ns = loss->from_ns > state->now.ns ? loss->from_ns
									       : state->now.ns };

	(void)error;
	if (!kind->means_anything)
		return 0;
	state->facts.losses++;
	if (strcmp(kind->place.layer, "xen") == 0) {
		strata_vcpus_lose(&state->vcpus, trace->machine,
				  strata_place_cpu(reader->packet.has_cpu, reader->packet.cpu), at,
				  &now);
		strata_grants_lose(&state->grants);
		strata_evtchns_lose(&state->evtchns);
	} else if (strcmp(kind->place.layer, "kernel") == 0) {
		lose_kernel(state, at, trace->machine, &kind->place.domain, &now);
	}
	strata_requests_lose(&state->requests, at);
	return 0;
}

int strata_host_state_find_ends(struct strata_host_state *state, struct strata_error *error)
{
	struct strata_trace_ends ends = { .ends = NULL };
	const struct strata_trace_end *end;
	int status = strata_trace_ends_find(&ends, state->set, error);

	while (!status && (end = strata_trace_ends_take(&ends, UINT64_MAX))) {
		if (end->ns && strata_host_state_end_trace(state, end->trace, end->ns))
			status = strata_fail(error, "out of memory");
	}
	strata_trace_ends_clear(&ends);
	return status;
}

int strata_host_state_change_set(struct strata_host_state *state,
				 const struct strata_trace_set *set, struct strata_error *error)
{
	struct strata_kernel **kernels = reallocarray(state->tasks.kernels, set->nr_traces + 1,
						      sizeof(struct strata_kernel *));

	if (!kernels)
		return strata_fail(error, "out of memory");
	memset(kernels + state->tasks.nr_traces, 0,
	       (set->nr_traces - state->tasks.nr_traces) * sizeof(struct strata_kernel *));
	state->tasks.kernels = kernels;
	state->tasks.nr_traces = set->nr_traces;
	state->set = set;
	return strata_state_find_kinds(state) || strata_requests_set(&state->requests, set)
		       ? strata_fail(error, "out of memory")
		       : 0;
}

struct strata_host_state *strata_host_state_new_live(const struct strata_trace_set *set,
						     const struct strata_request_forms *requests,
						     struct strata_span_listener *const *listeners,
						     size_t nr_listeners,
						     struct strata_error *error)
{
	struct strata_host_state *state;
	size_t i;

	if (nr_listeners > STRATA_SPAN_LISTENERS_MAX) {
		strata_fail(error, "more than %u listen to the state of a host",
			    STRATA_SPAN_LISTENERS_MAX);
		return NULL;
	}
	strata_fail(error, "out of memory");
	state = calloc(1, sizeof(*state));
	if (!state)
		return NULL;
	state->sink.take = take;
	state->sink.lose = lose;
	for (i = 0; i < STRATA_NR_MEANINGS; i++)
		state->takes[i] = strata_state_takes_xen[i] ? strata_state_takes_xen[i]
							    : strata_state_takes_kernel[i];
	state->set = set;
	state->request_forms = requests;
	state->spans = strata_spans_of(listeners, nr_listeners);
	state->vcpus.spans = state->tasks.spans = &state->spans;
	state->requests.spans = state->evtchns.spans = state->grants.spans = &state->spans;
	state->tasks.vcpus = state->evtchns.vcpus = &state->vcpus;
	state->evtchns.tasks = &state->tasks;
	if (!strata_host_state_change_set(state, set, error))
		return state;
	strata_host_state_free(state);
	return NULL;
}

struct strata_host_state *strata_host_state_new(const struct strata_trace_set *set,
						const struct strata_request_forms *requests,
						struct strata_span_listener *const *listeners,
						size_t nr_listeners, struct strata_error *error)
{
	struct strata_host_state *state =
		strata_host_state_new_live(set, requests, listeners, nr_listeners, error);

	if (state && !strata_trace_ends_find(&state->ends, set, error))
		return state;
	strata_host_state_free(state);
	return NULL;
}

struct strata_slice_sink *strata_host_state_observer(struct strata_host_state *state)
{
	return &state->sink;
}

void strata_host_state_tell_open(struct strata_host_state *state, const struct strata_spans *spans)
{
	const struct strata_moment end = { .ns = state->facts.last_ns };

	strata_tasks_tell_open(&state->tasks, spans, &end);
	strata_vcpus_tell_open(&state->vcpus, spans, &end);
	state->facts.contradictions = state->vcpus.contradictions;
	state->facts.switches_missing = state->tasks.switches_missing;
	state->facts.not_followed =
		state->vcpus.not_followed + state->tasks.not_followed + state->evtchns.not_followed;
	state->facts.not_followed += state->grants.not_followed;
	state->facts.grants_without_map = state->grants.without_map;
	state->facts.grants_still_mapped = state->grants.open.nr;
	state->facts.requests_without_begin = state->requests.without_begin;
	state->facts.requests_without_end = state->requests.without_end + state->requests.shares.nr;
	state->facts.requests_not_followed = state->requests.not_followed;
}

int strata_host_state_finish(struct strata_host_state *state, struct strata_error *error)
{
	strata_host_state_tell_open(state, &state->spans);
	if (state->vcpus.no_memory || state->tasks.no_memory)
		return strata_fail(error, "out of memory");
	return 0;
}

const struct strata_state_facts *strata_host_state_facts(const struct strata_host_state *state)
{
	return &state->facts;
}

void strata_host_state_free(struct strata_host_state *state)
{
	if (!state)
		return;
	strata_vcpus_clear(&state->vcpus);
	strata_tasks_clear(&state->tasks);
	strata_evtchns_clear(&state->evtchns);
	strata_grants_clear(&state->grants);
	strata_requests_clear(&state->requests);
	strata_id_map_free(&state->names);
	strata_ctf_arena_free(state->arena);
	strata_trace_ends_clear(&state->ends);
	free(state);
}

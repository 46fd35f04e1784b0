// SPDX-License-Identifier: GPL-2.0-or-later
/* host_kinds.c - what each class of events of a set means for the state (happening.h). */
#include "state/happening.h"

static int find_kind(struct strata_host_state *state, const struct strata_ctf_trace *trace,
		     size_t at, const struct strata_request_forms *requests,
		     struct strata_state_kind *kind)
{
	const struct strata_ctf_stream_class *stream = &trace->metadata.streams[at];
	size_t i;

	kind->meanings =
		strata_ctf_arena_get(state->arena, stream->nr_events, sizeof(*kind->meanings));
	if (!kind->meanings || strata_place_find(&kind->place, trace, at, state->arena))
		return -1;
	for (i = 0; i < stream->nr_events; i++) {
		if (strata_meaning_find(&kind->meanings[i], kind->place.layer, stream,
					&stream->events[i], requests, state->arena))
			return -1;
		kind->means_anything |= kind->meanings[i].of != STRATA_MEANS_NOTHING;
		kind->has_runstates |= kind->meanings[i].of == STRATA_MEANS_RUNSTATE;
	}
	return 0;
}

/* Hypercalls and VM exits whose ends are not recorded have no length. */
static void need_returns(const struct strata_ctf_trace *trace, struct strata_state_kind *kinds)
{
	static const enum strata_meaning_of pairs[][2] = {
		{ STRATA_MEANS_HYPERCALL, STRATA_MEANS_HYPERCALL_RETURN },
		{ STRATA_MEANS_VM_EXIT, STRATA_MEANS_VM_ENTRY },
	};
	bool has[STRATA_NR_MEANINGS] = { false };
	size_t i, j, k;

	for (i = 0; i < trace->metadata.nr_streams; i++) {
		for (j = 0; j < trace->metadata.streams[i].nr_events; j++)
			has[kinds[i].meanings[j].of] = true;
	}
	for (i = 0; i < trace->metadata.nr_streams; i++) {
		for (j = 0; j < trace->metadata.streams[i].nr_events; j++) {
			for (k = 0; k < sizeof(pairs) / sizeof(pairs[0]); k++) {
				if (kinds[i].meanings[j].of == pairs[k][0] && !has[pairs[k][1]])
					kinds[i].meanings[j].of = STRATA_MEANS_RUNS;
			}
		}
	}
}

int strata_state_find_kinds(struct strata_host_state *state,
			    const struct strata_request_forms *requests)
{
	size_t i, j;

	state->kinds =
		strata_ctf_arena_get(state->arena, state->set->nr_traces, sizeof(*state->kinds));
	for (i = 0; state->kinds && i < state->set->nr_traces; i++) {
		const struct strata_ctf_trace *trace = state->set->traces[i];

		state->kinds[i] = strata_ctf_arena_get(state->arena, trace->metadata.nr_streams,
						       sizeof(**state->kinds));
		if (!state->kinds[i])
			return -1;
		for (j = 0; j < trace->metadata.nr_streams; j++) {
			if (find_kind(state, trace, j, requests, &state->kinds[i][j]))
				return -1;
		}
		need_returns(trace, state->kinds[i]);
	}
	return state->kinds ? 0 : -1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* host_kinds.c - finds what each class of events of a set means for the state (happening.h). */
#include "state/happening.h"

#include <stdlib.h>
#include <string.h>

#include "base/identity.h"

/* Memory for the findings about one set: meanings and ways to fields. */
#define ARENA_BYTES ((size_t)1 << 30)

/* Keeps the name of a meaning beyond its set, because open spans use it.  0, or -1: out of memory.
 */
static int keep_name(struct strata_host_state *state, struct strata_meaning *meaning)
{
	uint64_t id = strata_identity_add_text(0, meaning->name, strlen(meaning->name));
	char *name;

	/* Another name with the same id gets the next id. */
	while ((name = strata_id_map_find(&state->names, id)) && strcmp(name, meaning->name) != 0)
		id++;
	if (!name) {
		name = strdup(meaning->name);
		if (!name || strata_id_map_add(&state->names, id, name)) {
			free(name);
			return -1;
		}
	}
	meaning->name = name;
	return 0;
}

/* Two adjacent numbers of 16 bits are read as one of 32 bits. */
static void find_vcpu_pair(struct strata_state_kind *kind)
{
	const struct strata_place_number *domain = &kind->place.domain, *vcpu = &kind->place.vcpu;
	const struct strata_ctf_plain *a = &domain->plain, *b = &vcpu->plain;

	if (domain->in != STRATA_PLACE_FIELD || vcpu->in != STRATA_PLACE_FIELD || a->width != 16 ||
	    b->width != 16 || a->is_signed || b->is_signed || a->align != b->align ||
	    (a->bits + 16 != b->bits && b->bits + 16 != a->bits))
		return;
	kind->vcpu_pair = a->bits < b->bits ? *a : *b;
	kind->vcpu_pair.width = kind->vcpu_pair.unused = 32;
}

static int find_kind(struct strata_host_state *state, const struct strata_ctf_trace *trace,
		     size_t at, struct strata_state_kind *kind)
{
	const struct strata_ctf_stream_class *stream = &trace->metadata.streams[at];
	size_t i;

	kind->meanings =
		strata_ctf_arena_get(state->arena, stream->nr_events, sizeof(*kind->meanings));
	if (!kind->meanings || strata_place_find(&kind->place, trace, at, state->arena))
		return -1;
	for (i = 0; i < stream->nr_events; i++) {
		if (strata_meaning_find(&kind->meanings[i], kind->place.layer, stream,
					&stream->events[i], state->request_forms, state->arena) ||
		    (kind->meanings[i].name && keep_name(state, &kind->meanings[i])))
			return -1;
		kind->means_anything |= kind->meanings[i].of != STRATA_MEANS_NOTHING;
		kind->has_runstates |= kind->meanings[i].of == STRATA_MEANS_RUNSTATE;
	}
	find_vcpu_pair(kind);
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

int strata_state_find_kinds(struct strata_host_state *state)
{
	size_t i, j;

	strata_ctf_arena_free(state->arena);
	state->kinds = NULL;
	state->arena = strata_ctf_arena_new(ARENA_BYTES);
	if (!state->arena)
		return -1;
	state->kinds =
		strata_ctf_arena_get(state->arena, state->set->nr_traces, sizeof(*state->kinds));
	for (i = 0; state->kinds && i < state->set->nr_traces; i++) {
		const struct strata_ctf_trace *trace = state->set->traces[i];

		state->kinds[i] = strata_ctf_arena_get(state->arena, trace->metadata.nr_streams,
						       sizeof(**state->kinds));
		if (!state->kinds[i])
			return -1;
		for (j = 0; j < trace->metadata.nr_streams; j++) {
			if (find_kind(state, trace, j, &state->kinds[i][j]))
				return -1;
		}
		need_returns(trace, state->kinds[i]);
	}
	return state->kinds ? 0 : -1;
}

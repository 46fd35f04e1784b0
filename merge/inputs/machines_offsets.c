// SPDX-License-Identifier: GPL-2.0-or-later
/* machines_offsets.c - see machines_offsets.h. */
#include "inputs/machines_offsets.h"

#include <string.h>

/* Offsets that differ by more are not unified. */
#define ONE_CLOCK_NS 1000000000u

static size_t first_of_machine(const struct strata_machines *machines, size_t at)
{
	size_t first = 0;

	while (machines->of_trace[first] != machines->of_trace[at])
		first++;
	return first;
}

uint64_t strata_machines_offset_distance(const struct strata_machines *machines,
					 const struct strata_trace_set *set, size_t at)
{
	const struct strata_ctf_trace *first = set->traces[first_of_machine(machines, at)];
	const struct strata_ctf_trace *trace = set->traces[at];
	int64_t one, other;

	if (trace->recording || trace->metadata.nr_streams == 0 || first->metadata.nr_streams == 0)
		return 0;
	one = first->kinds[0].time.base_ns;
	other = trace->kinds[0].time.base_ns;
	return one < other ? (uint64_t)other - (uint64_t)one : (uint64_t)one - (uint64_t)other;
}

static bool is_one_clock(const struct strata_ctf_trace *a, const struct strata_ctf_trace *b)
{
	const struct strata_ctf_clock *x = a->metadata.clocks, *y = b->metadata.clocks;

	return a->metadata.nr_clocks && b->metadata.nr_clocks && x->has_uuid && y->has_uuid &&
	       memcmp(x->uuid, y->uuid, 16) == 0 && x->frequency == y->frequency &&
	       strcmp(x->name, y->name) == 0;
}

/* The time of a trace's first clock, if one of its stream classes uses it. */
static const struct strata_ctf_time *time_of_first_clock(const struct strata_ctf_trace *trace)
{
	size_t i;

	for (i = 0; i < trace->metadata.nr_streams; i++) {
		if (trace->kinds[i].has_time && trace->kinds[i].clock == 0)
			return &trace->kinds[i].time;
	}
	return NULL;
}

void strata_machines_share_offsets(const struct strata_machines *machines,
				   struct strata_trace_set *set)
{
	size_t i, j;

	for (i = 0; i < set->nr_traces; i++) {
		const size_t at = first_of_machine(machines, i);
		struct strata_ctf_trace *trace = set->traces[i];
		const struct strata_ctf_time *time = time_of_first_clock(set->traces[at]);

		if (at == i || trace->recording || !time || !is_one_clock(set->traces[at], trace) ||
		    strata_machines_offset_distance(machines, set, i) > ONE_CLOCK_NS)
			continue;
		for (j = 0; j < trace->metadata.nr_streams; j++) {
			if (trace->kinds[j].has_time && trace->kinds[j].clock == 0)
				trace->kinds[j].time = *time;
		}
	}
}

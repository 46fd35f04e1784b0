// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_ends.c - see trace_ends.h */
#include "state/trace_ends.h"

#include <stdlib.h>
#include <string.h>

static int compare_ends(const void *one, const void *other)
{
	const struct strata_trace_end *a = one, *b = other;

	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return a->trace < b->trace ? -1 : a->trace > b->trace;
}

int strata_trace_ends_find(struct strata_trace_ends *ends, const struct strata_trace_set *set,
			   struct strata_error *error)
{
	size_t i;

	ends->ends = calloc(set->nr_traces + 1, sizeof(*ends->ends));
	if (!ends->ends)
		return strata_fail(error, "out of memory");
	ends->nr = set->nr_traces;
	for (i = 0; i < set->nr_traces; i++)
		ends->ends[i].trace = i;
	for (i = 0; i < set->nr_streams; i++) {
		struct strata_trace_end *end = &ends->ends[set->streams[i].trace];
		uint64_t ns;
		const int status = strata_trace_set_last(set, i, &ns, error);

		if (status < 0)
			return -1;
		if (!status && ns > end->ns)
			end->ns = ns;
	}
	qsort(ends->ends, ends->nr, sizeof(*ends->ends), compare_ends);
	return 0;
}

int strata_trace_ends_add(struct strata_trace_ends *ends, size_t trace, uint64_t ns)
{
	struct strata_trace_end *larger =
		reallocarray(ends->ends, ends->nr + 1, sizeof(*ends->ends));

	if (!larger)
		return -1;
	ends->ends = larger;
	ends->ends[ends->nr++] = (struct strata_trace_end){ .trace = trace, .ns = ns };
	qsort(ends->ends + ends->next, ends->nr - ends->next, sizeof(*ends->ends), compare_ends);
	return 0;
}

void strata_trace_ends_clear(struct strata_trace_ends *ends)
{
	free(ends->ends);
	memset(ends, 0, sizeof(*ends));
}

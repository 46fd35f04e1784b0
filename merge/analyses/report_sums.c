// SPDX-License-Identifier: GPL-2.0-or-later
/* report_sums.c - see report_sums.h. */
#include "analyses/report_sums.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/identity.h"

struct strata_sum *strata_sums_get(struct strata_sums *sums, const void *a, const void *b,
				   size_t trace)
{
	const uint64_t id = strata_identity_add(strata_identity_add(0, (uintptr_t)a), (uintptr_t)b);
	struct strata_sum *sum = strata_id_map_find(&sums->map, id);

	if (sum)
		return sum;
	sum = calloc(1, sizeof(*sum));
	if (!sum || !STRATA_GROW(sums->all, sums->nr, sums->room) ||
	    strata_id_map_add(&sums->map, id, sum)) {
		free(sum);
		sums->no_memory = true;
		return NULL;
	}
	sum->a = a;
	sum->b = b;
	sum->trace = trace;
	sums->all[sums->nr++] = sum;
	return sum;
}

void strata_sums_add_length(struct strata_sums *sums, struct strata_sum *sum, uint64_t length)
{
	if (strata_histogram_add(&sum->lengths, length))
		sums->no_memory = true;
}

void strata_sums_clear(struct strata_sums *sums)
{
	size_t i;

	for (i = 0; i < sums->nr; i++) {
		strata_histogram_clear(&sums->all[i]->lengths);
		free(sums->all[i]);
	}
	free(sums->all);
	strata_id_map_clear(&sums->map);
}

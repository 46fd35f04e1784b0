// SPDX-License-Identifier: GPL-2.0-or-later
/* report_sums.c - see report_sums.h. */
#include "analyses/report_sums.h"

#include <stdlib.h>

#include "base/identity.h"

struct strata_sum *strata_sums_get(struct strata_id_rows *sums, const void *a, const void *b,
				   size_t trace)
{
	const uint64_t id = strata_identity_add(strata_identity_add(0, (uintptr_t)a), (uintptr_t)b);
	struct strata_sum *sum = strata_id_rows_find(sums, id);

	if (sum)
		return sum;
	sum = strata_id_rows_add(sums, id, sizeof(*sum));
	if (!sum)
		return NULL;
	sum->a = a;
	sum->b = b;
	sum->trace = trace;
	return sum;
}

void strata_sums_add_length(struct strata_id_rows *sums, struct strata_sum *sum, uint64_t length)
{
	if (!sum->lengths)
		sum->lengths = calloc(1, sizeof(*sum->lengths));
	if (!sum->lengths || strata_histogram_add(sum->lengths, length))
		sums->no_memory = true;
}

static void clear_sum(void *row)
{
	struct strata_sum *sum = row;

	if (sum->lengths)
		strata_histogram_clear(sum->lengths);
	free(sum->lengths);
}

void strata_sums_clear(struct strata_id_rows *sums)
{
	strata_id_rows_clear(sums, clear_sum);
}

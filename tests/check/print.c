// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * print.c - the interleaving that was run last, a line for each step.
 */
#include <stdio.h>

#include "steps.h"

static const char *const kinds[] = {
	[STRATA_CHECK_READ_ONCE] = "reads",
	[STRATA_CHECK_LOAD_ACQUIRE] = "acquires",
	[STRATA_CHECK_WRITE_ONCE] = "writes",
	[STRATA_CHECK_STORE_RELEASE] = "releases",
	[STRATA_CHECK_LOCAL_CMPXCHG] = "swaps (local)",
	[STRATA_CHECK_LOCAL_ADD] = "adds to (local)",
	[STRATA_CHECK_CMPXCHG] = "swaps",
	[STRATA_CHECK_FETCH_ADD] = "adds to",
	[STRATA_CHECK_CLOCK] = "looks at",
	[STRATA_CHECK_COPY] = "copies",
	[STRATA_CHECK_PLAIN_LOAD] = "loads",
	[STRATA_CHECK_PLAIN_STORE] = "stores",
};

void explore_print(void)
{
	const struct step *step;
	char name[64];
	unsigned int i;

	for (i = 0; i < explore_log_length(); i++) {
		step = explore_log(i);
		explore_plan->name_of(step->from, name, sizeof(name));
		printf("#   %3u  %-10s %-16s %s", i,
		       step->context < 0 ? "memory" : explore_plan->contexts[step->context].name,
		       step->context < 0 ? "sees" : kinds[step->kind], name);
		if (step->to - step->from <= 8)
			printf(" %s %llx", step->stores && !step->loads ? ":=" : "is",
			       (unsigned long long)step->value);
		else
			printf(", %zu bytes", (size_t)(step->to - step->from));
		puts(step->stores && !step->lands ? "  (waits)" : "");
	}
}

void explore_aloud(const struct explore_plan *plan, struct explore_result *result)
{
	explore(plan, result);
	printf("# %s: %lu interleavings, %lu prefixes left off, %s: %s\n", plan->name,
	       result->complete, result->left_off, result->exhaustive ? "exhaustive" : "stopped",
	       result->violation[0] ? result->violation : "no violation");
	if (result->violation[0])
		explore_print();
}

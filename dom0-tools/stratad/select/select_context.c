// SPDX-License-Identifier: GPL-2.0-or-later
/* select_context.c - see select_context.h. */
#include "stratad/select/select_context.h"

#include <string.h>

#include "recording/kernel_context.h"

/* Adds a counter, unless there is an equal one.  One too many is counted, but not stored. */
static void add_counter(const struct strata_kernel_counter *counter, struct select_contexts *chosen)
{
	unsigned int i;

	if (chosen->nr_counters > STRATA_COUNTERS_MAX)
		return;
	for (i = 0; i < chosen->nr_counters; i++)
		if (i < STRATA_COUNTERS_MAX && chosen->counters[i].type == counter->type &&
		    chosen->counters[i].config == counter->config)
			return;
	if (i < STRATA_COUNTERS_MAX)
		chosen->counters[i] = *counter;
	chosen->nr_counters++;
}

/* Adds each context of a list.  Returns the first unknown name; NULL: all are known. */
static const char *add_list(const char *list, struct select_contexts *chosen)
{
	struct strata_kernel_counter counter;

	while (true) {
		const size_t length = strcspn(list, ",");

		if (strata_kernel_counter_find(list, length, &counter))
			add_counter(&counter, chosen);
		else if (!strata_kernel_context_find(list, length, &chosen->contexts))
			return list;
		if (!list[length])
			return NULL;
		list += length + 1;
	}
}

static int check_number(const struct select_contexts *chosen, struct strata_error *error)
{
	if (chosen->nr_counters <= STRATA_COUNTERS_MAX)
		return 0;
	return strata_fail(error, "%s: these are more than %u counters; choose fewer",
			   select_option_name(SELECT_CONTEXT), STRATA_COUNTERS_MAX);
}

int select_context_check(const struct kernel_selection *selection, struct strata_error *error)
{
	struct select_contexts chosen = { .contexts = 0 };
	const char *unknown = add_list(selection->text, &chosen);

	if (!unknown)
		return check_number(&chosen, error);
	return strata_fail(error,
			   "%s: \"%.*s\" is not a context; `strata add-context --list` lists them",
			   select_option_name(SELECT_CONTEXT), (int)strcspn(unknown, ","), unknown);
}

int select_contexts_choose(const struct kernel_selection *selections, size_t nr, uint32_t domain,
			   const char *name, struct select_contexts *chosen,
			   struct strata_error *error)
{
	size_t i;

	*chosen = (struct select_contexts){ .contexts = 0 };
	for (i = 0; i < nr; i++)
		if (selections[i].kind == SELECT_CONTEXT &&
		    select_matches_domain(&selections[i], domain, name))
			add_list(selections[i].text, chosen);
	return check_number(chosen, error);
}

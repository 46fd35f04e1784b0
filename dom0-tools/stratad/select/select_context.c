// SPDX-License-Identifier: GPL-2.0-or-later
/* select_context.c - see select_context.h. */
#include "stratad/select/select_context.h"

#include <string.h>

#include "recording/kernel_context.h"

/* Adds each context of a list to a set.  Returns the first unknown name; NULL: all are known. */
static const char *add_list(const char *list, uint32_t *contexts)
{
	while (true) {
		const size_t length = strcspn(list, ",");

		if (!strata_kernel_context_find(list, length, contexts))
			return list;
		if (!list[length])
			return NULL;
		list += length + 1;
	}
}

int select_context_check(const struct kernel_selection *selection, struct strata_error *error)
{
	uint32_t contexts = 0;
	const char *unknown = add_list(selection->text, &contexts);

	if (!unknown)
		return 0;
	return strata_fail(error,
			   "%s: \"%.*s\" is not a context; `strata add-context --list` lists them",
			   select_option_name(SELECT_CONTEXT), (int)strcspn(unknown, ","), unknown);
}

uint16_t select_contexts_choose(const struct kernel_selection *selections, size_t nr,
				uint32_t domain, const char *name)
{
	uint32_t contexts = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		if (selections[i].kind == SELECT_CONTEXT &&
		    select_matches_domain(&selections[i], domain, name))
			add_list(selections[i].text, &contexts);
	return (uint16_t)contexts;
}

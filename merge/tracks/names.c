// SPDX-License-Identifier: GPL-2.0-or-later
/* names.c - see names.h. */
#include "tracks/names.h"

#include <string.h>

#include "base/array.h"
#include "base/identity.h"

/* 0, or -1: out of memory. */
static int add(struct strata_names *names, const char *text, uint64_t id)
{
	char *copy = strdup(text);

	if (copy && STRATA_GROW(names->texts, names->nr, names->room) &&
	    !strata_id_map_add(&names->by_text, id, (void *)(uintptr_t)(names->nr + 1))) {
		names->texts[names->nr++] = copy;
		return 0;
	}
	free(copy);
	names->no_memory = true;
	return -1;
}

uint32_t strata_names_get(struct strata_names *names, const char *text, uint64_t owner)
{
	uint64_t id = strata_identity_add_text(0, text, strlen(text));
	uintptr_t found;

	if (names->nr == 0 && add(names, "(other)", 0))
		return STRATA_NAME_OTHER;
	/* If another text has the same id, this text takes the next free one. */
	for (;; id++) {
		found = (uintptr_t)strata_id_map_find(&names->by_text, id);
		if (!found)
			break;
		if (strcmp(names->texts[found - 1], text) == 0)
			return (uint32_t)(found - 1);
	}
	if (!strata_shares_take(&names->shares, owner, STRATA_NAMES_MAX) || add(names, text, id))
		return STRATA_NAME_OTHER;
	return (uint32_t)(names->nr - 1);
}

void strata_names_clear(struct strata_names *names)
{
	size_t i;

	for (i = 0; i < names->nr; i++)
		free(names->texts[i]);
	free(names->texts);
	strata_id_map_clear(&names->by_text);
	strata_shares_clear(&names->shares);
	memset(names, 0, sizeof(*names));
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* names.c - see names.h. */
#include "why/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/identity.h"

static uint32_t append(struct strata_why_names *names, const char *text, const char *by,
		       uint64_t owner)
{
	struct strata_why_name name = { strdup(text), strdup(by), owner };

	if (!name.text || !name.by || !STRATA_GROW(names->names, names->nr, names->room)) {
		free(name.text);
		free(name.by);
		names->no_memory = true;
		return 0;
	}
	names->names[names->nr++] = name;
	return (uint32_t)(names->nr - 1);
}

/* Maps a number to a map value: plus 1, because a value must not be NULL. */
static void *thing_of(uint32_t number)
{
	return (void *)((uintptr_t)number + 1);
}

uint32_t strata_why_names_add(struct strata_why_names *names, const char *text, const char *by,
			      uint64_t owner)
{
	uint64_t id = strata_identity_add_text(0, text, strlen(text));
	uint32_t number;
	void *thing;

	if (!names->nr)
		append(names, "", "", STRATA_WHY_OWN);
	if (!names->nr)
		return 0;
	by = by ? by : text;
	id = strata_identity_add_text(id, by, strlen(by));
	/* On a collision the name takes the next free id. */
	while ((thing = strata_id_map_find(&names->by_id, id))) {
		number = (uint32_t)((uintptr_t)thing - 1);
		if (strcmp(names->names[number].text, text) == 0 &&
		    strcmp(names->names[number].by, by) == 0)
			return number;
		id++;
	}
	if (owner != STRATA_WHY_OWN &&
	    !strata_shares_take(&names->shares, owner, STRATA_WHY_NAMES_MAX))
		return strata_why_names_add(names, "others", "others", STRATA_WHY_OWN);
	number = append(names, text, by, owner);
	if (number && strata_id_map_add(&names->by_id, id, thing_of(number)))
		names->no_memory = true;
	return number;
}

uint32_t strata_why_names_add_by(struct strata_why_names *names, uint32_t number)
{
	if (!number || number >= names->nr)
		return 0;
	/* The text stays where it is when the table grows. */
	return strata_why_names_add(names, names->names[number].by, NULL,
				    names->names[number].owner);
}

void strata_why_names_clear(struct strata_why_names *names)
{
	size_t i;

	for (i = 0; i < names->nr; i++) {
		free(names->names[i].text);
		free(names->names[i].by);
	}
	free(names->names);
	strata_id_map_clear(&names->by_id);
	strata_shares_clear(&names->shares);
	memset(names, 0, sizeof(*names));
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* names.c - see names.h. */
#include "sql/names.h"

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/value_hash.h"

static uint64_t hash_of(const char *name)
{
	char folded[SQL_NAME_BYTES + 32];
	size_t i;

	for (i = 0; name[i] && i < sizeof(folded); i++)
		folded[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
	return strata_hash_bytes(0, folded, i) >> 17;
}

/* Where a name is, or would be. */
static const char **place_of(const struct sql_names *names, const char *name)
{
	size_t at = hash_of(name) & (names->room - 1);

	while (names->names[at] && sqlite3_stricmp(names->names[at], name) != 0)
		at = (at + 1) & (names->room - 1);
	return &names->names[at];
}

static int grow(struct sql_names *names)
{
	struct sql_names larger = { .nr = names->nr, .room = names->room ? 2 * names->room : 64 };
	size_t i;

	larger.names = calloc(larger.room, sizeof(*larger.names));
	if (!larger.names)
		return -1;
	for (i = 0; i < names->room; i++) {
		if (names->names[i])
			*place_of(&larger, names->names[i]) = names->names[i];
	}
	free(names->names);
	*names = larger;
	return 0;
}

void sql_names_clear(struct sql_names *names)
{
	free(names->names);
	memset(names, 0, sizeof(*names));
}

const char *sql_names_add(struct sql_names *names, const char *wanted,
			  struct strata_ctf_arena *arena)
{
	char valid[SQL_NAME_BYTES], text[SQL_NAME_BYTES + 32];
	unsigned long number;
	char *name;

	if (2 * names->nr >= names->room && grow(names))
		return NULL;
	strata_valid_utf8_copy(valid, sizeof(valid), *wanted ? wanted : "unnamed");
	snprintf(text, sizeof(text), "%s", valid);
	for (number = 2; *place_of(names, text); number++)
		snprintf(text, sizeof(text), "%s_%lu", valid, number);
	name = strata_ctf_arena_get(arena, strlen(text) + 1, 1);
	if (!name)
		return NULL;
	memcpy(name, text, strlen(text) + 1);
	*place_of(names, name) = name;
	names->nr++;
	return name;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* names.c - see names.h. */
#include "sql/names.h"

#include <search.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

struct name {
	const char *text;
	void *of;
	unsigned long next; /* number to append to the next duplicate of this name */
};

static int compare(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return sqlite3_stricmp(x->text, y->text);
}

static struct name *find(const struct sql_names *names, const char *text)
{
	const struct name wanted = { .text = text };
	void *const *found = tfind(&wanted, &names->tree, compare);

	return found ? *found : NULL;
}

void sql_names_clear(struct sql_names *names)
{
	tdestroy(names->tree, free);
	names->tree = NULL;
}

const char *sql_names_add(struct sql_names *names, const char *wanted, void *of,
			  struct strata_ctf_arena *arena)
{
	char valid[SQL_NAME_BYTES], text[SQL_NAME_BYTES + 32];
	struct name *first, *name;
	char *copy;

	strata_valid_utf8_copy(valid, sizeof(valid), *wanted ? wanted : "unnamed");
	snprintf(text, sizeof(text), "%s", valid);
	first = find(names, valid);
	/* Numbers are not tried twice: many may want the same name. */
	while (find(names, text))
		snprintf(text, sizeof(text), "%s_%lu", valid, first->next++);
	name = malloc(sizeof(*name));
	copy = strata_ctf_arena_get(arena, strlen(text) + 1, 1);
	if (!name || !copy) {
		free(name);
		return NULL;
	}
	memcpy(copy, text, strlen(text) + 1);
	*name = (struct name){ .text = copy, .of = of, .next = 2 };
	if (tsearch(name, &names->tree, compare))
		return copy;
	free(name);
	return NULL;
}

void *sql_names_find(const struct sql_names *names, const char *name)
{
	const struct name *found = find(names, name);

	return found ? found->of : NULL;
}

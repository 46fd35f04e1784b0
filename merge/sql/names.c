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
	unsigned int wishes;
	bool is_taken;
	unsigned long next; /* number to append for the next object that shares this name */
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

static void make_valid(char valid[SQL_NAME_BYTES], const char *wanted)
{
	strata_valid_utf8_copy(valid, SQL_NAME_BYTES, *wanted ? wanted : "unnamed");
}

/* Adds a name that the set does not contain. Returns NULL: out of memory. */
static struct name *insert(struct sql_names *names, const char *text,
			   struct strata_ctf_arena *arena)
{
	struct name *name = malloc(sizeof(*name));
	char *copy = strata_ctf_arena_get(arena, strlen(text) + 1, 1);

	if (!name || !copy) {
		free(name);
		return NULL;
	}
	memcpy(copy, text, strlen(text) + 1);
	*name = (struct name){ .text = copy, .next = 1 };
	if (tsearch(name, &names->tree, compare))
		return name;
	free(name);
	return NULL;
}

int sql_names_wish(struct sql_names *names, const char *wanted, struct strata_ctf_arena *arena)
{
	char valid[SQL_NAME_BYTES];
	struct name *name;

	make_valid(valid, wanted);
	name = find(names, valid);
	if (!name)
		name = insert(names, valid, arena);
	if (!name)
		return -1;
	name->wishes++;
	return 0;
}

bool sql_names_is_shared(const struct sql_names *names, const char *wanted)
{
	char valid[SQL_NAME_BYTES];
	const struct name *name;

	make_valid(valid, wanted);
	name = find(names, valid);
	return name && name->wishes > 1;
}

const char *sql_names_add(struct sql_names *names, const char *wanted, void *of,
			  struct strata_ctf_arena *arena)
{
	char valid[SQL_NAME_BYTES], text[SQL_NAME_BYTES + 32];
	struct name *first, *name;

	make_valid(valid, wanted);
	first = name = find(names, valid);
	if (!first) {
		name = insert(names, valid, arena);
	} else if (first->is_taken || first->wishes > 1) {
		/* Numbers are not tried twice: many may want the same name. */
		do {
			snprintf(text, sizeof(text), "%s_%lu", valid, first->next++);
		} while (find(names, text));
		name = insert(names, text, arena);
	}
	if (!name)
		return NULL;
	name->is_taken = true;
	name->of = of;
	return name->text;
}

void *sql_names_find(const struct sql_names *names, const char *name)
{
	const struct name *found = find(names, name);

	return found ? found->of : NULL;
}

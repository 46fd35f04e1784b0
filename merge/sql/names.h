/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - names that are distinct for SQLite, which ignores the case of ASCII letters.
 *
 * A balanced tree, because hostile traces choose the names: no choice of names makes a lookup slow.
 */
#ifndef STRATA_MERGE_SQL_NAMES_H
#define STRATA_MERGE_SQL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "ctf/types/ctf_arena.h"

#define SQL_NAME_BYTES 200u /* longer names are truncated */

/* A set of names. All-zero is empty. */
struct sql_names {
	void *tree;
};

void sql_names_clear(struct sql_names *names);

/*
 * Makes a name of arbitrary bytes valid and unique in the set, by appending a number, and adds it.
 * Returns the name, which @arena owns. NULL: out of memory.
 * @of: the object with this name, for sql_names_find(); may be NULL
 */
const char *sql_names_add(struct sql_names *names, const char *wanted, void *of,
			  struct strata_ctf_arena *arena);

/* Returns the object with a name, ignoring case; NULL: not found, or added without an object. */
void *sql_names_find(const struct sql_names *names, const char *name);

#endif /* STRATA_MERGE_SQL_NAMES_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - names that differ for SQLite, which does not tell upper from lower case (of ASCII).
 *
 * A balanced tree, because traces choose the names: no choice makes a look-up slow.
 */
#ifndef STRATA_MERGE_SQL_NAMES_H
#define STRATA_MERGE_SQL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "ctf/types/ctf_arena.h"

#define SQL_NAME_BYTES 200u /* longer ones are cut */

/* A set of names.  Zero-initialised is empty. */
struct sql_names {
	void *tree;
};

void sql_names_clear(struct sql_names *names);

/*
 * Makes a name of any bytes valid and one that the set does not have, by a number behind it, and
 * adds it.  The name is @arena's.  NULL: out of memory.
 * @of: what has the name, for sql_names_find(); may be NULL
 */
const char *sql_names_add(struct sql_names *names, const char *wanted, void *of,
			  struct strata_ctf_arena *arena);

/* What has a name, in any case of its letters; NULL: nothing that was given. */
void *sql_names_find(const struct sql_names *names, const char *name);

#endif /* STRATA_MERGE_SQL_NAMES_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - names that are distinct for SQLite, which ignores the case of ASCII letters.
 *
 * Users of different trust choose the names. So objects first wish for their names, then get them:
 * a name that several wish for goes to none of them, and each gets it with a number appended.
 * Otherwise the first object would take the place of another, and queries would read its data.
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
 * Notes that an object wants a name, of arbitrary bytes. All wishes precede sql_names_add().
 * @arena: owns the text
 * Returns 0, or -1: out of memory.
 */
int sql_names_wish(struct sql_names *names, const char *wanted, struct strata_ctf_arena *arena);

/* Whether several objects wish for a name, ignoring case. */
bool sql_names_is_shared(const struct sql_names *names, const char *wanted);

/*
 * Makes a name of arbitrary bytes valid and adds it, with a number appended if several wished for
 * it or it is taken. A numbered name differs from all wishes.
 * Returns the name, which @arena owns. NULL: out of memory.
 * @of: the object with this name, for sql_names_find(); may be NULL
 */
const char *sql_names_add(struct sql_names *names, const char *wanted, void *of,
			  struct strata_ctf_arena *arena);

/* Returns the object with a name, ignoring case; NULL: not found, or added without an object. */
void *sql_names_find(const struct sql_names *names, const char *name);

#endif /* STRATA_MERGE_SQL_NAMES_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tsdl_table.h - a hash table from a place and a name in it to what the name stands
 * for: types in scopes, fields in structures, options in variants.  Places are any
 * numbers that differ; names are addresses that strata_tsdl_intern() gave, so that
 * equal names are equal addresses.
 */
#ifndef STRATA_MERGE_CTF_TSDL_TABLE_H
#define STRATA_MERGE_CTF_TSDL_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "ctf/types/ctf_arena.h"

struct strata_tsdl_entry;

/* Zeroed: empty. */
struct strata_tsdl_table {
	struct strata_tsdl_entry *entries;
	size_t nr_entries;
	size_t capacity; /* a power of two */
	uint64_t seed;
};

/* Returns what was added, or NULL. */
void *strata_tsdl_find(const struct strata_tsdl_table *table, uint64_t place, const char *name);

/* Adds what is not there yet; @value: not NULL.  Returns -1 if there is no memory. */
int strata_tsdl_add(struct strata_tsdl_table *table, uint64_t place, const char *name, void *value);

/*
 * The one copy of a text, with its end; @table holds nothing but such texts.
 * Returns NULL at the arena's limit, or if there is no memory.
 */
const char *strata_tsdl_intern(struct strata_tsdl_table *table, struct strata_ctf_arena *arena,
			       const char *text, size_t length);

/* Frees and empties the table; not what it points to. */
void strata_tsdl_table_clear(struct strata_tsdl_table *table);

#endif /* STRATA_MERGE_CTF_TSDL_TABLE_H */

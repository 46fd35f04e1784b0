/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tsdl_table.h - a hash table that maps a place and a name to an object: types in scopes, fields in
 * structures, options in variants. Places are arbitrary distinct numbers; names are addresses
 * returned by strata_tsdl_intern(), so that equal names have equal addresses.
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

/* Returns the added value, or NULL. */
void *strata_tsdl_find(const struct strata_tsdl_table *table, uint64_t place, const char *name);

/* Adds a value unless the key exists; @value: not NULL. Returns -1 if out of memory. */
int strata_tsdl_add(struct strata_tsdl_table *table, uint64_t place, const char *name, void *value);

/*
 * Interns a text, zero-terminated; @table must contain only such texts.
 * Returns NULL at the arena's limit, or if out of memory.
 */
const char *strata_tsdl_intern(struct strata_tsdl_table *table, struct strata_ctf_arena *arena,
			       const char *text, size_t length);

/* Frees and empties the table; not the values. */
void strata_tsdl_table_clear(struct strata_tsdl_table *table);

#endif /* STRATA_MERGE_CTF_TSDL_TABLE_H */
